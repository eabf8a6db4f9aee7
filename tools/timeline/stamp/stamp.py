#!/usr/bin/env python3
"""Prints a copy of a stage's kernel that stamps its phases:  stamp.py STAGE
as `phases` of its stage.toml says. Exit 1 if the list doesn't fit the kernel, 2
if the stage has none.

A list has one rule a line, PHASE before|after PLACE, with a place as
tools/source/editing.py has it. `open` comes before the kernel's own code,
`begin` where a block starts. Where the roles of a kernel are functions, they
get the block's writer with their work: `field` makes room for it in that
struct, `hand` puts it there, and `take` takes it out."""

import os
import re
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "../..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/source"]
from command import stop
from editing import Misfit, kernel_path, read_source
from facts import facts

#> stamp-kernel
# What the kernel is given for a word of the list that is no phase.
CODE = {"open": '#include "tools/timeline/stamp/stamps.cuh"\n'
                "namespace stamped {",
        "begin": "stamp_writer stamp;",
        "field": "mutable stamp_writer *stamps = nullptr;",
        "hand": "todo.stamps = &stamp;",
        "take": "stamp_writer &stamp = *todo.stamps;"}


def edits_of(kernel, rule):
    """One rule of the list: PHASE before|after PLACE."""
    its = re.fullmatch(r"\s*(\S+) +(before|after) +(.+)", rule)
    if not its:
        raise Misfit("It is not PHASE before|after PLACE.")
    phase, where, name = its.groups()
    code = CODE.get(phase, f"stamp(PHASE_{phase});")
    return phase, kernel.edits(kernel.place(name), f"{where} {code}")
#< stamp-kernel


def main(stage):
    path = f"{stage}/stage.toml"
    text = facts(stage).get("phases")
    if text is None:
        stop(2, f"timeline: {stage} has no list of phases ({path}).")
    phases, edits, rule = [], [], ""
    try:
        kernel = read_source(kernel_path(stage))
        for rule in text.splitlines():
            if rule.strip(" ") and not rule.startswith("#"):
                phase, made = edits_of(kernel, rule)
                phases.append(phase)
                edits += made
    except Misfit as reason:
        stop(1, f"timeline: {path}: " + (f"'{rule}': " if rule else "")
             + str(reason))
    if phases.count("open") != 1 or phases.count("begin") != 1:
        stop(1, f"timeline: {path}: It needs one 'open' and one 'begin'.")
    names = dict.fromkeys(its for its in phases if its not in CODE)
    told = "".join(f" | 1u << PHASE_{name}" for name in names)
    print(f'{kernel.applied(edits)}extern "C" const uint32_t stamped_phases = '
          f"0{told};\n}}  // namespace stamped")


if len(sys.argv) != 2:
    stop(2, __doc__)
main(sys.argv[1])
