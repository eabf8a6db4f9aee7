#!/usr/bin/env python3
"""Grades each kernel in a class' folder again, and writes DIR/roster.html:
  roster.py DIR
Exit 2 where DIR is no class, 3 where the page cannot be written. In the
environment: SEEDS, to grade with the inputs of another roster again;
LAB_NVCC=1, to have nvcc judge registers as well."""

import functools
import json
import os
import sys
import tempfile

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/labs"]
import lab
from command import end, said, stop, text_of, write
from draw import seed_of
from page import clean, page_of
from students import students_of


@functools.cache
def grade_of(name, kernel, seed):
    """What grade.json has after `make lab2 grade` in a folder of ours, or of a
    grade that did not come about the last line that was said, but for make's
    own. A kernel that two students have handed in is graded once."""
    with tempfile.TemporaryDirectory() as scratch:
        mine = f"{scratch}/mine"
        write(f"{mine}/{name}/{lab.read(name).mine}", kernel)
        code, log = said(["make", "-s", name, "grade", f"MINE={mine}",
                          f"SEEDS={seed}"])
        if code < 0:
            stop(3, "The roster was interrupted: nothing was written.")
        text = text_of(f"{mine}/{name}/grade.json")
        if text:
            return json.loads(text)
        lines = [line for line in log.splitlines()
                 if not line.startswith(("make:", "make["))]
        return {"passed": False, "attempt": True, "why": "".join(
            lines[-1:]).replace(f"{scratch}/", "") or "the grade said nothing"}


def main(folder=""):
    if not folder:
        stop(2, "roster needs the class' folder, as in 'make roster "
             "DIR=class'.")
    students = students_of(folder)
    if not students:
        stop(2, f"{clean(folder)} has no folders: it should have one a "
             "student.")
    seed = seed_of("A roster", 9)
    for student in students:
        for its in student.labs:
            its.grade = {"passed": False, "attempt": True, "why": its.fault} \
                if its.kernel is None else grade_of(its.name, its.kernel, seed)
            print(f"{clean(student.name)}, {its.name}: "
                  f"{'passed' if its.grade.get('passed') else 'not passed'}")
    write(os.path.join(folder, "roster.html"), page_of(students, seed))
    print(f"wrote {clean(folder)}/roster.html")


end(main, *sys.argv[1:])
