"""The goals as a reader types them: what they print, their exit code, and what
they leave behind."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from support import Tree, folder_of, made_up, stage

ONE, TEN = stage(1), stage(10)


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


# ---- stages that name architectures are built for those; for others they are
# refused in a sentence, or left out where all stages are asked for ----

@pytest.mark.parametrize("words", [
    f"{TEN} check TARGET=gpu ARCH=80", "stage10 peers TARGET=gpu ARCH=90",
    f"build/gpu/{TEN}/default/sm_89.cubin",
    "stage1 bench AGAINST=stage10 TARGET=gpu ARCH=80"])
def test_refused_before_any_kernel_is_built(tree, words):
    tree.make(words, 2, f"{TEN} needs compute capability 9.0 (ARCH=90a)",
              "Error 3", never="building build/gpu")


@pytest.mark.parametrize("verb", ["check", "peers"])
def test_left_out_of_all_stages(tree, verb):
    tree.make(f"-n {verb} TARGET=gpu ARCH=120", 0, f"{TEN} is left out",
              f"build/gpu/{ONE}", never=f"build/gpu/{TEN}")


def test_resources_of_the_architectures_that_run_it(tree):
    said = tree.make("-n resources ARCH=80", 0,
                     f"build/gpu/{ONE}/default/sm_80.cubin",
                     f"build/gpu/{TEN}/default/sm_90a.cubin")
    assert f"{TEN}/default/sm_80" not in said


# ---- a kernel whose long sums drift and that says so passes; one that does not
# say so fails, and so does one that says so and does not drift ----

INPUTS = "check TARGET=cpu SHAPES=small SEEDS=0 DISTRIBUTIONS="
OFFSET = INPUTS + "offset-values"


def test_where_sums_drift(tree):
    said = tree.make(f"stage12 {OFFSET}", 0, " keys, declared")
    error = float(re.search(r"drifts (\d\.\d+) at 2,048 keys", said)[1])
    assert 0.03 < error < 0.04, "what 64 sums of 14 bits lose"
    tree.make(f"stage12 {INPUTS}normal", 0, "passed", never="drift")
    tree.edit(folder_of(stage(12)) + "/kernel.cu", ", DRIFTS}", "}", 1)
    tree.make(f"stage12 {OFFSET}", 2, "does not say DRIFTS")


def test_where_promotion_keeps_it_down(tree):
    tree.make(f"stage17 {OFFSET}", 0, "does not drift: ")
    tree.make(f"stage17 PROMOTE_KEYS=0 {OFFSET}", 0, "keys, declared")
    kernel = folder_of(stage(17)) + "/kernel.cu"
    declared, count = re.subn(r"PROMOTE_KEYS == 0 \|\| [^?]*\? DRIFTS : 0}",
                              "DRIFTS}", tree.read(kernel))
    assert count == 1, "it does not declare its drift as this test thinks"
    tree.write(kernel, declared)
    tree.make(f"stage17 {OFFSET}", 2, "says DRIFTS, but")


# ---- the inputs `real`: where their file is cut off, damaged or gone, one
# sentence that names it and exit code 3 ----

FILE = "common/tensors/minilm.qkv"
HEAD = (b"recorded tensors 1: layers 4096 heads 4096 rows 512 width 32 "
        b"checksum 0")


def check_real(tree, inputs="real"):
    tree.make("build/cpu/stage0_scalar/default/program")
    return tree.run("build/cpu/stage0_scalar/default/program check "
                    f"--shape small --distribution {inputs}")


def test_judged_by_the_relative_gates(tree):
    ran = check_real(tree)
    assert ran.code == 0 and "passed" in ran.text, ran.text
    row = next(r for r in ran.text.splitlines() if r.startswith("small "))
    assert row.split()[1:4] == ["3", "-", "-"], row


@pytest.mark.parametrize("spoil, says", [
    (lambda data: data[:-999], "lacks 999 of"),
    (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "is damaged"),
    (lambda data: HEAD.ljust(96) + data[96:], "does not begin as"),
    (lambda data: None, "No such file")])
def test_a_file_that_is_none(tree, spoil, says):
    file = tree.path / FILE
    data = file.read_bytes()
    file.unlink()
    if spoilt := spoil(data):
        file.write_bytes(spoilt)
    ran = check_real(tree)
    assert ran.code == 3 and len(ran.text.splitlines()) == 1, ran.text
    assert FILE in ran.text and says in ran.text
    assert check_real(tree, "normal").code == 0, "other inputs need none"
    file.write_bytes(data)
