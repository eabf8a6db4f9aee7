"""One GPU for a class: who works on it waits for whoever does."""

import shutil
import subprocess
import time

import pytest

from support import ROOT, Tree, made_up, stage

ALONE = "tools/make/alone.py"
# Somebody holds the lock, and says when he has done.
HELD = ('flock lock sh -c "echo there >held; sleep 1; echo end >>order" & '
        "while [ ! -s held ]; do sleep 0.05; done; ")
WAIT = "; code=$?; wait; exit $code"
WAITS = "Waiting for the GPU: somebody is at work on it."


@pytest.fixture
def place(tmp_path):
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
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
    ("profile", "tools/profile/profile.py")])
def test_verbs_wait(place, verb, program):
    """The programs behind them are made up: they say their name."""
    place.script(f"build/gpu/{stage(1)}/default/program",
                 '[ "$1" = info ] && echo none || echo "program $*"\n')
    place.script("tools/resources/resources.py", "echo none\n")
    if "/" in program:
        place.script(program, f"echo {program}\n")
    held = HELD.replace("sleep 1", "sleep 4") + "wait"
    with subprocess.Popen(["sh", "-c", held], cwd=place.path):
        while not place.exists("held"):
            time.sleep(0.02)
        made_up(place, f"stage1 {verb}", "gpu", 0, WAITS, program)
