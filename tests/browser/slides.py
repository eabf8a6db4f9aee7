"""Tests of the slides and their handout in Chromium, as TAP:
   slides.py CHROMIUM FOLDER SCREENSHOTS
Both are opened by file:// without a network. Screenshots are of each slide."""
import pathlib
import sys

from playwright.sync_api import sync_playwright

from tap import Tap

WIDTH, HEIGHT = 1280, 720
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
      faults.push(`${element.tagName} ${element.className} at ${
        [box.left, box.top, box.right, box.bottom].map(Math.round)}`);
    }
    if (element.matches('pre, .scroll, p, li') &&
        element.scrollWidth > element.clientWidth + 1 &&
        getComputedStyle(element).display !== 'inline') {
      faults.push(`${element.tagName} is cut off at its right`);
    }
  }
  const svg = slide.querySelector('.shown svg');
  if (svg && svg.getBoundingClientRect().height < 90) {
    faults.push('the drawing is too small to be seen');
  }
  for (const text of slide.querySelectorAll('.shown svg text')) {
    const { height } = text.getBoundingClientRect();
    if (height && height < 11) {
      faults.push(`"${text.textContent}" is ${height.toFixed(1)} px high`);
      break;
    }
  }
  return faults;
}"""


class Deck:
    def __init__(self, browser, folder, **options):
        self.context = browser.new_context(
            viewport={'width': WIDTH, 'height': HEIGHT}, offline=True,
            **options)
        self.page = self.context.new_page()
        self.faults, self.requests = [], []
        self.page.on('console', lambda message: self.faults.append(
            message.text) if message.type in ('error', 'warning') else None)
        self.page.on('pageerror', lambda error: self.faults.append(str(error)))
        self.page.on('request', lambda request: self.requests.append(
            request.url))
        self.address = (pathlib.Path(folder) / 'slides.html').resolve().as_uri()

    def open(self, place=''):
        self.page.goto('about:blank')
        self.page.goto(self.address + place)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        return self.page.evaluate(AT)


def check_slides(deck, report, shots, count):
    faults = []
    for number in range(1, count + 1):
        deck.open(f'#{number}')
        if deck.page.evaluate(AT) != number:
            faults.append(f'#{number} shows another slide')
        faults += [f'slide {number}: {fault}'
                   for fault in deck.page.evaluate(OVERFLOW)]
        deck.page.screenshot(path=shots / f'slide-{number:02}.png')
    report(f'{count} slides fit into {WIDTH} by {HEIGHT}', faults)


def check_keys(deck, report, count):
    deck.open()
    moves = [(('ArrowRight',), 2), (('ArrowDown',), 3), (('Space',), 4),
             (('PageDown',), 5), (('ArrowLeft',), 4), (('ArrowUp',), 3),
             (('PageUp',), 2), (('Shift+Space',), 1), (('ArrowLeft',), 1),
             (('End',), count), (('ArrowRight',), count), (('Home',), 1)]
    faults = []
    for keys, wanted in moves:
        at = deck.press(*keys)
        if at != wanted:
            faults.append(f'{keys} leads to {at}, not {wanted}')
        if not deck.page.url.endswith(f'#{wanted}'):
            faults.append(f'the address is {deck.page.url} at {wanted}')
    report('keys move, and the address follows', faults)

    shown = deck.page.locator('.slide:visible').count()
    report('one slide is shown at a time', [] if shown == 1 else [str(shown)])

    width = "() => document.querySelector('#progress').offsetWidth"
    deck.press('Home')
    first = deck.page.evaluate(width)
    deck.press('End')
    last = deck.page.evaluate(width)
    report('the bar below grows to the end', [] if first < WIDTH / 10
           and last == WIDTH else [f'{first} to {last}'])


def check_notes(deck, report):
    deck.open('#3')
    before = deck.page.locator('.notes:visible').count()
    deck.press('n')
    notes = deck.page.locator('.notes:visible')
    faults = [] if before == 0 and notes.count() == 1 else [
        f'{before} before, {notes.count()} after']
    if not faults:
        own = deck.page.locator('.slide.now + .notes').inner_text()
        if notes.inner_text() != own or 'Ask.' not in own:
            faults.append(f'these are not the slide\'s: {own}')
        foot = deck.page.locator('.slide.now footer').bounding_box()
        if foot['y'] + foot['height'] > notes.bounding_box()['y'] + 1:
            faults.append('they cover the slide')
        deck.press('ArrowRight')
        if notes.count() != 1 or notes.inner_text() == own:
            faults.append('the next slide has the same notes')
        deck.press('n')
        if notes.count():
            faults.append('n does not hide them')
    report('n shows the notes of the slide, and hides them', faults)


def check_colours(browser, folder, report):
    ink = "() => getComputedStyle(document.body).color"
    colours = {}
    for scheme in ('light', 'dark'):
        deck = Deck(browser, folder, color_scheme=scheme)
        deck.open('#2')
        colours[scheme] = deck.page.evaluate(ink)
        deck.press('d')
        colours[scheme + ', d'] = deck.page.evaluate(ink)
        deck.context.close()
    fine = colours['light'] == colours['dark, d'] and \
        colours['dark'] == colours['light, d'] and \
        colours['light'] != colours['dark']
    report('dark and light follow the reader, and d', [] if fine
           else [str(colours)])


def check_without_script(browser, folder, report, count):
    deck = Deck(browser, folder, java_script_enabled=False)
    deck.open()
    shown = deck.page.locator('.slide:visible').count()
    report('without JavaScript all slides stand below each other',
           [] if shown == count else [f'{shown} of {count}'])
    deck.context.close()


def check_paper(deck, report, shots, count):
    deck.open('#4')
    deck.page.emulate_media(media='print')
    shown = deck.page.locator('.slide:visible').count()
    notes = deck.page.locator('.notes:visible').count()
    pages = deck.page.pdf(prefer_css_page_size=True).count(b'/Type /Page\n')
    deck.page.emulate_media(media='screen')
    report('on paper each slide is a page', [] if (shown, notes, pages)
           == (count, 0, count) else [f'{shown} slides, {notes} notes, '
                                      f'{pages} pages'])
    deck.page.goto(deck.address.replace('slides.html', 'handout.html'))
    wide = deck.page.evaluate(
        '() => document.documentElement.scrollWidth - innerWidth')
    slides = deck.page.locator('.slide:visible').count()
    notes = deck.page.locator('.notes:visible').count()
    deck.page.screenshot(path=shots / 'handout.png')
    paper = deck.page.pdf(prefer_css_page_size=True, print_background=True)
    (shots / 'handout.pdf').write_bytes(paper)
    pages = paper.count(b'/Type /Page\n')
    report('the handout has all slides with their notes', [] if wide <= 0 and
           slides == notes == count else [f'{slides} slides, {notes} notes, '
                                          f'{wide} too wide'])
    report('two slides a sheet, seldom one', [] if count / 2 <= pages
           <= 0.6 * count else [f'{pages} pages for {count} slides'])


def main(chromium, folder, shots):
    shots = pathlib.Path(shots)
    shots.mkdir(parents=True, exist_ok=True)
    report = Tap()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        deck = Deck(browser, folder)
        deck.open()
        count = deck.page.locator('.slide').count()
        check_slides(deck, report, shots, count)
        check_keys(deck, report, count)
        check_notes(deck, report)
        check_paper(deck, report, shots, count)
        report('no error in the console', deck.faults)
        others = {url for url in deck.requests
                  if not url.startswith(('file://', 'data:', 'about:'))}
        report('nothing is asked of a network', sorted(others))
        check_colours(browser, folder, report)
        check_without_script(browser, folder, report, count)
        browser.close()
    print(f'1..{report.number}')
    return 1 if report.failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
