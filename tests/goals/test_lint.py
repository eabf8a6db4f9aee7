"""What a contributor would otherwise hear in a review: shellcheck, spelling,
lines over 80 columns, and work that is left to do. (Compilers' warnings are
errors in every build.)"""

import re
import shutil
import subprocess

import pytest

from support import ROOT


def files(*patterns):
    """Those that git knows or would."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        cwd=ROOT, capture_output=True, text=True)
    return [f for f in listed.stdout.split("\n") if (ROOT / f).is_file()]


def passes(command, paths):
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed; make setup")
    ran = subprocess.run([*command, *paths], cwd=ROOT, capture_output=True,
                         text=True)
    assert paths and ran.returncode == 0, ran.stdout + ran.stderr


def matching(pattern, paths):
    return [f"{path}:{number}" for path in paths for number, line in enumerate(
        (ROOT / path).read_text(errors="replace").splitlines(), 1)
        if re.search(pattern, line)]


def test_shellcheck():
    passes(["shellcheck", "-x"], files("*.sh", ".ci/run"))


def test_spelling():
    passes(["codespell", "-L", "stage,warm,ois,nd"],
           files("*.md", "*.c", "*.h", "*.cu", "*.sh", "*.mk", "*.lua", "*.py",
                 "*.yaml"))


def test_no_line_over_80_columns():
    long = matching("^.{81}", files(
        "common/*.[ch]", "floor/*", "libfp8attention/*.[ch]", "stage*",
        "further/*", "tests/*.[ch]", "tools/*.[ch]", "*.lua", "tests/*/*.py",
        ":!*.toml"))
    assert not long, "\n".join(long)


def test_nothing_is_left_to_do():
    left = matching(r"\b(TODO|FIXME|XXX)\b", [
        f for f in files("*.c", "*.h", "*.cu", "*.sh", "*.mk", "*.lua", "*.py",
                         "*.md", "*.yaml") if not f.endswith("test_lint.py")])
    assert not left, "\n".join(left)
