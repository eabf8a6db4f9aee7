"""The sweep over shapes: its shapes are those drawn, its record and its table
say the same, and what does not fit, fails or is no shape ends as it should."""

import re

import pytest

DRAW = "tools/peers/draw_shapes.py"
PEERS = "python3 tools/peers/peers.py"
FIRST = ["1,8:1,137,128,causal", "2,8,128,128"]
FOUR = ["1,2,4,64", "1,2,8,64", "1,2:1,9,64,causal", "1,2,8,128"]


@pytest.fixture
def sweep(sources, peers_run):
    """A run over these shapes: what it says, and its shapes."""
    whole = sources.read(DRAW)

    def go(shapes, code, libraries, *says, **environment):
        sources.write(DRAW, f"def shapes(draw): return {shapes}\n")
        said, record = peers_run(sources, code, libraries, "sweep", *says,
                                 **environment)
        return said, record["sweep"]["shapes"]
    yield go
    sources.write(DRAW, whole)


def as_drawn(root, name):
    """What peers.py takes for a word of SHAPES."""
    return root.ends(["python3", "-c", "import sys, shapes; print('\\n'.join("
                      "shapes.shapes_of_sweep(sys.argv[1])))", name],
                     PYTHONPATH="tools/peers").split()


def test_the_shapes(root):
    first = as_drawn(root, "sweep")
    assert first[:2] == FIRST, "recorded runs have these"
    second = as_drawn(root, "sweep2")
    assert not set(first) & set(second)
    assert second == as_drawn(root, "sweep2") != as_drawn(root, "sweep3")


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
    assert "flash_attention_3 was left out" not in said
    rows = re.findall(r"\n  (1\S+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)  "
                      r"(\w+) +(\S+) / (\S+)", said)
    assert [" ".join(row) for row in rows] == [
        "1,2:1,9,64,causal 1.147 11.47 10.00 0.00 NO stage2 torch_cudnn",
        "1,2,8,64 1.020 10.20 10.00 0.00 yes stage2 torch_cudnn",
        "1,2,4,64 0.510 5.10 10.00 0.00 yes stage2 torch_cudnn"]

    level, wide = shapes["1,2,8,64"], shapes["1,2,8,128"]
    assert level["ratio"] == 1.02 and level["within"] is True
    assert "ratio" not in wide
    assert wide["contenders"]["torch_cudnn"]["graph"]["p50_us"] == 10
    slow = level["contenders"]
    assert "slow: 80 us in a first look" in slow["torch_math"]["absent"]
    assert "where another takes 9" in slow["stage1"]["absent"]

    sources.run("mkdir -p new && cp out/sweep.json new")
    sources.make("-s peers SHAPES=sweep TARGET=cpu JSON=new", 0,
                 "No GPU was used", "2 of 3 shapes are within 3 %")
    sources.make("-s peers SHAPES=sweep3 TARGET=cpu JSON=new", 2,
                 "no sweep3 is recorded", "Error 3")


def test_rounds_fill_the_time_that_there_is(root, holds):
    holds(root, """
from clock import plan
assert plan([10.0] * 3, 2.0) == (50, [20] * 3)
assert plan([2000.0] * 10, 1.0) == (30, [1] * 10)
assert plan([150.0, 30000.0], 0.2) == (10, [3, 1])""")


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


def test_what_is_typed(sources):
    sources.write("taken", "")
    run = f"PYTHONPATH=none {PEERS} run"
    sources.ends(f"{run} taken commit none.so -- sweep", 3,
                 "Cannot write taken/sweep.json")
    for word in "mission sweep", "sweep1", "sweep02", "sweep2x":
        sources.ends(f"{run} out commit none.so -- {word}", 2,
                     f"'{word.split()[-1]}'")
    sources.make("peers SHAPES=sweep AGAINST=stage99", 2, "stage99")


def test_a_second_draw_is_a_record_of_its_own(sources, peers_run):
    whole = sources.read(DRAW)
    sources.write(DRAW, "def shapes(draw): yield f'1,2,{draw},64'\n")
    _, record = peers_run(sources, 0, "stage1=8", "sweep2",
                          "wrote out/sweep2.json")
    sources.write(DRAW, whole)
    assert list(record["sweep"]["shapes"]) == ["1,2,2,64"]
