"""What a learner types of a lab must never overwrite what he wrote, nor show
him the solution before he has tried."""

import re

import pytest

from support import run

KERNEL = "mine/lab2/kernel.cu"


@pytest.mark.parametrize("words, says", [
    ("lab2 hint", "'make lab2' lays"), ("lab2 reset", "'make lab2' lays"),
    ("lab2 watch", "'make lab2' lays"), ("lab2 grade", "'make lab2' lays"),
    ("lab99", "lab99"), ("hint", "hint needs a lab"),
    ("lab2 stage2 check", "together"), ("lab2 hint reset", "at a time"),
    ("lab2 profile", "profile"), ("labh check", "its own main"),
    ("lab18b resources", "no kernel"),
    ("-C labs lab99", "lab99"),
    ("build/gpu/lab10/default/sm_100.cubin", "compute capability 9.0"),
])
def test_a_command_that_makes_no_sense(tree, words, says):
    tree.make(words, 2, says)


@pytest.fixture
def lab2(tree):
    """Laid out: what the kernel holds."""
    tree.run("rm -rf mine")
    tree.make("lab2")
    return tree.read(KERNEL)


def test_the_task_and_its_hole(tree, lab2):
    tree.make("lab2", 0, "from stage2_wmma_pv", "Its chapter: chapters/",
              "The scores come from tensor cores", f"p-times-v in {KERNEL}")
    assert "//> p-times-v\n// Yours" in lab2 and "mma_sync(out" not in lab2


def test_nothing_that_was_written_is_lost(tree, lab2):
    tree.append(KERNEL, "// mine\n")
    tree.make("lab2", 0, "already")
    assert tree.read(KERNEL) == lab2 + "// mine\n"
    tree.make("lab2 reset", 0, f"{KERNEL}.1")
    assert tree.read(KERNEL) == lab2
    tree.append(KERNEL, "// again\n")
    tree.make("lab2 reset", 0, f"{KERNEL}.2")
    assert tree.read(f"{KERNEL}.1") == lab2 + "// mine\n"
    assert tree.read(f"{KERNEL}.2") == lab2 + "// again\n"


def test_as_editors_for_windows_write_it(tree, lab2):
    tree.write(KERNEL, "\ufeff" + lab2.replace("\n", "\r\n"))
    tree.make("lab2 check SHAPES=small", 2, "gates", "all of it is wrong")
    tree.make("lab2 grade", 2, "2 of 7 demands are not met")


def test_three_hints(tree, lab2):
    for number in 1, 2, 3, 3:
        tree.make("lab2 hint", 0, f"Hint {number} of 3:")


def test_the_solution_comes_after_an_attempt(tree, lab2):
    tree.make("lab2 solution", 2, "attempt")
    for grade, says in (('{"lab": "lab2", "dem', "grade.json"),
                        ('{"attempt": false}', "skeleton")):
        tree.write("mine/lab2/grade.json", grade)
        tree.make("lab2 solution", 2, says, never="mma_sync")
    tree.write("mine/lab2/grade.json", '{"attempt": true}')
    tree.make("lab2 solution", 0, "+        wmma::mma_sync(out[j], p16, v16")
    assert tree.read(KERNEL) == lab2


def test_a_full_disk(tree, lab2):
    """A file may not grow to a page; make itself writes none."""
    full = "trap '' XFSZ; ulimit -f 1; make lab2 "
    tree.append(KERNEL, "// dear\n")
    tree.ends(["bash", "-c", full + "reset"], 2, "Cannot write")
    assert tree.read(KERNEL) == lab2 + "// dear\n"
    assert not tree.exists(f"{KERNEL}.1")
    tree.run("rm -r mine")
    tree.ends(["bash", "-c", full], 2, "Cannot write")
    assert not tree.exists(KERNEL)
    tree.write("file", "")
    tree.ends("make lab2 MINE=file", 2, "Cannot write file/lab2")


@pytest.mark.parametrize("old, new, says", [
    ("//> p-times-v", "//> mine", "p-times-v"),
    ("//> p-times-v", "/" * (1 << 20), "megabyte"),
])
def test_what_cannot_be_graded(tree, lab2, old, new, says):
    tree.edit(KERNEL, old, new)
    tree.make("lab2 grade", 2, says)


