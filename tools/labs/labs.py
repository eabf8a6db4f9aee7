#!/usr/bin/env python3
"""What labs alone have, in the folder that MINE names:  labs.py VERB LAB
  list      all of them, and which are passed; without a LAB
  lay-out   puts the skeleton there, never over anything, and says the task
  grade     judges the reader's kernel, prints a line for each demand, and
            writes grade.json beside it. Exit code 0 if all that is judged here
            is met, 1 if not, 2 where there is nothing to grade, 3 where this
            machine cannot. SEEDS grades with the inputs of another grade again,
            LAB_SECONDS says how long his programs may run
  hint      the next of three
  solution  how the book's differs from what is there, after an attempt
  reset     the skeleton again; what was there is kept"""

import glob
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
import lab
from command import end
from folder import Folder
from grade import grade_of, was_passed
from programs import MINE


def task(its, kernel):
    kind, path = lab.kind_of(its), lab.chapter_of(its)
    print(f"{its.name}: {its.title}. {its.minutes} minutes, from {its.stage}.\n"
          f"It trains: {its.trains}.")
    if path:
        heading = lab.prints_from(its, path)
        print(f"Its chapter: {path}" + (
            f'; from "{heading}" on it prints what is yours' if heading else "")
            + ".\n")
    else:
        print()
    several = "s" if len(its.empties) > 1 else ""
    verbs = (f"{its.name} {kind.verbs}" if kind.verbs else
             f"race FILE={kernel}")
    print(f"{its.task}\nYours: the region{several} {', '.join(its.empties)} in "
          f"{kernel}.\nThen: make {verbs}; make {its.name} grade. Stuck: make "
          f"{its.name} hint.")
    if kind.verbs and not kind.launch:  # `check` takes long over all shapes
        few = [shape for shape in its.inputs
               if "?" not in shape and shape != "drift"]
        print(f"Quicker at first: make {its.name} check "
              f'SHAPES="{" ".join(few)}".')


def show_all():
    def order(name):
        number, more = re.fullmatch("lab([0-9]*)(.*)", name).groups()
        return int(number or (9 if more == "h" else -1)), more
    for name in sorted((os.path.basename(path)[:-4] for path in glob.glob(
            "labs/*/lab*.lab")), key=order):
        its = lab.read(name)
        print(f"{name:<7} {was_passed(f'{MINE}/{name}'):<13} {its.minutes} min  {its.title}\n"
              f"{'':<30}{its.trains}")
    print(f"'make lab0' lays one out in {MINE}/lab0, 'make lab0 grade' grades "
          "it; labs/README.md says more.\n'make bughunt SEED=7 LEVEL=1' plants "
          "a mistake to be found.")


def main(verb, name=None):
    if verb == "list":
        return show_all()
    its = lab.read(name)
    folder = Folder(name, "skeleton", its.mine)
    if verb == "lay-out":
        folder.lay_out(lab.skeleton(its))
        return task(its, folder.kernel)
    if verb == "grade":
        return grade_of(its, folder).hand_in()
    if verb == "hint":
        return folder.hint(its.hints)
    if verb == "solution":
        return folder.solution(lab.solution(its))
    return folder.reset(lab.skeleton(its))


end(main, *sys.argv[1:])
