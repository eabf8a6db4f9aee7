"""A stage that names architectures is built for those; for others it is
refused in a sentence, or left out where all stages are asked for."""

import re

import pytest


@pytest.fixture(scope="module")
def three(tree):
    """A tree of three stages whose kernels are empty."""
    tree.run("rm -rf stage* further")
    for name, line in {"stage1_all": "", "stage2_one": "// architectures: 90a",
                       "stage3_two": "// architectures: 90a 120"}.items():
        tree.write(f"{name}/kernel.cu", f"{line}\n// stage_support\n")
        tree.write(f"{name}/driver.c", "int main(void) { return 0; }\n")
    return tree


@pytest.mark.parametrize("words", [
    "stage2_one check TARGET=gpu ARCH=80", "stage2 peers TARGET=gpu ARCH=90",
    "build/gpu/stage2_one/default/sm_89.cubin",
    "stage1 bench AGAINST=stage2 TARGET=gpu ARCH=80"])
def test_refused_before_any_kernel_is_built(three, words):
    three.make(words, 2, "stage2_one needs compute capability 9.0 (ARCH=90a)",
               "Error 3", never="building build/gpu")


@pytest.mark.parametrize("verb", ["check", "peers"])
def test_left_out_of_all_stages(three, verb):
    said = three.make(
        f"-n {verb} TARGET=gpu ARCH=120", 0, "stage2_one is left out",
        never=("build/gpu/stage2", "stage3_two is left out"))
    assert re.search(r"(?s)stage1_all.*stage3_two", said), said


def test_none_left_out(three):
    three.make("-n bench TARGET=cpu ARCH=80", 0, "stage2_one/default/program",
               "stage3_two/default/program", never="is left out")


def test_resources_of_the_architectures_that_run_it(three):
    said = three.make("-n resources ARCH=80")
    for cubin in ("stage1_all/default/sm_80", "stage1_all/default/sm_120",
                  "stage2_one/default/sm_90a", "stage3_two/default/sm_120"):
        assert f"build/gpu/{cubin}.cubin" in said, said
    assert not re.search(r"gpu/stage2_one/default/sm_[^9]|"
                         r"stage3_two/default/sm_[^91]", said), said
