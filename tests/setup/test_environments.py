"""Environments and trees as readers have them: what can be served is, and the
rest is refused in a sentence that says what to do."""

import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from support import Tree, copy

CHECK = "stage0 check TARGET=cpu SHAPES=small SEEDS=0"
NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups "


def refused(tree, words, *says, **more):
    """One sentence, and make's own line that it has failed."""
    text = tree.make(words, 2, *says, **more)
    assert len([t for t in text.splitlines() if ": ***" not in t]) <= 1, text
    return text


def test_served(tree):
    environment = {"CDPATH": ".:/tmp", "POSIXLY_CORRECT": "1"}
    tree.make(CHECK, 0, "passed", **environment)
    tree.make("diff-stage1", 0, "wmma", **environment)
    tree.ends("sh tools/setup/setup.sh core", 0, **environment)


def test_a_compiler_from_dotfiles(tree, tmp_path):
    clang = Tree(tmp_path)
    clang.script("clang", "echo clang version 14.0.6")
    its = str(tmp_path / "clang")
    tree.make(CHECK, 0, "passed", "CC", "CXX", "passed over", CC=its, CXX=its)
    refused(tree, f"{CHECK} CC={its}", its, "GCC")


def test_cuda_home_with_a_blank(tree, tmp_path):
    its = tmp_path / "cuda 13"
    its.mkdir()
    refused(tree, "doctor", str(its), "blank", CUDA_HOME=its)


@pytest.mark.parametrize("port", ["http", "65536", None])
def test_a_port_that_cannot_be_served(tree, port):
    """Said before the book is built."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1] if port is None else port
        refused(tree, f"serve PORT={port}", f"'{port}'", "PORT=", timeout=20)


def test_no_folder_for_temporary_files(tree):
    refused(tree, CHECK, "TMPDIR", "/nowhere", TMPDIR="/nowhere")


def test_a_tree_without_executable_bits(fresh_tree):
    fresh_tree.run("find . -name .deps -prune -o -type f -exec chmod a-x {} +")
    refused(fresh_tree, "doctor", "executable", "tools/setup/setup.sh")
    fresh_tree.ends("sh tools/setup/setup.sh core")
    fresh_tree.make("doctor", 0, "here")


@pytest.fixture
def of_another_user():
    """A tree that root has set up and built in, which others can look into."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root and setpriv")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    tree = copy(folder / "tree", built=False)
    tree.run("rm .deps; mkdir -p .deps build")
    tree.run("touch .deps/setup.log build/.lock")
    yield tree
    shutil.rmtree(folder)


def test_what_root_has_left(of_another_user):
    tree = of_another_user
    cure = "'sudo chown -R nobody .'"
    tree.ends(NOBODY + "make stage0", 2, "build, which belongs to root", cure)
    tree.ends(NOBODY + "sh tools/setup/setup.sh core", 3, cure,
              ".deps, which belongs to root", never="Done")
    tree.run("chown nobody . build .deps")  # as where root came second
    tree.ends(NOBODY + "make stage0", 2, "build/.lock, which", cure)
    tree.ends(NOBODY + "sh tools/setup/setup.sh core", 3, "setup.log, which")


def test_what_an_administrator_is_handed(sources, tmp_path):
    """It begins with the lists, which a fresh machine lacks."""
    sources.append("tools/setup/pins.conf",
                   "apt core no-such 1 - command:no-such everything\n")
    Tree(tmp_path).script("id", "echo 1000")
    text = sources.ends("sh tools/setup/setup.sh core", 3, "no-such",
                        PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert text.index("apt-get update") < text.index("apt-get install"), text
