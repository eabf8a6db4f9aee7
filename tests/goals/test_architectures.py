"""A stage that names architectures is built for those; for others it is
refused in a sentence, or left out where all stages are asked for."""

import pytest

from support import stage

TEN = stage(10)


@pytest.mark.parametrize("words", [
    f"{TEN} check TARGET=gpu ARCH=80", "stage10 peers TARGET=gpu ARCH=90",
    f"build/gpu/{TEN}/default/sm_89.cubin",
    "stage1 bench AGAINST=stage10 TARGET=gpu ARCH=80"])
def test_refused_before_any_kernel_is_built(tree, words):
    tree.make(words, 2, f"{TEN} needs compute capability 9.0 (ARCH=90a)",
              "Error 3", never="building build/gpu")


@pytest.mark.parametrize("verb", ["check", "peers"])
def test_left_out_of_all_stages(tree, verb):
    tree.make(f"-n {verb} TARGET=gpu ARCH=120", 0, f"{TEN} is left out",
              f"build/gpu/{stage(1)}", never=f"build/gpu/{TEN}")


def test_resources_of_the_architectures_that_run_it(tree):
    said = tree.make("-n resources ARCH=80", 0,
                     f"build/gpu/{stage(1)}/default/sm_80.cubin",
                     f"build/gpu/{TEN}/default/sm_90a.cubin")
    assert f"{TEN}/default/sm_80" not in said
