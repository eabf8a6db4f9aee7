"""Comparisons with other libraries: a kernel gets the call that it should, bad
input is refused, and a wrong output is never timed."""

import json
import re

import pytest

from support import run

PEERS = "python3 tools/peers/peers.py"


def test_a_kernel_gets_every_field_and_says_what_it_takes(
        root, holds, tmp_path):
    headers = run("tools/setup/cuda-home.sh --headers").text.strip()
    program = root.write(tmp_path / "stage.c", """
#include "common/device/interface/attention.h"
const char stage_toggles[] = "T=1";
const attention_support stage_support = {{64, 128}, TAKES_CAUSAL, P_E4M3,
                                         DRIFTS};
cudaError_t stage_launch(const attention_args *a, cudaStream_t stream) {
  const long got[] = {(long)a->q, (long)a->k, (long)a->v, (long)a->q_scale,
    (long)a->k_scale, (long)a->v_scale, (long)a->o, a->batch, a->heads,
    a->seq_len, a->head_dim, (long)a->softmax_scale, a->kv_heads, a->causal,
    a->key_len, (long)a->strides, (long)a->lse};
  for (int i = 0; i < 17; i++)
    if (got[i] != i + 1) return cudaErrorInvalidValue;
  return stream == (void *)99 ? cudaSuccess : cudaErrorInvalidValue;
}
""")
    library = tmp_path / "stage.so"
    root.ends(
        f"${{CC:-gcc}} -std=c11 -I. -isystem {headers} -shared -fPIC "
        """-DSTAGE='"s"' -DARM='"a"' -DKERNEL_HASH='"h"' """
        """-DCOMPILER='"c"' -DFLAGS='"f"' """
        f"-o {library} {program} common/harness/object.c")
    holds(root, """
import sys
import stages
from shapes import shape_of
stages.result_name = lambda stage, arm: f"{stage}.{arm}"
library = stages.Library(sys.argv[1])
assert (library.name, library.toggles, library.kernel_hash,
        library.compiler) == ("s.a", "T=1", "h", "c")
assert (library.support.rounds_p_to, library.support.sums) == (2, 1)
missing = [library.missing(shape_of(text)) for text in (
    "1,8,512,128,causal", "1,8,512,96", "1,8:2,512,64")]
assert missing == [None, "takes D = 64 or 128",
                   "takes no shared K/V heads"], missing
names = ("q k v q_scale k_scale v_scale o batch heads seq_len head_dim "
         "softmax_scale kv_heads causal key_len strides lse").split()
args = stages.AttentionArgs(**{n: i for i, n in enumerate(names, 1)})
library.launch(args, 99)
args.lse = 0
try:
    library.launch(args, 99)
    sys.exit("a refused launch was taken for a good one")
except RuntimeError:
    pass""", library)


def test_percentiles_and_noise_of_known_samples(root, holds):
    holds(root, """
from clock import noise, percentile
a = [float(x) for x in range(30, 0, -1)]
assert (percentile(a, 50), percentile(a, 90)) == (15, 27)
b = list(a)
b[3:6] = [27.0, 22.0, 20.0]
assert noise(a, a) == 0 and noise(a, b) == 4, noise(a, b)""")


def test_a_shape_with_a_mask_and_shared_heads(root, holds):
    holds(root, """
from shapes import shape_of
plain, both = shape_of("mission"), shape_of("2,8:2,333,128,causal")
assert plain == (1, 8, 512, 64, 8, False) and not plain.grouped
assert plain.flop == 4 * 8 * 512 * 512 * 64
assert both == (2, 8, 333, 128, 2, True) and both.grouped
assert both.flop == 2 * 2 * 8 * 333 * 333 * 128
assert both.of_q == (2, 8, 333, 128) and both.of_kv == (2, 2, 333, 128)
assert both.numbers == [2, 8, 333, 128]""")


@pytest.mark.parametrize("shape, says", [
    ("large2", "is no shape"), ("1,8,0,64", "is no shape"),
    ("1,8:0,64,64", "1 to 2147483647"),
    ("1,8:3,64,64", "multiple of its 3 K/V heads"),
    ("65536,1,64,64", "65535"),
])
def test_no_shape(root, shape, says):
    root.ends(f"{PEERS} run folder x none.so -- {shape}", 2, says,
              never="Trace")


