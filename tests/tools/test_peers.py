"""Comparisons with other libraries: a kernel gets the call that it should, bad
input is refused, a record is shown as it is. (Runs: test_peers_runs.py.)"""

import json
import re
import sys

import pytest

from support import ROOT, Tree, same_in_c

sys.path.append(f"{ROOT}/tools/peers")
import about  # noqa: E402
import contender  # noqa: E402
import stages  # noqa: E402
from recorded import Section, noise, percentile  # noqa: E402
from shapes import shape_of, shapes_of_sweep  # noqa: E402
from tables import shape_lines  # noqa: E402

PEERS = f"python3 {ROOT}/tools/peers/peers.py"
TENSORS = "common/tensors/minilm.qkv"


def test_structures_are_those_of_a_stage(tmp_path):
    same_in_c(tmp_path, "common/harness/object.h", {
        "attention_args": stages.AttentionArgs,
        "attention_support": stages.Support,
        "stage_object": stages.StageObject})


def test_what_a_stage_takes():
    library = stages.Library.__new__(stages.Library)
    library.support = stages.Support((64, 128), stages.TAKES_CAUSAL)
    assert [library.missing(shape_of(text)) for text in (
        "1,8,512,128,causal", "1,8,512,96", "1,8:2,512,64")] == [
            None, "takes D = 64 or 128", "takes no shared K/V heads"]


def test_percentiles_and_noise_of_known_samples():
    a = [float(x) for x in range(30, 0, -1)]
    assert (percentile(a, 50), percentile(a, 90)) == (15, 27)
    b = list(a)
    b[3:6] = [27.0, 22.0, 20.0]
    assert noise(a, a) == 0 and noise(a, b) == 4


def test_a_shape_with_a_mask_and_shared_heads():
    plain, both = shape_of("mission"), shape_of("2,8:2,333,128,causal")
    assert plain == (1, 8, 512, 64, 8, False) and not plain.grouped
    assert plain.flop == 4 * 8 * 512 * 512 * 64
    assert both == (2, 8, 333, 128, 2, True) and both.grouped
    assert both.flop == 2 * 2 * 8 * 333 * 333 * 128
    assert both.of_q == (2, 8, 333, 128) and both.of_kv == (2, 2, 333, 128)


def test_the_shapes_of_a_sweep():
    first, second, third = (list(shapes_of_sweep(name)) for name in (
        "sweep", "sweep2", "sweep3"))
    assert first[:2] == ["1,8:1,137,128,causal", "2,8,128,128"], (
        "recorded runs have these")
    assert not {*first} & {*second} and second != third
    assert second == list(shapes_of_sweep("sweep2"))


@pytest.mark.parametrize("shape, says", [
    ("large2", "is no shape"), ("1,8:0,64,64", "1 to 2147483647"),
    ("1,8:3,64,64", "multiple of its 3 K/V heads"),
    ("65536,1,64,64", "65535"), ("mission sweep", "'sweep' is a run of its"),
    ("sweep1", "is no shape"),
])
def test_no_shape(tmp_path, shape, says):
    Tree(tmp_path).ends(f"{PEERS} run folder x none.so -- {shape}", 2, says,
                        never="Trace")


@pytest.mark.parametrize("change, says", [
    (lambda data: data[:-7], "is cut off: it lacks 7 of"),
    (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "is damaged"),
])
def test_tensors_that_are_damaged(tmp_path, change, says):
    tree = Tree(tmp_path)
    tree.write(TENSORS, "").write_bytes(change((ROOT / TENSORS).read_bytes()))
    said = tree.ends(f"{PEERS} run out x none.so -- real", 1, TENSORS, says)
    assert said.count("\n") == 1


def test_a_package_that_does_not_load(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    Tree(tmp_path).write("broken_package.py", "raise SystemExit(7)\n")
    assert contender.package("broken_package") == (
        None, "broken_package does not load: SystemExit: 7")
    assert contender.package("no_package", "its-name") == (None, "no its-name")


def test_the_ceiling_is_of_the_same_gpu(tmp_path):
    for name in "one", "two":
        Tree(tmp_path).write(f"{name}.json", json.dumps(
            {"build_meta": {"schema_version": 1,
                            "device": {"name": f"GPU {name}"}}}))
    floors = [f"{tmp_path}/one.json", f"{tmp_path}/two.json"]
    assert about.recorded_floor("GPU two", floors) == floors[1]
    assert about.recorded_floor("GPU three", floors) is None
    assert about.ceilings_of(None, ["long"]) == {"long": None}


def test_percent_is_of_the_ceiling():
    found = about.ceilings_of(f"{ROOT}/tests/floor/made-up-floor.json",
                              ["10,1,10000,64", "1,1,1,64"])
    assert found["10,1,10000,64"] == {
        "us": 501, "binding": "products beside softmax",
        "measured": "2026-01-02T00:00:00Z"}, found
    assert found["1,1,1,64"]["binding"] == "launch"
    entry = {"graph": {"p50_us": 1002.0}, "event": {"p50_us": 1003.0},
             "tflops": 5.0, "rel_rms": 0.02}
    shape = {"shape": [10, 1, 10000, 64], "noise_us": 1, "contenders": {
        "stage1": entry}}

    def said():
        return "\n".join(shape_lines("x", Section("x", (), shape), ["stage1"]))
    assert "%" not in said()
    shape["ceiling"] = found["10,1,10000,64"]
    assert "    50 %  " in said(), said()
    assert "the ceiling" in said() and "501.00; what binds: products" in said()


def test_the_newest_recorded_run_is_shown(root, tmp_path):
    root.ends(f"{PEERS} show {tmp_path}", 3, "needs a GPU")
    said = root.ends(f"{PEERS} show", 0, "No GPU was used")
    peers = root.json(re.search(r"run, (\S+json)\.\n", said)[1])["peers"]
    flash = peers["mission"]["contenders"]["torch_flash"]["graph"]["p50_us"]
    shown = re.search(r"\nmission.*?\n  torch_flash +([\d.]+) ", said, re.S)
    assert shown[1] == f"{flash:.2f}"
    said = root.ends(f"{PEERS} show '' real", 0, "recorded layer 0")
    real = root.json(re.search(r"run, (\S+json)\.\n", said)[1])["real"]
    worst = real["layer0x1"]["contenders"]["libfp8attention"]["worst"]
    assert re.search(rf"\n  libfp8attention .* {worst:.1e} ", said)
