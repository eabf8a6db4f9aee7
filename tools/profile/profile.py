#!/usr/bin/env python3
"""Nsight Compute's counters for one launch of a kernel, and what bounds it.

  record STAGE/ARM FOLDER [SHAPE...]  profiles it at these shapes (mission and
                                      long), into FOLDER/STAGE[.ARM].ncu.json
  read STAGE/ARM [FOLDER]             the newest that is recorded
  show FILE.ncu.json                  what bounds the kernel at each shape

The rules are the original plan's: tensor pipe >= 50 % and DRAM < 50 % is
compute-bound, DRAM > 70 % memory-bound. It had no word for the rest, where most
kernels are: shared-memory-bound where that pipe is busy > 70 %, and latency-bound
where nothing is. All are percent of what the whole device could sustain over the
whole launch."""

import collections
import csv
import math
import os
import re
import sys

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/peers"]
from command import cuda_on_path, end, said, stop, verb_of, write
from recorded import (as_json, file_name, is_number, newest_of, read,
                      rounded)
from shapes import shape_of

METRICS = "tools/profile/metrics.list"
# One HMMA.16816 of a warp: 16 x 8 x 16 multiplications and additions.
HMMA_FLOPS = 2 * 16 * 8 * 16
SECTOR_BYTES = 32
STALLS_SHOWN = 3
STALLS = {"shared": "shared memory or a slow function",
          "global": "global memory", "barrier": "a barrier",
          "wait": "a fixed delay", "mio": "room in the shared-memory queue",
          "lg": "room in the global-memory queue", "math": "a busy pipe",
          "not_selected": "its turn", "no_instruction": "instructions",
          "branch": "a branch", "dispatch": "the dispatcher",
          "membar": "a fence", "sleep": "the end of a sleep",
          "constant": "constants", "drain": "its stores",
          "wgmma": "a warp group", "misc": "something unnamed"}
FORBIDDEN = """\
This user may not read the GPU's counters. An administrator allows it with the \
module option NVreg_RestrictProfilingToAdminUsers=0."""


# ---- what the counters say ----

def counters_of(values):
    """Of one shape: a figure that was not recorded is not a number."""
    return collections.defaultdict(lambda: math.nan, {
        key: value for key, value in values.items() if is_number(value)})


def over(one, other):
    return one / other if other else math.nan


def bound_by(c):
    """Empty if what was recorded decides nothing."""
    tensor, dram, shared = (c[f"{pipe}_pct"] for pipe in (
        "tensor_pipe", "dram", "shared_pipe"))
    known = not math.isnan(tensor + dram + shared)
    words = [word for word, holds in (
        ("memory-bound", dram > 70),
        ("compute-bound", tensor >= 50 and dram < 50),
        ("shared-memory-bound", shared > 70)) if holds]
    if known:
        return " ".join(words or ["latency-bound"])
    return " ".join([*words, "as far as recorded"]) if words else ""


def roofline(shape, c):
    """What follows from the counters of one shape, where it is known."""
    try:
        useful = float(shape_of(shape).flop)
    except ValueError:
        useful = math.nan
    seconds = 1e-9 * c["duration_ns"]
    tensor = (c["tensor_ops"] if c["tensor_ops"] >= 0
              else HMMA_FLOPS * c["tensor_instructions"])
    # What these instructions would reach if the pipe were never idle.
    busy = over(tensor / seconds, c["tensor_pipe_pct"] / 100)
    dram = c["dram_read_bytes"] + c["dram_write_bytes"]
    l2 = SECTOR_BYTES * c["l2_sectors"]
    its = {"useful_flops": useful, "tensor_flops": tensor,
           "useful_tflop_s": 1e-12 * useful / seconds,
           "tensor_tflop_s": 1e-12 * tensor / seconds,
           "tensor_ceiling_tflop_s": 1e-12 * busy if tensor > 0 else math.nan,
           "tensor_peak_tflop_s":
               1e-12 * c["tensor_ops_per_cycle_peak"] * c["sm_hz"],
           "dram_bytes": dram, "dram_gb_s": 1e-9 * dram / seconds,
           "dram_ceiling_gb_s":
               1e-9 * c["dram_bytes_per_cycle_peak"] * c["dram_hz"],
           "l2_bytes": l2, "l2_gb_s": 1e-9 * l2 / seconds,
           "l2_ceiling_gb_s": 1e-9 * SECTOR_BYTES * c["l2_hz"]
               * c["l2_sectors_per_cycle_peak"],
           "flop_per_dram_byte": over(useful, dram),
           "flop_per_l2_byte": over(useful, l2)}
    verdict = bound_by(c)
    return ({"verdict": verdict} if verdict else {}) | {
        key: int(value) if value == int(value) else value
        for key, value in its.items() if math.isfinite(value)}


