"""How stage 16 shares out its work and stage 17 puts sums away: a mistake that
leaves every wait in place shows no race, so the gates must fail."""

import pytest

from support import folder_of, stage

pytestmark = [pytest.mark.slow, pytest.mark.takes(60)]
WORK, SUMS = stage(16), stage(17)
SHAPES = {WORK: "1,2,570,128,causal", SUMS: "1,1,1301,64,causal"}
MISTAKES = [
    (WORK, "one tile too many is skipped", "warp % 4 * 16 + 63;",
     "warp % 4 * 16 + 63 - TILE_N;"),
    (WORK, "the order turns one block too late", "blocks - 1 - block : block",
     "blocks - block : block"),
    (WORK, "the last tiles of keys are left out",
     "(end_key + SHAPE::TILE_N - 1)", "max(end_key, SHAPE::TILE_N)"),
    (SUMS, "the weight of what was put away stays where m grows",
     "kept[r] *= rescale[r];", ""),
    (SUMS, "out goes on where it was put away", "!first_of_chain",
     "(first_of_chain || true)"),
    (SUMS, "a chain begins one tile late", "chain = n;\n      }",
     "chain = n + KEY_GROUPS;\n      }"),
    (SUMS, "what earlier chains put away is written over",
     "add_kept();\n    put_down();", "put_down();"),
    (SUMS, "only one of two rows is counted", "kept[0] = kept[1] = 1.0f",
     "kept[0] = 1.0f"),
    (SUMS, "what was put away is never fetched", "kept[1] == 0.0f",
     "kept[1] >= 0.0f"),
]


def words(name, verb, shapes):
    return (f"{name} {verb} TARGET=cpu SHAPES='{shapes}'"
            + (" PROMOTE_KEYS=512" if name == SUMS else "")
            + (" DISTRIBUTIONS=normal" if verb == "check" else ""))


@pytest.mark.parametrize("name, shapes", [
    (WORK, SHAPES[WORK]),
    # By their seeds the devices have 2, 8 and 132 multiprocessors: each of the
    # six blocks puts sums away twice.
    (SUMS, "1,1,2501,64,causal 1,1,2250,128,causal 1,4:2,2250,64,causal")])
def test_as_it_is(tree, name, shapes):
    tree.make(words(name, "check", shapes))


@pytest.mark.parametrize("name, what, old, new", MISTAKES,
                         ids=[m[1] for m in MISTAKES])
def test_mistake(tree, name, what, old, new):
    kernel = f"{folder_of(name)}/kernel.cu"
    whole = tree.read(kernel)
    tree.edit(kernel, old, new)
    try:
        tree.make(words(name, "check", SHAPES[name]) + " SEEDS=0", 2,
                  "1 FAILED")
        tree.make(words(name, "race", SHAPES[name]), 0,
                  f"{SHAPES[name]}: 0 findings")
    finally:
        tree.write(kernel, whole)
