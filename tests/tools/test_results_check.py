"""make results-check: a folder of results that is whole and honest passes, and
what lacks something, or says what its own figures deny, is named."""

import json
import re
import shutil

import pytest

from support import STAGES, folder_of, run, stage
from recorded import files, text_of

CHECK = "tools/results/check.py"


@pytest.fixture(scope="module")
def its(sources):
    """The tree with three stages, and the folder of their results, small."""
    folder = re.search(r"^results: (\S+)", sources.read("chapters/book.yaml"),
                       re.M)[1]
    kept = [stage(0), stage(1), stage(10)]
    for name in set(STAGES) - set(kept):
        shutil.rmtree(sources.path / folder_of(name))
    results = sources.path / folder
    for folder_of_arms in results, results / "stage1":
        for path in files(folder_of_arms):  # without packs
            sources.write(path, text_of(path))
    for path in results.rglob("*"):
        if path.is_file() and not (
                path.parent == results and path.name in
                [f"{name}.json" for name in kept]
                + ["bench.terminal.txt", "machine-code.json", "peers.json"]
                or path.parent == results / "stage1"
                and not path.name.startswith("arms.")):
            path.unlink()
    peers = sources.json(f"{folder}/peers.json")
    meta = peers["build_meta"]
    meta["kernels"] = {name: meta["kernels"][name] for name in kept[:2]}
    sources.write(f"{folder}/peers.json", json.dumps({"build_meta": meta}))
    shutil.copytree(results, sources.path / "good")
    sources.results = folder
    return sources


@pytest.fixture
def faulty(its):
    """Ends with 1 and says these and no more; then all is as it was."""
    def check(*sentences):
        its.ends(f"{CHECK} {its.results}", 1, f"\n{len(sentences)} fault",
                 *(its.results + says for says in sentences))
    yield check
    shutil.rmtree(its.path / its.results)
    shutil.copytree(its.path / "good", its.path / its.results)


def change(its, name, function):
    value = its.json(f"{its.results}/{name}.json")
    function(value)
    its.write(f"{its.results}/{name}.json", json.dumps(value))


def put(value, path, to):
    """Sets, or where `to` is None takes away, what lies at a path."""
    *way, last = [int(k) if k.isdigit() else k for k in path.split("/")]
    for key in way:
        value = value[key]
    if to is None:
        del value[last]
    else:
        value[last] = to(value[last]) if callable(to) else to


def test_a_good_folder(its):
    its.make(f"results-check DIR={its.results}", 0, "3 stages on NVIDIA H200",
             "whole and honest")


def of_stage_1(its, faulty, changes):
    def spoil(value):
        for path, to, _ in changes:
            put(value, path, to)
    change(its, stage(1), spoil)
    faulty(*(f"/{stage(1)}.json: {says}" for *_, says in changes if says))


EACH = "correctness/each"


def test_figures_that_lie(its, faulty):
    of_stage_1(its, faulty, [
        ("build_meta/kernel_hash", "00", "it was measured with another kernel"),
        ("build_meta/commit", "abc-dirty", "something was not committed"),
        ("build_meta/device/name", "NVIDIA L4", "it is of NVIDIA L4"),
        ("build_meta/date", "2020-01-01T00:00:00Z", "it ran on 2020-01-01"),
        ("build_meta/run", "1-1", "it was not timed in one process"),
        ("perf/mission/graph/p50_us", lambda x: 0.9 * x,
         "mission, graph: p50_us is"),
        ("perf/mission/event/noise_us", 9, "mission, event: the noise is 9"),
        ("perf/long/graph/samples_us/3", None, "long, graph has 24 samples"),
        ("perf/long/event/noise_us", None, "long, event: there is no noise"),
        ("perf/small/shape", [1, 8, 256, 64], "small is the shape 1,8,256,64"),
        (f"{EACH}/0/gates/rel_rms/verdict", "failed",
         'small, seed 0: the gate rel_rms says "failed"'),
        (f"{EACH}/1/gates/rel_rms/figure", 1,
         "small, seed 1: the gate rel_rms has passed, and its figure is over"),
        (f"{EACH}/2/passed", False, "small, seed 2 has not passed"),
        ("correctness/failed", 1, "its count of cases is not that")])


def test_what_is_not_there(its, faulty):
    of_stage_1(its, faulty, [
        ("build_meta/stage", "stage99_none", "there is no kernel of stage99"),
        ("build_meta/commit", "unknown", "it does not say of which commit"),
        ("build_meta/device/is_gpu", False, "it does not say on which"),
        ("perf/mission/graph", 0, "mission, graph: there are no timings"),
        ("perf/long", None, "there are no timings at long"),
        ("correctness/cases", lambda count: count - 1, None),
        (f"{EACH}/4", None, "no gates at mission with seed 1")])


def test_files_that_cannot_be_read_or_are_not_there(its, faulty):
    folder = its.path / its.results
    text = (folder / f"{stage(1)}.json").read_text()
    (folder / f"{stage(1)}.json").write_text(text[:900])
    arm = f"{stage(1)}.USE_KV_LUT-1"
    (folder / f"{arm}.json").write_text(text)
    change(its, arm, lambda value: value.pop("correctness"))
    change(its, stage(0),
           lambda value: put(value, "perf/mission/graph/p50_us", -1))
    change(its, "peers", lambda value: put(
        value, f"build_meta/kernels/{stage(0)}/kernel_hash", "00"))
    (folder / f"{stage(10)}.json").write_text("3")
    (folder / "bench.terminal.txt").unlink()
    shutil.rmtree(folder / "stage1")
    faulty(f"/{stage(0)}.json: perf/mission/graph/p50_us is -1",
           f"/{stage(10)}.json: it has no build_meta",
           f"/{stage(1)}.json is not valid JSON: line ",
           "/peers.json: it was measured with another kernel",
           f"/{arm}.json: it has no gates",
           "/bench.terminal.txt: there is no such file",
           ": no stage in it says on which GPU it ran")


def test_a_stage_too_few(its, faulty):
    (its.path / its.results / f"{stage(1)}.json").unlink()
    faulty(f"/{stage(1)}.json: there is no such file")


def test_where_a_gpu_cannot_run_a_stage_none_is_missed(its):
    other = "results/nvidia-l4/2026-11-21"
    shutil.copytree(its.path / "good", its.path / other)
    for path in (its.path / other).rglob("*"):
        if path.name in ("peers.json", f"{stage(10)}.json") or (
                path.parent.name == "stage1"):
            path.unlink()
    for name in stage(0), stage(1):
        value = its.json(f"{other}/{name}.json")
        value["build_meta"]["device"] |= {"name": "NVIDIA L4",
                                          "capability": "8.9"}
        its.write(f"{other}/{name}.json", json.dumps(value))
    its.ends(f"{CHECK} {other}", 0, "2 stages on NVIDIA L4")


@pytest.mark.parametrize("typed", [
    "''", "nowhere", "results/nvidia-h200", "/etc",
    "results/nvidia-h200/2020-01-01"])
def test_no_folder_of_results(typed):
    ran = run(f"{CHECK} {typed}")
    assert ran.code == 2 and ran.text.count("\n") == 1, ran.text
