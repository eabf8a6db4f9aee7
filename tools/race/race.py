#!/usr/bin/env python3
"""race.py gpu|cpu STAGE/ARM [OPTION...]: the executor's race checks, and on a
GPU the same questions put to compute-sanitizer."""

import os
import shutil
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import call, cuda_on_path, end, said

SHAPES = ["small", "odd", "1,2,17,64"]


def main(target, arm, *options):
    code = call([f"build/instrumented/{arm}/program", "race", *options])
    if code or target != "gpu":
        return code
    cuda_on_path()
    program = shutil.which("compute-sanitizer")
    if not program:
        print("compute-sanitizer is not here: the GPU itself was not checked.")
        return 0
    if "--shape" not in options:
        options = *(word for its in SHAPES for word in ("--shape", its)), *options
    for tool in "memcheck", "racecheck", "synccheck", "initcheck":
        code, text = said([
            program, "--tool", tool, "--error-exitcode", "1",
            f"build/gpu/{arm}/program", "check", "--brief", "--seeds", "0",
            *options])
        if code:
            print(text, end="")
            return 1
        for line in text.splitlines():
            if "SUMMARY" in line:
                print(f"compute-sanitizer {tool}: {line.lstrip('= ')}")
    return 0


if __name__ == "__main__":
    end(main, *sys.argv[1:])
