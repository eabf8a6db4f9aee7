"""Wrong kernels are refused by the gates that the book says refuse them: else
a gate has gone blind, and a wrong kernel of a reader's passes."""

import json
import re

import pytest

from support import ROOT

# The references call the C library's expf, whose last bit differs from one to
# the next: so much of a figure, or of its limit, passes.
SHARE = 0.01


@pytest.mark.apart
@pytest.mark.drawn(2)
@pytest.mark.parametrize("given", re.findall(r"^input (.*)", (
    ROOT / "tests/impostors/expected.txt").read_text(), re.M))
def test_each_is_caught_as_expected(root, given):
    ran = root.run(["build/tests/impostors", "--compare", *given.split()])
    wrong = [line for line in ran.text.splitlines()
             if line.startswith(("not ok", "#"))]
    assert ran.code == 0, "\n".join(wrong) or ran.text[-500:]
    assert ran.text.count("\nok ") > 20


@pytest.mark.takes(15)
def test_verdicts_are_those_recorded(root, tmp_path):
    root.ends(f"build/tests/impostors --json {tmp_path}/now")
    assert json.loads((tmp_path / "now").read_text()) == root.json(
        "results/impostors.json")


def errors(record):
    return {(row["impostor"], gate): error for row in record["impostors"]
            for gate, error in row["errors"].items()}


@pytest.mark.parametrize("rounding", ["", "e4m3"])
def test_errors_are_near_those_recorded(root, tmp_path, rounding):
    option, name = (f"--{rounding}", f"-{rounding}") if rounding else ("", "")
    root.ends(f"build/tests/impostors {option} --errors {tmp_path}/now")
    now = json.loads((tmp_path / "now").read_text())
    recorded = root.json(f"results/impostor-errors{name}.json")
    for key in "seed", "shape":
        assert now[key] == recorded[key]
    old, new = errors(recorded), errors(now)
    assert list(new) == list(old)
    other = {key: (new[key], error) for key, error in old.items()
             if (new[key] is None) != (error is None) or error is not None and
             abs(new[key] - error) > SHARE * max(1, abs(error))}
    assert not other


def test_an_unknown_input_is_refused(root):
    root.ends("build/tests/impostors small norm", 2, "no distribution")
    root.ends("build/tests/impostors --compare nowhere normal", 1)
