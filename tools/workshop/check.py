#!/usr/bin/env python3
"""Is this machine ready for a class? Prints one line of JSON:
  check.py FOLDER PROGRAM
The line is written to FOLDER/check.json as well. PROGRAM is a stage's, for the
executor; make builds it where that can be, and the line says how many seconds
its gates take.
Exit 0 if labs can be done here, 3 if not."""

import json
import os
import re
import sys
import time

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/doctor"]
from command import end, said, stop, write
from doctor import Doctor

MOST = 60  # seconds
CASE = "check --shape mission --seeds 0 --distribution normal".split()


def without_controls(text):
    return re.sub(r"[\x00-\x1f]", "", text)


def seconds(program):
    """The best of three runs; or None and what was said last."""
    found = []
    for _ in range(3):
        begin = time.monotonic()
        code, text = said(["timeout", str(MOST), program, *CASE])
        if code:
            return None, text
        found.append(round(time.monotonic() - begin, 3))
    return min(found), ""


def launched(program):
    """The seconds, or None and why not."""
    code, text = said([os.environ.get("MAKE") or "make",
                       "--no-print-directory", "-s", program])
    lines = text.splitlines() or [""]
    if code:
        return None, "The executor does not build: " + next(
            (line for line in lines if "error" in line.lower()), lines[-1])
    took, text = seconds(program)
    return took, took or ("The gates fail on the executor: "
                          + (text.splitlines() or [""])[-1])


def main(folder, program):
    doctor = Doctor()
    doctor.report()
    took, why = launched(program) if doctor.core else (
        None, "The CPU executor lacks something.")
    # What labs are made of and graded with, beside the executor
    lacking = {"unifdef", "python3"} & {*doctor.missing}
    can = [name for name, its in (
        ("executor", took), ("labs", took and not lacking),
        ("book", doctor.book), ("nvcc", doctor.compiler), ("gpu", doctor.gpu))
        if its]
    ready, how = False, "make setup"
    if not took:
        how += ", then make doctor"
    elif lacking:
        why = f"Labs need {' and '.join(sorted(lacking))}."
    else:
        ready, why, how = True, "", "make labw"
    line = json.dumps({
        "workshop_check": 1, "ready": ready, "can": can, "seconds": took,
        "cores": len(os.sched_getaffinity(0)), "machine": os.uname().machine,
        "gpu": without_controls(doctor.gpu) or None,
        "missing": doctor.missing, "why": without_controls(why), "type": how},
        separators=(",", ":"), ensure_ascii=False)
    if ready:
        print(f"Ready. Send {folder}/check.json, which holds this line.",
              file=sys.stderr, flush=True)
    print(line)
    try:
        write(f"{folder}/check.json", line + "\n")
    except SystemExit:
        stop(3, "Copy the line above by hand.")
    return 0 if ready else 3


if __name__ == "__main__":
    end(main, *sys.argv[1:])
