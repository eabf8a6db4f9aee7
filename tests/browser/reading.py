"""What a reader does with the pages: keys, search, colours, copies."""
import re

from playwright.sync_api import TimeoutError

FOCUS = 'document.activeElement.id'
PAPER = 'getComputedStyle(document.body).backgroundColor'


def keyboard(book, name):
    with book.open(name) as (page, faults):
        page.keyboard.press('Tab')
        if not page.locator('a.skip:focus').is_visible():
            faults.append('the first Tab does not show the skip link')
        page.keyboard.press('Enter')
        if page.evaluate(FOCUS) != 'main':
            faults.append('the skip link does not lead to the text')
        page.keyboard.press('/')
        if page.evaluate(FOCUS) != 'search-box':
            faults.append('/ does not go to the search box')
        page.keyboard.type('softmax')
        page.wait_for_selector('a.search-result')
        page.keyboard.press('ArrowDown')
        if not page.locator('a.search-result:focus').count():
            faults.append('the arrow does not go to the first result')
        page.keyboard.press('Escape')
        if page.locator('#search-panel').is_visible():
            faults.append('Escape does not close the search')
        if page.evaluate(FOCUS) != 'search-box':
            faults.append('Escape does not give the focus back')
        page.fill('#search-box', 'XOR swizzle')
        first = page.locator('a.search-result').first.get_attribute('href')
        page.keyboard.press('Enter')
        page.wait_for_url(book.url(first))
        page.fill('#search-box', 'no such words anywhere')
        page.wait_for_function(
            "document.getElementById('search-status').textContent"
            " === 'Nothing found.'")
    return faults


def term_of(book, chapter):
    """A term that the chapter explains, else its title."""
    html = book.text(chapter)
    found = (re.findall(r'id="term-[^"]*"[^>]*>([^<]+)', html)
             or re.findall('<h1.*?>([^<>]+)</h1>', html))
    return found[-1].strip()


def search(book):
    """Is a term of each chapter found, with a link to that chapter?"""
    with book.open('index.html') as (page, faults):
        for chapter in book.chapters():
            term = term_of(book, chapter)
            page.fill('#search-box', term)
            try:
                page.wait_for_selector('a.search-result', timeout=3000)
            except TimeoutError:
                faults.append(f'"{term}" is not found at all')
                continue
            links = page.eval_on_selector_all(
                'a.search-result', 'all => all.map(a => a.href)')
            if not any(link.startswith(book.url(chapter)) for link in links):
                faults.append(f'"{term}" is not found in {chapter}')
    return faults


def theme(book, name, other):
    """The switch changes the colours, here and on the next page."""
    book.forget()
    with book.open(name) as (page, faults):
        light = page.evaluate(PAPER)
        page.click('#theme')
        dark = page.evaluate(PAPER)
        if dark == light:
            faults.append('the switch changes no colour')
        # Chromium hands what is stored to the next page's process a moment
        # later; nobody follows a link sooner.
        page.wait_for_timeout(200)
        page.goto(book.url(other))
        if page.evaluate(PAPER) != dark:
            faults.append('the next page has forgotten the choice')
        page.click('#theme')
        page.reload()
        if page.evaluate(PAPER) != light:
            faults.append('the choice cannot be taken back')
    with book.open(name, color_scheme='dark') as (page, others):
        if page.evaluate(PAPER) != dark:
            faults.append("dark by choice is not the system's dark")
    book.forget()
    return faults + others


def copied(page, selector):
    page.locator(f'{selector} .copy').first.click()
    return page.evaluate('navigator.clipboard.readText()')


def copying(book):
    """Copies are the source's own lines, and of an output the command."""
    kernel = book.tree / 'stage0_scalar/kernel.cu'
    whole = [line for line in kernel.read_text().splitlines()
             if not re.match(r'\s*//[<>] ', line)]
    rights = ['clipboard-read', 'clipboard-write']
    with book.open('source-stage0.html', permissions=rights) as (page, faults):
        if copied(page, 'main').splitlines() != whole:
            faults.append('the copied source is not the source')
    chapter = book.page_with('ch-stage0')
    with book.open(chapter, permissions=rights) as (page, others):
        part = [line.strip() for line in
                copied(page, '.with-copy:has(pre.numbered)').splitlines()]
        lines = [line.strip() for line in whole]
        if not any(lines[n:n + len(part)] == part
                   for n in range(len(lines))) or not any(part):
            faults.append('a copied listing is not in the source')
        command = copied(page, '.with-copy:has(.prompt)')
        shown = page.locator('.prompt').first.text_content()
        if command != shown or command.startswith('$'):
            faults.append(f'of an output "{command[:60]}" is copied')
    return faults + others


def check(book, report):
    chapter = book.chapters()[1]
    report('keyboard: skip link, search, Escape', keyboard(book, chapter))
    report('search: a term of each chapter', search(book))
    report('the switch of colours', theme(book, chapter, 'index.html'))
    report('copy buttons', copying(book))
