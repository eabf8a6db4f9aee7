#!/usr/bin/env python3
"""Mistakes in kernels:
  plant.py rules                    names each rule that makes them
  plant.py list STAGE               those of a kernel, one a line:
                                    NUMBER|REGION|LINE|RULE|SENTENCE
  plant.py choose STAGE [BEFORE]    those that make mutants judges
  plant.py make STAGE NUMBER        prints the kernel with that one
  plant.py kernel STAGE NAME        or with one that its stage.toml plants
  plant.py edit FILE PLACE EDIT     or any file with any edit: editing.py
  plant.py sites FILE               names each barrier, wait, arrival, fence and
                                    commit
STAGE is its name, stage3 or 3, or a file FILE.cu. Exit
status: 0 pass, 1 something does not fit, 2 wrong command line."""

import os
import sys

sys.path += [os.path.join(os.path.dirname(__file__), its) for its in (
    "../common", ".")]
from command import end, stop
from editing import SYNCHRONISING, Misfit, kernel_path, read_source
from facts import named, rows
from rules import RULES, choose, mistakes_of


def kernel_of(stage):
    if stage.endswith(".cu"):
        return read_source(stage)
    if not named(stage):
        raise Misfit(f"There is no stage '{stage}'.")
    return read_source(kernel_path(named(stage)))


def listed(numbered):
    return "".join(
        f"{number}|{m.region}|{m.line}|{m.rule.name}|"
        f"{m.sentence}\n" for number, m in numbered)


def made(stage, number):
    source = kernel_of(stage)
    found = mistakes_of(source)
    if not number.isdigit() or not 1 <= int(number) <= len(found):
        raise Misfit(f"{source.path} has mistakes 1 to {len(found)}, and no "
                     f"'{number}'.")
    return found[int(number) - 1].text


def chosen(*stages):
    source, *before = map(kernel_of, stages)
    return listed(choose(source, mistakes_of(source), *before))


def planted(stage, name):
    """A kernel with one of the mistakes in its stage.toml."""
    for its, place, edit, *_ in rows(stage, "planted", 6):
        if its == name:
            return read_source(kernel_path(stage)).planted(place, edit)
    raise Misfit(f"{name}: {stage} has no such mistake.")


VERBS = {
    "rules": lambda: "".join(f"{rule.name}\n" for rule in RULES),
    "list": lambda stage: listed(enumerate(mistakes_of(kernel_of(stage)), 1)),
    "choose": chosen, "make": made, "kernel": planted,
    "edit": lambda file, *words: read_source(file).planted(*words),
    "sites": lambda file: "".join(
        f"{its}\n" for its in read_source(file).sites(SYNCHRONISING))}
WORDS = {"rules": (0,), "list": (1,), "choose": (1, 2), "make": (2,),
         "kernel": (2,), "edit": (3,), "sites": (1,)}


def main(verb="", *words):
    if len(words) not in WORDS.get(verb, ()):
        stop(2, __doc__)
    try:
        print(VERBS[verb](*words), end="")
    except Misfit as reason:
        stop(1, str(reason))


if __name__ == "__main__":
    end(main, *sys.argv[1:])
