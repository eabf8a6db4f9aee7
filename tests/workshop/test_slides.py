"""The slides build, each file whole by itself; numbers are those of results,
no slide gives a lab's answer away, and students see no notes."""

import re

import pytest

from book.building import KEPT, need
from support import ROOT, folder_of, stage

SOURCES = "".join(p.read_text() for p in sorted(
    ROOT.glob("workshop/slides/*.md")))
# What a teacher may write wrongly of slides alone. (Of all pages: tests/book.)
WRONG = """## No notes

A line.

## An answer

```{.cuda file="KERNEL4" region="load-kv"}
```

::: {.notes}
**Say.** This.
:::
"""


def build(tree, out, code=0, *says, student=None):
    need()
    return tree.ends(["book/build.py", "slides", ".", out], code, *says,
                     BOOK_KEPT=KEPT, BOOK_STUDENT=student)


@pytest.fixture(scope="module")
def built(sources):
    build(sources, "one")
    return sources


def test_all_slides_are_there(built):
    count = len(re.findall("^## ", SOURCES, re.M))
    page, handout = (built.read(f"one/{name}.html") for name in
                     ("slides", "handout"))
    assert count >= 60 and page.count('<section class="slide') == count + 1
    for text in page, handout:
        assert text.count('<aside class="notes"') == count + 1
        # Nothing that a browser would ask for.
        asks = re.search(r"<(link|img|iframe)[ >]|<script[^>]* src|@import|"
                         r" src=|fetch\(|XMLHttpRequest|<use[^>]*href=\"[^#]|"
                         r"url\(\s*[\"']?(?!data:|#)[^)]", text)
        assert not asks, asks


def test_labs_that_they_name_are_there():
    for lab in set(re.findall(r"make (lab\w+)", SOURCES)):
        assert list(ROOT.glob(f"labs/*/{lab}.lab")), lab


def test_students_see_no_notes(built):
    """Else all is as the teacher has it."""
    build(built, "two", student="1")
    for name in "slides", "handout":
        wanted, shown = (built.read(f"{folder}/{name}.html") for folder in
                         ("one", "two"))
        assert "<aside" not in shown
        assert shown == re.sub('<aside class="notes".*?</aside>\n', "", wanted,
                               flags=re.S)


def test_wrong_slides_are_refused(built):
    page = built.read("one/slides.html")
    built.run("rm workshop/slides/*")
    built.write("workshop/slides/bad.md", WRONG.replace(
        "KERNEL4", f"{folder_of(stage(4))}/kernel.cu"))
    build(built, "one", 1, "bad.md:1: this slide has no notes",
          'lab4 asks for "load-kv"', "the slides are not built")
    assert built.read("one/slides.html") == page  # the last good ones stay
