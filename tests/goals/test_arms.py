"""A setting of a toggle, with what it needs beside it: what was asked for is
what was built, its gates pass, and it has no race. A change for one arm may
break another, which nobody runs until a chapter's claim rests on it."""

import re

import pytest

from support import STAGES, folder_of, one_of_each
from toggles import arm_of, beside, others_of, spelled, toggles_of

pytestmark = [pytest.mark.apart, pytest.mark.parametrize("stage", STAGES)]


def with_beside(stage, setting):
    """The setting and what the kernel wants beside it."""
    return [setting, *beside(stage, toggles_of(stage), setting)]


@pytest.mark.drawn(1)
def test_one_of_each_toggle(fresh_tree, stage):
    tree = fresh_tree
    tree.only_stage(stage)
    kernel = tree.read(f"{folder_of(stage)}/kernel.cu")
    whys = re.findall(r'\n#error "([^"]*)"', kernel)
    for setting in one_of_each(stage):
        chosen = with_beside(stage, setting)
        verbs = "" if setting[0].startswith("DEBUG_") else "check race"
        words = spelled(chosen)
        tree.make(f'-j2 {stage} {verbs} {words} TARGET=cpu '
                  'SHAPES="small odd"')
        arm = arm_of(toggles_of(stage), chosen)
        said = tree.ends(f"build/cpu/{stage}/{arm}/program info")
        assert set(words.split()) <= set(said.split()), said
        if len(chosen) > 1:
            ran = tree.run(f"make {stage} {spelled([setting])} TARGET=cpu")
            assert ran.code and any(w in ran.text for w in whys), ran.text


@pytest.mark.slow
def test_each_setting_at_all_shapes(fresh_tree, stage):
    """Other inputs are the default arm's, in chapters' outputs."""
    fresh_tree.only_stage(stage)
    for setting in others_of(toggles_of(stage)):
        if setting[0].startswith("DEBUG_"):  # it prints
            continue
        words = spelled(with_beside(stage, setting))
        fresh_tree.make(f"{stage} check {words} TARGET=cpu "
                        'DISTRIBUTIONS="normal large-logits"', timeout=3000)
        fresh_tree.make(f"{stage} race {words} TARGET=cpu", timeout=3000)
