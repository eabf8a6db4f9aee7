"""What a user types wrong gets a sentence and the right exit code before
anything is built or counted; and what is typed is data, never run."""

import pytest

from support import stage

ONE = stage(1)
PROGRAM = f"build/cpu/{ONE}/default/program"
SIGNS = ["'", ";>hacked", "$(shell>hacked)", "`id`", "*", '"']


def refused(tree, words, *says, **more):
    said = tree.ends(["make", *words], 2, *says, never="building", **more)
    assert not tree.exists("hacked"), said


# ---- after make ----

@pytest.mark.parametrize("words, says", [
    ("diff-stage0", "first stage"),
    ("stage99", "the stages here: stage0_scalar"),
    ("stage1 bnech", "'bnech'"),
    ("stage1 bench USE_CPASYNC=0", f"{ONE} has no toggle 'USE_CPASYNC'"),
    ("stage0 check USE_CP_ASYNC=0", "stage0_scalar has no toggle"),
    ("stage1 check USE_CP_ASYNC=2", "cannot be '2'"),
    ("stage1 check TARGET=cpu LOAD_BYTES=1", "needs LOAD_BYTES=16"),
    ("stage1 check TARGET=tpu", "gpu or cpu"),
    ("stage1 compare", "needs two stages"),
    ("doctor SHAPE=small", "Did you mean 'SHAPES'"),
    ("stage1 race TARGET=cpu MULTIPROCESSORS=1025", "from 1 to 1024"),
])
def test_refused(tree, words, says):
    refused(tree, words.split(), says)


def test_refused_toggle_in_the_environment(tree):
    refused(tree, ["stage1", "check"], "USE_CP_ASYNC", "write it after make",
            USE_CP_ASYNC=0)


@pytest.mark.parametrize("words, says", [
    *((["check", f"SHAPES=small{sign}"], f"'small{sign}' is no shape")
      for sign in SIGNS),
    (["check", "SEEDS=0;'"], "not '0;'"),
    (["check", "ORDER='"], "not '''"),
    (["check", "DISTRIBUTIONS=;"], "no distribution ';'"),
    (["check", "USE_CP_ASYNC=0;>hacked"], "cannot be '0;>hacked'"),
    (["check", "USE_CP_ASYNC=$(shell >hacked)"], f"USE_CP_ASYNC of {ONE}"),
    (["compare", "AGAINST=stage0;>hacked"], "stage0;>hacked, which is no"),
    (["resources", "ARCH=90a;>hacked"], "not '90a;>hacked'"),
    (["x;>hacked"], "no goal 'x;>hacked'"),
    (["check-al"], "Did you mean 'check-all'"),
])
def test_signs_are_data(tree, words, says):
    refused(tree, ["stage1", "TARGET=cpu", *words], says)


@pytest.mark.parametrize("name", ["it's", ";>hacked", "$(shell >hacked)"])
def test_folder_with_signs(tree, name):
    tree.ends(["make", "stage0", "count", "SHAPES=1,1,1,64", f"JSON={name}"])
    assert tree.json(f"{name}/stage0_scalar.count.json")
    assert not tree.exists("hacked")


@pytest.mark.parametrize("arms, says", [
    ("stage0 stage1", "what it is to be compared with"),
    ("%", "no toggle '%'"),
    ("stage1:USE_CP_ASYNC=0,USE_CP_ASYNC=1", "0 and 1: give it one value"),
    ("LOAD_BYTES=1", "it needs LOAD_BYTES=16"),
])
def test_against(tree, arms, says):
    refused(tree, ["stage1", "TARGET=cpu", "compare", f"AGAINST={arms}"], says)


# ---- to a stage's program ----

@pytest.mark.parametrize("shape, says", [
    *((shape, "is no shape") for shape in (
        "", "missoin", "1,8,512", "1,2,,64", "1.5,2,3,64", "1,2,+3,64",
        "1,2,3,64\n", "2,8:2,333,64,Causal", "1,2,3,64,keys=2147483648",
        "1,2,3,64,scale=nan", "1,2,3,64,strides=", "x" * 5000)),
    ("0,8,512,64", "at least 1"),
    ("1,8,-4,64", "at least 1"),
    ("2,8:3,333,64", "multiple of its 3 K/V heads"),
    ("1,8,99999999999999999999,64", "too large"),
    ("1,70000,64,64", "65535"),
    ("65535,65535,2147483647,64", "elements"),
])
def test_shape(root, shape, says):
    root.ends([PROGRAM, "check", "--shape", shape], 2,
              says if len(shape) < 100 else shape[:200])


@pytest.mark.parametrize("words, code, says", [
    ("check --shape 1,8,64,128", 3, "takes D = 64"),
    ("check --shape 1,4,64,64,causal", 3, "no causal mask"),
    ("check --shape 64,64,1048576,64", 3, "GiB"),
    ("check --seeds 0,x", 2, "seed"),
    ("bench --iters 3", 2, "--iters"),
    ("check --distribution uniform", 2, "'uniform'"),
    ("benhc", 2, "'benhc'"),
    ("bench", 3, "predicts no GPU's time"),
    ("count", 3, "without instrumentation"),
    ("--help", 0, "Exit status: 0 pass"),
])
def test_program(root, words, code, says):
    root.ends(f"{PROGRAM} {words}", code, says)
