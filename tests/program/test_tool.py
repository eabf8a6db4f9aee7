"""The executor in a folder of its own, on a machine that has neither this tree
nor CUDA: both are covered where the kernel lets us, and named in no file."""

import fcntl
import os
import shutil

import pytest

from support import ROOT, Tree, run

pytestmark = pytest.mark.takes(40)

PROGRAMS = ROOT / "tests/program/programs"
COVER = (f"mount -t tmpfs none {ROOT} && cuda=$(readlink -f /usr/local/cuda) &&"
         ' { [ ! -d "$cuda" ] || mount -t tmpfs none "$cuda"; }')


@pytest.fixture(name="check", scope="module")
def _check(tmp_path_factory):
    far = tmp_path_factory.mktemp("far")
    with open(ROOT / "build/.tool", "w") as lock:  # for each worker its own
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = run("make tool")
        assert built.code == 0 and "simt-check is complete" in built.text
        shutil.move(ROOT / "build/simt-check", far / "of a reader's")
    for name in "softmax.cu", "stencil.cu", "stencil.cuh", "barrier.cu":
        shutil.copy(PROGRAMS / name, far)
    can_cover = run(f"unshare -rm sh -c '{COVER}'").code == 0

    def check(words, code=0, *says, **more):
        line = f'cd {far} && "of a reader\'s/simt-check" {words}'
        if can_cover:
            line = ["unshare", "-rm", "sh", "-c", f"{COVER} && {line}"]
        return Tree(far).ends(line, code, *says, PATH="/usr/bin:/bin", **more)
    check.folder = far / "of a reader's"
    return check


def test_it_names_nothing_of_this_tree(check):
    for path in check.folder.rglob("*"):
        assert path.is_dir() or os.fsencode(ROOT) not in path.read_bytes(), path
    assert {"simt-check", "README.md", "LICENSE"} <= {
        path.name for path in check.folder.iterdir()}


def test_a_right_program(check):
    check("race softmax.cu", 0, "0 wrong", "\n0 findings\n")


def test_a_fault(check):
    check("race barrier.cu -D FAULT=2 -- 5 6", 1, "deadlock: ",
          "here  barrier.cu:", "128 of 129 arrivals")


def test_other_verbs_and_a_header_beside(check):
    check("run stencil.cu", 0, "0 wrong", "Not checked")
    check("count softmax.cu", 0, "0 wrong", "\nsoftmax.cu\n", "shared load",
          "it cannot say so here")


@pytest.mark.parametrize("words, code, says", [
    ("", 2, "simt-check VERB FILE.cu"),
    ("race", 2, "simt-check race takes a CUDA program, as in"),
    ("race softmax.cu LIMIT=x", 2, "LIMIT is a number of seconds, not 'x'.")])
def test_what_is_typed(check, words, code, says):
    assert says in check(words, code)
