"""Prints the book with Chromium, by Playwright:
  print.py FOLDER NUMBERS.json
In the folder print.html becomes book.pdf, and picture.svg picture.png.
Chromium knows no page numbers in a table of contents. So the page of each
heading is read from the PDF's outline and set into <span data-page="ID">, and
the page is printed once more. Where the numbers of an earlier build still hold,
the first PDF is right already."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

# These run in the page, which shows nothing on a screen: no font is loaded
# unasked.
LOAD = """Promise.all([...document.fonts].map((font) => font.load()))
  .then(() => true)"""
HEADINGS = """[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
  .map((heading) => [heading.id, heading.textContent])"""
FILL_IN = """(pages) => document.querySelectorAll('[data-page]')
  .forEach((place) => { place.textContent = pages[place.dataset.page] })"""


def qpdf(*words):
    return subprocess.run(["qpdf", *words], stdout=subprocess.PIPE,
                          check=True).stdout


def bare(text):
    return re.sub(r"\s+", "", text)


def outlined(entries):
    """(title, page) of all headings, in their order."""
    for its in entries:
        yield bare(its["title"]), str(its["destpageposfrom1"])
        yield from outlined(its["kids"])


def pages_of(pdf, headings):
    """The page of each heading, by its id."""
    found = list(outlined(json.loads(qpdf(
        "--json", "--json-key=outlines", pdf))["outlines"]))
    if [title for title, _ in found] != [bare(text) for _, text in headings]:
        raise ValueError("its outline has other headings than the page")
    return {name: number for (name, _), (_, number) in zip(headings, found)}


def normalise(pdf):
    """Takes out what differs from one run to the next: the time, and the names
    of the elements in the structure."""
    text = re.sub(rb"/(CreationDate|ModDate) \(.*?\)",
                  lambda its: b" " * len(its[0]), pdf.read_bytes())
    node = re.compile(rb"\bnode\d{8}\b")
    names = {name: b"node%08d" % number for number, name in
             enumerate(sorted(set(node.findall(text))), 1)}
    pdf.write_bytes(node.sub(lambda its: names[its[0]], text))
    qpdf("--deterministic-id", "--object-streams=generate", "--replace-input",
         pdf)


def print_book(page, folder, numbers):
    pdf = folder / "book.pdf"
    page.goto((folder / "print.html").as_uri())
    page.evaluate(LOAD)
    headings = page.evaluate(HEADINGS)
    pages = json.loads(numbers.read_text()) if numbers.exists() else {}
    for _ in range(3):
        before = pages
        page.evaluate(FILL_IN, pages)
        page.pdf(path=pdf, prefer_css_page_size=True, print_background=True,
                 outline=True, tagged=True)
        pages = pages_of(pdf, headings)
        if pages == before:
            break
    else:
        raise ValueError("its page numbers do not settle")
    (folder / "pages.json").write_text(json.dumps(pages))
    normalise(pdf)


def main(folder, numbers):
    folder = Path(folder).resolve()
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(
            executable_path=shutil.which("chromium")).new_page()
        page.set_default_timeout(300000)  # a loaded machine is slow
        print_book(page, folder, Path(numbers))
        page.goto((folder / "picture.svg").as_uri())
        page.locator("svg").first.screenshot(path=folder / "picture.png")


try:
    main(*sys.argv[1:])
except (Error, OSError, ValueError, subprocess.CalledProcessError) as reason:
    sys.exit(f"The PDF cannot be printed: {str(reason).splitlines()[0]}")
