"""A reader's own program, with its own main, on the executor. Those of
tests/program/programs are of the kinds that people write: each runs to its end
and is right, and where a fault is put into one the lines marked with it are
named. A program that cannot run gets one sentence, which names the line."""

import re

import pytest

from support import ROOT, Tree, run

pytestmark = pytest.mark.apart

FOLDER = ROOT / "tests/program/programs"
HOPPER = {path.stem: path for path in sorted(ROOT.glob("hopper/*.cu"))}
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.cu"))
# (program, fault) -> what is said, and {(file, line)}
FAULTS = {}
for path in sorted(FOLDER.glob("*.cu*")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if mark := re.search(r"// @(\d) (.+)$", line):
            fault = FAULTS.setdefault((path.stem, mark[1]), (mark[2], set()))
            fault[1].add((path.name, number))


def make(words, code=0, *says):
    """Make itself ends with 2, whatever the tool's code is."""
    return Tree().make(f"{words} TARGET=cpu", 2 if code else 0,
                       f"Error {code}" if code else "", *says)


@pytest.fixture(name="put")
def _put(tmp_path):
    """The programs, where no other test builds them; or one of these lines."""
    def put(name, text=None):
        for file in [] if text else FOLDER.iterdir():
            (tmp_path / file.name).write_text(file.read_text())
        if text:
            (tmp_path / name).write_text(text)
        return tmp_path / name
    return put


def findings(text):
    """[(what it says, {(file, line)})]"""
    return [(found[1], {(name, int(line)) for name, line in re.findall(
                r"^  (?:here |there) \S*/(\S+):(\d+)", found[0], re.M)})
            for found in re.finditer(r"^(\w[\w ]*): .*\n(?:  .*\n)+", text,
                                     re.M)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_right_program(name, put):
    said = make(f"race FILE={put(name + '.cu')}", 0, "0 wrong",
                "\n0 findings\n", "\nNot checked: ")
    assert "two variables" not in said


def test_the_first_kernel():
    make("race FILE=first/attention.cu ARGS=70", 0, "right", "\n0 findings\n")


@pytest.mark.parametrize("name, number", FAULTS)
def test_a_fault_is_named_at_its_lines(name, number, put):
    said = make(f"race FILE={put(name + '.cu')} FLAGS=-DFAULT={number}", 1)
    assert FAULTS[name, number] in findings(said), said


@pytest.mark.parametrize("name", HOPPER)
def test_a_page_of_hopper(name):
    make(f"race FILE={HOPPER[name]}", 0, ", 0 wrong", "\n0 findings\n")


@pytest.mark.parametrize("name, old, new, kind, line", [
    ("mbarrier_ring", "(use + 1) & 1", "use & 1", "deadlock",
     "mbarrier.try_wait"),
    ("wgmma_registers", '"wgmma.fence.sync.aligned;"', '""',
     "no wgmma fence", "wgmma.mma_async"),
])
def test_a_fault_on_a_page_of_hopper(name, old, new, kind, line, put):
    text = HOPPER[name].read_text()
    assert text.count(old) == 1
    text = text.replace(old, new)
    said = make(f"race FILE={put('x.cu', text)}", 1)
    places = dict(findings(said))[kind]
    assert places and all(line in text.splitlines()[number - 1]
                          for _, number in places), said


def test_run_is_plain_and_says_so(put):
    said = make(f"run FILE={put('softmax.cu')} ARGS=96", 0, "0 wrong",
                "Not checked: all that needs each load and store")
    assert "0 findings" not in said


def test_as_editors_for_windows_write_it(put):
    text = HOPPER["tma_copy"].read_text().replace("\n", "\r\n")
    make(f"run FILE={put('x.cu', chr(0xfeff) + text)}", 0, ", 0 wrong")


def test_count(put):
    said = make(f"count FILE={put('transpose.cu')}", 0, "0 wrong")
    # Half of the loads in 32 wavefronts, with the pad half in one.
    assert re.search(r" shared load +256 +16\.50 of +1\.00 wavefronts", said)


def test_several_files(put):
    main = put("main.cu", """\
void fill(int *x);
int main() { int *x; cudaMalloc(&x, 128); fill(x); }
""")
    other = put("other.cu", """\
__global__ void one(int *x) { x[threadIdx.x - x[0]] = 1; }
void fill(int *x) { one<<<1, 32>>>(x); cudaDeviceSynchronize(); }
""")
    said = make(f"race 'FILE={main} {other}'", 1, "uninitialised read")
    assert ("other.cu", 1) in findings(said)[0][1]


# text, code, what is said; @ stands for the file
BAD = {
    "textures": ("__global__ void k(cudaTextureObject_t t, float *o) {\n"
                 "  *o = tex2D<float>(t, 1, 2);\n}\nint main() {}\n", 3,
                 "@:2:8: the executor has no textures (tex2D)."),
    "CUB": ("\n#include <cub/cub.cuh>\nint main() {}\n", 3,
            "@:2:2: the executor has no CUB."),
    "launches of kernels": (
        "__global__ void a() {}\n__global__ void b() {\n  a<<<1, 1>>>();\n}\n"
        "int main() {}", 3, "@:3:3: the executor has no dynamic parallelism."),
    "PTX": ('__global__ void a() {\n  asm volatile("{\\n"\n"tcgen05.wait::st'
            '.sync.aligned;}");\n}\nint main() {}', 3, "@:3:",
            "the executor has no PTX instruction tcgen05.wait::st.sync.alig"),
    "an atomic": ("__global__ void a(unsigned short *x) {\n"
                  "  atomicAdd(x, (unsigned short)1);\n}\nint main() {}\n", 3,
                  "@:2: the executor cannot do this: 4 or 8 bytes."),
    "cuBLAS": ("#include <cublas_v2.h>\nint main() {\n"
               "  cublasDgemm(0);\n}\n", 3,
               "@:3:3: the executor has no cuBLAS but for its products"),
    "a vote of all": ("__global__ void a(int *x) {\n  *x = __ballot(1);\n}\n"
                      "int main() {}\n", 2, "@:2:16: error: call to",
                      "error: __ballot_sync() names the lanes that vote"),
    "no main": ("__global__ void a() {}\n", 2, "@ has no main"),
    "a text without end": ('int main() { "', 2, "does not compile"),
    "an error": ("int main() {\n\n  return x;\n}\n", 2, "@:3:10: error:",
                 "@ does not compile: @:3."),
    "a crash": ("int main() {\n  volatile int *x = 0;\n  *x = 1;\n}\n", 1,
                "crash: Segmentation fault", "@:3\n"),
    "a cast": ("__global__ void a(float x) {\n  volatile int i = (int)x;\n}\n"
               "int main() {\n  a<<<1, 1>>>(3e9f);\n}\n", 0,
               "cast out of range", "@:2, thread 0"),
    "a loop in a kernel": (
        "__global__ void a(volatile int *x) {\n  while (!*x) ;\n}\n"
        "int main() {\n  int *x;\n  cudaMalloc(&x, 4);\n"
        "  cudaMemset(x, 0, 4);\n  a<<<1, 1>>>(x);\n}\n", 1, "livelock",
        "@:2, thread 0"),
    "100 GB": ("#include <cstdio>\nint main() {\n  void *x;\n"
               "  puts(cudaGetErrorString(\n"
               "      cudaMalloc(&x, 100000ull << 30)));\n}\n", 0,
               "out of memory", "failed call: cudaMalloc()"),
    "a result of its own": ("int main() { return 7; }\n", 1,
                            "The program itself ended with 7."),
}


@pytest.mark.parametrize("name", BAD)
def test_one_sentence(name, put):
    text, code, *says = BAD[name]
    path = put("x.cu", text)
    make(f"race FILE={path}", code, *[s.replace("@", str(path))
                                      for s in says])


@pytest.mark.parametrize("words, code, says", [
    ("race FILE=", 2, "FILE names a CUDA program"),
    ("race FILE=no/such.cu", 2, "There is no file no/such.cu."),
    ('race FILE="a\'b.cu"', 2, "FILE=a'b.cu is not understood"),
    ("run FILE=x.cu LIMIT=soon", 2, "LIMIT is a number of seconds"),
    ("run FILE=x.cu BLOCKS=-1", 2, "BLOCKS is a number of blocks"),
])
def test_what_is_typed(words, code, says):
    make(words, code, says)


@pytest.mark.parametrize("words, says", [
    ("stage1 race FILE=x.cu", "leave out stage1"),
    ("bench FILE=x.cu", "FILE goes with run, race or count")])
def test_what_does_not_go_together(words, says):
    ran = run(f"make {words}")
    assert ran.code == 2 and says in ran.text


LONG = """\
#include <cstdio>
__global__ void k(float *x) {
  float sum = 0;
  for (int i = 0; i < 20000; i++) sum += x[i * 7 % 64];
#ifdef RACE
  x[64] = sum + threadIdx.x;
#endif
  x[64 + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  float *x, y;
  size_t n = 4096 * 256 + 64;
  cudaMalloc(&x, n * 4);
  cudaMemset(x, 0, 64 * 4);
  k<<<4096, 256>>>(x);
  cudaMemcpy(&y, x + n / 2, 4, cudaMemcpyDeviceToHost);
}
"""


def test_a_size_made_for_a_gpu(put):
    path = put("long.cu", LONG)
    make(f"race FILE={path} LIMIT=8 FLAGS=-DRACE", 1, "\nrace: ",
         "of 4096 blocks are done after 5 s", "found until then",
         f"{path} was stopped after 8 s")
    make(f"race FILE={path} BLOCKS=4", 0, "0 findings",
         "BLOCKS has left out blocks")


@pytest.mark.skipif(run("nvidia-smi -L").code, reason="no NVIDIA GPU here")
def test_on_a_gpu():
    Tree().make("run FILE=first/attention.cu ARGS=70", 0, "right")
