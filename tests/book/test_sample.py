"""The pages of a small book hold what its chapters, kernels and results say:
whoever reads the book reads these."""

import re

import pytest

from book.building import SAMPLE, build
from book.pages import broken, texts

SITE = "https://example.org/book"

# What a page shows, as a pattern for each line.
SHOWN = {
    "01-method.html": r"""
        \(1\.1\)
        class="katex-html"
        >all NaN<
        prompt"><b>echo
        aria-current="page"
        >Table.1.1</a>’s, and\swritten <code>@tbl-gates</code>
        name="description" content="By Equation.1.1 the sum is""",
    "02-first.html": r"""
        data-n="16"><span class="cf">if
        >−2.4.%<
        >2,130,432<
        <nav class="kernel".*href="source-stage0.html""",
    "03-second.html": r"""
        line removed" data-n="" data-sign="−">
        p50_us">38.6</span> µs
        p50_us">0.0125</span> ms
        >1.59</span>
        >37.0.%</span>
        <details><summary>Answer</summary>
        title="share floor:[^>]*>50
        title="share peers:[^>]*>80
        title="ratio floor:[^>]*>28.95<
        >Listing.2.3</a>
        <em><a href="lists.html#gloss-online-softmax" class="glossary"
        class="line new" data-n="51">.*__syncwarp
        class="line gap" data-n="">. 6 lines as in stage 0<
        <code>make lab1</code>: <strong>a tail by hand</strong>, 25 minutes
        <figure class="drawing widget" data-widget="pipeline" .*id="fig-ring"
        data-start="slots = 3&#10;
        href="03-second-notes.html#sec-expected" class="xref">Section.N3.1</a>
        <li><a href="03-second-notes.html">Notes</a>""",
    "03-second-notes.html": r"""
        <a href="03-second.html#fig-ladder" class="xref">Figure.3.1</a>
        <strong>Listing.N3.1</strong>
        \(N3.1\)
        rel="prev" href="03-second.html"
        rel="next" href="A-extra.html""",
    "index.html": r"""
        <a href="03-second-notes.html">Notes</a></p></li>
        href="source-stage1.html">stage.1</a>
        <rect class="bar" .*width="96" x="232" y="61"
        >80.%</text>""",
    "lists.html": r"""
        href="01-method.html#term-online-softmax"
        <dt><code>make stage1 bench AGAINST=.*stage0 WIDE=0
        commit abc1234""",
    "source-stage1.html": r"""
        "line added" id="L17"><a class="n" data-n="17" href="03-second.html#""",
    "sources.html": r"""
        id="src-online""",
}

# Of each kind of drawing: what a measured figure looks like in it.
DRAWN = r"""
    class="whisker"
    >producer 1</text>
    <circle class="bar" cx="2[0-9.]*" cy="[0-9.]*" .*/>
    class="value"[^>]*>5.0</text>
    <rect [^>]*width="82.8" x="335.2"
    <rect class="box" .*width="201" x="205"
    <circle .*transform="translate.604.0 38.0."
    <rect class="bar" .*height="12" width="187.8.*" x="130" y="47"
    <rect class="bar" .*height="9" width="184.2" x="237.81" y="4"
    <rect class="box" .*height="9" .*width="57.83" x="179.98" y="34"""


@pytest.mark.parametrize("page", [*SHOWN, "drawings"])
def test_shown(sample, page):
    patterns = DRAWN if page == "drawings" else SHOWN[page]
    name = "03-second.html" if page == "drawings" else page
    text = (sample / name).read_text()
    missing = [p for p in patterns.strip().split("\n")
               if not re.search(p.strip(), text, re.M)]
    assert not missing


def test_not_shown(sample):
    for name, page in texts(sample).items():
        assert not re.search(r"(//|#|&[lg]t;)[<>] ?(body|goal)", page), name
        if name != "03-second.html":
            assert 'src="widgets/' not in page, name
    third = (sample / "03-second.html").read_text()
    assert third.count('class="glossary"') == 1  # where a term is used first
    folded = re.search(r'<figure[^>]* id="lst-folded">(.*?)</figure>', third,
                       re.S)[1]
    assert "__threadfence" not in folded and ">#" not in folded


@pytest.mark.parametrize("folder", ["sample", "pages"])
def test_links(request, folder):
    faults = broken(request.getfixturevalue(folder))
    assert not faults, faults[:9]


def test_a_site_has_its_addresses(tmp_path, sample):
    assert not (sample / "sitemap.xml").exists()
    html = tmp_path / "html"
    build(SAMPLE, html, BOOK_SITE=f"{SITE}/")
    assert f'rel="canonical" href="{SITE}/02-first.html"' in (
        html / "02-first.html").read_text()
    listed = re.findall(r"<loc>(.*?)</loc>", (html / "sitemap.xml").read_text())
    assert {f"{SITE}/", f"{SITE}/02-first.html"} <= {*listed}
    assert len(listed) == len(texts(html))


def test_an_old_address_leads_on(sample_tree, tmp_path):
    sample_tree.edit("chapters/book.yaml", "file: 01-method.md",
                     "file: 01-method.md\n    was: 07-method")
    build(sample_tree.path, tmp_path / "html")
    old = (tmp_path / "html/07-method.html").read_text()
    assert "url=01-method.html" in old and '<a href="01-method.html">' in old
