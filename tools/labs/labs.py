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
  reset     the skeleton again; what was there is kept
  fits      what a new lab lacks; exit code 1
  watch     grades each of several again whenever its file is saved
and, for make:
  take FOLDER COPY  brings his file to where it is compiled"""

import glob
import os
import re
import subprocess
import sys
import time

sys.path += [os.path.join(os.path.dirname(__file__), f"../{its}")
             for its in ("common", "source")]
import lab
from command import end, text_of, write
from editing import Misfit, Source
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
    verbs = (f"{its.name} {kind.verbs.replace(',', '')}" if kind.verbs else
             f"race FILE={kernel}")
    print(f"{its.task}\nYours: the region{several} {', '.join(its.empties)} in "
          f"{kernel}.\nThen: make {verbs}; make {its.name} grade. Stuck: make "
          f"{its.name} hint.")
    if kind.verbs and not kind.launch:  # `check` takes long over all shapes
        few = [shape for shape in its.inputs
               if "?" not in shape and "inputs=" not in shape]
        print(f"Quicker at first: make {its.name} check "
              f'SHAPES="{" ".join(few)}".')


def show_all():
    def order(name):
        number, more = re.fullmatch("lab([0-9]*)(.*)", name).groups()
        return int(number or (9 if more == "h" else -1)), more
    for name in sorted((os.path.basename(path)[:-4] for path in glob.glob(
            "labs/*/lab*.lab")), key=order):
        its = lab.read(name)
        print(f"{name:<7} {was_passed(f'{MINE}/{name}'):<13} "
              f"{its.minutes} min  {its.title}\n"
              f"{'':<30}{its.trains}")
    print(f"'make lab0' lays one out in {MINE}/lab0, 'make lab0 grade' grades "
          "it; labs/README.md says more.\n'make bughunt SEED=7 LEVEL=1' plants "
          "a mistake to be found.")


def take(folder, to):
    """What is compiled is a copy, which stays where nothing has changed;
    messages name his file."""
    its = Folder(os.path.basename(folder), "skeleton", os.path.basename(to))
    text = f'#line 1 "{its.kernel}"\n{its.source()}'
    if text_of(to) != text:
        write(to, text)


def saved(path):
    its = os.path.exists(path) and os.stat(path)
    return its and (its.st_mtime, its.st_size, its.st_ino)


def watch(names):
    """Grades again each time that he saves a file."""
    for its in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(its, None)
    kernels, before = [], None
    for name in names:
        file = lab.read(name).mine if lab.path_of(name) else "kernel.cu"
        kernels.append(Folder(name, "skeleton", file))
        kernels[-1].need_kernel()
    files = " ".join(sorted({os.path.basename(k.kernel) for k in kernels}))
    while True:
        now = [saved(its.kernel) for its in kernels]
        if now != before:
            for name in names:
                subprocess.call(["make", name, "grade", f"MINE={MINE}"])
            print(f"Save {files} to have it graded again; Ctrl-C ends this.")
        before = now
        time.sleep(1)


COUNTERS = "common/simt/simt.h", "tools/labs/ring/counts.c"


def faults(its):
    """What a new lab lacks that its file alone does not show."""
    text = lab.solution(its)
    for region in its.empties:
        if not lab.region_in(text, region):
            yield (f"empties: {its.stage} has no region {region} with lines of "
                   "the default arm.")
    if not 20 <= its.minutes <= 60:
        yield "minutes: a lab takes 20 to 60."
    chapter = lab.chapter_of(its)
    if not chapter:
        yield f"chapter: no chapter begins with '# Title {{#{its.chapter}}}'."
    elif "```{.labs}" not in text_of(chapter):
        yield f"chapter: {chapter} does not end with a block ```{{.labs}}."
    for counter, *_ in its.demands:
        if not any(re.search(rf"\b{counter}\b", text_of(path))
                   for path in COUNTERS):
            yield (f"demand: '{counter}' is no counter: {COUNTERS[0]} has "
                   "them.")
    if len(its.wrong) < 4:
        yield f"wrong: there are {len(its.wrong)}, of four at least."
    book = Source(f"the book's {its.file}", text)
    for name, place, edit, *_ in its.wrong:
        try:
            book.planted(place, edit)
        except Misfit as reason:
            yield f"wrong: {name}: {reason}"


def main(verb, name=None, *more):
    if verb == "list":
        return show_all()
    if verb in ("take", "watch"):
        return take(name, *more) if verb == "take" else watch([name, *more])
    its = lab.read(name)
    if verb == "fits":
        found = [f"{lab.path_of(name)}: {says}" for says in faults(its)]
        for line in found:
            print(line)
        return 1 if found else 0
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
