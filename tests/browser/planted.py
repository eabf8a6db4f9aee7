"""Tests of the tests: a fault planted in a copy of the pages must be seen."""
import pathlib
import shutil
import tempfile

from book import Book
import pages
import reading
import still
import widgets

PAGE = 'errata.html'  # a short one
END = '</main>'
GIF = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAAAACwAAAAAAQABAAA='


def page(book):
    return pages.look(book, PAGE)


def long_page(book):
    return pages.look(book, '00-preface.html')


def source_page(book):
    return pages.look(book, 'source-stage0.html')


def quiet(book):
    return still.look(book, PAGE)


def keys(book):
    return reading.keyboard(book, PAGE)


def colours(book):
    return reading.theme(book, PAGE, 'index.html')


def banks(book):
    return widgets.follow(book, 'fig-stage2-banks')


def ring(book):
    return widgets.follow(book, 'fig-stage4-ring')


# Name, check, words of the fault, file, text, what takes its place.
PLANTS = [
    ('a request to elsewhere', page, 'leaves the book', PAGE, END,
     f'<img alt="x" src="http://example.invalid/x.png">{END}'),
    ('a missing file', page, 'console has an error', PAGE, END,
     f'<img alt="x" src="gone.png">{END}'),
    ('an error in the console', page, 'the console has', PAGE, END,
     f'<script>console.error("planted")</script>{END}'),
    ('a script that fails', page, 'a script fails', PAGE, END,
     f'<script>planted()</script>{END}'),
    ('a picture without a text', page, 'light: image-alt', PAGE, END,
     f'<img src="{GIF}">{END}'),
    ('grey on black', page, 'dark: color-contrast', PAGE, END,
     '<style>@media (prefers-color-scheme: dark) '
     f'{{ main p {{ color: #333 }} }}</style>{END}'),
    ('a colour of code too light', source_page, 'light: color-contrast',
     'book.css', 'color: var(--string)', 'color: #ccc'),
    ('a box too wide for a phone', page, 'phone: scrolls sideways', PAGE, END,
     f'<div style="width: 600px">wide</div>{END}'),
    ('a box too wide for all', page, 'wide: scrolls sideways', PAGE, END,
     f'<div style="width: 2000px">wide</div>{END}'),
    ('a target behind the head of the page', long_page,
     'is not in sight', 'book.css', 'scroll-padding', 'no-padding'),
    ('a text that only scripts show', quiet, 'misses: late', PAGE, END,
     '<p id="late" hidden>late</p><script>late.hidden = false</script>' + END),
    ('an input without scripts', quiet, 'does nothing', PAGE, END,
     f'<button>Press</button>{END}'),
    ('a sidebar on paper', quiet, 'on paper there is <nav', 'book.css',
     '.top, #contents, .steps', '.top, .steps'),
    ('a skip link to nowhere', keys, 'skip link does not lead', PAGE,
     'id="main"', 'id="text"'),
    ('Escape that leaves the focus', keys, 'focus back', 'search.js',
     'box.focus();  // which', '// which'),
    ('a theme that is not kept', colours, 'has forgotten', 'book.js',
     'localStorage.setItem', 'String'),
    ('a chapter that the search lacks', reading.search, 'is not found in 05-',
     'search-index.js', '05-stage3-fused-softmax.html', '04-gone.html'),
    ('a copy with a line too many', reading.copying, 'source is not the',
     'book.js', "}).join('');", "}).join('') + '\\nmore';"),
    ('a wrong rule of the banks', banks, 'not "12 wave',
     'widgets/bank-conflicts.model.js', 'row % 8 : 0', 'row % 2 : 0'),
    ('a wrong rule of the ring', ring, 'not "8 tiles take 52',
     'widgets/pipeline.model.js', 'n && inTurn', 'n && false'),
    ('a refusal that marks nothing', ring, '0 fields are marked',
     'widgets/upgrade.js', "'aria-invalid', 'true'", "'data-x', 'true'"),
]


def plant(book, check_it, words, file, text, other):
    path = book.folder / file
    sound = path.read_text(encoding='utf-8')
    if text not in sound:
        return [f'{file} has no {text}']
    path.write_text(sound.replace(text, other), encoding='utf-8')
    try:
        faults = check_it(book)
    finally:
        book.forget()
        path.write_text(sound, encoding='utf-8')
    if any(words in fault for fault in faults):
        return []
    return [f'no fault says "{words}"', *faults]


def check(book, report):
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / 'html'
        shutil.copytree(book.folder, copy)
        other = Book(book.browser, copy, book.tree)
        for name, *how in PLANTS:
            report(f'seen: {name}', plant(other, *how))
