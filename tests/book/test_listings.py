"""Listings show a reader the lines that are in the sources, as the compiler
reads them, and each line of a kernel leads to the listing that explains it."""

import re

import pytest

from book.building import SAMPLE
from book.pages import CHOOSES, compiled, lines, listings, texts
from support import ROOT

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
