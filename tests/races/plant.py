#!/usr/bin/env python3
"""Mistakes in kernels:
  plant.py kernel STAGE NAME       prints it with one that its stage.toml plants
  plant.py found STAGE NAME KERNEL LOG
                                   has race, which said LOG of that kernel,
                                   named it?
  plant.py edit FILE PLACE EDIT    prints a file with any edit
  plant.py sites FILE              names each barrier, wait, arrival, fence and
                                   commit
Places and edits are those of tools/source/editing.py. Exit status: 0 pass, 1
something does not fit, 2 wrong command line."""

import os
import re
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "../../tools")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/source"]
from command import end, stop, text_of
from editing import SYNCHRONISING, Misfit, kernel_path, read_source
from facts import rows


def mistake(stage, name):
    for its, *rest in rows(stage, "planted", 6):
        if its == name:
            return rest
    raise Misfit(f"{name}: {stage} has no such mistake.")


def edited(path, place, words):
    source = read_source(path)
    print(source.applied(source.edits(source.place(place), words)), end="")


def is_named(log, file, kind, one, other):
    """Whether it says a finding of that kind one of whose two places lies in
    these lines of the file, and the other one in those: itself, or a call that
    led there."""
    is_kind, hits, now = False, set(), "here"
    for line in log.split("\n"):
        if re.match("[a-z]", line):
            is_kind, hits = line.startswith(f"{kind}:"), set()
        its = re.match(rf" *(?:(here|there) +{re.escape(file)}:|called in "
                       r"line )(\d+)", line)
        if its:
            now = its[1] or now
            hits |= {(now, which) for which, lines in enumerate((one, other))
                     if int(its[2]) in lines}
        if is_kind and ({("here", 0), ("there", 1)} <= hits
                        or {("here", 1), ("there", 0)} <= hits):
            return True
    return False


def found(stage, name, kernel, log):
    (_, _, finding, *places), source = mistake(stage, name), read_source(kernel)
    places = [source.place(place) for place in places]
    one, other = (range(source.line(at.begin), source.line(at.end) + 1)
                  for at in places)
    if not is_named(text_of(log), kernel_path(stage), finding, one, other):
        raise Misfit(f"{finding}: none with its two lines.")


def main(verb="", *words):
    try:
        if verb == "kernel" and len(words) == 2:
            edited(kernel_path(words[0]), *mistake(*words)[:2])
        elif verb == "found" and len(words) == 4:
            found(*words)
        elif verb == "edit" and len(words) == 3:
            edited(*words)
        elif verb == "sites" and len(words) == 1:
            print(*read_source(*words).sites(SYNCHRONISING), sep="\n")
        else:
            stop(2, __doc__)
    except Misfit as reason:
        stop(1, str(reason))


end(main, *sys.argv[1:])
