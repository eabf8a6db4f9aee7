#!/usr/bin/env python3
"""A stage's kernel with one mistake, in MINE/bughunt:  bughunt.py VERB
  lay-out   puts it there, never over anything, and says the symptoms
  grade     is the mistake gone, all else as it was, and named?
  hint      the region, then the kind
  solution  how the book's differs from what is there, after an attempt
  reset     the kernel with its mistake again; what was there is kept
SEED, STAGE and LEVEL in the environment say which hunt it is: the same one on
every machine that has the same tree."""

import os
import re
import sys
from typing import NamedTuple

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/{its}" for its in ("common", "labs", "source")]
import sentence
from command import end, stop, text_of, write
from draw import generator
from facts import ladder, named
from folder import Folder
from grade import was_passed
from mended import grade_of
from mistakes import hunt_of, plantable
from symptoms import symptoms_of

LEVELS = 3
FOLDER = Folder("bughunt", "kernel as laid out", "kernel.cu")
NOTE = f"{FOLDER.path}/hunt"  # which hunt it is
NOTED = "SEED={}\nSTAGE={}\nLEVEL={}\n"


class Asked(NamedTuple):
    seed: int
    stage: str  # or None: it is drawn
    level: int


def number_of(name, word, most=0):
    if not re.fullmatch("[0-9]{1,9}", word) or most and not (
            1 <= int(word) <= most):
        stop(2, f"{name} is a number{f' from 1 to {most}' if most else ''}, "
             f"not '{word}'.")
    return int(word)


def asked_here():
    """What was asked for; None where nothing was."""
    seed, stage, level = (os.environ.get(name, "")
                          for name in ("SEED", "STAGE", "LEVEL"))
    if not seed and not stage and not level:
        return None
    if not seed:
        stop(2, "A hunt needs a number as well: 'make bughunt SEED=7'.")
    seed, level = number_of("SEED", seed), number_of("LEVEL", level or "1",
                                                     LEVELS)
    if stage and not named(stage):
        stop(2, f"There is no stage '{stage}'; a hunt is in one of 0 to "
             f"{len(ladder()) - 1}.")
    return Asked(seed, named(stage), level)


def is_other(asked, hunt):
    return asked and asked._replace(stage=asked.stage or hunt.stage) != hunt


def noted():
    """The hunt that lies there; None where there is none."""
    text = text_of(NOTE)
    if text is None:
        return None
    its = re.fullmatch(NOTED.format(r"(\d{1,9})", r"(\w+)", f"([1-{LEVELS}])"),
                       text)
    if not its or its[2] not in ladder():
        stop(2, f"{NOTE} does not say any more which hunt this is: put it "
             "back, or remove it and type 'make bughunt SEED=...' as before.")
    return Asked(int(its[1]), its[2], int(its[3]))


def called(hunt):
    return f"SEED={hunt.seed} STAGE={re.search('[0-9]+', hunt.stage)[0]} " \
        f"LEVEL={hunt.level}"


def drawn(asked):
    """The mistake of a hunt. A stage that was not asked for is drawn as
    well."""
    draw = generator(asked.seed * LEVELS + asked.level)
    which = [asked.stage] if asked.stage else ladder()
    while which:
        stage = which.pop(draw(len(which)))
        mistakes = plantable(stage, asked.level)
        while mistakes:
            hunt = hunt_of(stage, *mistakes.pop(draw(len(mistakes))))
            if hunt:
                hunt.seed, hunt.level = asked.seed, asked.level
                return hunt
    return stop(2, f"{asked.stage or 'The ladder'} has no hunt of level "
                f"{asked.level}.")


def there():
    return noted() or stop(
        2, f"{NOTE} names no hunt: 'make bughunt SEED=7' lays one out, and "
        "leaves a kernel.cu of yours alone.")


def present():
    """The hunt in the folder, which is the one that was asked for if any
    was."""
    hunt, asked = there(), asked_here()
    if is_other(asked, hunt):
        stop(2, f"{FOLDER.path} holds another hunt, {called(hunt)}: one at a "
             "time. Rename that folder, or lay the new one out in another with "
             "MINE=folder.")
    return drawn(hunt)


def put_passed_aside():
    """Makes room for another hunt where the one that is there is passed."""
    hunt, number = noted(), 1
    if not hunt or not is_other(asked_here(), hunt) or (
            was_passed(FOLDER.path) != "passed"):
        return
    while os.path.exists(f"{FOLDER.path}.{number}"):
        number += 1
    os.rename(FOLDER.path, f"{FOLDER.path}.{number}")
    print(f"The hunt that you have passed is now {FOLDER.path}.{number}.")


def lay_out():
    put_passed_aside()
    hunt = present() if noted() else drawn(asked_here() or there())
    symptoms = f"{FOLDER.path}/symptoms"
    write(NOTE, NOTED.format(hunt.seed, hunt.stage, hunt.level))
    if FOLDER.lay_out(hunt.text):
        write(symptoms, symptoms_of(hunt))
    said = text_of(symptoms) or ("  nothing was kept: make bughunt check, race "
                                 "and count say it\n")
    print(f"bughunt {called(hunt)}\n{FOLDER.kernel} is {hunt.stage} with one "
          f"mistake in it.\nWhat the tools say of it:\n{said}\nFind it with "
          "make bughunt check, race, count and resources; mend it in "
          "kernel.cu,\nand change nothing else.\n"
          "The two lines of a race may lie in two turns of a loop.\n"
          f"{sentence.rules(f'{FOLDER.path}/found.txt')}"
          "Then: make bughunt grade. Stuck: make bughunt hint.\n"
          "After a pass, make bughunt SEED=8 LEVEL=2 begins another. LEVEL=1: "
          "race names\nthe mistake; 2: race is silent, and numbers are wrong; "
          "3: all is right, but slow.")


def main(verb):
    if verb == "lay-out":
        return lay_out()
    hunt = present()
    if verb == "grade":
        return grade_of(hunt, FOLDER).hand_in()
    if verb == "hint":
        return FOLDER.hint([
            f"It is in the region {hunt.region}.\n",
            f"It is about {sentence.KINDS[hunt.kind][0]}; in the region "
            f"{hunt.region}.\n"])
    if verb == "solution":
        return FOLDER.solution(hunt.book)
    return FOLDER.reset(hunt.text)


end(main, *sys.argv[1:])
