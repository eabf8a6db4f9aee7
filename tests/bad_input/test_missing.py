"""A machine without a GPU, CUDA's headers or pandoc, or a tree in a folder
whose name make cannot have: a sentence that says so and what to do."""

import shutil

import pytest

from support import ROOT, Tree, path_with, run

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
    without_deps.make("book", 2, "pandoc", "make setup", "Error 3",
                      PATH=path_with(tmp_path / "bin", TOOLS))


@pytest.mark.parametrize("name", ["a b", "a$b"])
def test_path(tmp_path, name):
    tree = Tree(tmp_path / name)
    shutil.copytree(ROOT / "tools", tree.path / "tools")
    shutil.copy(ROOT / "Makefile", tree.path)
    said = tree.make("stage1", 2, f"'{tree.path}'", "move the tree")
    assert len(said.splitlines()) == 2, said  # and make's own
    tree.ends("sh tools/setup/setup.sh core", 3, "move the tree")
    assert not tree.exists("build") and not tree.exists(".deps")
