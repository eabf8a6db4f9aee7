"""What a reader asks of a stage: gates at all seeds, shapes and distributions
as its chapter shows them, and all gates on a GPU. (Races: tests/races;
counters: test_recorded.py.)"""

import re

import pytest

from support import STAGES, run
from refresh_output import masked, transcripts

pytestmark = [pytest.mark.apart, pytest.mark.parametrize("stage", STAGES)]


@pytest.mark.slow
def test_gates_as_its_chapter_shows_them(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    short = stage.split("_")[0]
    said = fresh_tree.make(f"{short} check TARGET=cpu")
    assert masked(said.rstrip("\n") + "\n") == transcripts(fresh_tree.read(
        "chapters/output.txt"))[f"make {short} check TARGET=cpu"]


@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
def test_gates_on_the_gpu(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    ran = fresh_tree.run(f"make {stage} check TARGET=gpu")
    if needs := re.search(f"{stage} needs compute capability.*", ran.text):
        pytest.skip(needs[0])
    assert ran.code == 0, ran.text
