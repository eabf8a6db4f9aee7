"""How stage 17 puts sums away between tiles: mistakes that leave every wait in
place give a race checker nothing to name, so the gates must fail."""

import pytest

from support import folder_of, stage

KERNEL = f"{folder_of(stage(17))}/kernel.cu"
SHAPE = "1,1,1301,64,causal"
MADE = "stage17 TARGET=cpu PROMOTE_KEYS=512"
NORMAL = f"{MADE} check DISTRIBUTIONS=normal"
pytestmark = [pytest.mark.slow, pytest.mark.takes(60)]


@pytest.fixture(scope="module")
def its(tree):
    tree.only_stage(stage(17))
    return tree


def test_sums_are_put_away_twice_in_every_block(its):
    """Whoever does so must have begun them again, and kept the first. By their
    seeds the devices have 2, 8 and 132 multiprocessors: each of the six blocks
    is chosen."""
    its.make(f'{NORMAL} SHAPES="1,1,2501,64,causal 1,1,2250,128,causal '
             '1,4:2,2250,64,causal"')


@pytest.mark.parametrize("old, new", [
    # The weight of what was put away stays where m grows.
    ("kept[r] *= rescale[r];", ""),
    # Out goes on where it was put away.
    ("!first_of_chain", "(first_of_chain || true)"),
    # A chain begins one tile late.
    ("chain = n;\n      }", "chain = n + KEY_GROUPS;\n      }"),
    # What earlier chains put away is written over.
    ("add_kept();\n    put_down();", "put_down();"),
    # Only one of two rows is counted.
    ("kept[0] = kept[1] = 1.0f", "kept[0] = 1.0f"),
    # What was put away is never fetched.
    ("kept[1] == 0.0f", "kept[1] >= 0.0f"),
])
def test_a_mistake_is_seen_by_a_gate_and_is_no_race(its, old, new):
    right = its.read(KERNEL)
    its.edit(KERNEL, old, new)
    try:
        its.make(f"{NORMAL} SEEDS=0 SHAPES={SHAPE}", 2, "1 FAILED")
        its.make(f"{MADE} race SHAPES={SHAPE}", 0, f"{SHAPE}: 0 findings")
    finally:
        its.write(KERNEL, right)
