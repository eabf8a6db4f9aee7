"""Setup and doctor: what stops them is said in a sentence, with its code."""

import os
import re
import shutil
import sys

import pytest

from support import Tree, have


@pytest.fixture
def tools(tmp_path):
    """A tree with tools/ alone."""
    shutil.copytree(Tree().path / "tools", tmp_path / "tools")
    return Tree(tmp_path)


def test_an_unknown_group(tools):
    tools.ends("sh tools/setup/setup.sh books", 2, "books", "core")


def test_a_path_with_a_blank(tmp_path):
    shutil.copytree(Tree().path / "tools", tmp_path / "a b/tools")
    Tree(tmp_path / "a b").ends("sh tools/setup/setup.sh", 3, "blanks")


def test_deps_that_cannot_be_written(tools):
    tools.write(".deps", "a file, not a folder")
    tools.ends("sh tools/setup/setup.sh core", 1, "cannot be written")


def test_an_offline_folder_that_is_not_there(tools):
    tools.ends("OFFLINE=/nowhere sh tools/setup/setup.sh", 2, "/nowhere")


def test_where_all_is_here_nothing_is_done(root):
    if not root.exists(".deps/tests/stamp"):
        pytest.skip("setup has not been run")
    text = root.ends("sh tools/setup/setup.sh tests")
    assert "Installing" not in text


def test_doctor_names_what_is_missing(root, tmp_path):
    for name in ("sh env sed awk grep sort head tr cut cat uname dirname "
                 "basename mktemp rm find nproc date stat id").split():
        if have(name):
            (tmp_path / name).symlink_to(shutil.which(name))
    text = root.run([sys.executable, "tools/doctor/doctor.py"],
                    PATH=str(tmp_path)).text
    assert re.search(r"MISSING +make\b", text) and "make setup" in text, text


@pytest.mark.parametrize("capability, usable", [
    ("7.5", False), ("8.0", True), ("9.0", True), ("12.0", True)])
def test_doctor_says_whether_kernels_run_on_the_gpu(root, tmp_path, capability,
                                                    usable):
    Tree(tmp_path).script(
        "nvidia-smi", f"echo 'NVIDIA Card, {capability}, 999.1'\n")
    said = root.ends("tools/doctor/doctor.py --words", PATH=(
        f"{tmp_path}:{os.environ['PATH']}"))
    assert ("\ngpu NVIDIA Card\n" in said) == usable, said


def test_each_pin_is_a_version(root):
    """A wheel's with the hashes of both processors behind it."""
    lines = root.read("tools/setup/pins.conf").splitlines()
    for line, *behind in zip(lines, lines[1:] + [""], lines[2:] + ["", ""]):
        if re.match(r"(wheel|pip) ", line):
            assert re.match(r"\w+ \w+ [\w.-]+ \d[\w.]* ", line), line
        if line.startswith("wheel "):
            for hash, processor in zip(behind, ("x86_64", "aarch64")):
                assert re.match(rf"sha256 {processor} [0-9a-f]{{64}}$",
                                hash), line
