#!/usr/bin/env python3
"""Grades each kernel in a class' folder again, and writes DIR/roster.html:
  roster.py DIR
Exit 2 where DIR is no class, 3 where the page cannot be written. In the
environment: SEEDS, to grade with the inputs of another roster again;
LAB_NVCC=1, to have nvcc judge registers as well."""

import os
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/labs"]
from command import end, stop, write
from draw import seed_of
from page import clean, page_of
from regrade import grade_of
from students import students_of


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
        for lab in student.labs:
            lab.grade = {"passed": False, "attempt": True, "why": lab.fault} \
                if lab.kernel is None else grade_of(lab.name, lab.kernel, seed)
            print(f"{clean(student.name)}, {lab.name}: "
                  f"{'passed' if lab.grade.get('passed') else 'not passed'}")
    write(os.path.join(folder, "roster.html"), page_of(students, seed))
    print(f"wrote {clean(folder)}/roster.html")


end(main, *sys.argv[1:])
