"""The PDF and the EPUB carry what the pages carry, are in order, and their
links lead somewhere: whoever prints the book reads the same book."""

import json
import re
import subprocess
import zipfile

import pytest

from book.building import KEPT, SAMPLE, build
from book.pages import broken, lines, plain
from support import ROOT, Tree, have

CHECKER = "/usr/share/java/epubcheck.jar"


@pytest.fixture(scope="module", params=[
    "sample", pytest.param("book", marks=pytest.mark.slow)])
def built(request, tmp_path_factory):
    """The folder of a book in all formats: html, epub and book.pdf."""
    folder = tmp_path_factory.mktemp("formats")
    whole = request.param == "book"
    build(ROOT if whole else SAMPLE, folder / "html", BOOK_FORMATS=None,
          **({"BOOK_KEPT": KEPT} if whole else {}))
    for name in "epub", "pdf":
        file, = (folder / "html").glob(f"*.{name}")
        file.rename(folder / f"book.{name}")
    with zipfile.ZipFile(folder / "book.epub") as archive:
        first = archive.infolist()[0]
        assert first.filename == "mimetype" and first.compress_type == 0
        archive.extractall(folder / "epub")
    return folder


def said(*command):
    return subprocess.run([str(word) for word in command], check=True,
                          capture_output=True).stdout.decode(errors="replace")


def bare(text):
    return re.sub(r"[\s\u200b]+", "", text)


def main_of(folder, name):
    text = (folder / "html" / name).read_text()
    text = re.search(r'<main[^>]*>(.*)<nav class="steps"', text, re.S)[1]
    return re.sub(r'<nav class="kernel".*?</nav>', "", text, flags=re.S)


def names(folder):
    contents = re.search(r'<ol class="contents">(.*)</ol>\s*<nav',
                         (folder / "html/index.html").read_text(), re.S)[1]
    return list(dict.fromkeys(re.findall(r'href="([^"#]+)"', contents)))


def test_links_of_the_epub(built):
    assert not broken(built / "epub/EPUB", "*.xhtml")


def test_epubcheck(built):
    if not (have("java") and have(CHECKER)):
        pytest.skip("no epubcheck here")
    Tree(built).ends(f"java -jar {CHECKER} --failonwarnings book.epub")


def text_of_pdf(folder):
    """The text of each page, between its head and its foot."""
    return said("pdftotext", "-layout", "-x", 0, "-y", 60, "-W", 600, "-H", 724,
                folder / "book.pdf", "-").split("\f")


def blocks(markup):
    """Headings, captions and paragraphs that have no formula. (Of cells the
    order in a PDF is not known.)"""
    for _, text in re.findall(
            r"<(p|h[1-6]|figcaption)\b[^>]*>(.*?)</\1>", markup, re.S):
        # On paper an address stands behind the words that lead there.
        if 'class="katex' not in text:
            yield from map(plain, re.split(
                r'<a class="source".*|<a\s[^>]*external.*?</a>', text,
                flags=re.S))


def lost(folder, text, lines_of_text):
    """What stands on the pages and not in this text."""
    text, found = bare(text), []
    printed = "\n".join(map(bare, lines_of_text))
    assert len(names(folder)) > 4
    for name in names(folder):
        markup = main_of(folder, name)
        no_code = re.sub(r"<(pre|svg)\b.*?</\1>", "", markup, flags=re.S)
        found += [(name, b) for b in blocks(no_code) if bare(b) not in text]
        for code in re.findall(r'<pre class="code numbered[^>]*>(.*?)</pre>',
                               markup, re.S):
            found += [(name, line) for line in lines(code) if bare(
                f"{line.number or ''}{line.sign}{line.text}") not in printed]
    return found[:9]


def test_the_epub_is_the_pages(built):
    chapters = "\n".join(path.read_text() for path in sorted(
        (built / "epub/EPUB").glob("*.xhtml")))
    text = plain(chapters)
    assert not lost(built, text, text.splitlines())


def test_the_pdf_is_the_pages(built):
    text = "".join(text_of_pdf(built))
    assert not lost(built, text, text.splitlines())


def test_the_pdf_is_in_order(built):
    """Contents with the right pages, and links that lead somewhere."""
    pdf = built / "book.pdf"
    outline = []

    def add(entries, depth):
        for entry in entries:
            outline.append((bare(entry["title"]), entry["destpageposfrom1"],
                            depth))
            add(entry["kids"], depth + 1)
    add(json.loads(said("qpdf", "--json", "--json-key=outlines", pdf)
                   )["outlines"], 1)
    headings = [(title, page) for title, page, depth in outline
                if depth < 3 and title != "Contents"]
    first = next(page for title, page, _ in outline if title == "Contents")
    pages = ["", *map(bare, text_of_pdf(built))]
    contents = "".join(pages[first:headings[0][1]]).removeprefix("Contents")
    assert contents == "".join(f"{title}{page}" for title, page in headings)
    for title, page in headings:
        assert title in pages[page], (title, page)

    said("qpdf", "--check", pdf)
    inside = said("qpdf", "--qdf", "--object-streams=disable", pdf, "-")
    links = set(re.findall(r"/Dest (/\S+)", inside))
    dests = re.search(r"/Dests (\d+) 0 R", inside)[1]
    there = re.search(rf"\n{dests} 0 obj\n<<(.*?)\n>>\nendobj", inside,
                      re.S)[1]
    assert links and all(f"\n  {link} " in there for link in links)
    for name in names(built):
        ids = re.findall(r'<a [^>]*href="(?!source-)[\w.-]*#(?!fn)([^"]*)"',
                         main_of(built, name))
        assert {f"/{id}" for id in ids} <= links, name


def test_a_draft_marks_stale_figures(sample_tree, tmp_path):
    """Each number, table and drawing of another kernel than the source's, in
    every format; and what is up to date has no mark."""
    sample_tree.edit("stage0_first/kernel.cu", "128, 128>>>", "128, 64>>>")
    html = tmp_path / "html"
    build(sample_tree.path, html, 0, "stage0_first.json was measured",
          BOOK_DRAFT=1, BOOK_FORMATS=None)
    with zipfile.ZipFile(html / "sample-draft.epub") as archive:
        book = archive.read("EPUB/02-first.xhtml").decode()
    paper = said("pdftotext", html / "sample-draft.pdf", "-")
    first = paper[paper.index("At the mission shape"):]
    pages = (html / "02-first.html").read_text()
    for text in plain(pages), plain(book), first:
        text = bare(text)
        assert re.search(r"launchtakes[\d.]+staleµs", text)
        assert "Table2.1staleExecutorandNsight" in text
        assert "Table2.2Errorsbyshape" in text
    third = bare(plain((html / "03-second.html").read_text()))
    assert "Figure3.1staleMedian" in third and "Ittakes38.6µs" in third
