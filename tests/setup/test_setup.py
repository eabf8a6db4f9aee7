"""Setup and doctor: what stops them is said in a sentence, with its code."""

import os
import re
import shutil

import pytest

from support import Tree, path_with


@pytest.fixture
def tools(tmp_path):
    """A tree with tools/ alone."""
    shutil.copytree(Tree().path / "tools", tmp_path / "tools")
    return Tree(tmp_path)


def test_what_stops_it(tools):
    """An unknown group, a folder that is not there, and one that is a file."""
    tools.ends("sh tools/setup/setup.sh books", 2, "books", "core")
    tools.ends("OFFLINE=/nowhere sh tools/setup/setup.sh", 2, "/nowhere")
    tools.run("rm -rf .deps")
    tools.write(".deps", "a file, not a folder")
    tools.ends("sh tools/setup/setup.sh core", 1, "cannot be written")


def test_doctor_names_what_is_missing(root, tmp_path):
    path = path_with(tmp_path / "bin", "sh env sed awk grep sort head tr cut "
                     "cat uname dirname basename mktemp rm find nproc date id")
    text = root.run("tools/doctor/doctor.py", PATH=path).text
    assert re.search(r"MISSING +make\b", text) and "make setup" in text, text


@pytest.mark.parametrize("capability, usable", [
    ("7.5", False), ("12.0", True)])
def test_doctor_says_whether_kernels_run_on_the_gpu(root, tmp_path, capability,
                                                    usable):
    Tree(tmp_path).script(
        "nvidia-smi", f"echo 'NVIDIA Card, {capability}, 999.1'\n")
    said = root.ends("tools/doctor/doctor.py", PATH=(
        f"{tmp_path}:{os.environ['PATH']}"))
    assert "NVIDIA Card" in said and (
        "do not run on it" in " ".join(said.split())) != usable, said
