#!/usr/bin/env python3
"""The ceilings of a GPU, and how near to its own each stage is:
  floor.py measure FOLDER COMMIT [SHAPE...]   on a GPU
  floor.py check                              the kernels on the CPU executor
  floor.py show [FOLDER [SHAPE...]]           the newest that is recorded"""

import os
import subprocess
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "../tools")
sys.path += [f"{TOOLS}/results", f"{TOOLS}/common", f"{TOOLS}/peers"]
from command import end, results_of_today, stop, verb_of
from recorded import Unreadable, newest
from show import show


def recorded(place="", *shapes):
    found = newest("floor.json", place)
    if not found:
        stop(3, "floor needs a GPU, and no run of it is recorded.")
    print(f"No GPU was used: this is the newest recorded run, {found[0]}.")
    return show(os.path.dirname(found[0]), shapes)


def check():
    code = subprocess.call(["build/cpu/floor/program", "check"])
    if not code:
        print("No GPU was used, so there are no timings: the executor predicts "
              "none.")
    return code


def measure(folder, commit, *shapes):
    program = "build/gpu/floor/program"
    if not folder:
        folder = results_of_today(program, "folder")
        if not folder:
            return 3
    return subprocess.call([
        "tools/make/alone.py", program, "measure", "--json", folder,
        "--commit", commit]) or subprocess.call([
            "floor/model.py", "--add", f"{folder}/floor.json"]) or show(
                folder, shapes)


def main(*words):
    try:
        return verb_of(__doc__, {"show": recorded, "check": check,
                                 "measure": measure}, words)
    except Unreadable as reason:
        stop(1, str(reason))


if __name__ == "__main__":
    end(main, *sys.argv[1:])