nvcc = pytest.mark.skipif(run("tools/setup/cuda-home.sh").code != 0,
                          reason="no nvcc 12.8 or newer: make setup")


@nvcc
def test_resources_are_held_against_those_of_its_stage(tree, lab2):
    tree.make("lab2 resources", 0, "lab2/default sm_90a")
    tree.edit(KERNEL, "//> p-times-v\n", "//> p-times-v\n  volatile int "
              "own[64];\n  own[threadIdx.x % 64] = 1;\n")
    tree.make("lab2 resources", 2, "over budget: stack_bytes=0")


@nvcc
@pytest.mark.drawn(1)
@pytest.mark.parametrize("name, edits, says", [
    ("lab0", [(r"(__global__[^{;]*\{\n)", r"\1  volatile int own[64];\n"
               "  own[threadIdx.x % 64] = 1;\n")], "stack bytes"),
    ("lab4", [(r"\A", "#include <algorithm>\n"),
              (r"(//> first-copy\n)", r"\1#if NUM_STAGES == 4\n"
               "  (void)std::max(args.batch, args.heads);\n#endif\n")],
     "nvcc does not compile it with NUM_STAGES=4"),
    ("lab10", [(r"(float quad_max\(float x\) \{\n)", r"\1  __shared__ "
                "volatile float own[256];\n  own[threadIdx.x % 256] = x;\n"),
               (r"SHAPE::SHARED_BYTES\)", "227 * 1024)")],
     "a GPU refuses the launch"),
    ("lab0", [(r"(//> launch\n)", r"\1__constant__ const int rows[2] = "
               "{TILE_M, 1};\n"),
              (r"\+ TILE_M - 1", "+ rows[args->batch < 0] - 1")],
     "cannot be directly read in a host function"),
], ids=["the stack", "an arm", "shared arrays of functions", "the host reads"])
def test_what_nvcc_knows(fresh_tree, lab, name, edits, says):
    lab = lab(fresh_tree, name)
    fresh_tree.environment["LAB_NVCC"] = "1"
    text = lab.solution
    for old, new in edits:
        text, count = re.subn(old, new, text, count=1)
        assert count
    not_met, said, _ = lab.grade(text)
    assert not_met == ["resources"] and says in said, said


def test_a_grade_is_drawn_from_one_number(tree, lab2):
    tree.make("lab2 grade SEEDS='1 2'", 2, "1 2")


def test_the_list_says_what_is_passed(tree, lab2):
    tree.write("mine/lab2/grade.json", '{"passed": true}')
    tree.write("mine/lab3/grade.json", '["passed"]')
    tree.write("mine/lab4/grade.json",
               '{"passed": false, "passed_before": true}')
    said = tree.make("labs", 0, "lab18b", "P times V on tensor cores",
                     "lab4    passed before 35 min")
    assert re.search("(?m)^lab2 +passed +45 min", said), said
    assert said.count(" passed  ") == 1


def test_a_failed_gate_says_where(tree, lab):
    """And test is check; of one shape one line."""
    lab = lab(tree, "lab2")
    wrong = "wrong are all columns of rows with row % 8 = 3"
    text = lab.edited("store-output: const int out_row",
                      "after if (out_row % 8 == 3) continue;")
    lab.refuses(text, ["gates"], f"batch 0, head 0, row 3, column 0; {wrong}")
    said = tree.make("lab2 test SHAPES=small", 2, wrong)
    assert said.count("FAILED small") == 1 and "6 FAILED" in said, said


@pytest.mark.slow
def test_a_grid_may_be_of_the_blocks_that_fit(tree, lab):
    """By CUDA's function for a kernel's own type. Two would be refused."""
    lab15 = lab(tree, "lab15")
    launch = "  LAUNCH(attention_kernel<SHAPE>, grid,"
    assert lab15.solution.count(launch) == 1
    assert lab15.grade(lab15.solution.replace(launch, """\
  int fit = 0;
  error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &fit, attention_kernel<SHAPE>, SHAPE::THREADS,
      sizeof(shared_memory<SHAPE>));
  if (error) return error;
  LAUNCH(attention_kernel<SHAPE>, grid.x * fit,"""))[2]["passed"]
