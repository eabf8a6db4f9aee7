#!/usr/bin/env python3
"""Runs the command in the first line of each file of chapters/output, and
records what it prints, masked; "mask" masks what it reads alone. Where a
chapter shows some lines of a file only, and others stand in their place now, it
says so: the range may have to move.
Exit 1: a command could not be run; its old file is kept."""

import glob
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../tools/common"))
from command import end

# What differs from run to run. Timings of the CPU executor and of builds say
# nothing about a GPU, so they are masked.
MASKS = [(re.compile(pattern, re.M), text) for pattern, text in (
    (r"[0-9][0-9.]* s on [0-9]+ cores", "N s on N cores"),
    (r"in [0-9][0-9.]* (ms|s)\b", r"in N \1"),
    (r"0x[0-9a-f]{8,}", "0xADDRESS"),
    (r"^  building .*\n", ""),
    # Who refreshes twice has the hunt already.
    (r"^.*kernel\.cu is there already, and was left alone\.\n(.*\n)?", ""),
    # The line of a makefile that refuses moves with every edit of the file.
    (r"(\.mk|Makefile):[0-9]+: ", r"\1:N: "))]


def say(*words):
    print(*words, file=sys.stderr)


def masked(text):
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def printed(command):
    """What a command prints, masked, and its exit code."""
    ran = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    text = ran.stdout.rstrip("\n")
    return masked(text + "\n" if text else ""), ran.returncode


def name_changed_ranges(path, old, new):
    for chapter in glob.glob("chapters/**/*.md", recursive=True):
        with open(chapter, encoding="utf-8") as file:
            shown = re.findall(f'file="{os.path.basename(path)}" '
                               r'lines="(\d+)-(\d+)"', file.read())
        for first, last in shown:
            lines = slice(int(first) - 1, int(last))
            if old.splitlines()[lines] != new.splitlines()[lines]:
                say(f"{chapter} shows lines {first}-{last} of "
                    f"{os.path.basename(path)}, which have changed.")


def refresh(path):
    """Is it as it should be?"""
    with open(path, encoding="utf-8") as file:
        old = file.read()
    command = re.match(r"\$ (.+)\n", old)
    if not command:
        say(f"{path}: the first line is not '$ ' and a command.")
        return False
    say(command[1])
    text, code = printed(command[1])
    if code in (3, 126, 127):
        say(f"{path}:", "this machine cannot do that;" if code == 3
            else "the command was not found;", "the old file is kept.")
        return code == 3
    new = command[0] + text + (f"[exit {code}]\n" if code else "")
    if new != old:
        name_changed_ranges(path, old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
    return True


def main(verb=None):
    if verb == "mask":
        sys.stdout.write(masked(sys.stdin.read()))
        return 0
    return 0 if all([refresh(path) for path in
                     sorted(glob.glob("chapters/output/*.txt"))]) else 1


end(main, *sys.argv[1:])
