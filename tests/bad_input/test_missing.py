"""A machine without a GPU, CUDA's headers or pandoc: a sentence that says so
and what to do, and no trace of the shell's."""

import shutil
import sys
from pathlib import Path

import pytest

from support import have, run

TOOLS = """sh env make find sort sed awk grep tr cut dirname basename cat head
  mkdir rm mv cp flock true date uname test bash ls wc id"""


@pytest.mark.skipif(run("nvidia-smi -L").code == 0, reason="a GPU is here")
def test_no_gpu(tree):
    tree.make("stage0 check TARGET=gpu", 2, "No NVIDIA", "Error 3")


@pytest.fixture
def without_deps(tree):
    """What setup has installed is gone."""
    (tree.path / ".deps").rename(tree.path / "aside")
    yield tree
    (tree.path / "aside").rename(tree.path / ".deps")


def test_no_headers(without_deps):
    without_deps.make("stage0 TARGET=cpu CUDA_HOME=/none", 2, "make setup",
                      "Error 3", PATH="/usr/bin:/bin", CUDA_HOME="/none")


def test_no_pandoc(without_deps, tmp_path):
    for name in TOOLS.split():
        if have(name) and shutil.which(name):
            (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    without_deps.make("book", 2, "pandoc", "make setup", "Error 3",
                      PATH=str(tmp_path))
