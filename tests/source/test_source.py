"""The library that finds places in kernels and edits them: a mistake that it
plants elsewhere than its list says would judge the gates by another one."""

import sys

import pytest

from support import ROOT

sys.path.append(str(ROOT / "tools/source"))
from editing import Misfit, Source, read_source  # noqa: E402

KERNEL = r"""//> head
#include <mma.h>
// Says: f(1); and //> no-region
#define TWICE(x) \
  #x; f(2)
template <int N, int SLOTS = 2>
struct shape {
  static constexpr int SIZE = N * 2;  // bytes
};
//< head

//> load
__device__ void copy(int n, const char *text = "wait(1); }") {
  float m[2] = {0.0f, 1.0f}, l[2] = {};
  const auto say = [&](int step) { arrive(&full[step % 2]); };
  const auto sum = [&](int c) -> float4 & {
    return all[c];
  };
#pragma unroll
  for (int i = 0; i < 4; i++) {
    wait<1>(s);  // the first; of two
    if (n > 0) wait(0);
    else
      arrive( /* a comment */ n,
             m[0]);
  }
//< load
#if A
//> half
  for (;;) {
    __syncthreads();
//< half
#else
  {
    __syncthreads();
#endif
  }
//> rest
  while (n < 1'000) n += 'a' >= 2 ? 0x1Fu : 1.5e-3f;
  // Two barriers
  // in a row
  __syncthreads();
  __syncthreads();  // again
  if (x) return;
}
//< rest
"""
SOURCE = Source("kernel.cu", KERNEL)


@pytest.mark.parametrize("text", ['"abc', "'", "/* abc", '"a\\', "\\", "f(",
                                  "a[", "{", "}}}", ")", "#", "<<", "#if"])
def test_what_is_not_closed_ends(text):
    assert Source("kernel.cu", text).applied([]) == text


@pytest.mark.parametrize("text", [
    "\n//> a\n", "//> a\n//< b\n", "//> a\n//< a\n//> a\n//< a\n",
    "//> a\n//< a\n//< a\n"])
def test_bad_regions(text):
    with pytest.raises(Misfit, match="kernel.cu:"):
        Source("kernel.cu", text)


def test_no_file():
    with pytest.raises(Misfit, match="/nowhere/kernel.cu"):
        read_source("/nowhere/kernel.cu")


@pytest.mark.parametrize("name, begins", [
    ("load: 1st wait", "wait<1>(s);"),
    ("load: last wait", "if (n > 0) wait(0);"),
    ("load: wait < 1 >", "wait<1>(s);"),
    ("load: arrive(n, m", "else\n"),
    ("load: 1st statement", "__device__ void copy"),
    ("rest: last statement", "if (x) return;"),
    ("load: for (int i", "for (int i = 0; i < 4; i++) {"),
    ("head: #define TWICE", "#define TWICE"),
    ("load: #pragma", "#pragma unroll"),
    ("half: __syncthreads", "__syncthreads();\n//< half"),
    ("*: 2nd __syncthreads", "__syncthreads();\n#endif"),
    ("rest", "//> rest\n")])
def test_place(name, begins):
    assert KERNEL[SOURCE.place(name).begin:].startswith(begins)


def test_sites():
    assert list(SOURCE.sites("wait* arrive __syncthreads")) == [
        "load: 1st arrive", "load: 1st wait", "load: 2nd wait",
        "load: 2nd arrive", "half: __syncthreads", "*: 2nd __syncthreads",
        "rest: 1st __syncthreads", "rest: 2nd __syncthreads"]


WAIT = "wait<1>(s);  // the first; of two"
ARRIVE = "arrive( /* a comment */ n,\n             m[0]);"
BOTH = f"{WAIT}\n    if (n > 0) wait(0);"
TURNED = "if (n > 0) wait(0);  // the first; of two\n    wait<1>(s);"


@pytest.mark.parametrize("name, words, old, new", [
    ("load: 1st wait", "remove", f"    {WAIT}\n", ""),
    ("load: 1st arrive", "remove", "arrive(&full[step % 2]);", ""),
    ("load: 1st wait", "empty", WAIT, ";"),
    ("load: 2nd wait", "empty", "wait(0);", ";"),
    ("load: 2nd arrive", "empty", ARRIVE, ";"),
    ("load: 1st wait", "double", "two\n", "two\n    wait<1>(s);\n"),
    ("load: 1st wait", r"before f();\ng();", "wait<1>",
     "f();\n    g();\n    wait<1>"),
    ("load: for (int i", "before f();", "#pragma", "f();\n  #pragma"),
    ("load: for (int i", "after f();", "i++) {", "i++) {\n  f();"),
    ("rest: 1st __syncthreads", "before f();", "// Two barriers",
     "f();\n  // Two barriers"),
    ("load", "after f();", "//< load\n", "//< load\nf();\n"),
    ("load: 1st wait", r"write f();\ng();", WAIT, "f();\n    g();"),
    ("load: 1st wait", "<1> => <2>", "wait<1>(s)", "wait<2>(s)"),
    ("load: 2nd arrive", "arrive(n => wait(n", "arrive( /* a comment */ n",
     "wait(n"),
    ("load: 1st wait", "down", BOTH, TURNED),
    ("load: 2nd wait", "up", BOTH, TURNED)])
def test_edit(name, words, old, new):
    assert SOURCE.applied(SOURCE.edits(SOURCE.place(name), words)) == (
        KERNEL.replace(old, new, 1))


@pytest.mark.parametrize("name", [
    "lode: wait", "load: waits", "*: waits", "load: wait", "load: 3rd wait",
    "head: f", "load: ", "load wait", ""])
def test_no_place(name):
    with pytest.raises(Misfit):
        SOURCE.place(name)


@pytest.mark.parametrize("name, words", [
    ("load: 1st wait", "up"), ("load: 2nd arrive", "down"),
    ("half: __syncthreads", "down"), ("load: 1st wait", "wait(2) => f()"),
    ("load: float m", "2 => 3"), ("load: 1st wait", "delete"),
    ("load", "remove")])
def test_no_edit(name, words):
    place = SOURCE.place(name)
    with pytest.raises(Misfit):
        SOURCE.edits(place, words)
