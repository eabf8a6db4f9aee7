"""The widgets say and draw what a reader sets, and refuse what is nonsense."""

import pytest

from book.pages import texts

# Of each figure: settings one after another, and what is then said; None
# where a value is refused.
STEPS = {
    "fig-stage2-banks": [
        ("", "", "32 wavefronts; without conflicts, 4."),
        ("padding", "8", "4 wavefronts; without conflicts, 4."),
        ("swizzle", "on", "12 wavefronts; without conflicts, 4."),
        ("padding", "e", None)],
    "fig-online-softmax": [
        ("", "", "factor 0.135. Now l is 1.203 "),
        ("seen", "3", "the factor is 1."), ("scores", "one", None)],
    "fig-stage4-ring": [
        ("", "", "8 tiles take 44:"), ("slots", "3", "8 tiles take 38:"),
        ("copies", "turn", "8 tiles take 52:"), ("slots", "5", None)],
}


@pytest.mark.parametrize("figure", STEPS)
def test_widget(show, pages, figure):
    name = next(name for name, text in texts(pages).items()
                if f'id="{figure}"' in text)
    page = show(pages, name)

    def state():
        svg = page.locator(f"#{figure} svg").first
        return (page.locator(f"#{figure}-result").text_content(),
                svg.inner_html(), svg.get_attribute("aria-label"))

    def stale():
        return "stale" in page.locator(f"#{figure}").get_attribute("class")

    def put(setting, value):
        field = page.locator(f"#{figure}-{setting}")
        kind = field.get_attribute("type")
        if field.evaluate("it => it.tagName") == "SELECT":
            field.select_option(value)
        elif kind == "number":  # which cannot be filled with what is none
            field.evaluate("it => { it.value = ''; }")
            field.press_sequentially(value)
            field.dispatch_event("input")
        else:
            field.fill(value)

    start = state()
    for setting, value, wanted in STEPS[figure]:
        before = state()
        if setting:
            put(setting, value)
        said, picture, label = state()
        if wanted is None:
            assert stale() and said.endswith(".") and picture == before[1]
            assert page.locator(f"#{figure} [aria-invalid=true]").count() == 1
            continue
        assert wanted in said and label == said and not stale()
        assert not setting or picture != before[1]
    page.click(f"#{figure} button[name=reset]")
    assert state() == start and not stale()
