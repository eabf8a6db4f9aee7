"""What `make workshop-check` says of a student's machine: a teacher who is
told "ready" has a class that can begin."""

import json
import shutil

import pytest

from support import ROOT, Tree

ALL = {"core": True, "book": True, "compiler": "13.0", "gpu": "",
       "missing": []}
TIMES = ("cd build && echo x >>runs && set -- $(grep -c x runs) &&"
         " echo 0.$((9 - $1 * 2))00")


@pytest.fixture
def machine(tmp_path):
    """machine(BODY, NAME=...): the exit code and the line, where doctor has
    found this and make builds a program with this body."""
    tree = Tree(tmp_path)
    for name in "workshop", "common":
        shutil.copytree(ROOT / f"tools/{name}", tmp_path / f"tools/{name}")

    def check(body, make="", **words):
        tree.write("tools/doctor/doctor.py", "class Doctor:\n" + "".join(
            f"    {k} = {v!r}\n" for k, v in {**ALL, **words}.items())
            + "    def report(self): pass\n")
        tree.script("make", f"{make}\nmkdir -p build\ncat >build/speed <<'END'"
                    f"\n#!/bin/sh\n{body}\nEND\nchmod +x build/speed\n")
        ran = tree.run("tools/workshop/check.py mine build/speed 2>errors",
                       MAKE="./make")
        assert ran.text.count("\n") == 1
        if (tmp_path / "mine").is_dir():
            assert tree.read("mine/check.json") == ran.text
        return ran.code, json.loads(ran.text), tree
    return check


def test_ready(machine):
    code, line, _ = machine(TIMES, gpu='A "B" \\ <i>')
    assert code == 0 and line["ready"] and line["type"] == "make labw"
    assert line["can"] == ["executor", "labs", "book", "nvcc", "gpu"]
    assert line["seconds"] == 0.3  # the best of three
    assert line["gpu"] == 'A "B" \\ <i>' and line["why"] == ""


@pytest.mark.parametrize("why, can, how", [
    ("Labs need unifdef.", ["executor", "book", "nvcc"], {
        "missing": ["unifdef"]}),
    ('x.c:1: error: no "header"', ["book", "nvcc"], {
        "make": "echo 'x.c:1: error: no \"header\"'; exit 2"}),
    ("Signal 11", ["book", "nvcc"], {"body": "echo 'Signal 11'; exit 1"})])
def test_not_ready(machine, why, can, how):
    code, line, _ = machine(**{"body": TIMES, **how})
    assert code == 3 and not line["ready"] and why in line["why"]
    assert line["can"] == can and line["type"].startswith("make setup")
    assert line["missing"] == how.get("missing", [])


def test_line_that_cannot_be_kept(machine, tmp_path):
    (tmp_path / "mine").write_text("x")
    code, line, tree = machine(TIMES)
    assert code == 3 and line["ready"]
    assert "Cannot write mine/check.json" in tree.read("errors")
