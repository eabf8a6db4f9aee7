"""How results lie in files: each list of plain values, and each short object of
such, on one line. As a program: compact.py <IN.json >OUT.json"""

import json
import re
import sys

LINE = 200
# A line end in JSON stands between values, never in a text.
LEAF = re.compile(r"\[[^][{}]*\]|\{[^][{}]*\}")


def one_line(leaf):
    joined = re.sub(r"\n *", "", re.sub(r",\n *", ", ", leaf[0]))
    return joined if leaf[0][0] == "[" or len(joined) <= LINE else leaf[0]


def text(value, **more):
    """As common/harness/results.c writes a result."""
    return LEAF.sub(one_line, json.dumps(value, indent=1, **more)) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text(json.load(sys.stdin), sort_keys=True))
