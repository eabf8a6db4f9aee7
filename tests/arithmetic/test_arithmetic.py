"""If the executor added otherwise than tensor cores do, chapters 14 and 20
would teach wrong errors: its sums have the bits of an H200's, of which a sample
is recorded."""

import pytest

from support import run

RULES = "common/simt/tensor/multiply.c"


def test_the_executor_has_the_bits_of_the_sample(root, tmp_path):
    root.make(f"arithmetic TARGET=cpu JSON={tmp_path}", 0,
              "NVIDIA H200 and CPU executor", "All 1310720 are the same, bit "
              "by bit")
    result = root.json(tmp_path / "arithmetic.json")
    assert result["outputs_each"] == 32768
    assert all(not n for of in result["differences"].values()
               for n in of.values())
    assert len(result["differences"]["mma_halves"]) == 10


@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
def test_the_gpu_of_this_machine_has_the_same_bits(root):
    if not root.exists("build/tests/sums-gpu"):
        pytest.skip("this GPU is not of compute capability 9.0")
    root.make("arithmetic", 0, "bit by bit", never="was used")


def test_a_build_without_avx2_has_the_same_bits(tree):
    whole = tree.read(RULES)
    tree.edit(RULES, '__builtin_cpu_supports("avx2")', "0")
    tree.make("arithmetic TARGET=cpu", 0, "bit by bit")
    tree.write(RULES, whole)
