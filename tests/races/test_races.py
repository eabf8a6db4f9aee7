"""`make race` finds what a learner may get wrong with barriers, waits, fences
and copies, and finds nothing in the stages as they are."""

import pytest

from races.planted import PLANTED, is_named, kernel_of, plant
from support import STAGES, stage
from editing import Misfit, read_source
from facts import facts, rows

pytestmark = pytest.mark.apart


def raced(tree, stage, shapes):
    return tree.run(f"make {stage} race TARGET=cpu "
                    f'SHAPES="{" ".join(shapes)}"')


def shapes_of(stage):
    return ["small", *facts(stage).get("race", {}).get("shapes",
                                                       ["1,1,97,64"])]


@pytest.mark.parametrize("place, edit", [
    ("lode-kv: codes_k = load16", "remove"), ("load-kv: codes_x", "remove"),
    ("load-kv: __pipeline_wait_prior", "remove"),  # there are two
    ("load-kv: 3rd __pipeline_wait_prior", "remove"),
    ("load-kv codes_k = load16", "remove"),
    ("load-kv: codes_k = load16", "delete"),
    ("load-kv: codes_k = load16", "copy_rows => 0")])
def test_what_fits_no_place_or_edit_is_refused(place, edit):
    with pytest.raises(Misfit):
        read_source(kernel_of(STAGES[1])).planted(place, edit)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("stage, name", PLANTED)
def test_a_planted_mistake_is_named_with_both_lines(fresh_tree, stage, name):
    """One shape that hangs or fails keeps no other from its turn."""
    tree, shapes = fresh_tree, shapes_of(stage)
    tree.only_stage(stage)
    plant(tree, stage, *PLANTED[stage, name][:2])
    ran = raced(tree, stage, shapes)
    assert ran.code != 0
    assert all(f"\n{shape}: " in ran.text for shape in shapes), ran.text
    assert is_named(stage, name, tree, ran.text), ran.text


@pytest.mark.drawn(3)
@pytest.mark.parametrize("stage", STAGES)
def test_no_race_in_any_order_of_warps_and_blocks(fresh_tree, stage):
    """The second shape goes round every ring."""
    fresh_tree.only_stage(stage)
    ran = raced(fresh_tree, stage, ["odd", "1,1,600,64", *shapes_of(stage)])
    assert ran.code == 0 and ": 0 findings" in ran.text, ran.text


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_no_race_at_any_shape(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    fresh_tree.make(f"{stage} race TARGET=cpu", 0, "0 findings")


# How stage 16 shares out its work and stage 17 puts sums away.
WORK, SUMS = "1,2,570,128,causal", "1,1,1301,64,causal"
SILENT = {stage(16): (WORK, ""), stage(17): (SUMS, " PROMOTE_KEYS=512")}


@pytest.mark.slow
@pytest.mark.parametrize("stage, name, place, edit", [
    (stage, *entry) for stage in STAGES for entry in rows(stage, "silent", 3)])
def test_a_mistake_without_a_race_fails_the_gates(fresh_tree, stage, name,
                                                  place, edit):
    tree, (shape, settings) = fresh_tree, SILENT[stage]
    plant(tree, stage, place, edit)
    words = f"TARGET=cpu SHAPES='{shape}'{settings}"
    tree.make(f"{stage} check {words} DISTRIBUTIONS=normal SEEDS=0", 2,
              "1 FAILED")
    tree.make(f"{stage} race {words}", 0, f"{shape}: 0 findings")
