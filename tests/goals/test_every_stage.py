"""Every stage computes attention on the executor: the gates at two small
shapes and, where it takes them, with a mask, shared heads and D = 128, and all
of them on a GPU; or a reader meets a chapter whose kernel is wrong. (All shapes
on the executor: tests/book/test_shown.py.)"""

import re

import pytest

from support import STAGES, run

# A step and a short one; more steps than a ring has slots.
PLAIN = "--shape 1,1,33,64 --shape 1,2,330,64"
MORE = "--shape 1,2:1,97,128,causal --shape 2,2,65,64,causal"


def check(root, stage, shapes):
    return root.run(f"build/cpu/{stage}/default/program check --seeds 0 "
                    f"--distribution normal {shapes}")


@pytest.mark.parametrize("stage", STAGES)
def test_plain_shapes(root, stage):
    ran = check(root, stage, PLAIN)
    assert ran.code == 0 and ran.text.count(" passed\n") == 2, ran.text


def test_mask_shared_heads_and_wide_heads(root):
    """From the first stage on that takes them, all do; and none takes a mask
    over another number of keys than rows."""
    taken = []
    for stage in STAGES:
        ran = check(root, stage, MORE)
        if ran.code == 3 and not taken:
            assert "This stage takes " in ran.text
            continue
        taken.append(stage)
        assert ran.code == 0 and ran.text.count(" passed\n") == 2, ran.text
    assert taken
    ran = check(root, taken[-1], "--shape 1,1,32,64,keys=31,causal")
    assert ran.code == 3 and "as many keys as rows" in ran.text, ran.text


@pytest.mark.apart
@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
@pytest.mark.parametrize("stage", STAGES)
def test_gates_on_the_gpu(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    ran = fresh_tree.run(f"make {stage} check TARGET=gpu")
    if needs := re.search(f"{stage} needs compute capability.*", ran.text):
        pytest.skip(needs[0])
    assert ran.code == 0, ran.text
