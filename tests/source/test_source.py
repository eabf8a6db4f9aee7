"""The library that finds places in kernels and edits them: what fits no place,
or no edit, is refused, and comments go where they should. (Rules, planted
mistakes and labs' wrong solutions show that it edits the right place.)"""

import sys

import pytest

from support import ROOT

sys.path.append(str(ROOT / "tools/source"))
from editing import Misfit, Source  # noqa: E402

KERNEL = r"""//> load
__device__ void copy(int n, const char *text = "wait(1); }") {
  float m[2] = {0.0f, 1.0f};
  const auto say = [&](int step) { arrive(&full[step % 2]); };
#pragma unroll
  for (int i = 0; i < 4; i++) {
    wait<1>(s);  // the first; of two
    if (n > 0) wait(0);
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
  // Two barriers
  // in a row
  __syncthreads();
  __syncthreads();  // again
}
//< rest
"""
SOURCE = Source("kernel.cu", KERNEL)
WAIT = "wait<1>(s);  // the first; of two"


@pytest.mark.parametrize("name, words, old, new", [
    ("load: 1st wait", "remove", f"    {WAIT}\n", ""),
    ("load: for (int i", "before f();", "#pragma", "f();\n  #pragma"),
    ("rest: 1st __syncthreads", "before f();", "// Two barriers",
     "f();\n  // Two barriers"),
    ("load: 1st wait", "down", f"{WAIT}\n    if (n > 0) wait(0);",
     "if (n > 0) wait(0);  // the first; of two\n    wait<1>(s);")])
def test_edit(name, words, old, new):
    assert SOURCE.applied(SOURCE.edits(SOURCE.place(name), words)) == (
        KERNEL.replace(old, new, 1))


@pytest.mark.parametrize("name", [
    "lode: wait", "load: waits", "load: wait", "load: 3rd wait", "load wait"])
def test_no_place(name):
    with pytest.raises(Misfit):
        SOURCE.place(name)


@pytest.mark.parametrize("name, words", [
    ("load: 1st wait", "up"), ("half: __syncthreads", "down"),
    ("load: 1st wait", "wait(2) => f()"), ("load: float m", "0 => 3"),
    ("load: 1st wait", "delete")])
def test_no_edit(name, words):
    place = SOURCE.place(name)
    with pytest.raises(Misfit):
        SOURCE.edits(place, words)
