"""make scales: each way to scale Q, K and V computes attention, and the record
says of them what needs no measuring, and is what the program finds now."""

import pytest

PROGRAM = "build/tools/scales"
RECORD = "results/scales.json"


def test_each_scheme_computes_attention(root, tmp_path):
    """What is taken out and not added back, or turned in Q alone, is an error
    as large as the output."""
    root.ends(f"{PROGRAM} {tmp_path} 96", 0, f"wrote {tmp_path}/scales.json")
    for its in root.json(RECORD), root.json(tmp_path / "scales.json"):
        assert len(its["schemes"]) == 10
        for scheme, inputs in its["schemes"].items():
            assert set(inputs) == {"normal", "offset", "outliers", "real_1",
                                   "real_5"}
            for name, errors in inputs.items():
                for one in errors.values():
                    assert 0 < one["all"] <= one["worst"] < 0.2, (scheme, name)
    # One large number in a thousand is what a rotation is for.
    error = {scheme: its["schemes"][scheme]["outliers"]["inputs"]["all"]
             for scheme in ("rotated", "head")}
    assert error["rotated"] < 0.9 * error["head"]


def figures(value):
    """All numbers and texts of a record, in their order."""
    if isinstance(value, (dict, list, tuple)):
        for its in value.items() if isinstance(value, dict) else value:
            yield from figures(its)
    else:
        yield value


@pytest.mark.slow
def test_the_record_is_what_it_finds_now(sources, root):
    sources.make("scales JSON=new", 0, "wrote")
    assert root.json(RECORD)["sinks"]["real_5"]["key"] == 0
    for old, new in zip(figures(root.json(RECORD)), figures(
            sources.json("new/scales.json")), strict=True):
        # The C library's exp differs in the last bit from one to the next.
        assert new == old or new == pytest.approx(old, rel=0.01)
