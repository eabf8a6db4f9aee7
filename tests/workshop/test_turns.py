"""One GPU for a class: who works on it waits for whoever does."""

import getpass
import shutil

import pytest

from support import ROOT, Tree

ALONE = "tools/make/alone.sh"
# Somebody holds the lock, and says when he has done.
HELD = ('flock lock sh -c "echo there >held; sleep 0.5; echo end >>order" & '
        "while [ ! -s held ]; do sleep 0.05; done; ")
WAIT = "; code=$?; wait; exit $code"
WAITS = f"Waiting for the GPU: {getpass.getuser()} is at work on it."


@pytest.fixture
def place(tmp_path):
    shutil.copytree(ROOT / "tools/make", tmp_path / "tools/make")
    return Tree(tmp_path, GPU_LOCK=tmp_path / "lock")


def test_somebody_is(place):
    place.ends(f'{HELD}{ALONE} sh -c "echo mine >>order; exit 7"{WAIT}', 7,
               WAITS)
    assert place.read("order") == "end\nmine\n"


def test_what_a_command_leaves_behind_holds_nothing(place):
    place.ends(f'{ALONE} sh -c "sleep 5 >left 2>&1 & echo first"; '
               f"timeout 3 {ALONE} echo second", 0, "second")


def test_no_lock(place):
    place.ends(f"{ALONE} echo done", 0, "Nobody is kept from the GPU", "done",
               GPU_LOCK=place.path / "none/lock")


@pytest.mark.parametrize("verb, program", [
    ("check", "program check"), ("bench", "program bench --commit abc"),
    ("profile", "tools/profile/profile.py"), ("peers", "tools/peers/start.py")])
def test_verbs_wait(place, verb, program):
    """The programs behind them are made up: they say their name."""
    place.script("build/gpu/stage0/default/program",
                 '[ "$1" = info ] && echo none || echo "program $*"\n')
    place.script("tools/resources/resources.py", "echo none\n")
    if "/" in program:
        place.script(program, f"echo {program}\n")
    place.ends(f"{HELD}tools/make/run-verbs.sh {verb} gpu stage0/default '' ''"
               f"{WAIT}", 0, WAITS, program, COMMIT="abc", PICKED="stage0",
               ARCH="90a")
