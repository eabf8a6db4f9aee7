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


def place_of(story, label):
    """As counters have it: the kernel's own line, and that of the access."""
    if found := re.search(rf"(?m)^  {label:5} (\S+):(\d+).*\n(?: {{8}}.*\n)*",
                          story):
        lines = [found[2], *re.findall(r"called in line (\d+)", found[0])]
        return {"file": found[1], "line": int(lines[-1]), "via": int(lines[0]),
                "lines": [*map(int, lines)]}
    return None


def stories(text):
    """What is printed of findings, one after another."""
    return [{"kind": story.partition(":")[0],
             "here": place_of(story, "here"), "there": place_of(story, "there"),
             "waiters": re.findall(
                 r"(?m)^  line (\d+)(?: \(called in (.*?)\))?, "
                 r"(.*?): waits? for (.*)$", story),
             "seen": re.search(r"first in block .*|$", story)[0]}
            for story in re.findall(r"(?m)^\S.*: .*\n(?:  .*\n)+", text)]


def findings_of(report):
    """The findings of a printed report, and its notes."""
    return [*map(stories, re.split(r"(?m)^\d+ findings?\n", report))]


def drive(program, jobs, *flags, before=()):
    """Runs the jobs, each a line for the driver; what it says of each."""
    ran = subprocess.run([*before, PROGRAMS / program, *flags],
                         input="\n".join(jobs), capture_output=True, text=True,
                         cwd=ROOT, timeout=900)
    lines = re.findall("(?m)^{.*", ran.stdout)
    assert ran.returncode == 0 and len(lines) == len(jobs), ran.stderr[-3000:]
    said = [json.loads(line) for line in lines]
    for its in said:
        its["findings"], its["notes"] = findings_of(its["found"])
    return said


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
