"""What `make workshop-check` says of a student's machine: a teacher who is
told "ready" has a class that can begin."""

import json

import pytest


def check(tree, code):
    return json.loads(tree.ends(
        "tools/workshop/check.py mine build/cpu/stage1_cp_async/default/program"
        " 2>errors", code))


def test_ready(tree):
    said = tree.ends("make -s workshop-check MINE=mine 2>errors")
    line = json.loads(said)
    assert line["ready"] and line["type"] == "make labw" and not line["why"]
    assert {"executor", "labs"} <= {*line["can"]} and 0 < line["seconds"] < 60
    assert tree.read("mine/check.json") == said


@pytest.mark.parametrize("why, path, text, can_run", [
    ("Labs need unifdef.", "tools/doctor/doctor.py",
     "class Doctor:\n    core = book = True\n    compiler = gpu = ''\n    "
     "missing = ['unifdef']\n    def report(self): pass\n", True),
    ("no such header", "stage1_cp_async/driver.c", '#error "no such header"\n',
     False)])
def test_not_ready(tree, why, path, text, can_run):
    whole = tree.read(path)
    tree.write(path, text)
    line = check(tree, 3)
    tree.write(path, whole)
    assert not line["ready"] and why in line["why"]
    assert ("executor" in line["can"]) == can_run and "labs" not in line["can"]
    assert line["type"].startswith("make setup")


def test_line_that_cannot_be_kept(tree):
    tree.run("rm -rf mine; touch mine")
    assert check(tree, 3)["ready"]
    assert "Cannot write mine/check.json" in tree.read("errors")
