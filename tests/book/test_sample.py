"""The pages of a small book hold what its chapters, kernels and results say:
whoever reads the book reads these."""

import re
import shutil

import pytest

from book.building import SAMPLE, build
from book.pages import broken, head_of, texts
from support import Tree

SITE = "https://example.org/book"

# What a page shows, as a pattern for each line.
SHOWN = {
    "00-preface.html": r"""
        href="A-extra.html#ch-extra"[^>]*>Appendix.A</a>""",
    "01-method.html": r"""
        \(1\.1\)
        class="katex-html"
        <math
        >all NaN<
        >caught<
        prompt"><b>echo
        class="skip" href="#main"
        rel="next" href="02-first.html"
        aria-current="page"
        name="description" content="By Equation.1.1 the sum is""",
    "02-first.html": r"""
        data-n="16"><span class="cf">if
        <span class="at">__global__</span>
        >−2.4.%<
        >2,130,432<
        <nav class="kernel".*href="source-stage0.html"
        <form id="search" role="search" hidden>""",
    "03-second.html": r"""
        ^<div class="beside narrow short">$
        class="side"><code>stage0_first</code>
        line removed" data-n="14" data-sign="−">
        p50_us">38.6</span> µs
        p50_us">0.0125</span> ms
        >FlashAttention-3</text>
        >1.59</span>
        >37.0.%</span>
        <details><summary>Answer</summary>
        title="share floor:[^>]*>50
        best_library_name">cuDNN.FP8</span>
        title="share peers:[^>]*>80
        title="ratio floor:[^>]*>28.95<
        >Listing.2.3</a>
        <em><a href="lists.html#gloss-online-softmax" class="glossary"
        >Online softmax</a> of one</em>,
        <code>check</code></td>
        class="line new" data-n="51">.*__syncwarp
        class="line gap" data-n="">. 6 lines as in stage 0<
        <code>make lab1</code>: <strong>a tail by hand</strong>, 25 minutes
        <figure class="drawing widget" data-widget="pipeline" .*id="fig-ring"
        <svg role="img" aria-label="A timeline[^"]*" .*class="plot" viewBox=
        data-start="slots = 3&#10;
        <script src="widgets/pipeline.js" defer>
        href="03-second-notes.html#sec-expected" class="xref">Section.N3.1</a>
        what did not work: <a
        <li><a href="03-second-notes.html">Notes</a></li>""",
    "03-second-notes.html": r"""
        <h1 id="ch-second-notes"><span class="number">Notes.3</span>
        These are the notes to <a href="03-second.html#ch-second"
        <span class="number">N3.1</span>
        <a href="03-second.html#fig-ladder" class="xref">Figure.3.1</a>
        class="xref">Table.N3.1</a>
        <strong>Listing.N3.1</strong>
        \(N3.1\)
        rel="prev" href="03-second.html"
        rel="next" href="A-extra.html"
        href="03-second-notes.html" aria-current="page">Notes</a>""",
    "A-extra.html": r"""
        rel="prev" href="03-second.html"
        <h1 id="ch-extra"><span class="number">Appendix.A</span>""",
    "index.html": r"""
        href="03-second.html"
        <a href="03-second-notes.html">Notes</a></p></li>
        It doubles numbers, for those who test the book
        href="source-stage1.html">stage.1</a>
        <rect class="bar" .*width="96" x="232" y="61"
        >80.%</text>
        >cuDNN FP8</text>""",
    "lists.html": r"""
        href="03-second-notes.html#term-afterthought"[^>]*>Notes.3</a>
        href="01-method.html#term-online-softmax"
        >0, 1</td>
        <dt><code>make stage1 bench AGAINST=.*stage0 WIDE=0
        commit abc1234""",
    "source-stage1.html": r"""
        href="02-first.html#lst-helper" tabindex="-1" aria-hidden="true"
        "line added" id="L17"><a class="n" data-n="17" href="03-second.html#""",
    "sources.html": r"""
        id="src-online"
        is not cited, but good""",
}

# Of each kind of drawing: what a measured figure looks like in it.
DRAWN = r"""
    class="whisker"
    >producer 1</text>
    >1000</text>
    >L2 cache</text>
    <circle class="bar" cx="2[0-9.]*" cy="[0-9.]*" .*/>
    class="value"[^>]*>5.0</text>
    <rect [^>]*width="82.8" x="335.2"
    <rect class="box" .*width="201" x="205"
    <circle .*transform="translate.604.0 38.0."
    <text class="label" .* x="25".*>x y</text>
    <text class="label" .* x="46".*>1.0</text>
    <rect class="bar" .*height="12" width="187.8.*" x="130" y="47"
    <rect class="bar" .*height="9" width="138.3.*" x="280.9.*" y="4"
    <rect class="box" .*height="9" .*width="98.[12].*" x="182.[78].*" y="34"
    <text class="value" .* y="58">–</text>"""


