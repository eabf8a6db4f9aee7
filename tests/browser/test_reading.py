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
    page.keyboard.press("Escape")
    assert not page.locator("#search-panel").is_visible()
    assert page.evaluate(FOCUS) == "search-box"
    page.fill("#search-box", "XOR swizzle")
    first = page.locator("a.search-result").first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first}")
    page.fill("#search-box", "no such words anywhere")
    page.wait_for_function("document.getElementById('search-status')"
                           ".textContent === 'Nothing found.'")


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
    for word in "__pipeline_wait_prior", "quad_max":
        href = page.evaluate(FIND, word)[0][0]
        listing, id = href.split("#")
        assert id.startswith("lst-") and word in plain(re.search(
            rf'<figure class="listing" id="{id}">.*?</figure>',
            chapters[listing], re.S)[0])
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


# What lies under a copy button, and code beside other code that is cut off.
COVERED = """() => Array.from(
  document.querySelectorAll('.copy')).filter((it) => {
  const {left, right, top, bottom} = it.getBoundingClientRect();
  return Array.from(it.parentElement.querySelectorAll(
    'pre, figcaption > *')).some((other) => {
      const box = other.getBoundingClientRect();
      return box.left < right - 1 && box.right > left + 1
        && box.top < bottom - 1 && box.bottom > top + 1;
    });
}).map((it) => it.parentElement.id)"""
CUT = """() => Array.from(document.querySelectorAll('.beside pre')).filter(
  (it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)"""


@pytest.mark.parametrize("width", [390, 1280, 1600])
def test_code_is_seen_whole(show, pages, chapters, width):
    """No button lies on it, and a change is not cut off where it is shown
    beside what was there."""
    seen = 0
    for name, text in chapters.items():
        if 'class="beside' not in text:
            continue
        page = show(pages, name, viewport={"width": width, "height": 800},
                    has_touch=width == 390)
        seen += page.locator(".copy").count()
        assert page.evaluate(COVERED) == [], name
        assert width == 390 or page.evaluate(CUT) == [], name
    assert seen


def copied(page, selector):
    page.locator(f"{selector} .copy").first.click()
    return page.evaluate("navigator.clipboard.readText()")


def test_copies_are_the_sources_lines(show, pages, chapters):
    kernel = ROOT / folder_of(stage(0)) / "kernel.cu"
    whole = [line for line in kernel.read_text().splitlines()
             if not re.match(r"\s*//[<>] ", line)]
    rights = {"permissions": ["clipboard-read", "clipboard-write"]}
    page = show(pages, "source-stage0.html", **rights)
    assert copied(page, "main").splitlines() == whole
    chapter = next(name for name, text in chapters.items()
                   if 'id="ch-stage0"' in text)
    page = show(pages, chapter, **rights)
    part, lines = ([line.strip() for line in text] for text in (
        copied(page, ".with-copy:has(pre.numbered)").splitlines(), whole))
    assert any(part) and any(lines[n:n + len(part)] == part
                             for n in range(len(lines)))
    page = show(pages, next(name for name, text in chapters.items()
                            if 'class="line prompt"' in text), **rights)
    command = copied(page, ".with-copy:has(.prompt)")
    assert command == page.locator(".prompt").first.text_content()
    assert not command.startswith("$")
