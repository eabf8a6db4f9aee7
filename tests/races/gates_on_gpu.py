#!/usr/bin/env python3
"""Runs the kernels with the mistakes that each stage.toml plants through the
gates on this machine's GPU and records which pass:  gates_on_gpu.py FILE.json
A race that happens to come out right is what the executor is for."""

import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import STAGES, copy, folder_of, run  # noqa: E402
from facts import rows  # noqa: E402


def gates(stage, name):
    with tempfile.TemporaryDirectory() as folder:
        tree = copy(Path(folder) / "tree")
        tree.write(f"{folder_of(stage)}/kernel.cu", run(
            ["tests/races/plant.py", "kernel", stage, name]).text)
        made = tree.run(f"make {stage} TARGET=gpu")
        if made.code:
            sys.exit(f"{stage}, {name}: not built.\n{made.text[-2000:]}")
        # A mistake may show in one run and not in another. Eight run at once:
        # more threads for the references would make each of them late.
        passed = all(tree.run(
            f"build/gpu/{stage}/default/program check --shape small "
            "--shape mission --shape odd", timeout=120,
            OMP_NUM_THREADS=2).code == 0 for _ in range(3))
    return {"gates": "passed" if passed else "failed", "mistake": name,
            "stage": stage}


def main(file):
    made = run("make TARGET=gpu build")
    if made.code:
        sys.exit(made.text[-2000:])
    known = [(s, row[0]) for s in STAGES for row in rows(s, "planted", 6)]
    with ThreadPoolExecutor(8) as pool:
        planted = list(pool.map(lambda entry: gates(*entry), known))
    passed = sum(entry["gates"] == "passed" for entry in planted)
    Path(file).write_text(json.dumps(
        {"passed": passed, "planted": planted, "total": len(planted)},
        indent=1) + "\n")
    print(f"{passed} of {len(planted)} kernels with a planted mistake passed "
          "every gate")


if len(sys.argv) != 2:
    sys.exit("usage: gates_on_gpu.py FILE.json")
main(sys.argv[1])
