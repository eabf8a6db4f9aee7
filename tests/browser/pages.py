"""Each page: in light and dark, on a phone and on a wide screen."""
PHONE = {'width': 390, 'height': 844}
WIDE = {'width': 1600, 'height': 1000}
# Screenshots: as tall as Chromium can draw; the layout of dark is light's.
TALLEST = {'light': 16000, 'phone': 16000, 'dark': 4000}

# Colours are what light and dark differ in; on a phone all else does.
COLOURS = {'runOnly': ['color-contrast', 'link-in-text-block']}
ALL_BUT_COLOURS = {'rules': {'color-contrast': {'enabled': False}}}

RUN_AXE = '''(options) => axe.run(document,
  {preload: false, resultTypes: ['violations'], ...options})
  .then(({violations}) => violations.map(({id, nodes}) =>
    `${id}: ${nodes.length} times, as in ${nodes[0].html.slice(0, 120)}`))'''

# A page wider than the window, and the elements that make it so.
SIDEWAYS = '''() => {
  const {scrollWidth, clientWidth} = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = Array.from(document.querySelectorAll('body *')).filter((it) =>
    it.getBoundingClientRect().right > clientWidth + 1);
  return [`scrolls sideways: ${scrollWidth} pixels in ${clientWidth}: `
    + wide.slice(-1).map((it) => it.outerHTML.slice(0, 100)).join(' ')];
}'''

# Follows a link to an element in the middle: does it come to be seen?
FOLLOW = '''() => {
  const list = Array.from(document.querySelectorAll(
    'main :is(h2, h3, figure, .line)[id]'));
  const target = list[Math.floor(list.length / 2)];
  if (!target) return [];
  location.hash = target.id;
  const {top} = target.getBoundingClientRect();
  const header = document.querySelector('header.top');
  const {bottom} = header.getBoundingClientRect();
  return top >= bottom - 1 && top < innerHeight ? []
    : [`#${target.id} is not in sight: at ${top}, below ${bottom}`];
}'''


def look(book, name, shots=None):
    """The faults of a page, each with the look that shows it."""
    with book.open(name) as (page, faults):
        page.evaluate(book.axe)

        def see(look_name, options):
            faults.extend(f'{look_name}: {fault}' for fault in
                          page.evaluate(RUN_AXE, options)
                          + page.evaluate(SIDEWAYS))
            if shots:
                shoot(page, shots / f'{name[:-5]}.{look_name}.jpg',
                      TALLEST[look_name])

        see('light', {})
        page.emulate_media(color_scheme='dark')
        see('dark', COLOURS)
        page.emulate_media(color_scheme='light')
        page.set_viewport_size(PHONE)
        see('phone', ALL_BUT_COLOURS)
        page.set_viewport_size(WIDE)
        faults += [f'wide: {it}' for it in page.evaluate(SIDEWAYS)]
        faults += page.evaluate(FOLLOW)
    return faults


def shoot(page, path, tallest):
    width, height = page.evaluate(
        '[innerWidth, document.documentElement.scrollHeight]')
    page.screenshot(
        path=path, type='jpeg', quality=60, full_page=True,
        clip={'x': 0, 'y': 0, 'width': width, 'height': min(height, tallest)})


def check(book, report, shots):
    for name in book.pages():
        report(f'{name}: light, dark, phone, wide', look(book, name, shots))
