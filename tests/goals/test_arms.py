"""A setting of a toggle, with what it needs beside it: what was asked for is
what was built, its gates pass, and it has no race. A change for one arm may
break another, which nobody runs until a chapter's claim rests on it."""

import re

import pytest

from support import STAGES, folder_of, one_of_each

pytestmark = [pytest.mark.apart, pytest.mark.parametrize("stage", STAGES)]


def toggles(tree, verb, stage, more=""):
    ran = tree.run(f"tools/toggles/toggles.py {verb} {stage} {more} "
                   "2>/dev/null")
    return ran.text.strip()


def beside(tree, stage, setting):
    """The setting and what the kernel wants beside it."""
    return f"{setting} {toggles(tree, 'beside', stage, setting)}".split()


@pytest.mark.drawn(1)
@pytest.mark.takes(25)
def test_one_of_each_toggle(fresh_tree, stage):
    tree = fresh_tree
    tree.only_stage(stage)
    kernel = tree.read(f"{folder_of(stage)}/kernel.cu")
    whys = re.findall(r'\n#error "([^"]*)"', kernel)
    for setting in one_of_each(stage):
        settings = beside(tree, stage, setting)
        verbs = "" if setting.startswith("DEBUG_") else "check race"
        words = " ".join(settings)
        tree.make(f'-j2 {stage} {verbs} {words} TARGET=cpu '
                  'SHAPES="small odd"')
        arm = toggles(tree, "arm", stage, words)
        said = tree.ends(f"build/cpu/{stage}/{arm}/program info")
        assert set(settings) <= set(said.split()), said
        if len(settings) > 1:
            ran = tree.run(f"make {stage} {setting} TARGET=cpu")
            assert ran.code and any(w in ran.text for w in whys), ran.text


@pytest.mark.slow
@pytest.mark.takes(100)
def test_each_setting_at_all_shapes(fresh_tree, stage):
    """Other inputs are the default arm's, in test_stages.py."""
    fresh_tree.only_stage(stage)
    for setting in toggles(fresh_tree, "others", stage).split():
        if setting.startswith("DEBUG_"):  # it prints
            continue
        words = " ".join(beside(fresh_tree, stage, setting))
        fresh_tree.make(f"{stage} check {words} TARGET=cpu "
                        'DISTRIBUTIONS="normal large-logits"', timeout=3000)
        fresh_tree.make(f"{stage} race {words} TARGET=cpu", timeout=3000)
