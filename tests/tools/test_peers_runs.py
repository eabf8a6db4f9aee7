"""Runs of tools/peers where there is no GPU and no PyTorch, with stand-ins: a
wrong output is never timed, who cannot take part costs a line, and the sweep
over shapes says what it measured."""

import re

STANDIN = "tests/tools/standin"
FOUR = ["1,2,4,64", "1,2,8,64", "1,2:1,9,64,causal", "1,2,8,128"]


def run(tree, command, code=0, *says):
    """A program in Python, with the stand-ins and tools/peers' modules."""
    return tree.ends(["python3", *command], code, *says, never="Trace",
                     PYTHONDONTWRITEBYTECODE=1, PYTHONPATH=f"{STANDIN}:"
                     "tools/peers:tools/common:tools/results")


def test_what_is_wrong_takes_no_part(root):
    run(root, ["-c", """
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
    "cannot: its output is [2, 40, 3, 64], and not [2, 3, 40, 64]")"""])


def test_a_sweep(sources):
    """By the stand-in's clock PyTorch's cuDNN takes 10 us, the stage 10.2 for
    each 16 rows, and noise there is none. A wrong stage is not timed."""
    sources.write("tools/peers/draw_shapes.py",
                  f"def shapes(draw): return {FOUR}\n")
    said = run(sources, [f"{STANDIN}/run.py", *(
        "run out commit stage1=30 stage2=10.2 stage2.A-1=9 stage3=1,wrong -- "
        "sweep").split()], 1, "stage3 at 1,2,4,64",
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
    shapes = sources.json("out/sweep.json")["sweep"]["shapes"]
    wrong = shapes["1,2,4,64"]["contenders"]["stage3"]
    assert wrong["wrong"] and "graph" not in wrong
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
