"""If the executor added otherwise than tensor cores do, chapters 14 and 20
would teach wrong errors: its sums have the bits of an H200's, of which a sample
is recorded; a rule that is changed is noticed."""

import re

import pytest

from support import run

RULES = "common/simt/tensor/multiply.c"
SAMPLE = "tests/arithmetic/sample.txt"
RUN = "make -s TARGET=cpu build/tests/sums && build/tests/sums"
COMPARE = "python3 tests/arithmetic/compare.py"


def test_the_executor_has_the_bits_of_the_sample(root, tmp_path):
    root.make(f"arithmetic TARGET=cpu JSON={tmp_path}", 0,
              "NVIDIA H200 and CPU executor", "All 1310720 are the same, bit "
              "by bit")
    result = root.json(tmp_path / "arithmetic.json")
    assert result["sampled"] and result["outputs_each"] == 32768
    assert all(not n for of in result["differences"].values()
               for n in of.values())
    assert len(result["differences"]["mma_halves"]) == 10


@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
def test_the_gpu_of_this_machine_has_the_same_bits(root):
    if not root.exists("build/tests/sums-gpu"):
        pytest.skip("this GPU is not of compute capability 9.0")
    root.make("arithmetic", 0, "bit by bit", never="was used")


@pytest.mark.takes(15)
def test_a_build_without_avx2_has_the_same_bits(tree):
    whole = tree.read(RULES)
    tree.edit(RULES, '__builtin_cpu_supports("avx2")', "0")
    tree.make("arithmetic TARGET=cpu", 0, "bit by bit")
    tree.write(RULES, whole)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("file, old, new", [
    (RULES, "0x1p-6f, 13", "0x1p-6f, 12"),
    (RULES, "25, 24", "25, 23"),
    (RULES, "0x1p-14f", "0x1p-15f"),
    (RULES, "finite & (x != 0)", "finite"),
    ("common/simt/tensor/tensor.h", "0x7fffffff", "0x7fc00000")])
def test_a_changed_rule_is_noticed(tree, file, old, new):
    whole = tree.read(file)
    tree.edit(file, old, new)
    ran = tree.run("make -s arithmetic TARGET=cpu")
    assert ran.code == 2 and re.search(r"\n\w+ .* some", ran.text), ran.text
    tree.write(file, whole)


def test_two_devices_are_compared_sum_by_sum(root, tmp_path):
    """As `make arithmetic` does where there is a GPU; and a sample is made."""
    one, two, sample = (tmp_path / name for name in ("one", "two", "sample"))
    root.ends(f"{RUN} {one}")
    sums = bytearray(one.read_bytes())
    sums[-4:] = b"\x01\x00\x00\x40"
    two.write_bytes(sums)
    root.ends(f"{COMPARE} {one} {one}", 0, "bit by bit")
    said = root.ends(f"{COMPARE} {two} {one} {tmp_path}", 1,
                     "mma_halves, special, output 32767: there 40000001 (2.")
    assert re.search(r"\nspecial( +0){3} +1\n", said)
    sample.write_text(root.ends(f"{COMPARE} --record {one}"))
    assert sample.read_text().split("\n", 1)[1] == root.read(SAMPLE).split(
        "\n", 1)[1]
    root.ends(f"{COMPARE} {sample} {two}", 1, "some")
    root.ends(f"{COMPARE} {one} {tmp_path / 'none'}", 3, "cannot read")
