"""Kernels of tests/simt/kernels, run by driver.c; and the lines that are marked
in their sources."""

import json
import re
import subprocess

from support import ROOT

PROGRAMS = ROOT / "build/tests/simt"
KERNELS = ROOT / "tests/simt/kernels"

# mark -> (file, line)
MARKS = {}
for path in sorted(KERNELS.parent.glob("*/*.cu")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if mark := re.search(r"// @(\S+)$", line):
            assert mark[1] not in MARKS, mark[1]
            MARKS[mark[1]] = (str(path.relative_to(ROOT)), number)


def drive(program, jobs, flag="--json", before=()):
    """Runs the jobs, each a line for the driver; what it says of each."""
    ran = subprocess.run([*before, PROGRAMS / program, *flag.split()],
                         input="\n".join(jobs), capture_output=True, text=True,
                         cwd=ROOT, timeout=900)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0 and len(lines) == len(jobs), ran.stderr[-3000:]
    return [json.loads(line) for line in lines] if flag else lines


def one(job, program="driver"):
    return drive(program, [job])[0]


def is_at(place, mark):
    """The place is the marked line, or was called from it; without a mark,
    there is no place."""
    if not mark or not place:
        return not mark and not place
    file, line = MARKS[mark]
    return place["file"] == file and line in (place["line"],
                                              place.get("via"))


def rows(table):
    """The rows of a table of words, with its columns split at |."""
    return [[cell.strip() for cell in line.split("|")]
            for line in table.strip().splitlines() if line]
