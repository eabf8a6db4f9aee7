"""The executor on aarch64, emulated: a reader with such a machine gets the
gates, findings and counters that others get."""

import platform

import pytest

from simt import agree
from simt.driver import drive
from simt.test_counters import wrong_counts
from simt.test_findings import BUGS, CLEAN, misses
from support import ROOT, copy, have, stage

DEPS = ".deps/aarch64"
LIBRARIES = f"{DEPS}/usr/lib/aarch64-linux-gnu"
SYSTEM = "/usr/aarch64-linux-gnu"
# The paths are relative, as ccache wants them in each copy of the tree.
LINKS = (f"-L{LIBRARIES} -Wl,-rpath-link,{LIBRARIES}:"
         f"{DEPS}/lib/aarch64-linux-gnu")
HEADERS = f"{DEPS}/usr/include:{DEPS}/usr/include/aarch64-linux-gnu"
# Named, not left to the kernel: only root can tell it which emulator to use.
EMULATOR = ["qemu-aarch64-static", "-L", SYSTEM, "-E",
            f"LD_LIBRARY_PATH={SYSTEM}/lib:{LIBRARIES}:"
            f"{DEPS}/lib/aarch64-linux-gnu"]

pytestmark = [
    pytest.mark.skipif(platform.machine() == "aarch64",
                       reason="the executor's own tests are for this machine"),
    pytest.mark.skipif(not (have("aarch64-linux-gnu-g++") and have(
        EMULATOR[0]) and (ROOT / DEPS / "stamp").exists()),
        reason="no compiler and emulator: tools/setup/setup.sh aarch64")]


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    tree = copy(tmp_path_factory.mktemp("copy") / "tree", built=False)
    for name in "gcc", "g++":
        tree.script(f"a64/{name}",
                    f'exec aarch64-linux-gnu-{name} {LINKS} "$@"\n')
    return tree


def build(tree, *programs):
    tree.make("-j2 CC=a64/gcc CXX=a64/g++ " + " ".join(programs),
              CPATH=HEADERS)


def program(stage):
    return f"build/instrumented/{stage}/default/program"


def emulated(tree, stage, words, code=0, *says):
    return tree.ends(f"{' '.join(EMULATOR)} {program(stage)} {words}", code,
                     *says)


def as_here(there, stage, shape):
    """Gates, no finding, and this machine's counters, but for the one that is
    read from machine code."""
    emulated(there, stage, f"check --seeds 0 --shape {shape}", 0, " passed\n")
    emulated(there, stage, f"race --shape {shape}", 0, " 0 findings")
    count = f"count --multiprocessors 2 --shape {shape}"
    ours = there.ends(f"{ROOT}/{program(stage)} {count}")
    assert emulated(there, stage, count).splitlines() == [
        line for line in ours.splitlines()
        if "  other float operations" not in line]


@pytest.mark.takes(90)
@pytest.mark.parametrize("stage, shape", [(stage(0), "1,1,33,64"), *(
    pytest.param(stage(n), "1,2,130,64", marks=pytest.mark.slow)
    for n in (1, 5, 10, 12, 17))])
def test_a_stage(there, stage, shape):
    build(there, program(stage))
    assert there.ends(f"od -An -tu2 -j18 -N2 {program(stage)}").split() == [
        "183"]  # aarch64
    as_here(there, stage, shape)


@pytest.mark.slow
def test_the_executors_own_tests(there):
    build(there, "build/tests/simt/driver")
    driver = there.path / "build/tests/simt/driver"
    assert not list(misses(driver, BUGS, EMULATOR))
    assert not any(said["findings"] for said in drive(
        driver, CLEAN, before=EMULATOR))
    assert not list(wrong_counts(driver, EMULATOR))
    recorded = agree.recorded()
    assert [its["hash"] for its in drive(
        driver, recorded, before=EMULATOR)] == [
            wanted for wanted, _ in recorded.values()]
