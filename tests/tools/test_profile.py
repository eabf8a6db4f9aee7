"""Profiles: the verdict and the roofline of known counters, what is recorded,
and what is said where the profiler refuses or a kernel has changed."""

import json
import re

import pytest

from support import ROOT, Tree, stage

PROFILE = ROOT / "tools/profile/profile.py"
NAME = f"{stage(1)}.ncu.json"
SHOW = "stage1 profile TARGET=cpu"


def profile(folder, counters, shape="mission", file="p.json", kernel="0"):
    folder.write(file, json.dumps({
        "build_meta": {"schema_version": 1, "stage": stage(1),
                       "arm": "default", "kernel_hash": kernel,
                       "profiler": "p"},
        "ncu": {shape: counters}}))


def of(tensor, dram, shared):
    return {"tensor_pipe_pct": tensor, "dram_pct": dram,
            "shared_pipe_pct": shared}


@pytest.mark.parametrize("counters, verdict", [
    (of(50, 49.9, 70), "compute-bound"), (of(49.9, 50, 70), "latency-bound"),
    (of(10, 70.1, 10), "memory-bound"), (of(60, 60, 10), "latency-bound"),
    (of(50, 10, 80), "compute-bound shared-memory-bound"),
    ({"shared_pipe_pct": 84}, "shared-memory-bound as far as recorded"),
])
def test_the_verdict(tmp_path, counters, verdict):
    profile(Tree(tmp_path), counters)
    said = Tree(tmp_path).ends(f"{PROFILE} show p.json")
    assert re.search(r"verdict: (.*)", said)[1] == verdict


def test_the_roofline(tmp_path):
    """In 1 us: 65536 HMMAs of 4096 operations, with the pipe half busy; DRAM
    has 100 bytes a cycle at 1 GHz, and L2 10 sectors."""
    profile(Tree(tmp_path), {
        "duration_ns": 1000, "tensor_instructions": 65536,
        "tensor_pipe_pct": 50, "dram_read_bytes": 30000,
        "dram_write_bytes": 20000, "dram_bytes_per_cycle_peak": 100,
        "dram_hz": 1e9, "l2_sectors": 1000, "l2_sectors_per_cycle_peak": 10,
        "l2_hz": 1e9}, "1,4:2,512,64,causal")
    said = Tree(tmp_path).ends(f"{PROFILE} show p.json")
    assert [float(its) for its in re.findall(r"(?<= )[\d.]+", said.partition(
        "useful")[2])] == [134.22, 268.44, 536.9, 50, 100, 32, 320, 2684.4]


def test_the_newest_is_shown(tree):
    tree.run("mv results recorded")
    tree.make(SHOW, 2, "no profile of " + stage(1), "Error 3")
    kernel = tree.ends(f"tools/results/kernel_hash.py {stage(1)}").strip()
    for day, counters in (2, of(60, 10, 10)), (1, of(10, 90, 10)):
        profile(tree, counters, file=f"results/a/2026-01-0{day}/{NAME}",
                kernel=kernel)
    tree.make(SHOW, 0, "No GPU was used", "verdict: compute-bound",
              never="has changed")
    tree.make(SHOW + " USE_KV_LUT=1", 2, "USE_KV_LUT-1 is recorded")
    profile(tree, of(60, 10, 10), file=f"results/a/2026-01-02/{NAME}")
    tree.make(SHOW, 0, "has changed")
    tree.write("results/a/2026-01-02/machine-code.json", json.dumps(
        {"kernels": [{"stage": stage(1), "arm": "default",
                      "kernel_hashes": ["0", kernel]}]}))
    tree.make(SHOW, 0, never="has changed")


def test_a_profiler_that_may_not_count(tree):
    """Counters are often an administrator's; what is recorded stays."""
    tree.script("bin/ncu", """
[ "$1" != --version ] || { echo "Version 1"; exit; }
echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1
""")
    tree.script(f"build/gpu/{stage(1)}/default/program",
                "echo 'stage1 X=1 on GPU Z, compute capability 9.0'\n"
                "echo 'kernel hash  abc'\n")
    old = tree.write(f"out/{NAME}", "old")
    tree.ends("PATH=$PWD/bin:$PATH tools/profile/profile.py record "
              f"{stage(1)}/default out mission", 3, "administrator")
    assert old.read_text() == "old"
