"""Grades a student's kernel as `make lab2 grade` does, in a folder of ours. All
kernels of a class have the same inputs, and one that two students have handed
in is graded once."""

import functools
import json
import subprocess
import tempfile

import lab
from command import stop, text_of, write
from programs import lines_of


@functools.cache
def grade_of(name, kernel, seed):
    """What grade.json has, or of a grade that did not come about the last line
    that was said, but for make's own."""
    with tempfile.TemporaryDirectory() as scratch:
        mine, log = f"{scratch}/mine", f"{scratch}/log"
        write(f"{mine}/{name}/{lab.read(name).mine}", kernel)
        with open(log, "wb") as file:
            code = subprocess.call(
                ["make", "-s", name, "grade", f"MINE={mine}",
                 f"SEEDS={seed}"], stdin=subprocess.DEVNULL, stdout=file,
                stderr=file)
        if code < 0:
            stop(3, "The roster was interrupted: nothing was written.")
        text = text_of(f"{mine}/{name}/grade.json")
        if text:
            return json.loads(text)
        said = [line for line in lines_of(log)
                if not line.startswith(("make:", "make["))]
        why = said[-1] if said else "the grade said nothing"
        return {"passed": False, "attempt": True,
                "why": why.replace(f"{scratch}/", "")}
