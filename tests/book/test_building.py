"""Builds give the same bytes everywhere, all or nothing, and say in a sentence
what is missing: else a reader has half a book, or another than the author."""

import shutil

import pytest

from book.building import SAMPLE, build
from support import ROOT, Tree, path_with, run

FORMATS = {"BOOK_FORMATS": None}


@pytest.fixture
def copy(sample_tree, tmp_path):
    """The sample book, built: its tree, and the folder of its pages."""
    build(tmp_path / "tree", tmp_path / "built/html")
    shutil.copytree(tmp_path / "built/html", tmp_path / "good")
    return Tree(tmp_path)


def test_same_bytes_elsewhere(copy, tmp_path):
    """From another copy of the programs, in another time zone."""
    other = tmp_path / "other"
    for part in "book", "tools":
        shutil.copytree(ROOT / part, other / part)
    (other / ".deps").symlink_to(ROOT / ".deps")
    shutil.copytree(SAMPLE, other / "place/tree")
    Tree(other).ends("book/build.py book place/tree html", TZ="Asia/Tokyo",
                     BOOK_FORMATS="html")
    Tree(tmp_path).ends("diff -r other/html good")


def test_pdf_that_fails(copy, tmp_path):
    """The last good book stays."""
    Tree(tmp_path).script("bin/chromium", "exit 1\n")
    build(tmp_path / "tree", tmp_path / "built/html", 1,
          "The PDF cannot be printed", **FORMATS,
          PATH=f"{tmp_path}/bin:{run('echo $PATH').text.strip()}")
    copy.ends("diff -r built/html good")
    assert {p.name for p in copy.path.glob("built/*")} == {"cache", "html"}


def test_one_page(copy, tmp_path):
    """It is what the whole build makes of it; no other page changes."""
    def built(page, code=0, *says):
        build(tmp_path / "tree", tmp_path / "built/html", code, *says,
              BOOK_PAGE=page)
    built("3")
    copy.ends("diff -r built/html good")
    chapter = "tree/chapters/03-second.md"
    copy.append(chapter, "\nSee @lst-helper, and @ch-second.\n")
    built("03", 0, "03-second.html", "03-second-notes.html")
    assert copy.ends("diff -rq built/html good", 1).count("\n") == 1
    shutil.copytree(tmp_path / "built/html", tmp_path / "one")
    build(tmp_path / "tree", tmp_path / "built/html")
    copy.ends("cmp built/html/03-second.html one/03-second.html")
    copy.append(chapter, "\nSee @lst-nowhere.\n")
    built("3", 1, "lst-nowhere")
    copy.ends("cmp built/html/03-second.html one/03-second.html")
    built("9", 2, "no chapter '9'", "03-second")


@pytest.mark.parametrize("programs, names", [
    ("sh dirname", "node"), ("sh dirname node git unifdef", "chromium")])
def test_missing_program(tmp_path, programs, names):
    said = build(SAMPLE, tmp_path / "html", 3, f" {names}: ", **FORMATS,
                 PATH=path_with(tmp_path / "bin", programs))
    assert said.count("\n") == 1


@pytest.mark.parametrize("environment, says", [
    ({"BOOK_SITE": "example.org"}, "SITE"), ({"BOOK_DRAFT": "2"}, "DRAFT")])
def test_bad_setting(tmp_path, environment, says):
    build(SAMPLE, tmp_path / "html", 2, f"{says} is '", **environment)
    assert not (tmp_path / "html").exists()
