"""Code that is handed in for a kernel and is none must not run on a teacher's
machine, write its own grade, or hang there."""

import pytest

from support import have

WARMUP = "".join(f"//> {r}\n//< {r}\n" for r in ("copy", "reduce", "transpose"))
OUTSIDE = "does something before it is launched or after"
# Of each what the grade says, and what is in the launch and beside it.
NO_KERNELS = {
    "exit": ("calls exit,", "exit(0);", ""),
    "fork": ("calls fork,", "fork();", 'extern "C" int fork();'),
    "a header of the system": ("includes <unistd.h>", "",
                               "#include <unistd.h>"),
    "checks off": ("has 'simt_set_checks',", "simt_set_checks(0);",
                   'extern "C" void simt_set_checks(unsigned);'),
    "memory": ("calls operator new[](unsigned long),",
               "p = new char[10ul << 30];", ""),
    "syscall": ("has 'asm',", 'long r; asm volatile('
                '"syscall" : "=a"(r) : "a"(60) : "rcx", "r11");', ""),
    "bytes": ("has '__attribute__((section(", "p = (char *)code;",
              '__attribute__((section('
              '".text"))) extern const char code[] = {15, 5, -61};'),
    "destructor": ("has '__attribute__((destructor))", "", "__attribute__"
                   "((destructor)) static void behind_main() { p = 0; }"),
    "variable": (OUTSIDE, "", "int f() { return !p; }\nint first = f();"),
    "shared": ("has a shared variable before outside of all kernels", "",
               "__shared__ int before;\nint look() { return before; }"),
    "races only": ("has '__SANITIZE_THREAD__',", "", "#ifdef "
                   "__SANITIZE_THREAD__\n__attribute__((constructor)) static "
                   "void first() { p = 0; }\n#endif"),
    # Where it stores is seen by nobody.
    "remquo": ("calls remquof,", "int n; if (remquof(!p, 2, &n) > 9) return n;",
              "#include <math.h>"),
    "header": ("has '#define EOF 1' before it includes <math.h>", "",
               "#define EOF 1\n#include <math.h>"),
    "fwrite": ("defines fwrite,", "", 'extern "C" unsigned long fwrite(const '
               "void *, unsigned long n, unsigned long, FILE *) { return n; }"),
    "new": ("defines operator new(unsigned long),", "",
            "void *operator new(unsigned long) { return p; }"),
    "ifunc": ("has '__attribute__((ifunc(", "",
              'extern "C" { static void *choose() { return p; }\n'
              'int chosen() __attribute__((ifunc("choose"))); }'),
}


@pytest.mark.parametrize("what", [
    pytest.param(w, marks=[] if w in ("fork", "checks off", "syscall",
                                      "destructor", "fwrite") else
                 pytest.mark.slow) for w in NO_KERNELS])
def test_no_kernel_is_not_run(tree, what):
    says, inside, beside = NO_KERNELS[what]
    tree.write("mine/labw/kernel.cu", f"""{WARMUP}
#include <stdio.h>
#include <stdlib.h>
static char *volatile p;
{beside}
extern "C" int warmup_launch() {{ {inside} return !p; }}
""")
    tree.make("labw grade", 2, f"NOT MET    admitted: kernel.cu {says}",
              LAB_NVCC=0)


@pytest.mark.skipif(not have("mpicc"), reason="MPI is not here")
def test_a_c_file_has_the_names_of_the_book_s_and_no_others(tree, lab):
    lab18b = lab(tree, "lab18b")
    tree.make("lab18b grade RANKS=9", 2, "RANKS is 2 to 8")
    lab18b.refuses(lab18b.skeleton + "int other(void);\n"
                   "int other(void) { return 1; }\n", ["admitted"],
                   "defines other,")


# ---- more, in a kernel that is right but for that ----

@pytest.fixture(scope="module")
def lab2(tree, lab):
    return lab(tree, "lab2")


LAUNCH, SUPPORT = "launch: 1st LAUNCH", "launch: stage_support ="
STORE = "softmax-exponentials: tile_p[row]"


