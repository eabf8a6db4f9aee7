"""Timelines: stamps do not change a kernel, every phase is in the trace, and a
list that does not fit, a wrong kernel or a bad word ends as it should."""

import json
import re
import sys

import pytest

from support import ROOT, STAGES, Tree, folder_of, stage
from facts import phases

sys.path += [f"{ROOT}/tools/{its}" for its in ("timeline", "results")]
from launch import Launch, Warp, Wrong, warp_of  # noqa: E402

STAMP = "tools/timeline/stamp/stamp.py"
TIMELINE = f"{ROOT}/tools/timeline/timeline.py"
STAMPED = STAGES[2:]
LIST = f"{folder_of(stage(2))}/stage.toml"
RULE = re.compile(r"^(?!open|begin|field|hand|take)(\w+) +(?:before|after)",
                  re.M)


@pytest.mark.parametrize("name", STAMPED)
def test_a_stage_with_stamps_is_the_stage_and_its_stamps(root, name):
    stamped = root.ends(f"{STAMP} {name}")
    rest = iter(stamped.splitlines())
    kernel = root.read(f"{folder_of(name)}/kernel.cu").splitlines()
    assert all(line in rest for line in kernel), "each line, in their order"
    names = set(RULE.findall("\n".join(phases(name))))
    assert names == set(re.findall(r"^ *stamp\(PHASE_(\w+)\);", stamped, re.M))
    (told,) = re.findall(r"stamped_phases = (.*);", stamped)
    assert names == set(re.findall(r"1u << PHASE_(\w+)", told))


def by_warp(trace):
    """Events of each warp, which lie end to end."""
    warps = {}
    for event in trace["traceEvents"]:
        if event["ph"] in "BE":
            warps.setdefault((event["pid"], event["tid"]), []).append(event)
    for events in warps.values():
        assert [e["ph"] for e in events] == ["B", "E"] * (len(events) // 2)
        times = [e["ts"] for e in events]
        assert times == sorted(times) and times[1:-1:2] == times[2::2], times
    return warps


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", STAMPED)
def test_a_trace_has_every_phase(fresh_tree, name):
    """Of 300 keys, every ring goes round where a step is short."""
    fresh_tree.make(f"{name.split('_')[0]} timeline TARGET=cpu "
                    "SHAPES=1,1,300,64", 0, "passed", "with stamps")
    warps = by_warp(fresh_tree.json(
        f"build/timeline/{name}.1,1,300,64.trace.json"))
    seen = {e["name"] for its in warps.values() for e in its if e["ph"] == "B"}
    assert seen == set(RULE.findall("\n".join(phases(name))))


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    """A folder with the summary and the trace of stage 5 on the executor."""
    folder = tmp_path_factory.mktemp("summary")
    Tree().ends(f"{TIMELINE} cpu {stage(5)}/default none --shape 1,1,128,64 "
                f"--json {folder} --trace {folder}")
    return folder


def test_of_the_executor_no_time_is_given(root, summary, tmp_path):
    trace = json.loads(
        (summary / f"{stage(5)}.1,1,128,64.trace.json").read_text())
    assert len(by_warp(trace)) == 24
    file = summary / f"{stage(5)}.timeline.json"
    assert '"producers"' in file.read_text()
    assert not re.search("share_pct|_cycles\"|overlap|overhead",
                         file.read_text())
    root.ends(f"{TIMELINE} draw {file} {tmp_path}/one.svg")
    assert ">producer 5<" in (tmp_path / "one.svg").read_text()


PHASES = ["WMMA_QK", "softmax"]


def test_what_is_said_of_times():
    """Of ten products of 10 to 100 cycles, each with 5 of softmax behind."""
    times = [0]
    for cycles in range(10, 101, 10):
        times += [times[-1] + cycles, times[-1] + cycles + 5]
    launch = Launch.__new__(Launch)
    launch.phases, launch.blocks = PHASES, [[Warp(10 * PHASES, times)]]
    warps = launch.summary(True)["roles"]["warps"]
    product, softmax = (warps["phases"][n] for n in PHASES)
    assert [product[f"p{p}_cycles"] for p in (10, 50, 90)] == [10, 50, 90]
    assert product["share_pct"] == 91.67 and softmax["share_pct"] == 8.33
    assert softmax["p50_cycles"] == 5 and warps["step"]["p50_cycles"] == 55
    assert warps["order"] == "10 x (WMMA_QK softmax)"


def test_the_clock_goes_round():
    def stamps(*clocks):
        return [clock % 2**27 << 5 | 1 + n % 2
                for n, clock in enumerate(clocks)]
    end, start = (2**27 + 70) % 2**27 << 5 | 3, 2**27 - 10
    warp = warp_of(0, [*stamps(start - 4, start + 30), end], start, PHASES)
    assert [*warp.visits()] == [("WMMA_QK", -4, 30), ("softmax", 30, 80)]
    for wrong in (stamps(9, 8), stamps(1, 2), [*stamps(1), 0], []):
        with pytest.raises(Wrong, match="warp 0|Warp 0"):
            warp_of(0, wrong, 0, PHASES)


def test_what_does_not_fit_is_told(tree):
    """A phase that no stamp names, or that the other list has not; a change too
    small for the gates."""
    for file, old, new, says in [
            (LIST, "\nPV_accum ", "\nsoftmax  ", "never in PV_accum"),
            (LIST, "\nPV_accum ", "\nnot that\nPV_accum ", "no 'that' to"),
            (STAMP, '"stamp_writer stamp;"',
             '"stamp_writer stamp; args.softmax_scale *= 1.00001f;"',
             "computes something else")]:
        whole = tree.read(file)
        tree.edit(file, old, new)
        tree.make("stage2 timeline TARGET=cpu", 2, says)
        tree.write(file, whole)


def test_without_a_gpu_a_record_is_shown(tree, summary):
    made = "stage5 timeline TARGET=cpu JSON=recorded"
    file = f"recorded/{stage(5)}.timeline.json"
    tree.write(file, (summary / f"{stage(5)}.timeline.json").read_text())
    tree.make(made, 0, "newest recorded timeline", "and no time",
              never="has changed")
    tree.edit(file, tree.json(file)["build_meta"]["kernel_hash"], "other")
    tree.make(made, 0, "has changed")
    tree.make("stage1 timeline TARGET=cpu", 2, "no list of phases", "Error 2")
