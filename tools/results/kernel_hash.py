#!/usr/bin/env python3
"""kernel_hash.py STAGE: SHA-256 of a stage's kernel as the compiler sees it:
kernel.cu, with each header of the tree in place of the line that first includes
it, without comments, white space and include guards. Editing a comment or
moving a header keeps a recorded result valid; editing code does not. Of a
folder with several kernels, as floor: of all of them."""

import glob
import hashlib
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, folder_of, stop

INCLUDE = re.compile(rb'#include "(.*)"$')
DROPPED = re.compile(
    rb'#(include ".*"|(ifndef|define) [A-Z0-9_]+_(H|CUH))$')


def kernels_of(stage):
    folder = glob.escape(folder_of(stage))
    return sorted(glob.glob(f"{folder}/*.cu") or
                  glob.glob(f"{folder}/kernels/*.cu"))


def lines_of(path, seen):
    """All but guards and, with what they bring in, includes."""
    if path in seen:
        return
    seen.add(path)
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        stop(1, f"{os.fsdecode(path)} cannot be read.")
    if lines and lines[-1].startswith(b"#endif"):
        lines.pop()
    for line in lines:
        if found := INCLUDE.match(line):
            yield from lines_of(found[1], seen)
        if not DROPPED.match(line):
            yield line


def kernel_hash(stage):
    if not kernels_of(stage):
        stop(2, f"There is no kernel in '{folder_of(stage)}'.")
    seen = set()
    text = b"\n".join(line for path in kernels_of(stage)
                      for line in lines_of(os.fsencode(path), seen)) + b"\n"
    stripped = subprocess.run(
        [os.environ.get("CXX") or "g++", "-x", "c++", "-fpreprocessed", "-dD",
         "-E", "-P", "-w", "-"], input=text, stdout=subprocess.PIPE,
        check=False)
    if stripped.returncode:
        sys.exit(1)
    return hashlib.sha256(
        stripped.stdout.translate(None, b" \t\n")).hexdigest()


if __name__ == "__main__":
    end(lambda stage="": print(kernel_hash(stage)), *sys.argv[1:])
