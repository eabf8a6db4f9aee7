"""A class of thirty, as a teacher has it: this machine's own line, and kernels
that pass, that are wrong, and that nobody has touched."""

import json
import time

import pytest

from support import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.takes(300)]
LABS = ("labw", "lab0", "lab7b")


@pytest.fixture(scope="module")
def machine(tree):
    """This machine's line of workshop-check."""
    tree.environment["LAB_NVCC"] = "0"
    line = tree.make("-s workshop-check MINE=mine 2>errors")
    value = json.loads(line)
    assert value["ready"] and 0 < value["seconds"] < 60
    assert tree.read("mine/check.json") == line
    return line


def kernels(tree, lab):
    """The skeleton, the solution, and four that wrong.list makes of it."""
    folder = f"mine/{lab}"
    tree.make(lab)
    skeleton = tree.read(f"{folder}/kernel.cu")
    tree.write(f"{folder}/grade.json", '{"attempt": true}')
    tree.write("difference", tree.make(f"{lab} solution"))
    tree.ends(f"patch -s -o solution {folder}/kernel.cu difference")
    wrong = []
    for line in tree.read("tests/labs/wrong.list").splitlines():
        if line.startswith(f"{lab} |") and len(wrong) < 4:
            _, _, place, edit = line.split(" | ")[:4]
            wrong.append(tree.ends([str(ROOT / "build/tests/plant"), "edit",
                                    "solution", place, edit]))
    return skeleton, tree.read("solution"), wrong


def test_a_class_of_thirty(tree, machine):
    expected = []
    for lab in LABS:
        skeleton, solution, wrong = kernels(tree, lab)
        for text, passes in [*((text, False) for text in wrong),
                             *[(solution, True)] * 4, *[(skeleton, False)] * 2]:
            student = f"student{len(expected):02}"
            folder = f"class/{student}"
            tree.write(f"{folder}/check.json", machine)
            # Each is another text, so that each is graded.
            tree.write(f"{folder}/{lab}/kernel.cu",
                       f"{text}// {len(expected)}\n")
            tree.write(f"{folder}/{lab}/grade.json", '{"passed":true}\n')
            expected.append(f"{student}, {lab}: "
                            f"{'passed' if passes else 'not passed'}")
    assert len(expected) == 30
    start = time.time()
    tree.make("-s roster DIR=class", 0, *expected)
    assert time.time() - start < 900
    page = tree.read("class/roster.html")
    for text in ("30 of 30 are ready", "12 of 30 kernels pass",
                 *(f"{lab}, by counters" for lab in LABS)):
        assert text in page
    assert page.count("his own file says: passed") == 18
