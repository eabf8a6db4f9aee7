"""Listings show a reader the lines that are in the sources, as the compiler
reads them, and each line of a kernel leads to the listing that explains it."""

import re
import shutil

import pytest

from book.building import SAMPLE, build
from book.pages import (CHOOSES, broken, compiled, lines, listings, plain,
                        texts)
from support import ROOT, Tree

SECOND = "further/stage1_second/kernel.cu"
MARK = re.compile(r"\s*(//|#)[<>] [a-z][a-z0-9-]*\s*$")


@pytest.fixture(scope="module", params=["sample", "pages"])
def built(request):
    """The tree, its pages and their listings."""
    folder = request.getfixturevalue(request.param)
    tree = SAMPLE if request.param == "sample" else ROOT
    return tree, folder, list(listings(folder))


def kernels(tree):
    found = sorted([*tree.glob("stage*_*/kernel.cu"),
                    *tree.glob("further/stage*_*/kernel.cu")])
    return [path for path in found if not (path.parent / "stage.mk").exists()]


def toggles(path):
    """The lines in which a kernel declares its toggles, in every arm."""
    text = path.read_text().splitlines()
    if "//> toggles" not in text:
        return range(0)
    return range(text.index("//> toggles") + 1, text.index("//< toggles") + 1)


def test_listings_are_the_sources(built):
    tree, _, all_listings = built
    faults, read = [], {}
    assert all_listings
    for one in all_listings:
        path = tree / one.file
        source = path.read_text().splitlines()
        is_kernel = path in kernels(tree)
        key = path, *one.arm
        if is_kernel and key not in read:
            read[key] = compiled(path, one.arm) | set(toggles(path))
        for line in one.lines:
            if not line.number:  # a gap, or a line of the other file
                continue
            text = source[line.number - 1]
            if line.text.strip() != text.strip():
                faults.append(f"{one.place}: {line} is not {text}")
            if is_kernel and line.number not in read[key]:
                faults.append(f"{one.place}: {line} is of another arm")
    assert not faults, faults[:9]


def test_listings_lead_to_their_first_line(built):
    _, folder, all_listings = built
    ids = {name: {line.id: line.number for line in lines(text)}
           for name, text in texts(folder, "source-*.html").items()}
    for one in all_listings:
        page, _, id = one.source.partition("#")
        first = next(line.number for line in one.lines if line.number)
        assert ids[page].get(id) == first, one


def test_each_line_of_a_kernel_leads_to_its_listing(built):
    tree, folder, all_listings = built
    shown = {one.place: {line.text.strip() for line in one.lines}
             for one in all_listings}
    for name, text in texts(folder, "source-stage*.html").items():
        for id in re.findall(r' id="(r-[a-z-]*)"', text):  # told there
            shown[f"{name}#{id}"] = {line.text.strip() for line in lines(text)}
    for path in kernels(tree):
        stage = re.match(r"stage\d+", path.parent.name)[0]
        page = (folder / f"source-{stage}.html").read_text()
        wanted = [(n, text) for n, text in
                  enumerate(path.read_text().splitlines(), 1)
                  if not MARK.match(text)]
        found = lines(page)
        assert [(line.number, line.text) for line in found] == wanted, path
        for line in found:
            assert line.id == f"L{line.number}"
            is_told = 'id="r-' in page and not line.href
            if line.text.strip() and not (CHOOSES.match(line.text) or is_told):
                assert line.text.strip() in shown.get(line.href, ()), (
                    path, line)


TOLD = {"includes": "So", "helper": "So", "kernel": "After @lst-wide",
        "body": "In", "launch": "$m$", "toggles": "Narrow",
        "tail": "[stage1_second:perf/mission/event/p50_us]{.num fmt=\"%.1f\"}"}


def test_line_by_line(tmp_path):
    """With a sentence for each region its page shows all lines, so that the
    chapter need not; references and numbers are right there, too."""
    tree = Tree(tmp_path / "tree")
    shutil.copytree(SAMPLE, tree.path)
    tree.edit("chapters/03-second.md", '```{.cuda #lst-toggles file="further/'
              'stage1_second/kernel.cu" region="toggles" caption="The toggles"}'
              '\n```\n', "")
    tree.edit("chapters/notes/03-second.md", "as\n@lst-narrow lets one see", "")
    tree.edit("chapters/notes/03-second.md", '```{.arm #lst-narrow stage="stage'
              '1_second" set="WIDE=0" region="tail" caption="One value at a '
              'time"}\n```\n', "")
    tree.edit("chapters/03-second.md", "@lst-narrow in", "in")
    tree.write("chapters/lines/stage1_second.md", "\n".join(
        f"`{name}`\n:   {text} is {name}.\n" for name, text in TOLD.items()))
    build(tree.path, tmp_path / "html")
    assert not broken(tmp_path / "html")
    page = (tmp_path / "html/source-stage1.html").read_text()
    runs = page.split('<div class="run"')[1:]
    told = {}
    for run in runs:
        name = re.match(r' id="r-([a-z]*)"', run)
        if name:
            text = " ".join(plain(run.split("<pre")[0]).split())
            told[name[1]] = text, lines(run)[0].number
    assert list(told) == ["includes", "helper", "kernel", "body", "launch",
                          "toggles", "tail"]
    source = tree.read(SECOND).splitlines()
    for name, (text, number) in told.items():
        assert f" is {name}." in text
        assert f"//> {name}" == source[number - 2]
    assert "Listing 3.1 is kernel. Listing 3.1" in told["kernel"][0]
    assert "38.6 is tail" in told["tail"][0]
    assert 'class="katex-html"' in page
    assert "__threadfence" in page and 'data-n="53"' in page
    third = (tmp_path / "html/03-second.html").read_text()
    assert "__threadfence" not in third and "#ifndef" not in third
