"""What a reader does with the pages: keys, search, colours, copies."""

import re

import pytest

from book.pages import plain, texts
from support import ROOT, folder_of, stage

FOCUS = "document.activeElement.id"
PAPER = "getComputedStyle(document.body).backgroundColor"
FIND = "words => bookSearch.find(words).map((it) => [it.href, it.title])"

PLACES = """() => bookSearch.pages.flatMap(([, sections]) => sections.flatMap(
  ([base, id, , , terms, code]) => [[id], ...terms, ...code].map(
    ([at]) => base + at)))"""


@pytest.fixture(scope="module")
def chapters(pages):
    """But for pages that lead on to one that has moved."""
    return {name: text for name, text in texts(
        pages, "[0-9A-Z]*-*.html").items() if "has moved</title>" not in text}


def test_keyboard(show, pages, chapters):
    page = show(pages, list(chapters)[1])
    page.keyboard.press("Tab")
    assert page.locator("a.skip:focus").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUS) == "main"
    page.keyboard.press("/")
    assert page.evaluate(FOCUS) == "search-box"
    page.keyboard.type("softmax")
    page.wait_for_selector("a.search-result")
    page.keyboard.press("ArrowDown")
    assert page.locator("a.search-result:focus").count() == 1
    page.fill("#search-box", "XOR swizzle")
    first = page.locator("a.search-result").first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first}")


def test_search_finds_what_the_book_says(show, pages, chapters):
    page = show(pages, "index.html")
    page.fill("#search-box", "softmax")
    page.wait_for_selector("a.search-result")
    for name, text in chapters.items():
        main = re.search(r"<main[^>]*>(.*)<nav class=\"steps\"", text, re.S)[1]
        for id, term in re.findall('<dfn id="([^"]*)">(.*?)</dfn>', main, re.S):
            found = page.evaluate(FIND, plain(term))
            assert f"{name}#{id}" in [href for href, _ in found], term
        for title in re.findall(r"<h2 id=[^>]*>(.*?)</h2>", main, re.S):
            words = " ".join(plain(title).split())
            if "katex" not in title:
                assert any(href.startswith(name) and own == words for href, own
                           in page.evaluate(FIND, words)), words
    assert "#lst-" in page.evaluate(FIND, "quad_max")[0][0]
    assert page.evaluate(FIND, "no such word anywhere") == []
    places = page.evaluate(PLACES)
    there = {f"{name}#{id}" for name, text in texts(pages).items()
             for id in re.findall(r'\sid="([^"]*)"', text)}
    assert len(places) > 700 and set(places) <= there


def test_colours_follow_the_switch(show, pages):
    page = show(pages, "errata.html")
    light = page.evaluate(PAPER)
    page.click("#theme")
    dark = page.evaluate(PAPER)
    assert dark != light
    # Chromium hands what is stored to the next page's process a moment later.
    page.wait_for_timeout(200)
    page.goto(f"{pages.as_uri()}/index.html")
    assert page.evaluate(PAPER) == dark
    page.click("#theme")
    page.reload()
    assert page.evaluate(PAPER) == light
    assert show(pages, "errata.html",
                color_scheme="dark").evaluate(PAPER) == dark


def test_copies_are_the_sources_lines(show, pages, chapters):
    def copied(name, selector):
        page = show(pages, name, permissions=["clipboard-read",
                                              "clipboard-write"])
        page.locator(f"{selector} .copy").first.click()
        return page, page.evaluate("navigator.clipboard.readText()")
    kernel = ROOT / folder_of(stage(0)) / "kernel.cu"
    _, code = copied("source-stage0.html", "main")
    assert code.splitlines() == [line for line in kernel.read_text()
                                 .splitlines() if "//> " not in line
                                 and "//< " not in line]
    page, command = copied(next(name for name, text in chapters.items()
                                if 'class="line prompt"' in text),
                           ".with-copy:has(.prompt)")
    assert command == page.locator(".prompt").first.text_content()
    assert not command.startswith("$")
