"""Wrong kernels are refused by the gates that the book says refuse them: else
a gate has gone blind, and a wrong kernel of a reader's passes."""

import pytest

from impostors import compare

# The references call the C library's expf, whose last bit differs from one to
# the next: so much of a figure, or of its limit, passes.
SHARE = 0.01


@pytest.mark.apart
@pytest.mark.drawn(2)
@pytest.mark.parametrize("given", [" ".join(i) for i in compare.expected()])
def test_each_is_caught_as_expected(root, given):
    said = root.ends(f"tests/impostors/compare.py {given}")
    assert said.count("ok ") == 19


def test_verdicts_are_those_recorded(root):
    assert compare.verdicts() == root.json("results/impostors.json")


def errors_of(record):
    return {(row["impostor"], gate): error for row in record["impostors"]
            for gate, error in row["errors"].items()}


@pytest.mark.parametrize("name", ["impostor-errors", "impostor-errors-e4m3"])
def test_errors_are_near_those_recorded(root, name):
    old, new = map(errors_of, (root.json(f"results/{name}.json"),
                               compare.RECORDS[name]()))
    assert list(new) == list(old)
    other = {key: (new[key], error) for key, error in old.items()
             if (new[key] is None) != (error is None) or error is not None and
             abs(new[key] - error) > SHARE * max(1, abs(error))}
    assert not other


def test_an_unknown_input_is_refused(root):
    root.ends("build/tests/impostors small norm", 2, "no distribution")
    root.ends("tests/impostors/compare.py nowhere normal", 2, "usage")
