#!/usr/bin/env python3
"""Plants one mistake of a stage.toml in a copy of the tree and runs the race
checks on it:  try.py 'the last tile not waited for' [STAGE]
Without a name: lists the mistakes."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import STAGES, copy, folder_of, run  # noqa: E402
from facts import rows  # noqa: E402


def main():
    name, of = (sys.argv[1:] + ["", ""])[:2]
    known = [(s, row[0]) for s in STAGES for row in rows(s, "planted", 6)]
    if not name:
        for entry in known:
            print("{:18} {}".format(*entry))
        return 0
    stages = [s for s, n in known if n == name and of in ("", s)]
    if not stages:
        print("No such mistake; tests/races/try.py lists them.",
              file=sys.stderr)
        return 2
    stage = stages[-1]
    kernel = f"{folder_of(stage)}/kernel.cu"
    with tempfile.TemporaryDirectory() as folder:
        tree = copy(Path(folder) / "tree")
        tree.write(kernel, run(
            ["tests/races/plant.py", "kernel", stage, name]).text)
        print(run(["diff", kernel, tree.path / kernel]).text, end="")
        tree.run(f"make -s {stage} TARGET=cpu")
        ran = tree.run(f"build/instrumented/{stage}/default/program race "
                       "--shape small --shape odd")
    print(ran.text, end="")
    return ran.code


sys.exit(main())
