#!/usr/bin/env python3
"""Checks recorded results, and prints them as Lua, for data/results.lua:
  results_as_lua.py [FILE...]      all of results/
A table with an entry for each file: its value, and what is said where it was
measured with another kernel; or what is wrong. Samples are checked, and left
out: no chapter shows them, and they are a half of all."""

import functools
import glob
import json
import os
import re
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "../tools")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/results"]
from carry import arms_of
from command import answer, folder_of
from recorded import Unreadable, carried, files, load

DEEPEST = 100  # brackets in each other: more than 200 Lua cannot read


def quoted(text):
    return '"%s"' % re.sub(rb'[^ !#-\[\]-~]', lambda byte: b"\\%03d" %
                           ord(byte[0]), text.encode()).decode()


def as_lua(value, depth=0):
    if depth > DEEPEST:
        raise RecursionError
    depth += 1
    if isinstance(value, dict):
        keys = [key for key in value if key != "samples_us"]
        return "O({%s},{%s})" % (",".join(map(quoted, keys)), ",".join(
            f"[{quoted(key)}]={as_lua(value[key], depth)}" for key in keys))
    if isinstance(value, list):
        return "{%s}" % ",".join(as_lua(part, depth) for part in value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "N" if value is None else json.dumps(value)


@functools.cache
def hash_of(stage):
    return glob.glob(f"{folder_of(stage)}/*.cu") and answer(
        ["tools/results/kernel_hash.py", stage]).strip()


def stale(path, result):
    """What is said of a result of another kernel than there is now: other
    machine code, by the ledger of its day."""
    meta, day = result["build_meta"], "/".join(path.split("/")[:3])
    ledger = f"{day}/machine-code.json"
    ledger = load(ledger) if os.path.exists(ledger) else {}
    for name in arms_of(result):
        its = meta.get("kernels", {}).get(name, meta)
        stage, arm = its["stage"], name.partition(".")[2] or "default"
        then, now = its.get("kernel_hash"), hash_of(stage)
        if not now:
            yield f"cannot check the kernel of {path}: there is no {stage}"
        elif not then:
            yield f"{path} has no build_meta/kernel_hash"
        elif then != now and not carried(ledger, stage, arm, then, now):
            yield (f"{path} was measured with another kernel than {stage} now "
                   "is: measure it again")


def read(path):
    """The file as Lua."""
    try:
        value = load(path)
        says = dict.fromkeys(stale(path, value) if "build_meta" in value
                             else ())
        return "{value=%s,stale={%s}}" % (as_lua(value),
                                          ",".join(map(quoted, says)))
    except Unreadable as reason:
        wrong = str(reason).removeprefix(path).lstrip(": ").rstrip(".")
    except (AttributeError, KeyError, TypeError):
        wrong = "it is no result that can be read"
    except RecursionError:
        wrong = f"its brackets are more than {DEEPEST} deep"
    return "{wrong=%s}" % quoted(wrong)


print("return {%s}" % ",\n".join(f"[{quoted(path)}]={read(path)}"
                                 for path in sys.argv[1:]
                                 or files("results", deep=True)))
