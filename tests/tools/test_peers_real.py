"""Everybody on recorded tensors: the file is read as C reads it, each head is
judged by its own numbers, a damaged file is a sentence."""

import random
import struct

import pytest

FILE = "common/tensors/minilm.qkv"


@pytest.fixture(scope="module")
def few(sources):
    """In the tree: two layers, two heads, six rows of three numbers."""
    drawn = random.Random(1)
    numbers = [drawn.randint(-14, 14) / 8 for _ in range(2 * 3 * 2 * 6 * 3)]
    data = struct.pack(f"<{len(numbers)}e", *numbers)
    sources.path.joinpath("data").write_bytes(data)
    checksum = sources.ends([
        "python3", "-c", "import sys;"
        "sys.path[:0] = ['tools/peers', 'tools/common'];"
        "from tensors import checksum;"
        "print('%016x' % checksum(open('data', 'rb').read()))"]).strip()
    line = ("recorded tensors 1: layers 2 heads 2 rows 6 width 3 checksum "
            + checksum)
    data = line.ljust(95).encode() + b"\n" + data
    sources.path.joinpath(FILE).write_bytes(data)
    return data


def test_the_file_is_read_as_it_lies(root, holds):
    holds(root, """
import struct
from tensors import FILE, read_tensors
its = read_tensors()
data = open(FILE, "rb").read()
assert its.head(1, 2, 11)[511][31] == struct.unpack("<e", data[-2:])[0]
# K of the second head lies behind Q and a head of K.
at = 96 + 2 * 512 * 32 * (12 + 1)
assert its.head(0, 1, 1)[3] == list(struct.unpack("<32e",
                                                  data[at + 192:at + 256]))""")


def test_the_tensors_of_a_problem_and_the_models_scale(sources, few, holds):
    """Rows repeated, with zeros behind; scores are over the root of the
    model's width, not of the padded D."""
    holds(sources, """
import math
import real
from tensors import read_tensors
real.Problem = lambda shape, tensors, q_factor: (shape, [*tensors], q_factor)
its = read_tensors()
shape, tensors, factor = real.problem_of(its, 1, 2)
assert shape == (1, 2, 12, 64, 2, False), shape
assert abs(factor - math.sqrt(64 / 3)) < 1e-12
for part in range(3):
    assert tensors[part].shape == (1, 2, 12, 64)
    assert tensors[part].flat == [
        x for head in range(2) for row in its.head(1, part, head) * 2
        for x in row + 61 * [0.0]]""")


def test_each_head_is_judged_by_itself(sources, few, peers_run):
    _, record = peers_run(
        sources, 1, "stage1=1 stage2=1,head stage3=1,wrong", "real",
        "wrote out/real.json", "Wrong: stage3 at layer0x1, stage3 at layer1x1.",
        "recorded layer 1, its rows 16 times: B, H, S, D = 1, 2, 96, 64")
    parts = record["real"]
    assert sorted(parts) == ["layer0x1", "layer0x16", "layer1x1", "layer1x16"]
    for part in parts.values():
        right, odd, wrong = (part["contenders"][f"stage{n}"]["heads"]
                             for n in (1, 2, 3))
        assert len(right) == 2 and right[0] < 1e-6 and odd[0] < 1e-6
        assert abs(odd[1] - 0.02) < 1e-6 and abs(wrong[0] - 0.5) < 1e-6
    sources.make("-s peers SHAPES=real TARGET=cpu JSON=out", 0,
                 "No GPU was used", "recorded layer 0, its rows 1 times",
                 "2.0e-02")


@pytest.mark.parametrize("change, says", [
    (lambda b: b[:-7], "is cut off: it lacks 7 of 432 bytes"),
    (lambda b: b[:-1] + bytes([b[-1] ^ 1]), "is damaged"),
    (None, "Cannot read"),
])
def test_a_file_that_is_damaged(sources, few, peers_run, change, says):
    file = sources.path / FILE
    file.unlink()
    if change:
        file.write_bytes(change(few))
    said, _ = peers_run(sources, 1, "stage1=1", "real", FILE, says)
    assert said.count("\n") == 1
    file.write_bytes(few)
