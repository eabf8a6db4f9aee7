"""All gates of a stage on a GPU. (On the executor: tests/book/test_shown.py;
races: tests/races; counters: test_recorded.py.)"""

import re

import pytest

from support import STAGES, run

pytestmark = [pytest.mark.apart, pytest.mark.parametrize("stage", STAGES)]


@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
def test_gates_on_the_gpu(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    ran = fresh_tree.run(f"make {stage} check TARGET=gpu")
    if needs := re.search(f"{stage} needs compute capability.*", ran.text):
        pytest.skip(needs[0])
    assert ran.code == 0, ran.text
