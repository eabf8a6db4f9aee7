"""The students' book: no answer in any format, and all else as it was."""

import re
import shutil

import pytest

from book.building import KEPT, SAMPLE, build
from book.pages import broken, plain
from support import ROOT, Tree

CHAPTER = "chapters/01-method.md"
WORDS = "nobody else has these words"


def of_pages(folder):
    files = [*folder.glob("*.html"), folder / "search-index.js"]
    return " ".join(plain("".join(f.read_text() for f in files)).split())


def test_no_answer_in_any_format(tmp_path):
    shutil.copytree(SAMPLE, tmp_path / "tree")
    tree, html = Tree(tmp_path / "tree"), tmp_path / "html"
    tree.edit(CHAPTER, "\n::: {.answer}\n", f"\n::: {{.answer}}\nHere {WORDS}: "
              "$7 \\cdot 3$.\n\n")
    build(tree.path, html)
    assert WORDS in of_pages(html)
    build(tree.path, html, BOOK_FORMATS=None, BOOK_STUDENT="1")
    for text in (of_pages(html), tree.ends("pdftotext ../html/*.pdf -"),
                 plain(tree.ends("unzip -p ../html/*.epub"))):
        text = " ".join(text.split())
        assert WORDS not in text
        assert "Exercise 1.1" in text and "book: it has no answers" in text
    assert [p.name for p in html.glob("*.pdf")] == ["sample-students.pdf"]
    assert not broken(html)
    tree.edit(CHAPTER, WORDS, f"{WORDS} for 55 µs")  # which is still read
    build(tree.path, html, 1, "55 µs", BOOK_STUDENT="1")


@pytest.mark.slow
@pytest.mark.takes(120)
def test_no_answer_of_the_book(sources):
    """Each exercise's is looked for by its longest run of plain words. The
    questions on the way keep theirs, folded."""
    text = "".join(p.read_text() for p in sorted(ROOT.glob("chapters/*.md")))
    answers = [max(re.findall(r"[A-Za-z][A-Za-z ,]*[a-z]", answer), key=len)
               for answer in re.findall(
                   r"\n::: {\.exercise[^}]*}\n(?:(?!\n:::).)*\n\n"
                   r"::: {\.answer}\n(.*?)\n:::\n", text, re.S)]
    sources.make("-s book-html", BOOK_KEPT=KEPT)
    sources.make("-s book-html STUDENT=1", BOOK_KEPT=KEPT)
    teachers, students = (of_pages(sources.path / f"build/book/{folder}html")
                          for folder in ("", "student/"))
    assert len(answers) > 40
    assert [words for words in answers if words not in teachers] == []
    assert [words for words in answers if words in students] == []
