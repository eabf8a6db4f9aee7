"""Which CUDA toolkit is used: the first good one of CUDA_HOME, nvcc on PATH and
what setup installed; or a build would fail with an old or a half one."""

import shutil

import pytest

from support import ROOT, Tree

HEADERS = """cuda_runtime.h cuda.h cuda_fp8.h cuda_fp16.h cuda_pipeline.h mma.h
  crt/host_defines.h nv/target nvtx3/nvToolsExt.h"""
HOME = "tools/setup/cuda-home.sh"


@pytest.fixture
def tree(tmp_path):
    shutil.copytree(ROOT / "tools/setup", tmp_path / "tools/setup")
    return Tree(tmp_path, CUDA_HOME=None, PATH="/usr/bin:/bin")


def toolkit(tree, version, folder=None):
    """As much of one as the script looks at."""
    folder = folder or f"cuda-{version}"
    major, minor = map(int, version.split("."))
    for name in HEADERS.split():
        tree.write(f"{folder}/include/{name}", "")
    tree.write(f"{folder}/include/cuda_runtime_api.h",
               f"#define CUDART_VERSION {major * 1000 + minor * 10}\n")
    tree.write(f"{folder}/lib64/libcudart_static.a", "")
    tree.script(f"{folder}/bin/nvcc", f"echo release {version}, V{version}.1\n")
    return tree.path / folder


def chosen(tree, home=None, path=None, words="", code=0):
    """The folder, or what is said where there is none."""
    return tree.ends(f"{HOME} {words}", code, CUDA_HOME=home,
                     PATH=f"{path}/bin:/usr/bin:/bin").strip()


def test_which(tree):
    new, old = toolkit(tree, "13.0"), toolkit(tree, "11.8")
    tenth = toolkit(tree, "12.10")
    assert chosen(tree, path=new) == str(new)
    assert chosen(tree, path=new, words="--headers") == f"{new}/include"
    assert chosen(tree, tenth, new) == str(tenth)
    assert chosen(tree, old, new) == str(new)
    assert "is CUDA 11.8; 12.8" in chosen(tree, path=old, code=3)
    (new / "lib64/libcudart_static.a").unlink()
    assert "no lib64/libcudart" in chosen(tree, new, code=3)


def test_what_setup_installed(tree):
    its, old = toolkit(tree, "13.0", ".deps/cuda"), toolkit(tree, "11.8")
    assert "CUDA_HOME" in chosen(tree, code=3)  # setup has not finished
    tree.write(".deps/cuda/stamp", "")
    assert chosen(tree) == chosen(tree, path=old) == str(its)
    (its / "bin/nvcc").unlink()
    assert "no bin/nvcc" in chosen(tree, code=3)  # headers are no toolkit
    assert chosen(tree, words="--headers") == f"{its}/include"
