"""make results-check: a folder of results that is whole and honest passes, and
what lacks something, or says what its own figures deny, is named."""

import json
import re
import shutil

import pytest

from support import ROOT, STAGES, Tree, folder_of, run, stage
from recorded import exists, load

CHECK = "tools/results/check.py"
RESULTS = re.search(r"^results: (\S+)", Tree().read("chapters/book.yaml"),
                    re.M)[1]
ONE = f"{RESULTS}/{stage(1)}.json"
EACH = "correctness/each"


def put(value, path, to):
    """Sets, or where `to` is None takes away, what lies at a path."""
    *way, last = [int(k) if k.isdigit() else k for k in path.split("/")]
    for key in way:
        value = value[key]
    if to is None:
        del value[last]
    else:
        value[last] = to(value[last]) if callable(to) else to


@pytest.fixture(scope="module")
def measured(sources):
    """The tree with the stages that have been measured there."""
    for name in STAGES:
        if not exists(ROOT / RESULTS / f"{name}.json"):
            shutil.rmtree(sources.path / folder_of(name))
    return sources


@pytest.fixture
def faulty(measured):
    """With a result of stage 1 so changed these faults are said, and no more.
    It lies beside the pack that has the right one, and counts more."""
    def check(changes):
        value = load(ROOT / ONE)
        for path, to, _ in changes:
            put(value, path, to)
        measured.write(ONE, json.dumps(value))
        wanted = [f"{ONE}: {says}" for *_, says in changes if says]
        measured.ends(f"{CHECK} {RESULTS}", 1, f"\n{len(wanted)} fault",
                      *wanted)
    yield check
    (measured.path / ONE).unlink()


def test_a_good_folder(measured):
    measured.make(f"results-check DIR={RESULTS}", 0, "stages on NVIDIA H200",
                  "whole and honest")


def test_figures_that_lie(faulty):
    faulty([
        ("build_meta/kernel_hash", "00", "it was measured with another kernel"),
        ("build_meta/commit", "abc-dirty", "something was not committed"),
        ("build_meta/device/name", "NVIDIA L4", "it is of NVIDIA L4"),
        ("build_meta/date", "2020-01-01T00:00:00Z", "it ran on 2020-01-01"),
        ("build_meta/run", "1-1", "it was not timed in one process"),
        ("perf/mission/graph/p50_us", lambda x: 0.9 * x,
         "mission, graph: p50_us is"),
        ("perf/mission/event/noise_us", 9, "mission, event: the noise is 9"),
        ("perf/long/graph/samples/steps_above/3", None,
         "long, graph has 24 samples"),
        ("perf/long/event/noise_us", None, "long, event: there is no noise"),
        ("perf/small/shape", [1, 8, 256, 64], "small is the shape 1,8,256,64"),
        (f"{EACH}/0/gates/rel_rms/verdict", "failed",
         'small, seed 0: the gate rel_rms says "failed"'),
        (f"{EACH}/1/gates/rel_rms/figure", 1,
         "small, seed 1: the gate rel_rms has passed, and its figure is over"),
        (f"{EACH}/2/passed", False, "small, seed 2 has not passed"),
        ("correctness/failed", 1, "its count of cases is not that")])


def test_what_is_not_there(faulty):
    faulty([
        ("build_meta/stage", "stage99_none", "there is no kernel of stage99"),
        ("build_meta/commit", "unknown", "it does not say of which commit"),
        ("build_meta/device/is_gpu", False, "it does not say on which"),
        ("perf/mission/graph", 0, "mission, graph: there are no timings"),
        ("perf/long", None, "there are no timings at long"),
        ("correctness/cases", lambda count: count - 1, None),
        (f"{EACH}/4", None, "no gates at mission with seed 1")])


def test_files_that_cannot_be_read_or_are_not_there(measured):
    measured.write(ONE, json.dumps(load(ROOT / ONE))[:900])
    measured.write(f"{RESULTS}/{stage(0)}.json", "3")
    measured.write(f"{RESULTS}/peers.json", json.dumps(
        {"build_meta": {"schema_version": 1, "kernels": {
            "one": {"stage": stage(0), "kernel_hash": "00"}}}}))
    (measured.path / RESULTS / "bench.terminal.txt").unlink()
    measured.ends(f"{CHECK} {RESULTS}", 1, "\n4 faults",
                  f"{ONE} is not valid JSON: line ",
                  f"/{stage(0)}.json: it has no build_meta",
                  "/peers.json: it was measured with another kernel",
                  "/bench.terminal.txt: there is no such file")


def test_where_a_gpu_cannot_run_a_stage_none_is_missed(root):
    runs = root.ends(["python3", "-c", "from check import stages_for\n"
                      "print(*stages_for('89'))"],
                     PYTHONPATH="tools/results").split()
    assert stage(2) in runs and stage(10) not in runs


@pytest.mark.parametrize("typed", ["''", "nowhere", "results/nvidia-h200"])
def test_no_folder_of_results(typed):
    ran = run(f"{CHECK} {typed}")
    assert ran.code == 2 and ran.text.count("\n") == 1, ran.text
