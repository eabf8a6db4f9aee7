"""Runs of tools/peers where there is no GPU and no PyTorch, with stand-ins: a
wrong output is never timed, who cannot take part costs a line, and the sweep
over shapes says what it measured."""

import re

import pytest

STANDIN = "tests/tools/standin"
DRAW = "tools/peers/draw_shapes.py"
MINE = "tools/peers/contenders/mine.py"
FOUR = ["1,2,4,64", "1,2,8,64", "1,2:1,9,64,causal", "1,2,8,128"]


def holds(tree, program):
    """A program in Python, with the modules of tools/peers, ends well."""
    tree.ends(["python3", "-c", program], PYTHONDONTWRITEBYTECODE=1,
              PYTHONPATH=f"{STANDIN}:tools/peers:tools/common:tools/results")


def peers_run(tree, code, libraries, shapes, *says, **environment):
    """peers.py run LIBRARIES -- SHAPES: what it says, and its record."""
    tree.run("rm -rf out")
    said = tree.ends(
        f"python3 {STANDIN}/run.py run out commit {libraries} -- {shapes}",
        code, *says, never="Trace", PYTHONPATH=STANDIN,
        PYTHONDONTWRITEBYTECODE=1, **environment)
    written = list(tree.path.glob("out/*.json"))
    return said, tree.json(written[0]) if written else None


def test_what_is_wrong_takes_no_part(root):
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
assert its(torch.Tensor((2, 40, 3, 64), right.flat))["absent"].startswith(
    "cannot: its output is [2, 40, 3, 64], and not [2, 3, 40, 64]")""")


def test_rounds_fill_the_time_that_there_is(root):
    holds(root, """
from clock import plan
assert plan([10.0] * 3, 2.0) == (50, [20] * 3)
assert plan([2000.0] * 10, 1.0) == (30, [1] * 10)
assert plan([150.0, 30000.0], 0.2) == (10, [3, 1])""")


def test_a_file_more_is_a_contender_more(sources):
    text = """
import torch
from contender import Contender as Base


class Contender(Base):
    place = 4.5
    largest_rel_rms = 0.3

    def launch(self):
        self.out = torch.cuda.work(
            1.0, lambda: self.problem.reference() * 1.2)
"""
    sources.write(MINE, text)
    said, _ = peers_run(sources, 0, "stage1=8", "1,2,8,64")
    assert re.search(r"\n  torch_cudnn .*\n  mine +1\.00 .*\n  cudnn_fp16 .*"
                     "cannot: no nvidia-cudnn-frontend\n", said)
    sources.write(MINE, text.replace("largest_rel_rms = 0.3", ""))
    said, record = peers_run(sources, 1, "stage1=8", "1,2,8,64",
                             "not timed: mine at 1,2,8,64.",
                             "wrong: relative RMS error")
    its = record["peers"]["1,2,8,64"]["contenders"]
    assert its["torch_flash"]["graph"] and "graph" not in its["mine"]
    sources.write(MINE, text + """
        if torch.cuda.captured is not None:
            raise RuntimeError("not in here")
""")
    peers_run(sources, 0, "stage1=8", "1,2,8,64",
              "cannot: in a graph: not in here")
    for text, says in ("class Contender(:", "SyntaxError"), (
            "x = 1", "class Contender"):
        sources.write(MINE, text + "\n")
        said, _ = peers_run(sources, 2, "stage1=8", "1,2,8,64", MINE, says)
        assert said.count("\n") == 1
    (sources.path / MINE).unlink()


# ---- the sweep ----

@pytest.fixture
def sweep(sources):
    """A run over these shapes: what it says, and its shapes."""
    whole = sources.read(DRAW)

    def go(shapes, code, libraries, *says, **environment):
        sources.write(DRAW, f"def shapes(draw): return {shapes}\n")
        said, record = peers_run(sources, code, libraries, "sweep", *says,
                                 **environment)
        return said, record["sweep"]["shapes"]
    yield go
    sources.write(DRAW, whole)


def test_a_sweep(sweep, sources):
    """By the stand-in's clock PyTorch's cuDNN takes 10 us, the stage 10.2 for
    each 16 rows, and noise there is none."""
    said, shapes = sweep(FOUR, 0, "stage1=30 stage2=10.2 stage2.A-1=9",
        "wrote out/sweep.json",
        "1,2,8,128                  no ratio: a stage or a peer takes no part",
        "2 of 3 shapes are within 3 % and the noise, 1 have no ratio",
        "median 1.020, worst 1.147.",
        "flash_attention_3 takes no part: cannot: no fa3-fwd",
        "stage2 was left out at 1 of 4 shapes, first at 1,2,8,128: cannot: "
        "takes D")
    rows = re.findall(r"\n  (1\S+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)  "
                      r"(\w+) +(\S+) / (\S+)", said)
    assert [" ".join(row) for row in rows] == [
        "1,2:1,9,64,causal 1.147 11.47 10.00 0.00 NO stage2 torch_cudnn",
        "1,2,8,64 1.020 10.20 10.00 0.00 yes stage2 torch_cudnn",
        "1,2,4,64 0.510 5.10 10.00 0.00 yes stage2 torch_cudnn"]
    level = shapes["1,2,8,64"]
    assert level["ratio"] == 1.02 and level["within"] is True
    assert "ratio" not in shapes["1,2,8,128"]
    slow = level["contenders"]
    assert "slow: 80 us in a first look" in slow["torch_math"]["absent"]
    assert "where another takes 9" in slow["stage1"]["absent"]

    sources.run("mkdir -p new && cp out/sweep.json new")
    sources.make("-s peers SHAPES=sweep TARGET=cpu JSON=new", 0,
                 "No GPU was used", "2 of 3 shapes are within 3 %")
    sources.make("-s peers SHAPES=sweep3 TARGET=cpu JSON=new", 2,
                 "no sweep3 is recorded", "Error 3")


def test_a_gpu_that_stops_keeps_what_was_measured(sweep):
    _, shapes = sweep(["1,2,8,64", "1,2,9,64", "1,2,10,64"], 3, "stage1=1",
                      "The GPU stopped at 1,2,9,64: an illegal memory access",
                      STANDIN_DEAD_AT="1,2,9,64")
    assert shapes["1,2,8,64"]["ratio"]
    assert "ratio" not in shapes["1,2,9,64"] and "1,2,10,64" not in shapes


def test_a_wrong_stage_is_not_timed(sweep):
    _, shapes = sweep(["1,2,8,64"], 1, "stage1=1,wrong", "stage1 at 1,2,8,64")
    its = shapes["1,2,8,64"]["contenders"]["stage1"]
    assert its["wrong"] and "graph" not in its
