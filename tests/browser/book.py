"""The built book in Chromium, and what goes wrong while a page is shown."""
import contextlib
import pathlib
import re

import axe_playwright_python

AXE = pathlib.Path(axe_playwright_python.__file__).with_name('axe.min.js')
DESKTOP = {'width': 1280, 'height': 800}
TIMEOUT = 10000  # milliseconds


class Book:
    """folder: the pages; tree: the sources that they were made from."""

    def __init__(self, browser, folder, tree):
        self.browser = browser
        self.folder = pathlib.Path(folder).resolve()
        self.tree = pathlib.Path(tree)
        self.axe = AXE.read_text(encoding='utf-8')
        self.tabs = {}

    def pages(self):
        return sorted(path.name for path in self.folder.glob('*.html'))

    def chapters(self):
        return [name for name in self.pages() if re.match(r'\d\d-', name)]

    def text(self, name):
        return (self.folder / name).read_text(encoding='utf-8')

    def page_with(self, element):
        """The page that has the element of this id."""
        for name in self.pages():
            if f'id="{element}"' in self.text(name):
                return name
        raise LookupError(f'no page has #{element}')

    def url(self, name):
        return f'{self.folder.as_uri()}/{name}'

    def tab(self, options):
        """One for each set of options: a new one takes long. No network."""
        key = repr(sorted(options.items()))
        if key not in self.tabs:
            context = self.browser.new_context(
                **{'reduced_motion': 'reduce', 'offline': True, **options})
            context.set_default_timeout(TIMEOUT)
            page = context.new_page()
            self.tabs[key] = page, self.watch(page)
        return self.tabs[key]

    @contextlib.contextmanager
    def open(self, name, **options):
        """The page, and a list that fills with what goes wrong in it."""
        page, sink = self.tab(options)
        page.goto('about:blank')
        page.set_viewport_size(DESKTOP)
        page.emulate_media(media='screen', color_scheme=options.get(
            'color_scheme', 'light'))
        faults = sink['faults'] = []
        page.goto(self.url(name))
        yield page, faults

    def forget(self):
        """What pages stored is gone, as in a browser that is new."""
        for page, _ in self.tabs.values():
            page.context.close()
        self.tabs = {}

    def watch(self, page):
        """What goes wrong in the page goes to the list of the moment."""
        sink = {'faults': []}
        inside = self.folder.as_uri() + '/'

        def fault(words):
            sink['faults'].append(words)

        def on_request(request):
            if not request.url.startswith((inside, 'data:')):
                fault(f'a request leaves the book: {request.url}')

        def on_console(message):
            if message.type == 'error':
                fault(f'the console has an error: {message.text}')

        page.on('request', on_request)
        page.on('websocket', lambda it: fault(
            f'a request leaves the book: {it.url}'))
        page.on('console', on_console)
        page.on('pageerror', lambda error: fault(
            f'a script fails: {error.message}'))
        return sink


# Text that a reader sees, block by block, without what scripts put there.
SEEN = '''() => Array.from(document.querySelectorAll(
  'main :is(h1, h2, h3, h4, p, li, dt, dd, pre, td, th, figcaption)'))
  .filter((it) => it.checkVisibility({visibilityProperty: true})
    && !it.closest('form.settings, p.result'))
  .map((it) => it.textContent.trim())'''

# What is shown of the elements that a selector names.
SHOWN = '''(selector) => Array.from(document.querySelectorAll(selector))
  .filter((it) => it.checkVisibility({visibilityProperty: true}))
  .map((it) => it.outerHTML.slice(0, 100))'''
