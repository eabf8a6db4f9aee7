#!/usr/bin/env python3
"""The maps that the book draws, by the kernels' own code on the executor:
    maps.py FOLDER    writes fragments.json and layouts.json there"""

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import Tree  # noqa: E402
from recorded import as_json  # noqa: E402


def lines(program):
    return Tree().ends(f"build/tests/{program}").splitlines()


def fragments():
    """The lane that has an element of a matrix, and the register."""
    maps = defaultdict(lambda: defaultdict(dict))
    for name, row, column, *held in map(str.split, lines("fragments")):
        maps[name][int(row)][int(column)] = " ".join(held)
    return {"maps": {name: [[rows[r][c] for c in sorted(rows[r])]
                            for r in sorted(rows)]
                     for name, rows in maps.items()}}


def layouts():
    """The piece of K in each 16 bytes, a row of them once around the banks."""
    found = {}
    for name in "nothing", "padding", "swizzle":
        pieces = [line.strip("-") for line in lines(f"layout/{name}")]
        found[name] = [pieces[i:i + 8] for i in range(0, len(pieces), 8)]
    return {"layouts": found}


if __name__ == "__main__":
    for its in fragments, layouts:
        Path(f"{sys.argv[1]}/{its.__name__}.json").write_text(
            as_json(its()))
