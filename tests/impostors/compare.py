#!/usr/bin/env python3
"""The gates' verdicts on the impostors against those of expected.txt:
    compare.py [SHAPE DISTRIBUTION]      on this input alone
    compare.py --record NAME FILE        writes a record of results/
NAME: impostors, impostor-errors or impostor-errors-e4m3. Exit 1: they differ.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = json.loads((ROOT / "common/harness/settings.json").read_text())
# Right where there is no mask, and where every head has its own K and V.
VARIANTS = "mask one key too wide", "K/V head of another group"
CAUGHT = {"x": True, ".": False, "-": None}
# The tolerance of a test that once was used with inputs a tenth as large.
SMALL_INPUTS_TOLERANCE = 0.005


def judged(*words):
    """{impostor: {gate: (mark, figure, limit)}}"""
    return json.loads(subprocess.run(
        [ROOT / "build/tests/impostors", "--json", *words],
        stdout=subprocess.PIPE, check=True).stdout)


def expected():
    """{(shape, distribution): {impostor: marks}}"""
    tables, inputs = {}, []
    for line in (ROOT / "tests/impostors/expected.txt").read_text().split("\n"):
        words = line.split(" ")
        if words[0] == "input":
            if inputs and tables[inputs[-1]]:
                inputs = []
            inputs.append(tuple(words[1:]))
            tables[inputs[-1]] = {}
        elif inputs and line:
            name = " ".join(words[len(inputs):])
            for its, marks in zip(inputs, words):
                tables[its][name] = marks
    return tables


def compare(tables):
    number = failures = 0
    for given, table in tables.items():
        seen = [judged(*given, f"--seed={seed}")
                for seed in SETTINGS["seeds"]]
        for name in {**seen[0], **table}:
            found = ["".join(gate[0] for gate in one.get(name, {}).values())
                     for one in seen]
            wanted = table.get(name, "")
            good = all(len(f) == len(wanted) and all(
                w in ("*", g) for w, g in zip(wanted, f)) for f in found)
            number += 1
            failures += not good
            print(f"{'' if good else 'not '}ok {number} - "
                  f"{', '.join(given)}: {name}")
            if not good:
                print(f"# expected {wanted}, found {' '.join(found)}")
    return failures


def rounded(number):
    return number if number is None else float(f"{number:.4g}")


def marks(gates):
    return {gate: CAUGHT[its[0]] for gate, its in gates.items()}


def verdicts():
    small, mission = judged("small"), judged("mission")
    shape = "1,8:2,512,64,causal"
    masked = judged(shape)
    tenth = judged("mission", "--scale=0.1")["mean of V"]["max_abs_err"][1]
    return {
        "seed": 1,
        "impostors": [{"impostor": name, "small": marks(small[name]),
                       "mission": marks(mission[name])}
                      for name in mission if name not in VARIANTS],
        "variants": {"shape": shape, "impostors": [
            {"impostor": name, "verdicts": marks(masked[name])}
            for name in ("control", *VARIANTS)]},
        "small_inputs": {"mean_of_v_max_abs_err": rounded(tenth),
                         "tolerance": SMALL_INPUTS_TOLERANCE}}


def errors(*words):
    """Each figure as a multiple of its limit."""
    def of(gates):
        return {gate: rounded(figure / limit) if None not in (figure, limit)
                else None for gate, (mark, figure, limit) in gates.items()
                if mark != "-" and gate != "finite"}
    return {"seed": 1, "shape": "mission", "impostors": [
        {"impostor": name, "errors": of(gates)}
        for name, gates in judged("mission", *words).items()
        if name not in VARIANTS]}


RECORDS = {"impostors": verdicts, "impostor-errors": errors,
           "impostor-errors-e4m3": lambda: errors("--e4m3")}


def main(words):
    if words[:1] == ["--record"] and len(words) == 3 and words[1] in RECORDS:
        Path(words[2]).write_text(json.dumps(RECORDS[words[1]](), indent=1))
        return 0
    tables = expected()
    if words and tuple(words) not in tables:
        print("usage: " + __doc__.split("\n", 1)[1], file=sys.stderr)
        return 2
    return bool(compare({given: table for given, table in tables.items()
                         if not words or tuple(words) == given}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
