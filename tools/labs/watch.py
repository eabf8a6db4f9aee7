#!/usr/bin/env python3
"""watch.py LAB...: grades again each time that the reader saves his file."""

import glob
import os
import re
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, stop, text_of

MINE = os.environ.get("MINE") or "mine"


def file_of(lab):
    """The file of a lab that is his."""
    texts = map(text_of, glob.glob(f"labs/*/{lab}.lab"))
    found = [its for text in texts
             for its in re.findall("^file: *(.*)", text, re.M)]
    return f"{MINE}/{lab}/{os.path.basename(found[0]) if found else 'kernel.cu'}"


def saved(path):
    try:
        its = os.stat(path)
        return int(its.st_mtime), its.st_size, its.st_ino
    except OSError:
        return None


def main(*labs):
    for name in "LOCKED", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES":
        os.environ.pop(name, None)
    paths, before = [file_of(lab) for lab in labs], None
    for lab, path in zip(labs, paths):
        if not os.path.isfile(path):
            stop(2, f"There is no {path} yet: 'make {lab}' lays it out.")
    names = " ".join(sorted({os.path.basename(path) for path in paths}))
    while True:
        now = [saved(path) for path in paths]
        if now != before:
            before = now
            for lab in labs:
                subprocess.call(["make", lab, "grade", f"MINE={MINE}"])
            print(f"Save {names} to have it graded again; Ctrl-C ends this.")
        time.sleep(1)


if __name__ == "__main__":
    end(main, *sys.argv[1:])
