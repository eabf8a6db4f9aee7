#!/usr/bin/env python3
"""Runs each command of chapters/output.txt, and records there what it prints,
masked. Where a chapter shows some lines of that only, and others stand in their
place now, it says so: the range may have to move.
Exit 1: a command could not be run; what it printed then is kept."""

import glob
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../tools/common"))
from command import end, said, text_of, write

FILE = "chapters/output.txt"
# What differs from run to run. Timings of the CPU executor and of builds say
# nothing about a GPU, so they are masked.
MASKS = [(re.compile(pattern, re.M), text) for pattern, text in (
    (r"[0-9][0-9.]* s on [0-9]+ cores", "N s on N cores"),
    (r"in [0-9][0-9.]* (ms|s)\b", r"in N \1"),
    (r"0x[0-9a-f]{8,}", "0xADDRESS"),
    (r"^  building .*\n", ""),
    (r"\n{3,}(?=\$ )", "\n\n"),
    # Who refreshes twice has the hunt already.
    (r"^.*kernel\.cu is there already, and was left alone\.\n(.*\n)?", ""),
    # The line of a makefile that refuses moves with every edit of the file.
    (r"(\.mk|Makefile):[0-9]+: ", r"\1:N: "))]


def say(*words):
    print(*words, file=sys.stderr)


def masked(text):
    """What a command says, as it is recorded."""
    text = text.rstrip("\n") + "\n" * bool(text.strip("\n"))
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def transcripts(text):
    """By command, what it printed: two empty lines come before the next."""
    parts = re.split(r"(?:\A|(?<=\n)\n\n)\$ (.+)\n", text)
    return dict(zip(parts[1::2], parts[2::2]))


def name_changed_ranges(command, old, new):
    for chapter in glob.glob("chapters/**/*.md", recursive=True):
        for first, last in re.findall(
                f'command="{re.escape(command)}" lines="(\\d+)-(\\d+)"',
                text_of(chapter)):
            lines = slice(int(first) - 2, int(last) - 1)
            if old.splitlines()[lines] != new.splitlines()[lines]:
                say(f"{chapter} shows lines {first}-{last} of {command}, which "
                    "have changed.")


def main():
    recorded, status = transcripts(text_of(FILE)), 0
    for command, old in recorded.items():
        say(command)
        code, text = said(command, shell=True)
        if code in (3, 126, 127):
            say("this machine cannot do that;" if code == 3 else
                "the command was not found;", "what it printed then is kept.")
            status = status or code != 3
            continue
        recorded[command] = masked(text) + f"[exit {code}]\n" * bool(code)
        if recorded[command] != old:
            name_changed_ranges(command, old, recorded[command])
            write(FILE, "\n\n".join(f"$ {its}\n{text}"
                                    for its, text in recorded.items()))
    return int(status)


if __name__ == "__main__":
    end(main, *sys.argv[1:])
