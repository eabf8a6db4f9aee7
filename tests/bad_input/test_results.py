"""Results that are cut off, absurd or of wrong types: each reader names the
file and the key in one sentence, and believes nothing of it."""

import re

import pytest

from support import ROOT, Tree
from recorded import text_of

FOLDER = re.search(r"\nresults: (\S+)",
                   Tree().read("chapters/book.yaml"))[1]
DEEP = "[" * 200000
META = ('"build_meta": {"schema_version": 1, "stage": "stage0_one", '
        '"arm": "default", "device": {"name": "A"}}')


def perf(event):
    return ('{%s, "correctness": {"all_passed": true},\n"perf": {"mission": '
            '{"shape": [1, 8, 512, 64], "event": %s}}}' % (META, event))


GOOD = perf('{"p50_us": 20.0, "noise_us": 0.5, "samples": {}}')


@pytest.fixture
def bad(sources):
    """Writes a file, and restores it."""
    before = {}

    def write(path, text):
        file = sources.path / path
        before[file] = file.read_text() if file.exists() else None
        file.write_text(text)
        return path
    yield write
    for file, text in before.items():
        file.unlink() if text is None else file.write_text(text)


def refused(tree, code, command, *says, lines=1, **more):
    said = tree.ends(command, code, *says, PYTHONDONTWRITEBYTECODE=1,
                     never=("raceback", "Error:"), **more)
    assert not re.search(r"\.lua:\d", said), said
    assert not lines or len(said.splitlines()) == lines, said


COMPARE = ROOT / "tools/compare/compare.py"


# ---- compare ----

@pytest.mark.parametrize("text, says", [
    (GOOD[:-30], "is not valid JSON: line 2"),
    (DEEP, "is not valid JSON: "),
    (GOOD.replace('version": 1', 'version": 9'), "schema version 9"),
    (perf('{"p50_us": -20.0}'), "perf/mission/event/p50_us is -20"),
    (perf('{"p50_us": "20"}'), "perf/mission/event/p50_us is a text"),
    (perf('{"noise_us": 0.5}'), "no perf/mission/event/p50_us"),
    (perf('{"\\u001b[2J_bytes": -1}'), "event/?[2J_bytes is -1"),
    (None, "Cannot read"),
])
def test_compare(sources, bad, text, says):
    good = bad("good.json", GOOD)
    path = bad("bad.json", text) if text else "chapters"
    refused(sources, 2, [COMPARE, good, path], path, says)


# ---- readme, peers, and the drawing of a timeline ----

def edited(tree, path, old, new):
    """The text with a pattern replaced, or another text altogether."""
    text, count = re.subn(old, new, text_of(tree.path / path)) if old else (
        new, 1)
    assert count, f"{path} has no {old}"
    return text


P50 = '"p50_us": ?'
# The run with the libraries, on the first page.
TIMES = re.search(r"\ntimes (\S+?\.json)",
                  Tree().read("chapters/front/landing.md"))[1]


@pytest.mark.parametrize("old, new, says", [
    ("", "[]", "it has no build_meta"),
    (r'"tflops": ?[\d.]+', '"tflops": "1"', "peers/large/contenders/"),
])
def test_readme(sources, bad, old, new, says):
    before = sources.read("README.md")
    bad(TIMES, edited(sources, TIMES, old, new))
    refused(sources, 2, "tools/readme/readme.py", TIMES, says)
    assert sources.read("README.md") == before


PEERS = "python3 tools/peers/peers.py show {}"
TIMELINE = "tools/timeline/timeline.py draw {} drawn.svg"
DRAWN = f"{FOLDER}/stage2_wmma_pv.timeline.json"


@pytest.mark.parametrize("command, path, old, new, says", [
    (PEERS, TIMES, P50 + r"[\d.]+", '"p50_us": NaN', "is not valid JSON: NaN"),
    (PEERS, TIMES, '"clocks": ?{', '"clocks": 7, "x": {',
     "peers/small/clocks is 7"),
    (TIMELINE, DRAWN, '"drawing"', '"picture"',
     "it has no timeline/mission/drawing"),
    (TIMELINE, DRAWN, r'"visits": ?\[.*?\]', '"visits": "none"',
     "timeline/mission/drawing"),
])
def test_peers_and_timeline(sources, bad, command, path, old, new, says):
    bad(path, edited(sources, path, old, new))
    refused(sources, 1, command.format(path), path, says)
    assert not sources.exists("drawn.svg")


# ---- the book ----

SAMPLE = "tests/book/sample/results/test-device/2026-01-02/"


@pytest.mark.parametrize("file, old, new, says", [
    ("gates", "", DEEP, "gates.json: is not valid JSON: its brackets"),
    ("peers", '"stage1_second": {', '"stage1_second": 7, "x": {',
     "peers.json: it is no result that can be read"),
    ("stage1_second.timeline", r'"visits": \[".*?\]', '"visits": [7]',
     'kind "timeline"'),
])
def test_book(sources, bad, tmp_path, file, old, new, says):
    path = f"{SAMPLE}{file}.json"
    bad(path, edited(sources, path, old, new))
    refused(sources, 1,
            f"book/build.py book tests/book/sample {tmp_path}/html",
            file, says, "is not built", lines=0, BOOK_FORMATS="html")