def test_the_ceiling_is_of_the_same_gpu(root, holds, tmp_path):
    floors = []
    for name in "one", "two":
        floors.append(str(root.write(tmp_path / f"{name}.json", json.dumps(
            {"build_meta": {"schema_version": 1,
                            "device": {"name": f"GPU {name}"}}}))))
    holds(root, """
import sys
from about import ceilings_of, recorded_floor
assert recorded_floor("GPU two", sys.argv[1:]).endswith("two.json")
assert recorded_floor("GPU three", sys.argv[1:]) is None
assert ceilings_of(None, ["long"]) == {"long": None}""", *floors)


def test_percent_is_of_the_ceiling(root, holds, tmp_path):
    """As the model has it; nothing where there is but an older record's
    floor."""
    holds(root, """
from about import ceilings_of
from recorded import Section
from tables import shape_lines
found = ceilings_of("tests/floor/made-up-floor.json",
                    ["10,1,10000,64", "1,1,1,64"])
assert found["10,1,10000,64"] == {
    "us": 501, "binding": "products beside softmax",
    "measured": "2026-01-02T00:00:00Z"}, found
assert found["1,1,1,64"]["binding"] == "launch"
entry = {"graph": {"p50_us": 1002.0}, "event": {"p50_us": 1003.0},
         "tflops": 5.0, "rel_rms": 0.02}
shape = {"shape": [10, 1, 10000, 64], "noise_us": 1, "contenders": {
    "stage1": entry}, "floor": {"us": 400.0, "binding": "softmax"}}
def said():
    return "\\n".join(shape_lines("x", Section("x", (), shape), ["stage1"]))
assert "%" not in said() and "floor" not in said()
shape["ceiling"] = found["10,1,10000,64"]
assert "    50 %  " in said(), said()
assert "the ceiling" in said() and "501.00; what binds: products" in said()
""")


def test_the_newest_recorded_run_is_shown(root, tmp_path):
    root.ends(f"{PEERS} show {tmp_path}", 3, "needs a GPU")
    said = root.ends(f"{PEERS} show", 0, "No GPU was used")
    peers = root.json(re.search(r"run, (\S+json)\.\n", said)[1])["peers"]
    flash = peers["mission"]["contenders"]["torch_flash"]["graph"]["p50_us"]
    shown = re.search(r"\nmission.*?\n  torch_flash +([\d.]+) ", said, re.S)
    assert shown[1] == f"{flash:.2f}"


def test_what_is_wrong_takes_no_part(root, holds):
    holds(root, """
import math, random, torch
from types import SimpleNamespace
from contender import Contender
from judge import gate
torch.cuda.synchronize = lambda: None
size, draw = (2, 3, 40, 64), random.Random(1)
right = torch.Tensor(size, [draw.gauss(0, 1) for _ in range(2 * 3 * 40 * 64)])
def its(out):
    def launch(): pass
    c = Contender(SimpleNamespace(shape=SimpleNamespace(of_q=size),
                                  judged=lambda out: out))
    c.out, c.launch = out, launch
    return gate(c, right)
one_bad, swapped = right * 1.0, right * 1.0
one_bad.flat[7] = math.nan
swapped.flat[:40 * 64] = right.flat[40 * 64:2 * 40 * 64]
assert its(right * 1.0001)["rel_rms"] < 1e-3
for wrong in right * 0.0, one_bad, swapped, right * 1.05, right * math.inf:
    assert its(wrong)["wrong"]
assert its(one_bad)["rel_rms"] is None
assert its(right.transpose(1, 2))["absent"].startswith(
    "cannot: its output is [2, 40, 3, 64], and not [2, 3, 40, 64]")""")


def test_rows_that_are_judged_are_of_every_head(root, holds):
    """What is right in them is judged on a GPU, by all who take part."""
    holds(root, """
from problem import Problem
from shapes import shape_of
for name, count in ("2,6:2,70,64", 64), ("1,2,5,64", 5), ("16,64,3,64", 2):
    few = Problem.__new__(Problem)
    few.shape, few.device = shape_of(name), "cpu"
    few.sample()
    assert few.rows.shape == (*few.shape.of_q[:2], count), few.rows.shape
    last = few.shape.seq_len - 1
    assert few.rows.flat[::count][:2] == [0, last]
    assert set(few.rows.flat) <= set(range(last + 1))
    assert count < 64 or len(set(few.rows.flat)) > 60""")
