"""What a contributor would otherwise hear in a review: clang's warnings,
shellcheck, spelling, and lines over 80 columns. (gcc's warnings are errors in
every build.)"""

import shutil
import subprocess

import pytest

from support import ROOT, run


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


def test_clang():
    """Of object.c the build has half."""
    headers = run("tools/setup/cuda-home.sh --headers").text.strip()
    passes(["clang", "-fsyntax-only", "-std=c11", "-D_GNU_SOURCE", "-Wall",
            "-Wextra", "-Werror", "-Wno-source-uses-openmp", "-I.", "-isystem",
            headers],
           files("common/*.c", "libfp8attention/*.c", "tools/*.c",
                 "tests/harness/*.c", ":!common/harness/object.c"))


def test_shellcheck():
    passes(["shellcheck", "-x"], files("*.sh", ".ci/run"))


def test_spelling():
    passes(["codespell", "-L", "stage,warm,ois,nd"],
           files("*.md", "*.c", "*.h", "*.cu", "*.sh", "*.mk", "*.lua", "*.py",
                 "*.yaml"))


def test_no_line_over_80_columns():
    long = [f"{path}:{number}" for path in files(
        "common/*.[ch]", "floor/*", "libfp8attention/*.[ch]", "stage*",
        "further/*", "hopper/*", "first/*", "libfp8attention/*.cu",
        "tests/*.[ch]", "tools/*.[ch]", "*.lua", "tests/*/*.py",
        ":!*.toml") for number, line in enumerate(
            (ROOT / path).read_text(errors="replace").splitlines(), 1)
        if len(line) > 80]
    assert not long, "\n".join(long)
