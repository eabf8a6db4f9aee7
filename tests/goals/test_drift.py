"""Drift of long sums: a kernel that drifts and says so passes; one that does
not say so fails, and so does one that says so and does not drift."""

import re

from support import folder_of, stage

INPUTS = "check TARGET=cpu SHAPES=small SEEDS=0 DISTRIBUTIONS="
OFFSET = INPUTS + "offset-values"


def test_where_sums_drift(tree):
    said = tree.make(f"stage12 {OFFSET}", 0, " keys, declared")
    error = float(re.search(r"drifts (\d\.\d+) at 2,048 keys", said)[1])
    assert 0.03 < error < 0.04, "what 64 sums of 14 bits lose"
    tree.make(f"stage12 {INPUTS}normal", 0, "passed", never="drift")
    tree.edit(folder_of(stage(12)) + "/kernel.cu", ", DRIFTS}", "}", 1)
    tree.make(f"stage12 {OFFSET}", 2, "does not say DRIFTS")


def test_where_promotion_keeps_it_down(tree):
    tree.make(f"stage17 {OFFSET}", 0, "does not drift: ")
    tree.make(f"stage17 PROMOTE_KEYS=0 {OFFSET}", 0, "keys, declared")
    kernel = folder_of(stage(17)) + "/kernel.cu"
    declared, count = re.subn(r"PROMOTE_KEYS == 0 \|\| [^?]*\? DRIFTS : 0}",
                              "DRIFTS}", tree.read(kernel))
    assert count == 1, "it does not declare its drift as this test thinks"
    tree.write(kernel, declared)
    tree.make(f"stage17 {OFFSET}", 2, "says DRIFTS, but")
