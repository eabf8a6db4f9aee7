"""Builds of the book, and the pages of the whole book, which take long: they
are built once for all tests of a run."""

import fcntl
import os

import pytest

from support import ROOT, Tree, have

SAMPLE = ROOT / "tests/book/sample"
RESULTS = "results/test-device/2026-01-02"
KEPT = ROOT / "build/ccache/book"  # what builds of the book keep


def need(*programs):
    """Skips the test where the book cannot be built."""
    missing = [p for p in ("node", "git", "unifdef", *programs) if not have(p)]
    if Tree().run("tools/setup/pandoc.sh").code:
        missing.append("pandoc")
    if missing:
        pytest.skip(f"no {' '.join(missing)} here; make setup")


def build(root, out, code=0, *says, **environment):
    """Builds the pages of the tree at root, or with BOOK_FORMATS=None all
    formats."""
    all_formats = environment.get("BOOK_FORMATS", "html") is None
    need(*("chromium", "qpdf", "pdftotext") if all_formats else ())
    return Tree().ends(["book/build.py", "book", str(root), str(out)], code,
                       *says, **{"BOOK_FORMATS": "html", **environment})


def once(tmp_path_factory, name, make):
    """The folder of this name, made by the first test of a run to ask."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # which all workers share
    folder = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make(folder)
    return folder


def whole_book(tmp_path_factory):
    return once(tmp_path_factory, "pages",
                lambda out: build(ROOT, out, BOOK_KEPT=KEPT))