@pytest.mark.slow
@pytest.mark.parametrize("place, edit, demands, says", [
    ("p-times-v: __syncthreads", "write __syncthread();", "compiles",
     "__syncthread"),
    ("p-times-v: __syncthreads", "write __activemask();", "compiles",
     "since Volta it is chance"),
    (LAUNCH, "before for (;;) ;", "gates", "does a loop never end?"),
    ("store-output: uint16_t *o =",
     "args.o + head_start => args.o - (1 << 28) + head_start",
     "gates race", "outside global memory"),
    (STORE, "tile_p[row] => tile_p[row + 4000]",
     "gates race", "outside the array"),
    (SUPPORT, "before char all[10ull << 30];", "admitted",
     "outlives the launch"),
    # The book's kernel says how P is rounded, not the reader's.
    (STORE, "= p => = static_cast<float>(__nv_fp8_e4m3(p))", "gates",
     "rel_rms"),
    (SUPPORT, "P_HALF => P_E4M3", "support", "P as a code"),
])
def test_it_is_stopped(tree, lab2, place, edit, demands, says, monkeypatch):
    monkeypatch.setitem(tree.environment, "LAB_SECONDS", "8")
    lab2.refuses(lab2.edited(place, edit), demands.split(), says)


@pytest.mark.slow
def test_a_toggle_that_cannot_be_read_is_not_passed_over(tree, lab2):
    tree.write(lab2.kernel, lab2.solution.replace("DEBUG_PRINT: 0 1",
                                                  "DEBUG_PRINT: 0, 1"))
    tree.make("lab2 grade", 2, "a toggle is declared as in")


@pytest.mark.slow
def test_a_grade_that_was_cut_off_two_at_once_and_a_full_disk(tree, lab2):
    tree.write(lab2.kernel, lab2.solution)
    tree.write("mine/lab2/grade.json", '{"lab": "lab2", "dem')
    tree.make("lab2 grade", 0, "lab2 is passed.")
    tree.ends("make lab2 grade >one & make lab2 grade >two && wait $!")
    assert tree.json("mine/lab2/grade.json")["passed"]
    tree.write(lab2.kernel, lab2.skeleton)
    for _ in range(2):
        tree.make("lab2 grade", 2)
        assert tree.json("mine/lab2/grade.json")["passed_before"]
    tree.write(lab2.kernel, lab2.solution)
    tree.run("rm -rf build/cpu/lab2 build/instrumented/lab2")
    said = tree.run(["bash", "-c", "trap '' XFSZ; ulimit -f 40; "
                     "make lab2 grade"], CCACHE_DISABLE=1).text
    assert "full" in said and tree.read(lab2.kernel) == lab2.solution, said


@pytest.mark.slow
def test_watch_grades_at_the_start_and_at_each_save(tree, lab2):
    tree.write(lab2.kernel, lab2.skeleton)
    tree.write("solution", lab2.solution)
    said = tree.run(f"""
      graded() {{
        for _ in $(seq 400); do
          [ "$(grep -c 'Save kernel.cu' watched)" != "$1" ] || return
          sleep 0.3
        done
      }}
      setsid make lab2 watch >watched 2>&1 &
      graded 1; cp solution {lab2.kernel}; graded 2
      kill -- -$!
      cat watched""").text
    verdicts = [said.find(f"lab2 is {v}") for v in ("not passed", "passed")]
    assert 0 < verdicts[0] < verdicts[1], said


# ---- what is right, written as the book does not write it ----

HELPER = """template <typename SHAPE>
static cudaError_t start(CUtensorMap k_map, CUtensorMap v_map, dim3 grid,
                         const attention_args &args,
                         const attention_strides &strides,
                         cudaStream_t stream) {
  LAUNCH(attention_kernel<SHAPE>, grid, SHAPE::THREADS, SHAPE::SHARED_BYTES,
         stream, args, strides.q, strides.o, k_map, v_map);
  return cudaGetLastError();
}

"""
ASKED = """  if (args->strides)  // attention.h: none below head_dim
    for (int64_t its : {args->strides->q.row, args->strides->k.row})
      if (its < args->head_dim) return cudaErrorInvalidValue;
"""


@pytest.mark.slow
@pytest.mark.parametrize("name, edits", [
    ("lab10", [("//> launch-shape\n", f"//> launch-shape\n{HELPER}"),
               (HELPER[HELPER.find("  LAUNCH("):-4],
                "  return start<SHAPE>(k_map, v_map, grid, args, strides, "
                "stream);\n"),
               ("  if (args->head_dim == 64)", f"{ASKED}  if (args->head_dim "
                "== 64)")]),
    ("labh", [("const int slot = i % SLOTS, use",
               "typedef int whole;\n    int slot, turn;\n    slot = i % SLOTS; "
               "turn = i / SLOTS;\n    const whole use = turn, last")]),
])
def test_a_right_kernel_passes(tree, lab, name, edits):
    lab = lab(tree, name)
    text = lab.solution
    for old, new in edits:
        at = text.rfind(old)
        assert at >= 0, old
        text = text[:at] + new + text[at + len(old):]
    _, said, grade = lab.grade(text)
    assert grade["passed"], said
