"""Two results beside each other: what does not compare is refused, noise is no
gain, and the gate holds."""

import json

import pytest

from support import ROOT, Tree

COMPARE = ROOT / "tools/compare/compare.py"


@pytest.fixture
def folder(tmp_path):
    return Tree(tmp_path)


def result(folder, file, stage="stage0_one", device="A", driver="1",
           compiler="c", flags="nvcc -O3 -DX=1", shape="mission",
           dims=(1, 8, 512, 64), cold=False, passed=True, us=20, noise=0.5,
           long=100, method="graph", **more):
    """A recorded result with these differences."""
    folder.write(file, json.dumps({
        "build_meta": {
            "schema_version": 1, "stage": stage, "arm": "default", "run": "1",
            "compiler": compiler, "flags": flags,
            "device": {"name": device, "driver": driver, "runtime": "13.0"}},
        "perf": {
            shape: {"shape": dims, "flush_l2": cold, **more,
                    "event": {"p50_us": 20, "noise_us": 0.5},
                    method: {"p50_us": us, "noise_us": noise}},
            "long": {"shape": [1, 8, 2048, 64], "flush_l2": cold,
                     "event": {"p50_us": long, "noise_us": 0.5},
                     "graph": None}},
        "correctness": {"all_passed": passed, "cases": 9, "failed": 0}}))


@pytest.mark.parametrize("code, says, candidate, options", [
    (0, "50.0 %     2.00x", {"us": 10}, ""),
    (0, "average speed-up over 2 shapes: 1.41x", {"us": 10}, ""),
    (0, "20.00      19.60     0.50   no difference", {"us": 19.6}, ""),
    (0, "20.00      19.00     1.50   no difference",
     {"us": 19, "noise": 1.5}, ""),
    (0, "5.0 %", {"us": 19}, ""),
    (0, "-10.0 %", {"us": 22}, ""),
    (2, "name is 'A' in one and 'B'", {"device": "B"}, ""),
    (2, "compiler is 'c' in one and 'd'", {"compiler": "d"}, ""),
    (2, "flags", {"flags": "nvcc -O2 -DX=1"}, ""),
    (0, "no difference", {"flags": "nvcc -DX=0 -O3"}, ""),
    (2, "shape of mission", {"dims": [1, 8, 512, 128]}, ""),
    (2, "causal of mission", {"causal": True}, ""),
    (2, "flush_l2 of", {"cold": True}, ""),
    (2, "no passed gates", {"passed": False}, ""),
    (0, "small: timed in the candidate only", {"shape": "small"}, ""),
    (0, "event       20.00      20.00", {"method": "none"}, ""),
    (0, "10.00 % wanted: met", {"us": 18}, "--gate=10"),
    (1, "9.50 % at mission (graph), 10.00 % wanted: missed", {"us": 18.1},
     "--gate=10"),
    (1, "0.00 % at mission", {"us": 19.6}, "--gate=1"),
    (1, "regression: 1 row", {"us": 10, "long": 100.6}, "--gate=10"),
    (2, "not timed in both", {"shape": "small"}, "--gate=10"),
    (2, "percentage", {}, "--gate=ten"),
])
def test_two_results(folder, code, says, candidate, options):
    result(folder, "base.json")
    result(folder, "candidate.json", **candidate)
    folder.ends(f"{COMPARE} {options} base.json candidate.json", code, says)


def test_the_goal(tree):
    made = ("stage1 compare JSON=results/nvidia-h200/2026-11-21/stage1 "
            "AGAINST=")
    tree.make(f'{made}"stage0 USE_CP_ASYNC=0"', 0,
              "base       stage0_scalar default", "USE_CP_ASYNC-0")
    tree.make(f"{made}USE_CP_ASYNC=0 GATE=10", 2, "missed")
    tree.make("compare", 2, "needs two stages")
