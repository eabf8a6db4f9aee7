#!/usr/bin/env python3
"""When the warps of a kernel begin which phase:
  timeline.py gpu|cpu STAGE/ARM FOLDER [OPTION...]
    on a GPU the gates with and without clock stamps, what the stamps cost, and
    one launch: FOLDER/STAGE.timeline.json, and traces and a drawing in
    build/timeline; without one the newest recorded summary, and the order of
    phases from the executor
  timeline.py draw FILE.timeline.json FILE.svg [SHAPE...]
    two steps of a block, as the book draws them: of the first of these shapes,
    or of mission, or else of the first that is recorded
OPTION: --shape SHAPE, repeatable; --seeds SEED, --iters N of the launches that
are timed; --json DIR, --trace DIR: where they go.
Exit status: 0 pass, 1 a check failed, 2 wrong command line, 3 this machine
cannot do that."""

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import answer, call, end, output, stop, verb_of, write
from facts import facts
from launch import Launch, Wrong
from recorded import (Unreadable, as_json, file_name, newest_of, read,
                      rounded)

TRACES = "build/timeline"
DRAW = ["tools/setup/pandoc.sh", "lua", "tools/timeline/draw.lua"]


# ---- a summary as text ----

def print_role(role, entry):
    is_time = "life" in entry
    print(f"  {role}: {entry['warps']}, "
          f"{'the first' if entry.get('alike') is False else 'each'}: "
          f"{entry['order']}\n"
          f"  {'phase':<14} {'visits':>7}"
          + "  share %   cycles: p10      p50      p90" * is_time)
    for name, row in entry["phases"].items():
        print(f"  {name:<14} {row['visits']:7.2f}" + (
            f" {row['share_pct']:8.1f}" + "".join(
                f" {row[f'p{p}_cycles']:8.0f}" for p in (10, 50, 90))
            if "share_pct" in row else ""))
    if is_time and "step" in entry:
        print(f"  a step took {entry['step']['p50_cycles']:.0f} cycles, a "
              f"warp's life {entry['life']['p50_cycles']:.0f} (medians)")


def print_shape(shape, entry):
    print(f"\n{shape}: {entry['blocks']} blocks of "
          f"{entry['warps_of_a_block']} warps, one launch")
    for role, its in entry["roles"].items():
        print_role(role, its)
    if "producers_overlapped_pct" in entry:
        print("  while a producer works, a consumer of its block works for "
              f"{entry['producers_overlapped_pct']:.0f} % of the time")
    for method in "graph", "event":
        cost = entry.get("overhead", {}).get(method)
        if cost:
            print(f"  cost of the stamps, by {method}: {cost['plain_us']:.2f} "
                  f"us without, {cost['stamped_us']:.2f} with: "
                  f"{cost['overhead_pct']:+.1f} %; noise "
                  f"{cost['noise_us']:.2f} us")


def show(path):
    try:
        summary = read(path).value
        meta = summary["build_meta"]
        print(meta["stage"], meta["arm"], "on", meta["device"]["name"])
        for shape, entry in summary["timeline"].items():
            print_shape(shape, entry)
    except Unreadable as reason:
        stop(3, f"timeline: {reason}")
    except (LookupError, TypeError, AttributeError) as reason:
        stop(3, f"timeline: {path} is no summary of a timeline: {reason!r}.")


def draw(path, svg, *shapes):
    try:
        summary = read(path)
        recorded = summary.section("timeline")
        shape = next((its for its in [*shapes, "mission", *recorded.value]
                      if its in recorded.value), "of any shape")
        drawing = recorded.section(shape).section("drawing")
        meta = summary.section("build_meta")
        device = meta.section("device")
        title = f"{meta.text('stage')}, {shape}, on {device.text('name')}"
    except Unreadable as reason:
        stop(1, f"timeline: {reason}")
    unit = "cycles" if device.value.get("is_gpu") else "steps"
    drawn = answer([*DRAW, title, unit], stderr=subprocess.DEVNULL,
                   input=json.dumps(drawing.value).encode())
    if drawn is None:
        stop(1, f"timeline: {path}: timeline/{shape}/drawing is not what can "
             "be drawn.")
    write(svg, drawn)
    print(f"wrote {svg}")


def draw_if_possible(*words):
    """pandoc alone can."""
    if answer(DRAW[:1], stderr=subprocess.DEVNULL) is not None:
        draw(*words)


# ---- a launch ----

def cost(plain, stamped):
    """What the stamps cost: both kernels were timed in turn."""
    before, after = plain["p50_us"], stamped["p50_us"]
    return {"plain_us": before, "stamped_us": after,
            "noise_us": plain["noise_us"],
            "overhead_pct": round(100 * (after / before - 1), 2)}


