"""If the executor computed something else than a GPU, a reader without one
would learn from wrong results. The same kernels leave the same bytes: NAME.h200
is what an H200 left, and `make agree` asks the GPU of this machine."""

import re

import pytest

from support import ROOT, run
from simt import agree
from simt.driver import KERNELS, drive


@pytest.mark.parametrize("program", ["driver", "driver_plain"])
def test_as_an_h200_did(program):
    recorded = agree.recorded()
    assert len(recorded) >= 40
    left = zip(recorded.items(), drive(program, recorded), strict=True)
    assert not [f"{job} left {its['hash']}" for (job, (wanted, _)), its in left
                if its["hash"] != wanted], agree.__doc__


def test_the_wrappers_ptx_does_as_their_twins():
    """It is compiled for GPUs only, but the executor reads the PTX of a program
    with its own main: so it is given theirs."""
    jobs = {job: row[0] for job, row in agree.recorded().items() if row[1]}
    for (job, wanted), its in zip(jobs.items(), drive("driver_ptx", jobs)):
        assert its["hash"] == wanted and all(
            found["kind"] == "tried once" for found in its["findings"]), job


# tests/device has the accumulator's map.
WRAPPERS = {name for path in (ROOT / "common/device/ptx").glob("*")
            for name in re.findall(r"inline (?:cudaError_t|[a-z]\w+) (\w+)\(",
                                   path.read_text())} - {
                "accumulator_row", "accumulator_column"}


def test_each_wrapper_runs():
    assert {w for _, names in agree.recorded().values()
            for w in names} == WRAPPERS
    source = "".join(path.read_text() for path in KERNELS.glob("*.cu"))
    called = set(re.findall(r"(\w+)[(<]", source))
    assert WRAPPERS - called == {"wgmma_keep"}  # the fence calls it


@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
def test_make_agree_on_this_machine(root, tmp_path):
    root.make(f"agree JSON={tmp_path}", 0, "the same bits", never="differ")


def test_make_agree_needs_a_gpu(root):
    root.make("agree TARGET=cpu", 2, "and none is used here")
