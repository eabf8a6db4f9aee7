"""If the executor computed something else than a GPU, a reader without one
would learn from wrong results. The same kernels leave the same bytes: NAME.h200
is what an H200 left, and the GPU of this machine is asked too."""

import pytest

from support import ROOT, run
from simt.driver import PROGRAMS, drive

RECORDED = {name: [line for line in (ROOT / f"tests/simt/{name}.h200")
                   .read_text().splitlines() if not line.startswith("#")]
            for name in ("agree", "agree_hopper")}


def jobs(name):
    return [line.rsplit(" ", 1)[0] for line in RECORDED[name]]


@pytest.mark.parametrize("program", ["driver", "driver_plain"])
@pytest.mark.parametrize("name, count", [("agree", 36), ("agree_hopper", 15)])
def test_as_an_h200_did(name, count, program):
    assert len(RECORDED[name]) == count
    assert drive(program, jobs(name), "") == RECORDED[name]


@pytest.mark.parametrize("name", RECORDED)
def test_as_the_gpu_of_this_machine_does(name):
    program = PROGRAMS / "driver-gpu"
    if not program.exists() or run("nvidia-smi -L").code:
        pytest.skip("no NVIDIA GPU here, or no nvcc")
    if name == "agree_hopper" and run(
            f"echo {jobs(name)[0]} | {program}").code == 2:
        pytest.skip("this GPU is not of compute capability 9.0")
    assert drive("driver-gpu", jobs(name), "") == drive(
        "driver", jobs(name), "")
