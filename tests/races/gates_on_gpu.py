#!/usr/bin/env python3
"""Runs the kernels with the mistakes that each stage.toml plants through the
gates on this machine's GPU and records which pass:  gates_on_gpu.py FILE.json
A race that happens to come out right is what the executor is for."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planted import PLANTED, planted
from support import run


def gates(entry):
    stage, name = entry
    with planted(stage, name) as tree:
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
    with ThreadPoolExecutor(8) as pool:
        each = list(pool.map(gates, PLANTED))
    passed = sum(entry["gates"] == "passed" for entry in each)
    Path(file).write_text(json.dumps(
        {"passed": passed, "planted": each, "total": len(each)}, indent=1)
        + "\n")
    print(f"{passed} of {len(each)} kernels with a planted mistake passed "
          "every gate")


if len(sys.argv) != 2:
    sys.exit("usage: gates_on_gpu.py FILE.json")
main(sys.argv[1])
