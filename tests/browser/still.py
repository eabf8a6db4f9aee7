"""The pages where no script runs, and on paper."""
from book import SEEN, SHOWN

INPUTS = 'input, select, textarea, button'
WIDGET = 'figure[data-widget] svg'
PICTURES = f'''() => Array.from(document.querySelectorAll('{WIDGET}'),
  (it) => it.innerHTML.replace(/\\s+/g, ' ').trim())'''


def without_scripts(book, name, text, pictures):
    """What a page lacks, or has too much, without JavaScript."""
    with book.open(name, java_script_enabled=False) as (page, faults):
        lost = set(text) - set(page.evaluate(SEEN))
        faults += [f'without scripts a reader misses: {words[:80]}'
                   for words in lost]
        faults += [f'without scripts this input does nothing: {html}'
                   for html in page.evaluate(SHOWN, INPUTS)]
        if page.evaluate(PICTURES) != pictures:
            faults.append('the still picture is not the one that scripts draw')
        faults += pictures_missing(page, len(pictures))
    return faults


def pictures_missing(page, wanted):
    shown = len(page.evaluate(SHOWN, f'{WIDGET}[aria-label]'))
    return [] if shown == wanted else [
        f'{shown} pictures of widgets are seen, of {wanted}']


def on_paper(page, text):
    """What print would show and should not, or lose."""
    page.emulate_media(media='print')
    faults = [f'on paper there is {html}' for html in page.evaluate(
        SHOWN, f'{INPUTS}, #contents, header.top, .steps, p.result, a.skip')]
    faults += [f'on paper a reader misses: {words[:80]}'
               for words in set(text) - set(page.evaluate(SEEN))]
    return faults + pictures_missing(page, page.locator(WIDGET).count())


def look(book, name):
    with book.open(name) as (page, faults):
        text, pictures = page.evaluate(SEEN), page.evaluate(PICTURES)
        faults += on_paper(page, text)
    if not text:
        faults.append('a reader sees no text at all')
    return faults + without_scripts(book, name, text, pictures)


def check(book, report, names):
    for name in names:
        report(f'{name}: without JavaScript, on paper', look(book, name))
