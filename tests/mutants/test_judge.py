"""What results/mutants.json says of the gates is so: what nothing finds and is
recorded as found makes a reader trust tools that are blind."""

import re

import pytest

from support import ROOT, STAGES, Tree, copy, folder_of
from editing import read_source
from rules import choose, mistakes_of


def record(stage, root=Tree()):
    return next(one for one in root.json("results/mutants.json")["stages"]
                if one["stage"] == stage)


def finder(mistake):
    """What `make race` finds may also hang it, on a machine that is slower."""
    return "race" if mistake["verdict"] == "time" else mistake["verdict"]


def test_records_are_of_these_kernels_and_nothing_survives(root):
    """One of another kernel is a skip: it is to be judged again."""
    before, judged, by_hand, stale = None, 0, 0, []
    for number, stage in enumerate(STAGES):
        source = read_source(f"{ROOT}/{folder_of(stage)}/kernel.cu")
        chosen = {m.number: [m.rule.name, m.sentence] for m in choose(
            source, mistakes_of(source), before)}
        kernel = root.ends(f"tools/results/kernel_hash.py {folder_of(stage)}")
        recorded, before = record(stage), source
        verdicts, score = recorded["verdicts"], recorded
        if recorded["kernel_hash"] != kernel.strip():
            stale.append(stage)
        if {*STAGES[max(number - 1, 0):number + 1]} & {*stale}:
            continue  # a stage's mistakes are those of lines that are its own
        assert 0 < len(verdicts) <= len(chosen)
        assert score["judged"] + score["not_compiled"] == len(verdicts)
        assert score["survived"] == 0
        for m in verdicts:
            assert chosen[m["number"]] == [m["rule"], m["sentence"]]
            assert m["verdict"] in ("race", "check", "time", "build") or (
                m["verdict"] in ("same", "class", "hand") and m["says"]), m
        judged += score["judged"]
        by_hand += score["equivalent_by_hand"]
    assert by_hand * 20 <= judged
    assert root.json("results/mutants.json")["judged"] >= judged
    if stale:
        pytest.skip(f"make mutants: another kernel in {', '.join(stale)}")
    assert judged >= 400


@pytest.mark.apart
@pytest.mark.drawn(1)
@pytest.mark.parametrize("stage", STAGES)
def test_a_sample_gets_the_verdict_that_is_recorded(fresh_tree, stage):
    found = {m["number"]: finder(m) for m in record(stage)["verdicts"]}
    said = fresh_tree.make(f"mutants STAGE={stage}", 0, "survived 0",
                           SAMPLE="1 1")
    [(number, verdict)] = re.findall(r"mistake (\d+): ([a-z]+)", said)
    assert found[int(number)] == finder({"verdict": verdict})


@pytest.mark.apart
@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_every_mistake_gets_the_verdict_that_is_recorded(tmp_path, stage):
    """It takes, of the other stages, only the one before."""
    tree = copy(tmp_path / "tree", built=False)
    tree.run("rm -f results/mutants.json")
    tree.only_stage(stage, *STAGES[:STAGES.index(stage)][-1:])
    tree.make(f"mutants STAGE={stage}", 0, "survived 0")
    now = record(stage, tree)["verdicts"]
    assert now and [(m["sentence"], finder(m)) for m in now] == [
        (m["sentence"], finder(m)) for m in record(stage)["verdicts"]]
