"""The slides and their handout in a browser: each fits, keys move, notes come
and go, and on paper each slide is a page."""

import pytest

pytestmark = pytest.mark.slow
WIDTH, HEIGHT = 1280, 720
VIEW = {"viewport": {"width": WIDTH, "height": HEIGHT}}
AT = "() => Number(document.querySelector('.slide.now').id)"

# What of the slide that is shown lies outside of it, or was cut off.
OVERFLOW = """() => {
  const slide = document.querySelector('.slide.now');
  const foot = slide.querySelector('footer').getBoundingClientRect();
  const faults = [];
  for (const element of slide.querySelectorAll('.body *, h1, h2')) {
    if (element.closest('svg') && element.tagName !== 'svg') continue;
    if (element.closest('.katex')) continue;
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) continue;
    const low = element.closest('h1, h2') ? innerHeight : foot.top + 1;
    if (box.left < 0 || box.right > innerWidth + 1 || box.top < 0 ||
        box.bottom > low) {
      faults.push(`${element.tagName} ${element.className} reaches out`);
    }
    if (element.matches('pre, .scroll, p, li') &&
        element.scrollWidth > element.clientWidth + 1 &&
        getComputedStyle(element).display !== 'inline') {
      faults.push(`${element.tagName} is cut off at its right`);
    }
  }
  return faults;
}"""


@pytest.fixture
def deck(show, slides):
    return show(slides, "slides.html", **VIEW)


def count_of(page):
    return page.locator(".slide").count()


def shown(page, what):
    return page.locator(f"{what}:visible").count()


def test_slides_fit(deck):
    """A drawing that moves takes its steps before the next slide comes."""
    last, seen = count_of(deck), {}
    while True:
        number = deck.evaluate(AT)
        seen[number] = seen.get(number, 0) + 1
        assert deck.evaluate(OVERFLOW) == [], number
        assert shown(deck, ".slide") == 1 and shown(deck, ".slide .step") < 2
        if number == last:
            break
        deck.keyboard.press("ArrowRight")
    assert [*seen] == [*range(1, last + 1)]
    assert {1, deck.locator(".slide .step").count()} == {*seen.values()}


def test_notes(deck):
    for _ in range(2):
        deck.keyboard.press("ArrowRight")
    assert shown(deck, ".notes") == 0
    deck.keyboard.press("n")
    notes = deck.locator(".notes:visible")
    own = deck.locator(".slide.now + .notes").inner_text()
    assert notes.inner_text() == own and "Ask." in own
    deck.keyboard.press("ArrowRight")
    assert notes.count() == 1 and notes.inner_text() != own
    deck.keyboard.press("n")
    assert notes.count() == 0


def sheets(page, **options):
    return page.pdf(prefer_css_page_size=True, **options).count(
        b"/Type /Page\n")


def test_paper(deck, show, slides):
    count = count_of(deck)
    deck.emulate_media(media="print")
    assert (shown(deck, ".slide"), shown(deck, ".notes")) == (count, 0)
    assert sheets(deck) == count
    handout = show(slides, "handout.html", **VIEW)
    assert shown(handout, ".slide") == shown(handout, ".notes") == count
    assert count / 2 <= sheets(handout, print_background=True) <= 0.6 * count
