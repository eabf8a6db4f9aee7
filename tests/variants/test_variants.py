"""Masks, shared K/V heads and D = 128 from the command line to the verdict: a
kernel that takes them passes, and a broken one must not reach a user."""

import re

import pytest

CHECK = "stage99 check TARGET=cpu SEEDS=0 "
KERNEL = "stage99_variants/kernel.cu"


@pytest.fixture(scope="module", autouse=True)
def stage99(tree):
    """A stage of one thread a row, from this folder."""
    for name in ("kernel.cu", "driver.c"):
        tree.write(f"stage99_variants/{name}",
                   tree.read(f"tests/variants/{name}"))


@pytest.mark.takes(45)
def test_all_variants_pass_by_default(tree):
    said = tree.make(CHECK + "DISTRIBUTIONS=normal", 0, "1,4:2,333,64,causal")
    passed = re.findall(r"^(\S+) +1 .*passed$", said, re.M)
    variants = [shape for shape in passed
                if shape.endswith((",128", ",causal"))]
    plain = re.findall(r"^2,4:2.*passed$", said, re.M)
    assert len(set(variants) | {line.split()[0] for line in plain}) == 12, said
    assert re.search(r"^mission  .*passed$", said, re.M)


def test_a_plain_stage_has_plain_shapes(tree):
    said = tree.make("stage1 check TARGET=cpu SEEDS=0 DISTRIBUTIONS=normal", 0,
                     "2,3,513,64", never=("causal", ",128 "))
    assert ":" not in said


def test_shapes_by_hand(tree):
    tree.make(CHECK + 'SHAPES="small 1,6:2,70,128,causal" DISTRIBUTIONS=normal',
              0, "1,6:2,70,128,causal     1 ")
    shape = "1,2:1,40,64,causal"
    tree.make(f"stage99 count TARGET=cpu SHAPES={shape} JSON=out", 0, shape)
    assert f'"{shape}"' in tree.read("out/stage99_variants.count.json")
    tree.make("stage99 race TARGET=cpu ORDER=forward "
              "SHAPES=1,4:2,97,64,causal", 0, "1,4:2,97,64,causal: 0 findings")


def test_stages_that_cannot_say_so(tree):
    said = tree.run("make check TARGET=cpu SHAPES=1,2:1,33,64,causal").text
    without = re.findall(
        r"^stage[0-8]\D.* takes no causal mask, which shape 1", said, re.M)
    assert len(without) == 9, said
    assert re.search(r"^1,2:1,33,64,causal .*passed$", said, re.M)


@pytest.mark.parametrize("old, new, shape, says", [
    ("row + 1 : s", "min(row + 2, s) : s", "1,2,33,64,causal", "rel_rms"),
    ("row + 1 : s", "row : s", "1,2,33,64,causal", "finite"),
    ("blockIdx.y / group", "blockIdx.y % a.kv_heads", "1,4:2,33,64", "rel_rms"),
    ("v_scale[kv_head]", "v_scale[0]", "1,4:2,33,128", "rel_rms"),
    ("a.causal ?", "true ?", "small", "rel_rms"),
    ("TAKES_CAUSAL | ", "", "1,2,33,64,causal",
     "This stage takes no causal mask"),
    (" | TAKES_GROUPED", "", "1,4:2,33,64",
     "This stage takes K and V of their own for every head"),
])
def test_broken_kernel(tree, old, new, shape, says):
    kernel = tree.read("tests/variants/kernel.cu")
    assert old in kernel
    tree.write(KERNEL, kernel.replace(old, new))
    tree.make(CHECK + f"DISTRIBUTIONS=normal SHAPES={shape}", 2, says)
