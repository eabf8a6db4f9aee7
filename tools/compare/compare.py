#!/usr/bin/env python3
"""Recorded results beside each other, shape by shape: see compare.py --help."""

import argparse
import json
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, stop
from recorded import exists, file_name, folders, read

# The graph is judged where both have it: it has no launch gaps.
METHODS = "event", "graph"
# Results compare only where all of this is the same.
OF_DEVICE = "name", "driver", "runtime"
SAME_WORK = "shape", "kv_heads", "causal", "flush_l2"
HEAD = ("on         {} ({})\n\nshape      method    base us   cand. us    "
        "noise     saved  speed-up")


class Result:
    """All that a table is made from. Unreadable where some of it is missing."""

    def __init__(self, path):
        whole = read(path)
        self.meta = whole.section("build_meta")
        device = self.meta.section("device", None)
        self.about = {key: device.text(key, "") if device else ""
                      for key in OF_DEVICE}
        self.about["compiler"] = self.meta.text("compiler", "")
        # Without the toggles, which are what an arm is about.
        self.about["flags"] = " ".join(
            flag for flag in self.text("flags").split()
            if not flag.startswith("-D"))
        self.shapes = whole.section("perf").sections()
        self.times = {name: {
            method: (entry.number("p50_us"), entry.number("noise_us"))
            for method in METHODS
            if (entry := shape.section(method, None))}
            for name, shape in self.shapes.items()}
        self.gates = whole.value.get("correctness") or {}

    def text(self, key):
        value = self.meta.value.get(key)
        return value if isinstance(value, str) else ""

    def line(self, side):
        return (f"{side:10} {self.text('stage')} {self.text('arm')}, commit "
                f"{self.text('commit')}, kernel "
                f"{self.text('kernel_hash')[:12]}")


def check_same(what, one, other):
    if one != other:
        stop(2, f"These results do not compare: {what} is '{one}' in one and "
             f"'{other}' in the other.")


def check_comparable(base, candidate):
    for what, value in base.about.items():
        check_same(what, value, candidate.about[what])
    common = [name for name in base.shapes if name in candidate.shapes]
    for name in common:
        for key in SAME_WORK:
            check_same(f"{key} of {name}", *(
                json.dumps(result.shapes[name].value[key],
                           separators=(",", ":"))
                if key in result.shapes[name].value else "absent"
                for result in (base, candidate)))
    if not common:
        stop(2, "The two results have no timed shape in common.")


def row(shape, method, old, new):
    """The line, and what the candidate saves in percent: 0 within the noise."""
    noise = max(old[1], new[1])
    same = abs(new[0] - old[0]) <= noise
    saved = 0 if same else 100 * (1 - new[0] / old[0])
    line = f"{shape:10} {method:6} {old[0]:10.2f} {new[0]:10.2f} {noise:8.2f}"
    return line + ("   no difference" if same else f" {saved:7.1f} % "
                   f"{old[0] / new[0]:8.2f}x"), saved


def rows(base, candidate):
    """The lines; by shape and method what is saved."""
    lines, saved = [], {}
    for shape, times in base.times.items():
        for method, old in times.items():
            new = candidate.times.get(shape, {}).get(method)
            if new:
                line, saved[shape, method] = row(shape, method, old, new)
                lines.append(line)
    return lines, saved


def summary(base, candidate, saved):
    """The average of the speed-ups is geometric, one a shape: by graphs where
    both have them."""
    logs = {shape: -math.log(1 - its / 100)
            for (shape, _), its in saved.items()}
    text = ""
    if logs:
        text = (f"\naverage speed-up over {len(logs)} "
                f"shape{'s' if len(logs) > 1 else ''}: "
                f"{math.exp(sum(logs.values()) / len(logs)):.2f}x\n")
    yield (f"{text}gates: {base.gates.get('cases')} cases passed in the base, "
           f"{candidate.gates.get('cases')} in the candidate")
    for side, its, other in (("base", base, candidate),
                             ("candidate", candidate, base)):
        for shape in its.shapes:
            if shape not in other.shapes:
                yield f"{shape}: timed in the {side} only"


def table(base_path, candidate_path):
    """Its lines, and what is saved. The program's end where one is no result
    of a kernel that passed its gates."""
    both = base, candidate = Result(base_path), Result(candidate_path)
    for its in both:
        if its.gates.get("all_passed") is not True:
            stop(2, f"{its.text('stage')} {its.text('arm')} has no passed "
                 "gates: a wrong kernel's time is not compared.")
    check_comparable(base, candidate)
    one_run = base.text("run") == candidate.text("run")
    run = ("one run, timed in turn" if one_run
           else "two runs: the clocks may have differed")
    lines, saved = rows(base, candidate)
    return [base.line("base"), candidate.line("candidate"),
            HEAD.format(base.about["name"], run), *lines,
            *summary(base, candidate, saved)], saved


def verdict(saved, gate):
    """Prints whether the gate is met, and returns the exit code."""
    method = next((m for m in reversed(METHODS) if ("mission", m) in saved),
                  None)
    if not method:
        stop(2, "The gate is judged at mission, which is not timed in both "
             "results.")
    met = saved["mission", method] >= gate - 1e-9  # 1 - 18/20 is not 0.1
    slower = sum(its < 0 for its in saved.values())
    print(f"\ngate: {saved['mission', method]:.2f} % at mission ({method}), "
          f"{gate:.2f} % wanted: {'met' if met else 'missed'}")
    if slower:
        print(f"regression: {slower} row{'s' if slower > 1 else ''} above "
              f"{'are' if slower > 1 else 'is'} slower than the base")
    return 0 if met and not slower else 1


def recorded(folder, words):
    """The files of two STAGE/ARM in the newest folder that holds both."""
    names = [*map(file_name, words)]
    for place in [folder] if folder else folders():
        paths = [f"{place}/{name}" for name in names]
        if all(map(exists, paths)):
            return paths
    return stop(2, f"No results folder holds both {names[0]} and {names[1]}: "
                "run 'make bench' on a GPU first.")


def percentage(text):
    if not math.isfinite(float(text)):
        raise ValueError
    return float(text)


def main():
    parser = argparse.ArgumentParser(description="""
        Two recorded results beside each other, shape by shape. With a gate the
        exit code is 1 if the candidate is slower anywhere, or saves less than
        that at the mission shape.""")
    parser.add_argument("--gate", type=percentage, metavar="PERCENT",
                        help="what the candidate must save at mission")
    parser.add_argument("--recorded", metavar="FOLDER", nargs="?", const="",
                        help="BASE and CANDIDATE are STAGE/ARM, of the newest "
                        "folder of results that holds both, or of this one")
    parser.add_argument("words", nargs=2, metavar="RESULT",
                        help="a base and a candidate")
    c = parser.parse_args()
    if c.recorded is not None:
        c.words = recorded(c.recorded, c.words)
    lines, saved = table(*c.words)
    print("\n".join(lines))
    return 0 if c.gate is None else verdict(saved, c.gate)


if __name__ == "__main__":
    end(main, refused=2)
