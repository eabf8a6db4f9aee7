"""Each page can be read: light, dark, on a phone, on a wide screen, without
JavaScript and on paper, and axe finds nothing that locks a reader out."""

from pathlib import Path

import pytest

from support import ROOT, STAGES

pytestmark = [pytest.mark.apart, pytest.mark.takes(20)]
CHAPTERS = sorted(p.stem for p in (ROOT / "chapters").glob("*.md"))
BACK = sorted(p.stem for p in (ROOT / "chapters/back").glob("*.md"))
SOURCES = [s for s in STAGES if not (ROOT / s / "stage.mk").exists()]
PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1600, "height": 1000}

# Colours are what light and dark differ in; on a phone the layout does.
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
LAYOUT = {"runOnly": ["scrollable-region-focusable", "skip-link",
                      "target-size", "empty-heading", "link-name",
                      "button-name"]}
ALL_BUT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}

# Classes give code its colours, and axe takes long to see each of thousands of
# words. So of the lines of a page, those are marked in which no class is new.
MARK_SAME = """() => {
  const seen = new Set();
  for (const line of document.querySelectorAll('pre .line')) {
    const pre = line.closest('pre');
    const place = [pre.parentElement, pre, line].map((it) => it.className);
    const before = seen.size;
    [line, ...line.querySelectorAll('*')].forEach((it) =>
      seen.add([...place, it.tagName, it.className,
        it.parentElement.className].join('|')));
    line.toggleAttribute('data-same', seen.size === before);
  }
}"""
RUN_AXE = """(options) => axe.run(
  options.runOnly ? {include: [['html']], exclude: [['[data-same]']]}
    : document,
  {preload: false, resultTypes: ['violations'], ...options})
  .then(({violations}) => violations.map(({id, nodes}) =>
    `${id}: ${nodes.length} times, as in ${nodes[0].html.slice(0, 120)}`))"""

# What reaches out of the window at the right.
SIDEWAYS = """() => {
  const {scrollWidth, clientWidth} = document.documentElement;
  return scrollWidth <= clientWidth ? [] : Array.from(
    document.querySelectorAll('body *')).filter((it) =>
      it.getBoundingClientRect().right > clientWidth + 1).slice(-1)
    .map((it) => it.outerHTML.slice(0, 100));
}"""
# Follows a link to an element in the middle: whether it is in sight.
FOLLOW = """() => {
  const list = Array.from(document.querySelectorAll(
    'main :is(h2, h3, figure, .line)[id]'));
  const target = list[Math.floor(list.length / 2)];
  if (!target) return true;
  location.hash = target.id;
  const {top} = target.getBoundingClientRect();
  const {bottom} = document.querySelector('header.top').getBoundingClientRect();
  return top >= bottom - 1 && top < innerHeight;
}"""
# Text that a reader sees, block by block, without what scripts put there.
SEEN = """() => Array.from(document.querySelectorAll(
  'main :is(h1, h2, h3, h4, p, li, dt, dd, pre, td, th, figcaption)'))
  .filter((it) => it.checkVisibility({visibilityProperty: true})
    && !it.closest('form.settings, p.result'))
  .map((it) => it.textContent.trim())"""
SHOWN = """(selector) => Array.from(document.querySelectorAll(selector))
  .filter((it) => it.checkVisibility({visibilityProperty: true}))
  .map((it) => it.outerHTML.slice(0, 100))"""
INPUTS = "input, select, textarea, button"
PICTURES = """() => Array.from(document.querySelectorAll(
  'figure[data-widget] svg[aria-label]')).filter((it) => it.checkVisibility())
  .map((it) => it.innerHTML.replace(/\\s+/g, ' ').trim())"""


def look(show, folder, name):
    name += ".html"
    axe = pytest.importorskip("axe_playwright_python").__file__
    page = show(folder, name)
    page.evaluate(Path(axe).with_name("axe.min.js").read_text())
    page.evaluate(MARK_SAME)
    text, pictures = page.evaluate(SEEN), page.evaluate(PICTURES)
    assert text
    assert page.evaluate(RUN_AXE, ALL_BUT_COLOURS) == []
    assert page.evaluate(RUN_AXE, COLOURS) == [], "light"
    assert page.evaluate(SIDEWAYS) == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(RUN_AXE, COLOURS) == [], "dark"
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    assert page.evaluate(RUN_AXE, LAYOUT) == [], "phone"
    assert page.evaluate(SIDEWAYS) == [], "phone"
    page.set_viewport_size(WIDE)
    assert page.evaluate(SIDEWAYS) == [], "wide"
    assert page.evaluate(FOLLOW), "the target of a link is not in sight"

    page.emulate_media(media="print")
    assert page.evaluate(SHOWN, f"{INPUTS}, #contents, header.top, .steps, "
                         "p.result, a.skip") == [], "on paper"
    assert set(text) <= set(page.evaluate(SEEN)), "on paper"
    assert len(page.evaluate(PICTURES)) == len(pictures)

    still = show(folder, name, java_script_enabled=False)
    assert set(text) <= set(still.evaluate(SEEN)), "without JavaScript"
    assert still.evaluate(SHOWN, INPUTS) == [], "without JavaScript"
    assert still.evaluate(PICTURES) == pictures


@pytest.mark.parametrize("name", [
    # The first to ask for the pages builds them.
    pytest.param("index", marks=pytest.mark.takes(90)), "answers"])
def test_page(show, pages, name):
    look(show, pages, name)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", [*CHAPTERS, *BACK])
def test_chapter(show, pages, name):
    look(show, pages, name)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("stage", SOURCES)
def test_source(show, pages, stage):
    look(show, pages, f"source-{stage.split('_')[0]}")
