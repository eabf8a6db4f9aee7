#!/usr/bin/env python3
"""Says whether a folder of recorded runs is whole and honest:  check.py DIR
DIR is results/DEVICE/DATE. Every file must be readable, of a kernel as it is
now, and of that device; each stage that runs there must have passed its gates
and have timings, of one run, that follow from their samples. A line for each
fault. Exit code 1: there are faults; 2: no such folder."""

import functools
import os
import re
import sys

from kernel_hash import kernel_hash, kernels_of
from recorded import (Unreadable, carried, files, is_number, load, percentile,
                      samples_of)

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import stop
from facts import architectures, ladder

METHODS = "event", "graph"
# Where identical kernels differ by more, a table of stages says too little.
MOST_NOISE = 0.05
ROUNDED = 0.001  # samples have three decimals, in microseconds
SETTINGS = load("common/harness/settings.json")
DIMS = {its["key"]: [its[part] for part in ("batch", "heads", "seq_len",
                                            "head_dim")]
        for its in SETTINGS["shapes"]}


def part(value, key, kind=dict):
    """What lies at a key, where that is of the kind; else an empty one."""
    found = value.get(key)
    return found if isinstance(found, kind) else kind()


# ---- where a result is from ----

@functools.cache
def hash_now(stage):
    return kernel_hash(stage) if kernels_of(stage) else None


def kernel_faults(kernel, ledger):
    """Was it measured with the kernel that is in the tree now?"""
    stage, recorded = part(kernel, "stage", str), kernel.get("kernel_hash")
    if not stage or not isinstance(recorded, str):
        yield "it does not say of which kernel it is"
    elif not re.fullmatch(r"\w+", stage) or not hash_now(stage):
        yield f"there is no kernel of {stage} here"
    elif not carried(ledger, stage, kernel.get("arm", "default"), recorded,
                     hash_now(stage)):
        yield f"it was measured with another kernel than {stage} now has"


def run_faults(meta, folder):
    device, date = folder.split("/")[1:]
    its = part(meta, "device")
    name = part(its, "name", str)
    if not name or its.get("is_gpu") is not True:
        yield "it does not say on which GPU it ran"
    elif re.sub("[^a-z0-9]+", "-", name.lower()) != device:
        yield f"it is of {name}, and lies in {device}"
    day = re.match(r"(\d{4}-\d\d-\d\d)T", part(meta, "date", str))
    if not day:
        yield "it does not say when it ran"
    elif day[1] < date:
        yield f"it ran on {day[1]}, before the day of its folder"
    commit = part(meta, "commit", str)
    if commit.endswith("-dirty"):
        yield "something was not committed when it ran"
    elif commit in ("", "unknown"):
        yield "it does not say of which commit it is"


# ---- gates ----

def case_faults(case):
    name = f"{case.get('name')}, seed {case.get('seed')}"
    judged = 0
    for gate, its in part(case, "gates").items():
        if its["verdict"] not in ("passed", "not judged"):
            yield f"{name}: the gate {gate} says \"{its['verdict']}\""
        elif its["verdict"] == "passed":
            judged += 1
            if not (is_number(its.get("figure")) and is_number(
                    its.get("limit")) and its["figure"] <= its["limit"]):
                yield (f"{name}: the gate {gate} has passed, and its figure is "
                       "over its limit")
    if not judged:
        yield f"{name}: no gate has judged it"
    if case.get("passed") is not True:
        yield f"{name} has not passed"


def gates_faults(correctness, shapes, seeds):
    """Of a result's section: it must have passed at these shapes, with each of
    the seeds, or with any where there are none."""
    each = part(correctness, "each", list)
    if not each:
        yield "it has no gates"
        return
    for case in each:
        yield from case_faults(case)
    if (correctness.get("cases") != len(each) or correctness.get("failed") != 0
            or correctness.get("all_passed") is not True):
        yield "its count of cases is not that of the cases that it lists"
    for shape in shapes:
        seen = [case.get("seed") for case in each if case.get("name") == shape]
        if not seen:
            yield f"no gates at {shape}"
        for seed in seeds if seen else []:
            if seed not in seen:
                yield f"no gates at {shape} with seed {seed}"


# ---- timings: are they whole, and are they what their samples say? ----

