"""A value of settings.json that cannot be ends each program with its name and
exit code 2; or gates would judge by a limit that is none."""

import pytest

FILE = "common/harness/settings.json"
PROGRAM = "build/cpu/stage0_scalar/default/program"


@pytest.mark.parametrize("old, new, says", [
    ('"max_abs_err"', '"max_err"', "max_abs_err"),
    ('"pct_bad": 1.0', '"pct_bad": -1.0', "pct_bad"),
    ('"rel_rms_ratio": 2.0', '"rel_rms_ratio": "2"', "rel_rms_ratio"),
    ('"multiprocessors": [2,', '"multiprocessors": [1025,', "1024"),
    ('"seeds"', '"seeds": [], "seeds"', "duplicate"),
])
def test_refused(tree, old, new, says):
    whole = tree.read(FILE)
    tree.edit(FILE, old, new, 1)
    tree.make(f"{PROGRAM}")
    tree.ends(f"{PROGRAM} check --shape small", 2, FILE, says)
    tree.write(FILE, whole)
