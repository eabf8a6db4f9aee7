"""Tests of the built book in Chromium, as TAP:
   browser.py CHROMIUM HTML TREE SCREENSHOTS SEED PART...
with the parts odd and even (pages), still, reading, widgets, planted. Chapters
are made of the same parts, and so are pages of sources: the seed draws some of
each; "all" are all."""
import hashlib
import pathlib
import re
import sys

from playwright.sync_api import sync_playwright

from book import Book
import pages
import planted
import reading
import still
from tap import Tap
import widgets


DRAWN = {'chapter': 6, 'source': 2}


def kind_of(name):
    """Of a page: chapter, source, or another, which is always looked at."""
    if re.match('([0-9]+|[A-Z])-', name):
        return 'chapter'
    return 'source' if name.startswith('source-') else None


def drawn(names, seed):
    """The pages that are looked at."""
    left_out = set()
    for kind, count in DRAWN.items() if seed != 'all' else ():
        alike = [name for name in names if kind_of(name) == kind]
        alike.sort(key=lambda name: hashlib.sha256(
            f'{seed} {name}'.encode()).hexdigest())
        left_out.update(alike[count:])
    return [name for name in names if name not in left_out]


def main(chromium, folder, tree, shots, seed, *parts):
    shots = pathlib.Path(shots)
    shots.mkdir(parents=True, exist_ok=True)
    program = pathlib.Path(tree) / 'build/tests/wavefronts'
    report = Tap()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        book = Book(browser, folder, tree)
        names = drawn(book.pages(), seed)
        checks = {
            'odd': lambda: pages.check(book, report, shots,
                                       names[::2]),
            'even': lambda: pages.check(book, report, shots,
                                        names[1::2]),
            'still': lambda: still.check(book, report, names),
            'reading': lambda: reading.check(book, report),
            'widgets': lambda: widgets.check(book, report, program),
            'planted': lambda: planted.check(book, report),
        }
        for part in parts:
            checks[part]()
        browser.close()
    print(f'1..{report.number}')
    return 1 if report.failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
