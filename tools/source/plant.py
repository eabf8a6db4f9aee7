#!/usr/bin/env python3
"""Mistakes made of a kernel by rules:
  plant.py list STAGE               one a line: NUMBER|REGION|LINE|RULE|SENTENCE
  plant.py choose STAGE [BEFORE]    those that make mutants judges
  plant.py make STAGE NUMBER        prints the kernel with that one
  plant.py edit STAGE PLACE EDIT    or with any edit: editing.py
  plant.py sites STAGE              names its barriers, waits, arrivals, fences
                                    and commits
STAGE is its name, stage3 or 3, or a file FILE.cu. Exit status: 0 pass, 1
something does not fit, 2 wrong command line."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, kernel_path, stop
from editing import SYNCHRONISING, Misfit, read_source
from facts import named
from rules import choose, mistakes_of


def kernel_of(stage):
    if stage.endswith(".cu"):
        return read_source(stage)
    if not named(stage):
        raise Misfit(f"There is no stage '{stage}'.")
    return read_source(kernel_path(named(stage)))


def listed(source, *before):
    """All mistakes, or, with the stage before, those that are chosen."""
    found = mistakes_of(source)
    for m in found if before == (None,) else choose(source, found, *before):
        yield f"{m.number}|{m.region}|{m.line}|{m.rule.name}|{m.sentence}\n"


def made(source, number):
    found = mistakes_of(source)
    if not number.isdigit() or not 1 <= int(number) <= len(found):
        raise Misfit(f"{source.path} has mistakes 1 to {len(found)}, and no "
                     f"'{number}'.")
    return found[int(number) - 1].text


VERBS = {
    ("list", 0): lambda source: listed(source, None),
    ("choose", 0): listed,
    ("choose", 1): lambda source, before: listed(source, kernel_of(before)),
    ("make", 1): made,
    ("edit", 2): lambda source, place, edit: source.planted(place, edit),
    ("sites", 0): lambda source: (
        f"{its}\n" for its in source.sites(SYNCHRONISING))}


def main(verb="", stage="", *words):
    if not stage or (verb, len(words)) not in VERBS:
        stop(2, __doc__)
    print(*VERBS[verb, len(words)](kernel_of(stage), *words), sep="", end="")


if __name__ == "__main__":
    end(main, *sys.argv[1:])
