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
    (of(10, 10, 70.1), "shared-memory-bound"),
    (of(50, 10, 80), "compute-bound shared-memory-bound"),
    ({"shared_pipe_pct": 84}, "shared-memory-bound as far as recorded"),
    ({"shared_pipe_pct": 12, "tensor_pipe_pct": 1}, None),
])
def test_the_verdict(tmp_path, counters, verdict):
    profile(Tree(tmp_path), counters)
    said = Tree(tmp_path).ends(f"{PROFILE} show p.json")
    found = re.search(r"verdict: (.*)", said)[1]
    assert found == verdict if verdict else found.startswith("none"), said


def test_the_longest_waits(tmp_path):
    profile(Tree(tmp_path), {"stall_wait": 1, "stall_barrier": 2,
                             "stall_math": 0.5, "stall_lg": 0.1})
    said = Tree(tmp_path).ends(f"{PROFILE} show p.json")
    assert re.findall(r" for ([^\n]*?),?\n", said) == [
        "a barrier", "a fixed delay", "a busy pipe"]


@pytest.mark.parametrize("shape, useful", [
    ("mission", 4 * 8 * 512 * 512 * 64), ("1,4,512,64", 268435456),
    ("1,4:2,512,64,causal", 134217728), ("1,4:3,512,64", None)])
def test_the_roofline(tmp_path, shape, useful):
    """In 1 us: 65536 HMMAs of 4096 operations, with the pipe half busy; DRAM
    has 100 bytes a cycle at 1 GHz, and L2 10 sectors."""
    profile(Tree(tmp_path), {
        "duration_ns": 1000, "tensor_instructions": 65536,
        "tensor_pipe_pct": 50, "dram_read_bytes": 30000,
        "dram_write_bytes": 20000, "dram_bytes_per_cycle_peak": 100,
        "dram_hz": 1e9, "l2_sectors": 1000, "l2_sectors_per_cycle_peak": 10,
        "l2_hz": 1e9}, shape)
    its = json.loads(Tree(tmp_path).ends(f"{PROFILE} roofline p.json"))[shape]
    assert its.get("useful_flops") == useful
    if useful:
        assert its["flop_per_dram_byte"] == pytest.approx(useful / 50000)
        assert its["useful_tflop_s"] == pytest.approx(useful / 1e6)
    assert {key: its[key] for key in (
        "tensor_tflop_s", "tensor_ceiling_tflop_s", "dram_gb_s",
        "dram_ceiling_gb_s", "l2_gb_s", "l2_ceiling_gb_s")} == pytest.approx({
            "tensor_tflop_s": 268.435456, "tensor_ceiling_tflop_s": 536.870912,
            "dram_gb_s": 50, "dram_ceiling_gb_s": 100, "l2_gb_s": 32,
            "l2_ceiling_gb_s": 320})


def test_the_newest_is_shown(tree):
    tree.run("mv results recorded")
    tree.make(SHOW, 2, "no profile of " + stage(1), "Error 3")
    kernel = tree.ends(f"tools/results/kernel_hash.py {stage(1)}").strip()
    for folder, counters in [("a/2026-01-02", of(60, 10, 10)),
                             ("a/2026-01-01", of(10, 90, 10)),
                             ("b/2025-12-31", of(10, 90, 10))]:
        profile(tree, counters, file=f"results/{folder}/{NAME}", kernel=kernel)
    tree.make(SHOW, 0, "No GPU was used", "verdict: compute-bound",
              never="has changed")
    tree.make(SHOW + " USE_KV_LUT=1", 2, "USE_KV_LUT-1 is recorded")
    profile(tree, of(60, 10, 10), file=f"results/a/2026-01-02/{NAME}")
    tree.make(SHOW, 0, "has changed")
    for hashes in ["0"], ["0", kernel]:
        tree.write("results/a/2026-01-02/machine-code.json", json.dumps(
            {"kernels": [{"stage": stage(1), "arm": "default",
                          "kernel_hashes": hashes}]}))
        assert ("has changed" in tree.make(SHOW)) == (kernel not in hashes)


# A stand-in for ncu: knows all metrics but UNKNOWN, counts 1,000 of each.
NCU = """
[ "$1" != --version ] || { echo "Version 1"; exit; }
echo "==PROF== Connected"
[ -z "${FORBIDDEN:-}" ] || { echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1; }
while [ "$1" != --metrics ]; do shift; done
for metric in $(echo "$2" | tr , ' '); do
  [ "$metric" != "${UNKNOWN:-}" ] ||
    { echo "==ERROR== Failed to find metric $metric"; exit 9; }
done
[ -z "${NOTHING:-}" ] || exit 0
for metric in $(echo "$2" | tr , ' '); do
  printf '"0","1","attention_kernel","%s","unit","1,000"\\n' "$metric"
done
"""


def test_recording(tree):
    tree.script("bin/ncu", NCU)
    tree.script(f"build/gpu/{stage(1)}/default/program",
                "echo 'stage1 X=1 on GPU Z, compute capability 9.0'\n"
                "echo 'kernel hash  abc'\n")
    record = (f"PATH=$PWD/bin:$PATH tools/profile/profile.py record {stage(1)}"
              "/default out mission")
    tree.ends(record + " 1,4,512,64")
    its = tree.json(f"out/{NAME}")
    assert its["build_meta"]["device"]["name"] == "GPU Z"
    metrics = tree.read("tools/profile/metrics.list")
    for shape in "mission", "1,4,512,64":
        counted = its["ncu"][shape]
        assert set(counted.values()) == {1000}
        assert set(re.findall(r"^stall_\w+", metrics, re.M)) <= set(counted)
        assert (its["roofline"][shape]["verdict"]
                == "memory-bound shared-memory-bound")
    optional = re.search(r"^dram_pct \??(\S+)", metrics, re.M)[1]
    tree.ends(record, 0, f"does not know it: {optional}", UNKNOWN=optional)
    assert "dram_pct" not in tree.json(f"out/{NAME}")["ncu"]["mission"]
    old = tree.read(f"out/{NAME}")
    tree.ends(record, 3, UNKNOWN="gpu__time_duration.sum")
    tree.ends(record, 3, "counted nothing", NOTHING=1)
    tree.ends(record, 3, "administrator", FORBIDDEN=1)
    assert tree.read(f"out/{NAME}") == old
    assert tree.run("ls -A out").text == NAME + "\n"