def rate(label, its, key, unit, ceiling=""):
    if key in its:
        limit = f" of {its[ceiling]:.1f}" if ceiling in its else ""
        yield f"  {label:13} {its[key]:8.2f} {unit}{limit}"


def shape_lines(shape, c):
    def percent(key):
        return "-" if math.isnan(c[key]) else f"{c[key]:.1f} %"

    its = roofline(shape, c)
    yield f"\n{shape}: {1e-3 * c['duration_ns']:.2f} us under the profiler"
    yield (f"  tensor pipe {percent('tensor_pipe_pct')}, DRAM "
           f"{percent('dram_pct')}, L2 {percent('l2_pct')}, shared memory "
           f"{percent('shared_pipe_pct')} of peak")
    yield (f"  issue slots used {percent('issue_active_pct')}, achieved "
           f"occupancy {percent('warps_active_pct')}")
    waits = sorted((-c["stall_" + why], number, words) for number, (why, words)
                   in enumerate(STALLS.items()) if c["stall_" + why] > 0)
    yield "  waiting warps an issue:" + ",".join(
        f"\n    {-wait:5.2f} for {words}"
        for wait, _, words in waits[:STALLS_SHOWN])
    yield from rate("useful", its, "useful_tflop_s", "TFLOP/s")
    yield from rate("tensor cores", its, "tensor_tflop_s", "TFLOP/s",
                    "tensor_ceiling_tflop_s")
    yield from rate("DRAM", its, "dram_gb_s", "GB/s", "dram_ceiling_gb_s")
    yield from rate("L2", its, "l2_gb_s", "GB/s", "l2_ceiling_gb_s")
    if "flop_per_dram_byte" in its:
        yield (f"  intensity     {its['flop_per_dram_byte']:8.1f} FLOP a DRAM "
               "byte")
    yield "  verdict: " + its.get("verdict", "none: it lacks tensor_pipe_pct, "
                                  "dram_pct or shared_pipe_pct")


def print_bounds(meta, shapes):
    print(f"{meta['stage']} {meta['arm']}, kernel {meta['kernel_hash'][:12]}, "
          f"{meta['profiler']}")
    for shape, counters in shapes.items():
        print("\n".join(shape_lines(shape, counters_of(counters))))


def show(path):
    result = read(path)
    section = result.section("ncu", None)
    shapes = {name: its.value for name, its in section.sections().items()
              } if section else {}
    if not shapes:
        stop(3, f"{path} holds no profiled shape.")
    meta = result.section("build_meta")
    print_bounds({key: meta.text(key, "") for key in (
        "stage", "arm", "kernel_hash", "profiler")}, shapes)


def read_recorded(arm, folder=""):
    stage = arm.partition("/")[0]
    show(newest_of(file_name(arm, ".ncu"), folder, "profile", stage) or stop(
        3, f"profile needs a GPU, and no profile of {arm} is recorded."))


# ---- recording ----