def entry_of(launch, is_gpu, perf):
    entry = {}
    if is_gpu:
        plain, stamped = perf
        entry["overhead"] = {its: cost(plain[its], stamped[its])
                             for its in ("event", "graph")
                             if isinstance(plain.get(its), dict)}
        if plain["clocks"].get("clock_mean_mhz") is None:
            stop(3, "timeline: The GPU's clock is not known (NVML).")
        entry["clocks"] = plain["clocks"]
    return {**entry, **launch.summary(is_gpu), "drawing": launch.drawing()}


def record(program, name, options, words):
    """Runs the program with both kernels, and says what it has recorded."""
    json_file = options.json and f"{options.json}/{name}.timeline.json"
    trace = f"{options.trace}/{name}.{{}}.trace.json"
    for path in filter(None, (json_file, trace.format(options.shape[0]))):
        write(path)
    os.makedirs("build", exist_ok=True)
    with tempfile.TemporaryDirectory(dir="build") as folder:
        code = call([
            program, "bench", "--json", folder, f"--seeds={options.seeds}",
            *(f"--shape={its}" for its in options.shape), *words,
            *(["--iters", options.iters] if options.iters else [])])
        if code:
            sys.exit(code)
        with open(f"{folder}/launches.json", encoding="utf-8") as file:
            launches = json.load(file)
        meta, entries = launches["build_meta"], {}
        is_gpu = meta["device"]["is_gpu"]
        for number, its in enumerate(launches["shapes"]):
            try:
                launch = Launch(f"{folder}/{number}.stamps", *its["grid"],
                                launches["phases"], launches["due"])
            except Wrong as reason:
                stop(1, f"timeline: {reason}")
            shape = its["shape"]
            entries[shape] = entry_of(launch, is_gpu, its.get("perf"))
            print_shape(shape, entries[shape])
            path = trace.format(shape)
            write(path, launch.trace(entries[shape].get(
                "clocks", {}).get("clock_mean_mhz", 0)))
            print(f"wrote {path}")
    if not is_gpu:
        print("\nThese are the executor's steps: they give the order of "
              "phases, and no time.")
    if json_file:
        write(json_file, as_json(rounded(
            {"build_meta": meta, "timeline": entries})))
        print(f"wrote {json_file}")


def resources_of(arm):
    """What the compiler allots; said, too, what it allots with stamps: with
    spills it would be another kernel."""
    reports = [output("tools/resources/resources.py", "read",
                      f"build/gpu/{arm}/{its}.ptxas").strip()
               for its in (f"sm_{os.environ['ARCH']}.cubin", "stamped.o")]
    print(f"without stamps: {reports[0]}\nwith stamps:    {reports[1]}")
    if not reports[1].endswith(" spill_bytes=0"):
        stop(1, "timeline: with stamps the kernel must not spill registers.")
    return f"--resources={reports[0]}"


def options_of(words, target, folder):
    on_gpu = target == "gpu"
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False,
                                     allow_abbrev=False)
    parser.add_argument("--shape", action="append")
    parser.add_argument("--seeds", default=0, type=int)
    parser.add_argument("--iters")
    parser.add_argument("--json", default=folder if on_gpu else None)
    parser.add_argument("--trace", default=TRACES)
    parser.error = lambda text: stop(2, f"timeline: {text}.")
    options = parser.parse_args(words)
    options.shape = options.shape or (["mission", "long"] if on_gpu
                                      else ["1,1,128,64"])
    return options


def run(target, arm, folder, *words):
    stage = arm.partition("/")[0]
    options = options_of(words, target, folder)
    if "phases" not in facts(stage):
        stop(2, f"timeline: {stage} has no list of phases in its stage.toml; "
             "every stage from 2 on has one.")
    name = file_name(arm)[:-5]
    program, svg = f"build/{target}/{arm}/timeline", f"{TRACES}/{name}.svg"
    if target == "gpu":
        record(program, name, options, [
            "--commit", os.environ.get("COMMIT", "unknown"),
            resources_of(arm)])
        draw_if_possible(f"{options.json}/{name}.timeline.json", svg)
        return
    path = newest_of(f"{name}.timeline.json", folder, "timeline", stage)
    if path:
        show(path)
        print("\nAnd from the executor, now:")
    record(program, name, options, [])
    if path:
        draw_if_possible(path, svg, *options.shape)


if __name__ == "__main__":
    end(verb_of, __doc__, {
        "draw": draw, "gpu": functools.partial(run, "gpu"),
        "cpu": functools.partial(run, "cpu")}, sys.argv[1:])
