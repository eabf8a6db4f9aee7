#!/usr/bin/env python3
"""Checks recorded results, and prints them as Lua, for data/json.lua:
  results_as_lua.py [FILE...]      all of results/
A table with an entry for each file: its value, and what is said where it was
measured with another kernel; or what is wrong, and where that is known the
line. Samples are checked, and left out: no chapter shows them, and they are a
half of all."""

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
from recorded import (Double, Unreadable, carried, check, files,
                      load, refuse_constant, shown, text_of, without_doubles)

DEEPEST = 100  # brackets in each other: more than 200 Lua cannot read
WORDS = {str: "a text", dict: "an object", bool: "true or false"}
DEVICE = {"name": str, "driver": str, "is_gpu": bool}
KERNEL = {"stage": str, "kernel_hash": str, "compiler": str}
META = KERNEL | {"arm": str, "commit": str, "date": str, "profiler": str,
                 "torch": str, "device": dict, "kernels": dict}


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


def line_of_double(text, key):
    """Where an object has the key a second time."""
    seen = [set()]
    for found in re.finditer(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}]', text):
        if found[0] in "{}":
            seen = [*seen, set()] if found[0] == "{" else seen[:-1]
        elif found[2] and found[1] in seen[-1]:
            return 1 + text.count("\n", 0, found.start())
        elif found[2]:
            seen[-1].add(found[1])


def check_kinds(place, value, kinds, needed=()):
    if not isinstance(value, dict):
        raise Unreadable(f"{place} is {shown(value)}, and must be an object")
    for key in needed:
        if key not in value:
            raise Unreadable(f"{place}/{key} is missing")
    for key, kind in kinds.items():
        if key in value and not isinstance(value[key], kind):
            raise Unreadable(f"{place}/{key} is {shown(value[key])}, and must "
                             f"be {WORDS[kind]}")


def check_meta(meta):
    """What all readers rely on."""
    check_kinds("build_meta", meta, META)
    check_kinds("build_meta/device", meta.get("device", {}), DEVICE)
    for name, kernel in meta.get("kernels", {}).items():
        check_kinds(f"build_meta/kernels/{name}", kernel, KERNEL,
                    ("stage", "kernel_hash"))


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
    text = text_of(path)
    try:
        value = json.loads(text, parse_constant=refuse_constant,
                           object_pairs_hook=without_doubles)
        check(path, value, ())
        says = ()
        if isinstance(value, dict) and "build_meta" in value:
            check_meta(value["build_meta"])
            says = dict.fromkeys(stale(path, value))
        return "{value=%s,stale={%s}}" % (as_lua(value),
                                          ",".join(map(quoted, says)))
    except Double as its:
        line = line_of_double(text, json.dumps(its.key, ensure_ascii=False))
        wrong = f'not valid JSON: key "{its.key}" twice'
    except json.JSONDecodeError as reason:
        line, wrong = reason.lineno, f"not valid JSON: {reason.msg}"
    except (AttributeError, KeyError, TypeError):
        line, wrong = 1, "it is no result that can be read"
    except RecursionError:
        line, wrong = 1, f"not valid JSON: brackets more than {DEEPEST} deep"
    except ValueError as reason:
        line, wrong = 1, f"not valid JSON: {reason}"
    except Unreadable as reason:
        line, wrong = None, str(reason).removeprefix(f"{path}: ").rstrip(".")
    return "{wrong=%s,line=%s}" % (quoted(wrong), line or "nil")


print("return {%s}" % ",\n".join(f"[{quoted(path)}]={read(path)}"
                                 for path in sys.argv[1:]
                                 or files("results", deep=True)))
