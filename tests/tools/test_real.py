"""Everybody on recorded tensors: the file is read as C reads it, each head is
judged by its own numbers, a damaged file is a sentence."""

import random
import struct

import pytest

FILE = "common/tensors/minilm.qkv"


@pytest.fixture(scope="module")
def few(sources):
    """In the tree, two layers, two heads, six rows of three numbers that E4M3
    has, the largest of each tensor 448 powers of two; the second layer's first
    head is small."""
    drawn, numbers = random.Random(1), []
    for layer in range(2):
        for part in range(3):
            for head in range(2):
                some = [drawn.choice((-1, 1)) * drawn.randint(8, 14) / 8
                        for _ in range(18)]
                if layer == 1 and head == 0:
                    some = [x / 4 for x in some]
                else:
                    some[0] = 1.75
                numbers += some
    data = struct.pack(f"<{len(numbers)}e", *numbers)
    sources.path.joinpath("data").write_bytes(data)
    checksum = sources.ends([
        "python3", "-c", "import sys; sys.path[:0] = ['tools/peers'];"
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
assert its[:4] == (2, 12, 512, 32), its[:4]
data = open(FILE, "rb").read()
assert its.head(0, 0, 0)[0][0] == struct.unpack("<e", data[96:98])[0]
assert its.head(1, 2, 11)[511][31] == struct.unpack("<e", data[-2:])[0]
# K of the second head of the first layer lies behind Q and a head of K.
at = 96 + 2 * 512 * 32 * (12 + 1)
assert its.head(0, 1, 1)[3] == list(struct.unpack("<32e",
                                                  data[at + 192:at + 256]))""")


def test_exact_codes_and_the_models_scale(sources, few, holds):
    """Scores are over the root of the model's width, not of the padded D."""
    holds(sources, """
import math
import real
from tensors import read_tensors
its = read_tensors()
problem = real.problem_of(its, 1, 2)
assert problem.shape == (1, 2, 12, 64, 2, False), problem.shape
reference = problem.reference()
def attention(q, keys, values):
    scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(3) for k in keys]
    top = max(scores)
    p = [math.exp(s - top) for s in scores]
    return [sum(x * v[d] for x, v in zip(p, values)) / sum(p)
            for d in range(3)]
for head in range(2):
    q, k, v = (its.head(1, part, head) for part in range(3))
    for row in range(12):
        wanted = attention(q[row % 6], k, v)
        for d in range(64):
            found = reference[0, head].flat[row * 64 + d]
            assert abs(found - (wanted[d] if d < 3 else 0)) < 1e-6, (
                head, row, d, found, wanted)""")


def test_each_head_is_judged_by_itself(sources, few, peers_run):
    said, record = peers_run(
        sources, 0, "stage1=1 stage2=1,head", "real", "wrote out/real.json",
        "recorded layer 1, its rows 16 times: B, H, S, D = 1, 2, 96, 64")
    parts = record["real"]
    assert sorted(parts) == ["layer0x1", "layer0x16", "layer1x1", "layer1x16"]
    assert parts["layer1x16"]["shape"][2] == 96
    assert parts["layer0x1"]["shape"][2] == 6
    for part in parts.values():
        right, odd = (part["contenders"][s] for s in ("stage1", "stage2"))
        assert len(right["heads"]) == 2 and right["heads"][0] < 1e-6
        assert odd["heads"][0] < 1e-6 and abs(odd["heads"][1] - 0.02) < 1e-6
        assert 0.005 < odd["rel_rms"] < 0.02
    sources.make("-s peers SHAPES=real TARGET=cpu JSON=out", 0,
                 "No GPU was used", "recorded layer 0, its rows 1 times",
                 "2.0e-02")


def test_a_wrong_stage(sources, few, peers_run):
    _, record = peers_run(sources, 1, "stage1=1,wrong", "real",
                          "Wrong: stage1 at layer0x1, stage1 at layer1x1.")
    for part in "layer0x1", "layer0x16":
        head = record["real"][part]["contenders"]["stage1"]["heads"][0]
        assert abs(head - 0.5) < 1e-6


@pytest.mark.parametrize("change, says", [
    (lambda b: b[:-7], "is cut off: it lacks 7 of 432 bytes"),
    (lambda b: b[:-1] + bytes([b[-1] ^ 1]), "is damaged"),
    (lambda b: b + b"x", "is damaged"),
    (lambda b: b"", "does not begin as recorded tensors do"),
    (lambda b: b[97:400], "does not begin as recorded tensors do"),
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


def test_what_is_typed(sources, few, peers_run):
    peers_run(sources, 2, "stage1=1", "real mission", "'real'")
    sources.write("taken", "")
    sources.ends("python3 tools/peers/peers.py run taken commit none.so -- "
                 "real", 3, "Cannot write taken/real.json", PYTHONPATH="none")
