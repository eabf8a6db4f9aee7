"""The goals as a reader types them: what they print, their exit code, and what
they leave behind."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import Tree, folder_of, made_up, stage

ONE = stage(1)


@pytest.mark.parametrize("words, says", [
    ("", "make stage1 bench"),
    ("stage1 TARGET=cpu", f"built build/cpu/{ONE}"),
    ('-j stage0 stage1 check TARGET=cpu SHAPES=small SEEDS="0 1"',
     "stage0_scalar on CPU executor"),
    ("stage1 check TARGET=cpu USE_CP_ASYNC=0 SHAPES=small",
     "USE_CP_ASYNC=0 LOAD_BYTES=16"),
    ("stage1 check TARGET=cpu DEBUG_PRINT=1 SHAPES=small SEEDS=0",
     "keys from 0: m"),
    ("diff-stage1", "wmma::mma_sync"),
])
def test_goal(tree, words, says):
    tree.make(words, 0, says)


def test_what_a_test_needs_is_built_and_no_more(sources):
    sources.make("test ONLY=test_every_stage_has_a_lab", 0, "1 passed",
                 never=f"building build/cpu/{stage(9)}")


def test_bench_leaves_a_result(tree):
    """And two goals of one command run one after the other."""
    tree.make("stage1 bench TARGET=cpu SHAPES=small", 0, "no timings")
    [path] = tree.path.glob(f"results/cpu-executor/*/{ONE}.count.json")
    assert json.loads(path.read_text())["build_meta"]["kernel_hash"]


def test_bench_counts_no_wrong_kernel(tmp_path):
    """The programs are made up: the gates fail."""
    tree, name = Tree(tmp_path), f"{ONE}/default/program"
    tree.script(f"build/cpu/{name}", "exit 1\n")
    tree.script(f"build/instrumented/{name}", "echo $1\n")
    made_up(tree, "stage1 bench", "cpu", 1, never="count")


def test_without_a_gpu_each_verb_says_that_alone(tmp_path):
    """It had asked for a folder named after no device, and written to /."""
    tree = Tree(tmp_path)
    tree.script(f"build/gpu/{ONE}/default/program", "echo none >&2; exit 3\n")
    assert made_up(tree, "stage1 bench profile tune timeline peers", "gpu",
                   3) == "none\n" * 5


def test_two_makes_at_once(tree):
    """The second waits for the first."""
    tree.run("rm -rf build/cpu/stage0_scalar")
    with ThreadPoolExecutor() as pool:
        list(pool.map(tree.make, ["stage0 TARGET=cpu"] * 2))


def test_of_two_stages_each_meets_the_other_alone(tree):
    folder = tree.run("sed -n 's/^results: //p' chapters/book.yaml").text
    tree.make(f"stage0 stage1 compare AGAINST=stage0 JSON={folder}", 0,
              f"candidate  {ONE} default",
              never=f"candidate  {stage(0)} default")


CHECK = "stage0 check TARGET=cpu SHAPES="
KERNEL = folder_of(stage(0)) + "/kernel.cu"


def test_a_kernel_that_stops_fails_check_and_says_so_once(tree):
    stop = "  if (args.seq_len > 32) __trap();\n"
    tree.edit(KERNEL, "//< kernel-begin\n", f"{stop}//< kernel-begin\n")
    tree.make(f"{CHECK}'small mission'", 2, "small               18 ",
              "FAILED mission, normal inputs, seed 0", "The kernel failed: ",
              "19 of 36 cases run", never="brought to the device")
    tree.edit(KERNEL, stop, "")
