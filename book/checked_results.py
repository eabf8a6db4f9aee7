#!/usr/bin/env python3
"""Checks recorded results, and prints them as JSON, for data/results.lua:
  checked_results.py [FILE...]      all of results/
By its path each file's value, and what is said where it was measured with
another kernel; or what is wrong."""

import functools
import json
import os
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "../tools")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/results"]
from carry import arms_of
from kernel_hash import kernel_hash, kernels_of
from recorded import Unreadable, carried, files, load


@functools.cache
def hash_of(stage):
    return kernels_of(stage) and kernel_hash(stage)


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
        elif not carried(ledger, stage, arm, then, now):
            yield (f"{path} was measured with another kernel than {stage} now "
                   "is: measure it again")


def read(path):
    try:
        value = load(path)
        return {"value": value, "stale": [*dict.fromkeys(
            stale(path, value) if "build_meta" in value else ())]}
    except Unreadable as reason:
        return {"wrong": str(reason).removeprefix(path).lstrip(": ")
                .rstrip(".")}
    except (AttributeError, KeyError, TypeError):
        return {"wrong": "it is no result that can be read"}


print(json.dumps({path: read(path) for path in
                  sys.argv[1:] or files("results", deep=True)}))
