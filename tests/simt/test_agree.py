"""If the executor computed something else than a GPU, a reader without one
would learn from wrong results. The same kernels leave the same bytes: NAME.h200
is what an H200 left, and `make agree` asks the GPU of this machine."""

import json
import re

import pytest

from support import ROOT, run
from simt import agree
from simt.driver import KERNELS, PROGRAMS, drive

@pytest.mark.parametrize("program", ["driver", "driver_plain"])
def test_as_an_h200_did(program):
    recorded = agree.recorded()
    assert len(recorded) >= 52
    left = zip(recorded.items(), drive(program, recorded), strict=True)
    assert not [f"{job} left {its['hash']}" for (job, (wanted, _)), its in left
                if its["hash"] != wanted], agree.__doc__


# tests/device has the accumulator's map.
WRAPPERS = {name for path in (ROOT / "common/device/ptx").glob("*")
            for name in re.findall(r"inline (?:cudaError_t|[a-z]\w+) (\w+)\(",
                                   path.read_text())} - {
                "accumulator_row", "accumulator_column"}


def test_each_wrapper_runs():
    assert {w for _, names in agree.recorded().values()
            for w in names} == WRAPPERS
    source = "".join(path.read_text() for path in KERNELS.glob("wrappers*"))
    called = set(re.findall(r"(\w+)[(<]", source))
    assert WRAPPERS - called == {"wgmma_keep"}  # the fence calls it


@pytest.mark.skipif(run("nvidia-smi -L").code != 0, reason="no NVIDIA GPU here")
def test_make_agree_on_this_machine(root, tmp_path):
    root.make(f"agree JSON={tmp_path}", 0, "the same bits", never="differ")


def test_make_agree_needs_a_gpu(root):
    root.make("agree TARGET=cpu", 2, "and none is used here")


def test_a_gpu_that_differs_hangs_or_lacks_an_instruction(tmp_path, capsys,
                                                          monkeypatch):
    """The executor in its place, but for four runs."""
    stand_in = tmp_path / "driver"
    stand_in.write_text(f"""#!/bin/sh
job=$(cat)
case $job in
"tma_load 0 64") echo an illegal instruction. >&2; exit 1;;
"tma_load 0 128") echo 0000;;
setmaxnreg*) exit 2;;
stmatrix_x4*) exec sleep 60;;
*) echo $job | {PROGRAMS}/driver | cut -d '"' -f 4
esac
""")
    stand_in.chmod(0o755)
    monkeypatch.setattr(agree, "SECONDS", 3)
    assert agree.main([str(stand_in), str(tmp_path)]) == 1
    said = capsys.readouterr().out
    for line in ("ldmatrix_x4                   1 run, the same bits",
                 "2 of 2 runs differ: tma_load 0 64 left an illegal instr",
                 "; tma_load 0 128 left 0000", "stmatrix_x4 0 0 left ran for",
                 "more_registers                not on this GPU"):
        assert line in said
    kept = json.loads((tmp_path / "agree.json").read_text())
    assert kept["wrappers"]["exp2_approx"] == {"runs": 1, "different": {}}
