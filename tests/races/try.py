#!/usr/bin/env python3
"""Plants one mistake of a stage.toml in a copy of the tree and runs the race
checks on it:  try.py 'the last tile not waited for' [STAGE]
Without a name: lists the mistakes."""

import sys

from planted import PLANTED, kernel_of, planted
from support import run


def main(name="", of=""):
    stages = [s for s, its in PLANTED if its == name and of in ("", s)]
    if not name:
        print(*("{:18} {}".format(*entry) for entry in PLANTED), sep="\n")
    elif not stages:
        print("No such mistake; tests/races/try.py lists them.",
              file=sys.stderr)
        return 2
    for stage in stages[-1:]:
        with planted(stage, name) as tree:
            kernel = kernel_of(stage)
            print(run(["diff", kernel, tree.path / kernel]).text, end="")
            tree.run(f"make -s {stage} TARGET=cpu")
            ran = tree.run(f"build/instrumented/{stage}/default/program race "
                           "--shape small --shape odd")
        print(ran.text, end="")
        return ran.code
    return 0


sys.exit(main(*sys.argv[1:3]))