@pytest.mark.parametrize("page", [*SHOWN, "drawings"])
def test_shown(sample, page):
    patterns = DRAWN if page == "drawings" else SHOWN[page]
    name = "03-second.html" if page == "drawings" else page
    text = (sample / name).read_text()
    missing = [p for p in patterns.strip().split("\n")
               if not re.search(p.strip(), text, re.M)]
    assert not missing


def test_not_shown(sample):
    text = texts(sample)
    for name, page in text.items():
        assert not re.search(r"(//|#|&[lg]t;)[<>] ?(body|goal)", page), name
        if name != "03-second.html":
            assert 'src="widgets/' not in page, name
    # At the side no other chapter has its sections, its notes or its kernel.
    side = text["02-first.html"].split('<nav id="contents"')[1]
    assert "notes" not in side and "source-stage1" not in side
    third = text["03-second.html"]
    assert third.count('class="glossary"') == 1  # where a term is used first
    assert "widgets/bank-conflicts" not in third
    folded = re.search(r'<figure[^>]* id="lst-folded">(.*?)</figure>', third,
                       re.S)[1]
    assert "__threadfence" not in folded and ">#" not in folded


@pytest.mark.parametrize("folder", ["sample", "pages"])
def test_links(request, folder):
    faults = broken(request.getfixturevalue(folder))
    assert not faults, faults[:9]


def check_heads(folder, site):
    heads = {name: head_of(text) for name, text in texts(folder).items()}
    for key in "name", "description":
        assert len({head[key] for head in heads.values()}) == len(heads), key
    for name, head in heads.items():
        assert 40 <= len(head["description"]) <= 300, head
        assert "\1" not in head["description"], head
        assert head["name"].startswith(head["title"]), head
        address = f"{site}/{name}".replace("/index.html", "/") if site else ""
        assert head["canonical"] == head.get("url", "") == address
    return heads


def test_heads_without_an_address(sample):
    check_heads(sample, "")
    assert not (sample / "sitemap.xml").exists()


def test_heads_with_an_address(tmp_path):
    build(SAMPLE, tmp_path / "html", BOOK_SITE=f"{SITE}/")
    heads = check_heads(tmp_path / "html", SITE)
    listed = re.findall(r"<loc>(.*?)</loc>",
                        (tmp_path / "html/sitemap.xml").read_text())
    assert sorted(listed) == sorted(h["canonical"] for h in heads.values())
    assert not broken(tmp_path / "html")


def test_an_old_address_leads_on(tmp_path):
    tree = Tree(tmp_path / "tree")
    shutil.copytree(SAMPLE, tree.path)
    tree.edit("chapters/book.yaml", "file: 01-method.md",
              "file: 01-method.md\n    was: 07-method")
    build(tree.path, tmp_path / "html")
    old = (tmp_path / "html/07-method.html").read_text()
    assert "url=01-method.html" in old and '<a href="01-method.html">' in old
    assert "location.replace('01-method.html' + location.hash)" in old


def test_budget(tmp_path):
    """The build says how long each chapter is: words that are read, listings,
    lines that the stage before does not have; what is too long is marked."""
    tree = Tree(tmp_path / "tree")
    shutil.copytree(SAMPLE, tree.path)

    def budget(chapter):
        said = build(tree.path, tmp_path / "html")
        line = re.search(rf"^{chapter} +(.*)$", said, re.M)
        assert "lists" not in said and "notes" not in said
        return line[1].split()
    before = budget("A-extra"), budget("02-first")
    assert before[0][1:] == ["0", "0"] and before[1][1:] == ["6", "24"]
    tree.append("chapters/A-extra.md", "\n" + "One two, 3 $x$ `four`.\n" * 700)
    tree.append("chapters/A-extra.md", '\n```{.cuda file="stage0_first/kernel.'
                'cu" region="tail" caption="Five"}\n```\n\n```{.sh}\n'
                'make\n```\n')
    words, *rest = budget("A-extra")
    assert words == f"{int(before[0][0]) + 700 * 4 + 6:,}!"
    assert rest == ["1", "12"]
