"""make results-pack: what lies in a pack is read as the file that it was, and
what was measured since counts more."""

import json

import pytest

from recorded import Unreadable, exists, files, load, newest
from support import ROOT, Tree

DAY = "results/gpu/2026-01-02"
ONE, ARM = f"{DAY}/stage0_one.json", f"{DAY}/stage0_one.USE_A-1.json"
COLD = f"{DAY}/stage0_one.USE_A-1.cold.json"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Tree(tmp_path)


def pack(place, code=0, words=DAY, *says):
    place.ends(f"{ROOT}/tools/results/pack.py {words}", code, *says)


def result(us):
    return {"build_meta": {"stage": "stage0_one", "note": 'a "}\n{" b'},
            "perf": {"mission": {"event": {
                "p50_us": us, "mean_us": [us, 0.1 + us, 1e-7]}}}}


def test_all_are_found_in_packs(place):
    values = {ONE: result(2.5), ARM: result(3), COLD: result(4),
              f"{DAY}/stage0_two.cold.json": result(5)}
    kept = f"{DAY}/floor.json"
    for path in (*values, kept):
        place.write(path, json.dumps(values.get(path, {})))
    pack(place, 0, DAY, "arms.json: 2 arms", "arms.cold.json: 2 arms")
    assert sorted(p.name for p in (place.path / DAY).iterdir()) == [
        "arms.cold.json", "arms.json", "floor.json"]
    assert files(DAY) == sorted([*values, kept])
    assert {path: load(path) for path in values} == values
    assert newest("stage0_one.json") == [ONE]
    assert not exists(f"{DAY}/stage0_one.USE_A-2.json")


def test_what_was_measured_since(place):
    for path in ONE, ARM:
        place.write(path, json.dumps(result(2)))
    pack(place)
    place.write(ARM, json.dumps(result(7)))
    assert load(ARM) == result(7) and load(ONE) == result(2)
    pack(place)
    assert not place.exists(ARM) and load(ARM) == result(7)


def test_what_is_no_result_stays(place):
    place.write(ONE, json.dumps(result(2)))
    place.write(ARM, '{"perf": ')
    pack(place, 1, DAY, f"{ARM} is not valid JSON")
    assert place.exists(ONE) and place.exists(ARM)
    with pytest.raises(Unreadable):
        load(ARM)
    pack(place, 2, "nowhere", "There is nothing in nowhere.")