def sample_faults(its, name):
    try:
        samples = samples_of(its)
    except (KeyError, TypeError):
        samples = []
    if not samples or len(samples) != its.get("count"):
        yield f"{name} has {len(samples)} samples, and says {its.get('count')}"
        return
    for percent in 50, 90, 99:
        key = f"p{percent}_us"
        value = percentile(samples, percent)
        if not is_number(its.get(key)) or abs(its[key] - value) > ROUNDED:
            yield (f"{name}: {key} is {its.get(key)}, and its samples say "
                   f"{value:.3f}")


def noise_faults(its, name, in_main):
    noise, p50 = its.get("noise_us"), its.get("p50_us")
    if noise is None:
        yield f"{name}: there is no noise"
    elif in_main and is_number(p50) and noise > MOST_NOISE * p50:
        yield (f"{name}: the noise is {noise:.2f} us of {p50:.2f}, over "
               f"{100 * MOST_NOISE:.0f} %")


def shape_faults(timing, shape, in_main):
    """In the run of all stages both methods are needed, and little noise; a
    chapter's part compares arms, and prints a difference within its noise as
    none."""
    given = part(timing, "shape", list)
    if DIMS.get(shape, given) != given:
        yield f"{shape} is the shape {','.join(map(str, given))}"
    for method in METHODS:
        its, name = part(timing, method), f"{shape}, {method}"
        if its:
            yield from sample_faults(its, name)
            yield from noise_faults(its, name, in_main)
        elif method == "event" or in_main:
            yield f"{name}: there are no timings"


# ---- a file, and a stage ----

def file_faults(path, data, folder, ledger):
    meta = part(data, "build_meta")
    if meta.get("kernel_hash"):
        yield from kernel_faults(meta, ledger)
    for kernel in part(meta, "kernels").values():
        yield from kernel_faults(kernel, ledger)
    perf = part(data, "perf")
    if not perf:
        return
    if not meta:
        yield "it does not say where it is from"
        return
    in_main = os.path.dirname(path) == folder
    yield from run_faults(meta, folder)
    for shape, timing in perf.items():
        yield from shape_faults(timing, shape, in_main)
    yield from gates_faults(part(data, "correctness"), perf,
                            SETTINGS["seeds"] if in_main else [])


def stages_for(capability):
    """Those of the ladder that run on such a GPU."""
    for stage in ladder():
        only = architectures(stage)
        if not only or {capability, f"{capability}a"} & {*only}:
            yield stage


def stage_faults(stage, data, runs):
    """At the shapes that a table shows, all timed in turn in one process."""
    for shape in SETTINGS["bench"]["shapes_gpu"]:
        if shape not in part(data, "perf"):
            yield f"there are no timings at {shape}"
    runs.append(part(data, "build_meta").get("run"))
    if runs[0] != runs[-1]:
        yield "it was not timed in one process with the stages before"


def main(folder):
    results, faults, runs = {}, [], []
    for path in files(folder, deep=True):
        try:
            results[path] = load(path)
        except Unreadable as reason:
            results[path] = None
            faults.append(str(reason))
    count = len(results)
    ledger = results.pop(f"{folder}/machine-code.json", None) or {}

    def add(path, its):
        faults.extend(f"{path}: {fault}" for fault in its)

    for path, data in results.items():
        add(path, file_faults(path, data or {}, folder, ledger))
    devices = (part(part(results.get(f"{folder}/{stage}.json") or {},
                         "build_meta"), "device") for stage in stages_for(""))
    device = next((its for its in devices if its.get("capability")), None)
    stages = list(stages_for(device["capability"].replace(".", ""))
                  if device else [])
    if not device:
        faults.append(f"{folder}: no stage in it says on which GPU it ran")
    for stage in stages:
        path = f"{folder}/{stage}.json"
        if results.get(path):
            add(path, stage_faults(stage, results[path], runs))
        elif path not in results:
            add(path, ["there is no such file"])
    log = f"{folder}/bench.terminal.txt"
    if not os.path.exists(log):
        add(log, ["there is no such file"])
    if faults:
        print(*faults, f"{len(faults)} fault{'s' * (len(faults) > 1)}.",
              sep="\n")
        return 1
    print(f"{folder}: {len(stages)} stages on {device['name']}, "
          f"{count} files; whole and honest.")
    return 0


if __name__ == "__main__":
    DIR = "".join(sys.argv[1:]).rstrip("/")
    if not re.fullmatch(r"results/[\w-]+/\d{4}-\d\d-\d\d", DIR):
        stop(2, f"'{DIR}' is no folder of results: give "
             "DIR=results/DEVICE/DATE.")
    if not os.path.isdir(DIR):
        stop(2, f"There is nothing in {DIR}.")
    sys.exit(main(DIR))
