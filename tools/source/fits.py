#!/usr/bin/env python3
"""What names code of a stage's kernel that is not there:  fits.py STAGE...
Prints a line for each entry of stage.toml, or wrong solution of a lab, whose
place or edit does not fit; exit code 1 then. Of a kernel that differs from the
last commit's, prints too where its chapter, labs and tests have names that are
gone from it, for you to see, and what shows lines by numbers that have
changed."""

import glob
import os
import re
import subprocess
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/{its}" for its in ("common", "labs", "results")]
import lab
from command import answer, end, folder_of, kernel_path, text_of
from editing import Misfit, Source, read_source
from facts import entries, facts, phases
from recorded import files
from rules import mistakes_of


def planted(source, place, edit, *more):
    """Fails where the edit does not fit its place, or the kernel with it has
    not these places."""
    there = Source(source.path, source.planted(place, edit))
    for name in more:
        there.place(name)


def made(mistakes, regions, rules, code):
    if not any({"*", m.region} & {*regions.split(", ")}
               and {"*", m.rule.name} & {*rules.split(", ")}
               and (code == "*" or code in m.sentence) for m in mistakes):
        raise Misfit(f"No mistake that rules make there has '{code}'.")


def entries_of(stage):
    """Of each entry its file, how it begins, and what to try."""
    path, its = f"{folder_of(stage)}/stage.toml", facts(stage)
    source = read_source(kernel_path(stage))
    mistakes = mistakes_of(source)
    for name, place, edit, _, *more in entries(its, "planted", 6, path):
        yield path, name, planted, source, place, edit, *more
    for name, place, edit in entries(its, "silent", 3, path):
        yield path, name, planted, source, place, edit
    for place, edit, _, _ in entries(its, "slow", 4, path):
        yield path, place, planted, source, place, edit
    for *which, _ in entries(its, "equivalent", 4, path):
        yield path, " | ".join(which), made, mistakes, *which
    for rule in phases(stage):
        place = re.split(" (?:before|after) +", rule)[-1]
        yield path, rule, source.place, place
    for name in labs_of(stage):
        its = lab.read(name)
        book = Source(its.file, lab.solution(its))
        for wrong, place, edit, *_ in its.wrong:
            yield lab.path_of(name), wrong, planted, book, place, edit


def misfits(stage):
    """A sentence on each entry that does not fit."""
    for path, entry, attempt, *words in entries_of(stage):
        try:
            attempt(*words)
        except Misfit as reason:
            yield f"{at(path, entry)}: '{entry}': {reason}"


def at(path, words):
    before, found, _ = (text_of(path) or "").partition(words)
    return f"{path}:{before.count(chr(10)) + 1}" if found else path


def labs_of(stage):
    return sorted(os.path.basename(path)[:-4] for path in glob.glob(
        "labs/*/*.lab") if f"\nstage: {stage}\n" in text_of(path))


def before_and_now(stage):
    """The kernel of the last commit, and this one."""
    path, now = kernel_path(stage), text_of(kernel_path(stage))
    return answer(["git", "show", f"HEAD:{path}"],
                  stderr=subprocess.DEVNULL) or now, now


def changed(stage):
    """The words that the last commit's kernel has alone, and those that are new
    in it."""
    before, now = ({*re.findall(r"[A-Za-z_]\w+", re.sub("//.*", "", text))}
                   for text in before_and_now(stage))
    return sorted(before - now), sorted(now - before)


def moved(stage):
    """What shows lines of the kernel by their numbers, where these have
    changed."""
    before, now = (text.count("\n") for text in before_and_now(stage))
    if before == now:
        return
    path = "chapters/output.txt"
    if f"{kernel_path(stage)}:" in text_of(path):
        yield f"{path}: numbers of lines have changed: make refresh-output"
    for folder in sorted(glob.glob("results/nvidia-*/*")):
        for path in files(folder):
            name, _, arm = os.path.basename(path).partition(".")
            if name == stage and path.endswith(".count.json"):
                arm = arm[:-11].replace("-", "=").replace(".", " ")
                pack = "" if os.path.exists(path) else (
                    f" && make results-pack DIR={folder}")
                yield (f"{path}: counted by line: make {stage.split('_')[0]} "
                       f"count TARGET=cpu {arm}{' ' * bool(arm)}JSON={folder}"
                       f"{pack}")


def about(stage):
    """The prose on it; and what names its code."""
    its = re.search(rf"(?m)^ *- file: (\S+)\n(?:    .*\n)*?    stage: {stage}$",
                    text_of("chapters/book.yaml"))
    of_tests = rf"{stage}|\bstage\({stage[5:].partition('_')[0]}\)"
    return [f"chapters/lines/{stage}.md", *(
        [f"chapters/{its[1]}", f"chapters/notes/{its[1]}"] if its else [])], [
            f"{folder_of(stage)}/stage.toml", "tools/source/mistakes.toml",
            *map(lab.path_of, labs_of(stage)),
            *(path for path in sorted(glob.glob("tests/*/*.py"))
              if re.search(of_tests, text_of(path)))]


def mentions(stage):
    """Where what is about this stage has a word that is gone from its kernel:
    prose in code alone. And what renames it there, where that is all."""
    (old, new), (prose, code) = changed(stage), about(stage)
    paths = []
    for path in [*prose, *code] if old else []:
        for number, line in enumerate((text_of(path) or "").split("\n"), 1):
            for its in re.finditer(rf"\b({'|'.join(old)})\b", line):
                # Between an odd and an even backquote.
                if path in prose and line[:its.start()].count("`") % 2 == 0:
                    continue
                paths += [path] * (not path.startswith(("tests/", "tools/")))
                around = line[max(its.start() - 30, 0):its.end() + 20].strip()
                yield f"{path}:{number}: {its[1]} is gone from the kernel: " \
                    f"{around}"
                break
    # A word of the language means other things in texts.
    if paths and len(old) == len(new) == 1 and (
            re.search("[_A-Z0-9]", old[0]) or {*paths} == {code[0]}):
        yield f"If it has only another name now: sed -i 's/\\b{old[0]}\\b/" \
            f"{new[0]}/g' {' '.join(dict.fromkeys(paths))}"


def main(*stages):
    wrong = [its for stage in stages for its in misfits(stage)]
    for line in wrong + [its for stage in stages
                         for its in (*mentions(stage), *moved(stage))]:
        print(line)
    return 1 if wrong else 0


end(main, *sys.argv[1:])
