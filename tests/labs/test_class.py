"""A teacher's roster grades each kernel anew: who has written into his own
grade file is found out."""

import json

import pytest


@pytest.mark.slow
@pytest.mark.takes(300)
def test_a_class_of_thirty(fresh_tree, lab):
    """Of each of three labs wrong kernels, right ones and two skeletons."""
    line = fresh_tree.ends("make -s workshop-check MINE=mine 2>errors")
    ready = json.loads(line)
    assert ready["ready"] and 0 < ready["seconds"] < 60
    assert fresh_tree.read("mine/check.json") == line
    expected, number = [], 0
    for name in "labw", "lab0", "lab7b":
        of = lab(fresh_tree, name)
        wrong = [of.edited(place, edit) for _, place, edit, _, _ in of.wrong()]
        right = [of.solution] * 4
        for text in wrong[:4] + right + [of.skeleton] * 2:
            number += 1
            folder = f"class/student{number:02}"
            fresh_tree.write(f"{folder}/check.json", line)
            # Each is another text, so that each is graded.
            fresh_tree.write(f"{folder}/{name}/kernel.cu",
                             f"{text}// {number}\n")
            fresh_tree.write(f"{folder}/{name}/grade.json", '{"passed":true}\n')
            passed = "passed" if text == of.solution else "not passed"
            expected.append(f"student{number:02}, {name}: {passed}")
    assert number == 30
    said = fresh_tree.make("-s roster DIR=class", 0, *expected, timeout=900)
    page = fresh_tree.read("class/roster.html")
    passed = said.count(": passed")
    assert passed == 12 and f"{passed} of 30 kernels pass" in page
    assert "30 of 30 are ready" in page and "lab7b, by counters" in page
    assert page.count("his own file says: passed") == 30 - passed
