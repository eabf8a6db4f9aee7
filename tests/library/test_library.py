"""The library as its users meet it: who includes its header, links it, or fills
its structures from Python must not get another one than was meant."""

import ctypes
import re
import types

import pytest

from support import have, run, same_in_c

HEADER = "libfp8attention/fp8attention.h"
LIBRARY = "build/gpu/libfp8attention/libfp8attention.so"


def declared(root):
    names = re.findall(r"(fp8attention_[a-z_]+)\(", root.read(HEADER))
    return sorted(set(names))


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++", "clang++"])
def test_the_header_alone(root, compiler):
    if not have(compiler):
        pytest.skip(f"{compiler} is not here")
    cpp = "++" in compiler
    source = "tests/library/use.cpp" if cpp else f"-x c {HEADER}"
    for standard in ("c++98", "c++17") if cpp else ("c99", "c11"):
        root.ends(f"{compiler} -std={standard} -pedantic -Wall -Wextra -Werror "
                  f"-I. -fsyntax-only {source}")


def test_cpp_calls_by_the_names_in_c(root, tmp_path):
    root.ends(f"g++ -I. -c -o {tmp_path}/use.o tests/library/use.cpp")
    undefined = root.ends(f"nm -u {tmp_path}/use.o").split()
    assert [n for n in sorted(undefined) if "fp8" in n] == declared(root)
    assert len(declared(root)) == 6


def test_structures_of_python_are_those_of_the_header(python, tmp_path):
    same_in_c(tmp_path, HEADER, {
        f"fp8attention_{its.__name__.lower()}": its
        for its in (python.Strides, python.Tensor, python.Problem)})


def view(address, *shape, apart=(), **more):
    return types.SimpleNamespace(shape=shape, stride=lambda: apart,
                                 data_ptr=lambda: address, **more)


TORCH = types.SimpleNamespace(float16="half", bfloat16="bfloat")


def sequence_first(address, heads, rows=70):
    """(2, rows, heads, 64) with its middle axes exchanged."""
    return view(address, 2, heads, rows, 64, dtype="bfloat",
                apart=(rows * heads * 64, 64, heads * 64, 1))


@pytest.mark.parametrize("keys", [70, 33, 0])
def test_what_the_library_is_told_of_transposed_views(
        python, monkeypatch, keys):
    monkeypatch.setattr(python, "torch", TORCH)
    p = python.problem_of([sequence_first(16, 4), sequence_first(32, 2, keys),
                    sequence_first(48, 2, keys)],
                   [view(n, apart=(1,)) for n in (4, 8, 12)],
                   sequence_first(64, 4), True, keys == 70,
                   lse=None if keys == 70 else view(80))
    assert (p.batch, p.heads, p.kv_heads, p.seq_len, p.head_dim) == (
        2, 4, 2, 70, 64)
    assert (p.q, p.k, p.v, p.o) == (16, 32, 48, 64)
    assert (p.q_scale, p.k_scale, p.v_scale) == (4, 8, 12)
    for s, heads, rows in ((p.q_strides, 4, 70), (p.k_strides, 2, keys),
                           (p.v_strides, 2, keys), (p.o_strides, 4, 70)):
        assert (s.batch, s.head, s.row) == (rows * heads * 64, 64, heads * 64)
    assert (p.softmax_scale, p.causal, p.drift) == (0.125, 1, keys == 70)
    assert p.key_len == (keys or -1)
    assert p.lse == (None if keys == 70 else 80)
    assert (p.size, p.o_format, p.batch_invariant) == (
        ctypes.sizeof(p), 2, 0)


def test_and_of_those_to_be_quantised(python, monkeypatch):
    monkeypatch.setattr(python, "torch", TORCH)
    t = python.tensor_of(
        view(16, 2, 4, 70, 64, apart=(17920, 64, 256, 1), dtype="bfloat"),
        view(32, apart=(17920, 4480, 64, 1)), view(48, apart=(4, 1)))
    assert (t.batch, t.heads, t.seq_len, t.head_dim, t.format) == (
        2, 4, 70, 64, 2)
    assert (t.values, t.codes, t.scale) == (16, 32, 48)
    assert [[getattr(s, n) for n in ("batch", "head", "row")] for s in (
        t.values_strides, t.codes_strides)] == [[17920, 64, 256],
                                                [17920, 4480, 64]]


def test_without_nvcc_and_pytorch(fresh_tree, tmp_path):
    fresh_tree.run("rm .deps")
    fresh_tree.write("none/torch/__init__.py", "raise ImportError")
    for goal, says in (("library", "needs nvcc"), ("example", "needs PyTorch"),
                       ("path", "needs PyTorch")):
        fresh_tree.make(f"CUDA_HOME=/none {goal}", 2, says, "Error 3",
                        PATH="/usr/bin:/bin", PYTHONPATH="none")
    fresh_tree.ends(BUILD.format(tmp_path), 1, "needs nvcc", "was not built",
                    CUDA_HOME="/none", PATH="/usr/bin:/bin")


needs_nvcc = pytest.mark.skipif(
    not run("tools/setup/cuda-home.sh 2>/dev/null").text,
    reason="there is no nvcc; make setup")
BUILD = "cd libfp8attention && python3 -Bc 'import pip_backend as b; " \
        "print(b.build_wheel(\"{}\"))'"


@needs_nvcc
def test_pip_gets_a_wheel(root, tmp_path):
    name = root.ends(BUILD.format(tmp_path)).split()[-1]
    root.ends(f"python3 -m venv --without-pip {tmp_path}/env")
    root.ends(f"cd {tmp_path}/env/lib/python3*/site-packages && "
              f"python3 -m zipfile -e {tmp_path}/{name} .")
    program = ("import fp8attention as f; f.load(f.LIBRARY); "
               "f.attention(1, 2, 3)")
    root.ends(f"cd {tmp_path} && env/bin/python -c '{program}'", 1,
              "needs PyTorch 2.4 or later; this is none.")


def test_the_operator_without_its_library(root):
    root.ends("python3 -Bc 'import sys; sys.path.append(\"libfp8attention\"); "
              "import fp8attention; fp8attention.installed()'", 1,
              "pip install ./libfp8attention")


@needs_nvcc
def test_it_exports_what_the_header_declares(root, python):
    root.make("library", 0, LIBRARY, HEADER)
    exported = root.ends(f"nm -D --defined-only {LIBRARY}").split()[2::3]
    assert sorted(exported) == declared(root)
    library = python.load(root.path / LIBRARY)
    assert library.fp8attention_forward(None, None) == 1
    if not have("nvidia-smi"):  # with a driver, it would read host memory
        at = 1 << 20
        apart = python.Strides(4096, 4096, 64)
        problem = python.Problem(
            1, 1, 1, 64, 64, at, at + 4096, at + 8192, at + 16384, *[apart] * 4,
            at + 32768, at + 32772, at + 32776, 0.125)
        assert library.fp8attention_forward(ctypes.byref(problem), None) > 1000
