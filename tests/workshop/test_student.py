"""The students' book: no answer in any format, and all else as it was."""

import shutil

from book.building import SAMPLE, build
from book.pages import broken, plain
from support import Tree

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
    assert not broken(html)
