"""A tree in a folder whose name make cannot have: make and setup say to move
it, and begin nothing."""

import shutil

import pytest

from support import ROOT, Tree

pytestmark = pytest.mark.apart


@pytest.mark.parametrize("name", ["a b", "it's", "a;b", "a$b", "a:b"])
def test_path(tmp_path, name):
    tree = Tree(tmp_path / name)
    shutil.copytree(ROOT / "tools", tree.path / "tools")
    shutil.copy(ROOT / "Makefile", tree.path)
    said = tree.make("stage1", 2, f"'{tree.path}'", "move the tree")
    assert len(said.splitlines()) == 2, said  # the second is make's own
    tree.ends("sh tools/setup/setup.sh --headers-only", 3, "Setup cannot")
    assert not tree.exists("build") and not tree.exists(".deps")
