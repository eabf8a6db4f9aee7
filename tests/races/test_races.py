"""`make race` finds what a learner may get wrong with barriers, waits, fences
and copies, and finds nothing in the stages as they are."""

import pytest

from support import ROOT, STAGES, folder_of, run
from facts import facts, rows

pytestmark = pytest.mark.apart
PLANT = ROOT / "tests/races/plant.py"


def of_race(stage, key, default):
    return facts(stage).get("race", {}).get(key, default)


def raced(tree, stage, shapes, settings=""):
    return tree.run(f"make {stage} race TARGET=cpu {settings} "
                    f'SHAPES="{" ".join(shapes)}"')


def kernel_with(tree, stage, *command):
    """Puts there what `plant` makes of the kernel in the tree at hand."""
    planted = run([PLANT, *command])
    assert planted.code == 0, planted.text
    tree.write(f"{folder_of(stage)}/kernel.cu", planted.text)


def shapes_of(stage):
    return ["small", *of_race(stage, "shapes", ["1,1,97,64"])]


@pytest.mark.drawn(3)
@pytest.mark.takes(15)
@pytest.mark.parametrize("stage, name", [
    (stage, row[0]) for stage in STAGES for row in rows(stage, "planted", 6)])
def test_a_planted_mistake_is_named_with_both_lines(fresh_tree, stage, name):
    """One shape that hangs or fails keeps no other from its turn."""
    tree, shapes = fresh_tree, shapes_of(stage)
    tree.only_stage(stage)
    kernel_with(tree, stage, "kernel", stage, name)
    ran = raced(tree, stage, shapes)
    assert ran.code != 0
    assert all(f"\n{shape}: " in ran.text for shape in shapes), ran.text
    tree.write("said", ran.text)
    tree.ends([PLANT, "found", stage, name, f"{folder_of(stage)}/kernel.cu",
               "said"])


@pytest.mark.drawn(2)
@pytest.mark.takes(10)
@pytest.mark.parametrize("stage", STAGES)
def test_no_race_in_any_order_of_warps_and_blocks(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    ran = raced(fresh_tree, stage, ["odd", *shapes_of(stage)])
    assert ran.code == 0 and ": 0 findings" in ran.text, ran.text


@pytest.mark.slow
@pytest.mark.takes(40)
@pytest.mark.parametrize("stage", STAGES)
def test_no_race_at_any_shape(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    fresh_tree.make(f"{stage} race TARGET=cpu", 0, "0 findings")


@pytest.mark.slow
@pytest.mark.takes(300)
@pytest.mark.parametrize("stage", STAGES)
def test_each_barrier_wait_and_fence_is_needed(fresh_tree, stage):
    """Removed alone it leaves something to find."""
    tree = fresh_tree
    tree.only_stage(stage)
    kernel = f"{folder_of(stage)}/kernel.cu"
    silent, shapes = [], of_race(stage, "shapes_without",
                                 ["1,1,97,64", "1,2,230,64"])
    arms = of_race(stage, "settings", {}).items()
    places = run([PLANT, "sites", kernel]).text.splitlines()
    assert places
    for place in places:
        settings = next((s for beginning, s in arms
                         if place.startswith(beginning)), "")
        kernel_with(tree, stage, "edit", kernel, place, "empty")
        ran = raced(tree, stage, ["small", *shapes], settings)
        assert ran.code == 0 or "finding" in ran.text, ran.text
        if ran.code == 0:
            silent.append(place)
    assert silent == of_race(stage, "not_needed", [])


@pytest.mark.takes(20)
def test_a_mistake_to_try_as_chapter_3_shows(fresh_tree):
    tree = fresh_tree
    tree.ends(["tests/races/try.py", "the last tile not waited for"], 1,
              "read before the wait", f"{folder_of(STAGES[1])}/kernel.cu:")
    tree.ends("tests/races/try.py", 0, "no warp sync after P")
    tree.ends("tests/races/try.py nothing", 2, "No such mistake")
