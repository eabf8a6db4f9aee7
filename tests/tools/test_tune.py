"""The search over toggles finds the best arm though the clock slows down, and
times nothing that is wrong."""

import json
import sys

import pytest

from support import ROOT, Tree, stage

sys.path.append(f"{ROOT}/tools/tune")
import tune  # noqa: E402

FAKE = "stage99_fake"
RESULT = f"out/{FAKE}.tune.json"
TOGGLES = [("A", "0 1"), ("B", "0 1"), ("E", "0 1 2"),
           ("TILE", "32 64 (detail)"), ("C", "0 1 (detail)"),
           ("DEBUG_PRINT", "0 1")]


class Candidates:
    """Arms whose best is known, on a clock that slows down from run to run. B
    alone is wrong, with A it changes nothing; E=2 takes too much."""
    folder = "build/tune"
    shape, timed = "mission", []

    def __init__(self, *_):
        self.timed.clear()

    def build(self, arm):
        return 0, ""

    def weigh(self, arm):
        return ({"code": arm.replace("A-1.B-1", "A-1")},
                "over budget" if "E-2" in arm else "")

    def check(self, arm):
        return int(arm.startswith("B-1")), ""

    def bench(self, arms):
        self.timed.append(arms)
        return 0, ""

    def times(self, arm):
        its = set(arm.split("."))
        us = (100 - 10 * ("A-1" in its) - 5 * ("E-1" in its)
              - 15 * ({"A-1", "E-1"} <= its) + 3 * ("C-1" in its)
              - 20 * ("TILE-64" in its))
        return us * (10 + len(self.timed)) / 10, 5


@pytest.fixture
def tree(tmp_path, monkeypatch):
    tree = Tree(tmp_path)
    tree.write(f"{FAKE}/kernel.cu", "".join(
        f"// toggle {name}: {values}\n#ifndef {name}\n"
        f"#define {name} {values.split()[0]}\n#endif\n"
        for name, values in TOGGLES)
        + '#if A && TILE == 64\n#error "A=1 needs TILE=32"\n#endif\n')
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tune, "Candidates", Candidates)
    return tree


def test_the_elite_is_found_and_what_is_wrong_is_not_timed(tree):
    tune.Search(FAKE, "out").run()
    tuned = tree.json(RESULT)["tune"]
    elite = [arm["arm"] for arm in tuned["elite"]]
    assert elite == ["A-1.E-1", "A-1.E-1.C-1", "E-1.TILE-64", "default"]
    assert tuned["elite"][0]["saved_pct"] == 30
    assert Candidates.timed[-1] and set(Candidates.timed[-1]) == set(elite)
    states = [trial["state"] for trial in tuned["trials"]]
    assert {its: states.count(its) for its in states if its != "timed"} == {
        "gates failed": 2, "over budget": 4, "same code": 2, "ruled out": 4}
    timed = [arm for arms in Candidates.timed for arm in arms]
    assert not [arm for arm in timed if arm.startswith("B-1") or "E-2" in arm]
    same = {t["arm"]: t.get("against") for t in tuned["trials"]}
    assert same["A-1.B-1"] == "A-1"
    assert "DEBUG_PRINT" not in json.dumps(tuned)


def test_a_stage_that_fails_its_own_gates(tree, monkeypatch, capsys):
    monkeypatch.setattr(Candidates, "check", lambda self, arm: (1, ""))
    with pytest.raises(SystemExit):
        tune.Search(FAKE, "out").run()
    assert "by default does not pass" in capsys.readouterr().err


@pytest.mark.slow
def test_an_arm_is_built_and_weighed(sources):
    sources.ends(["python3", "-c", f"""
from tune import Candidates
here = Candidates("{stage(1)}")
assert here.build("default")[0] == 0
its, over = here.weigh("default")
assert its["registers"] > 16 and len(its["code"]) == 16 and not over
"""], PYTHONPATH="tools/tune")
    sources.make("stage1 tune TARGET=cpu", 2, "needs a GPU", "Error 3",
                 never="building")
