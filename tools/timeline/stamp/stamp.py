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
from command import end, kernel_path, stop
from editing import Misfit, read_source
from facts import phases

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
    rule, said = "", f"timeline: {stage}/stage.toml: "
    rules = phases(stage)
    if not rules:
        stop(2, f"timeline: {stage} has no list of phases in its stage.toml.")
    try:
        kernel, made = read_source(kernel_path(stage)), []
        for rule in rules:
            made.append(edits_of(kernel, rule))
    except Misfit as reason:
        stop(1, said + (f"'{rule}': " if rule else "") + str(reason))
    names = [phase for phase, _ in made]
    if names.count("open") != 1 or names.count("begin") != 1:
        stop(1, f"{said}It needs one 'open' and one 'begin'.")
    told = "".join(f" | 1u << PHASE_{name}" for name in dict.fromkeys(names)
                   if name not in CODE)
    text = kernel.applied([edit for _, edits in made for edit in edits])
    print(f'{text}extern "C" const uint32_t stamped_phases = 0{told};\n'
          "}  // namespace stamped")


end(main, *sys.argv[1:])
