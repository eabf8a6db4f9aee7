"""Each page: in light and dark, on a phone and on a wide screen."""
PHONE = {'width': 390, 'height': 844}
WIDE = {'width': 1600, 'height': 1000}
# Screenshots; the layout of dark is light's, and sources look alike all along.
TALLEST = {'light': 8000, 'phone': 8000, 'dark': 3000}
TALLEST_SOURCE = 2000

# Colours are what light and dark differ in; on a phone the layout does.
COLOURS = {'runOnly': ['color-contrast', 'link-in-text-block']}
LAYOUT = {'runOnly': ['scrollable-region-focusable', 'skip-link',
                      'target-size', 'empty-heading', 'link-name',
                      'button-name']}
ALL_BUT_COLOURS = {'rules': {'color-contrast': {'enabled': False}}}

# Classes give code its colours, and axe takes long to see each of thousands of
# words. So of the lines of a page, those are marked in which no class is new.
MARK_SAME = '''() => {
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
}'''

RUN_AXE = '''(options) => axe.run(
  options.runOnly ? {include: [['html']], exclude: [['[data-same]']]}
    : document,
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
        page.evaluate(MARK_SAME)

        def see(look_name, *rules):
            faults.extend(f'{look_name}: {fault}' for options in rules
                          for fault in page.evaluate(RUN_AXE, options))
            faults.extend(f'{look_name}: {fault}'
                          for fault in page.evaluate(SIDEWAYS))
            if shots:
                shoot(page, shots / f'{name[:-5]}.{look_name}.jpg',
                      TALLEST_SOURCE if name.startswith('source-')
                      else TALLEST[look_name])

        see('light', ALL_BUT_COLOURS, COLOURS)
        page.emulate_media(color_scheme='dark')
        see('dark', COLOURS)
        page.emulate_media(color_scheme='light')
        page.set_viewport_size(PHONE)
        see('phone', LAYOUT)
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


def check(book, report, shots, names):
    for name in names:
        report(f'{name}: light, dark, phone, wide', look(book, name, shots))
