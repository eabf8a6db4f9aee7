"""Chromium, driven by Playwright, without a network."""

import shutil

import pytest

from book import building
from support import Tree


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    building.need("chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages(browser, tmp_path_factory):
    """The folder of the book's pages."""
    return building.whole_book(tmp_path_factory)


@pytest.fixture(scope="session")
def slides(browser, tmp_path_factory):
    """The folder of the slides."""
    return building.once(
        tmp_path_factory, "slides", lambda out: Tree().ends(
            ["book/build.py", "slides", ".", str(out)],
            BOOK_KEPT=building.KEPT))


@pytest.fixture
def show(browser):
    """show(FOLDER, NAME, **OPTIONS): the page. The test fails where one asks
    for anything outside of its folder, or where a script fails."""
    contexts, faults = [], []

    def opened(folder, name, **options):
        context = browser.new_context(**{
            "viewport": {"width": 1280, "height": 800}, "offline": True,
            "reduced_motion": "reduce", **options})
        context.set_default_timeout(30000)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda it: it.url.startswith(
            (folder.as_uri(), "data:", "about:")) or faults.append(it.url))
        page.on("console", lambda it: it.type == "error" and
                faults.append(it.text))
        page.on("pageerror", lambda it: faults.append(it.message))
        page.goto(f"{folder.as_uri()}/{name}")
        return page
    yield opened
    for context in contexts:
        context.close()
    assert not faults