class Metrics:
    """What is asked of the profiler. A ? before a metric: it may be left out
    where this profiler does not know it."""

    def __init__(self):
        self.keys, self.optional = {}, set()
        with open(METRICS, encoding="utf-8") as file:
            lines = [line.split() for line in file if line[:1] not in "#\n"]
        for key, name in lines:
            self.keys[name.lstrip("?")] = key
            if name[0] == "?":
                self.optional.add(name[1:])

    def leave_out(self, text):
        """Each optional one that a complaint names, alone or by what stands
        before its first dot; False where it is another fault."""
        words = {word.strip('",.') for line in text.splitlines()
                 if "ERROR" in line or "Failed" in line
                 for word in line.split()}
        unknown = [name for name in sorted(self.optional)
                   if words & {name, name.partition(".")[0]}]
        for name in unknown:
            print("left out, because this profiler does not know it: "
                  f"{name}", file=sys.stderr)
            del self.keys[name]
            self.optional.remove(name)
        return bool(unknown)

    def numbers(self, text):
        """Of the profiler's CSV, whose last columns are the metric's name, its
        unit and its value, all in quotes."""
        found = {}
        for fields in csv.reader(text.splitlines()):
            value = fields[-1].replace(",", "") if fields else ""
            key = next((self.keys[f] for f in fields if f in self.keys), None)
            if key and re.fullmatch(r"[\d.eE+-]+", value):
                found[key] = (int(value) if value.isdigit()
                              else float(value))
        return found


def profile_shape(program, metrics, shape):
    """The counters of one shape. The first launch warms nothing that is counted;
    the second is profiled. The clocks are left as they are, and the caches warm,
    as they are when the harness takes its times."""
    while True:
        code, text = said([
            *"ncu --clock-control none --cache-control none --csv --print-units "
            "base --launch-skip 1 --launch-count 1 --kernel-name "
            "attention_kernel --metrics".split(), ",".join(metrics.keys),
            program, "check", "--shape", shape,
            *"--seeds 0,1 --distribution normal".split()])
        end = "\n".join(text.splitlines()[-5:])
        if code == 0 and "gpu__time_duration" in text:
            return metrics.numbers(text)
        if code == 0:
            stop(3, f"The profiler counted nothing:\n{end}")
        if "ERR_NVGPUCTRPERM" in text:
            stop(3, FORBIDDEN)
        if not metrics.leave_out(text):
            stop(3, end)


def record(arm, folder, *shapes):
    path = f"{folder}/{file_name(arm, '.ncu')}"
    program = f"build/gpu/{arm}/program"
    stage, _, arm = arm.partition("/")
    cuda_on_path()
    code, version = said(["ncu", "--version"])
    if code == 127:
        stop(3, "profile needs Nsight Compute (ncu), which is not on the PATH.")
    write(path)
    known, info = said([program, "info"])
    if code or known:
        stop(3, f"{program} or ncu does not run.")
    on, kernel = (re.search(form, info, re.M) for form in (
        " on ([^,\n]*)", r"^kernel hash +(\S+)"))
    metrics = Metrics()
    result = {"build_meta": {
        "schema_version": 1, "stage": stage, "arm": arm,
        "kernel_hash": kernel[1] if kernel else "",
        "device": {"name": on[1] if on else ""},
        "profiler": version.strip().splitlines()[-1]},
        "ncu": {shape: profile_shape(program, metrics, shape)
                for shape in shapes or ("mission", "long")}}
    # What follows from the counters stands beside them.
    result["roofline"] = {shape: roofline(shape, counters_of(counters))
                          for shape, counters in result["ncu"].items()}
    print_bounds(result["build_meta"], result["ncu"])
    write(path, as_json(rounded(result)))
    print(f"wrote {path}")


if __name__ == "__main__":
    end(verb_of, __doc__, {
        "record": record, "read": read_recorded, "show": show},
        sys.argv[1:], refused=2)
