"""A class on one page: kernels are graded again, and what is hostile, broken
or huge among the students' files is shown as such and harms nothing."""

import html
import re
import sys

import pytest

from labs.conftest import Lab
from support import ROOT

sys.path.append(f"{ROOT}/tools/workshop")
from page import board  # noqa: E402

GOOD = ('{"workshop_check":1,"ready":true,"can":["executor","labs"],'
        '"seconds":0.5,"cores":2,"machine":"x86_64","gpu":null,"missing":[],'
        '"why":"","type":"make labw"}\n')
PIPE, LINK = "pipe", "link"  # in place of a file
SCRIPT = "<script>no</script>"
BAD = "BAD"  # a kernel that does not compile: it is graded soonest
RIGHT = "RIGHT"  # the book's

# Of each student: the files, and what the page then says in his rows.
CLASS = {
    "ann": ({"check.json": GOOD, "labw/kernel.cu": RIGHT},
            ["ready", "0.50", "passed"]),
    "cheat": ({"check.json": GOOD, "labw/kernel.cu": BAD, "labw/grade.json":
               '{"passed":true,"attempt":true,"demands":[]}'},
              ["not tried (his own file says: passed)", "compiles", SCRIPT]),
    "<img src=x onerror=alert(1)>": ({"check.json": GOOD.replace(
        "true", "false").replace('"why":""', f'"why":"{SCRIPT}"')}, [SCRIPT]),
    "-rf": ({"check.json": GOOD[:60]}, ["is no whole line"]),
    "a\nb\33[2J": ({"check.json": "[" * 60000}, ["is no whole line"]),
    "$(touch pwned)'": ({"check.json": PIPE},
                        ["check.json is no regular file"]),
    "link": ({"check.json": LINK, "labw/kernel.cu": LINK},
             ["check.json is no regular file", "kernel.cu is no regular file"]),
    "huge": ({"check.json": GOOD + " " * 70000,
              "labw/kernel.cu": "/" * (2**20 + 1)},
             ["check.json has more than 64 KiB",
              "kernel.cu has more than 1024 KiB"]),
    "types": ({"check.json": '{"workshop_check":1,"ready":"yes","can":[1,{},'
               '"<b>x"],"seconds":1e999,"missing":{"a":1},"type":5}'},
              ["not yet", "<b>x"]),
    # The same text for two labs is graded for each.
    "whole": ({"mine/check.json": GOOD, "mine/labw/kernel.cu": BAD,
               "mine/lab0/kernel.cu": BAD},
              ["ready", "0.50", "compiles", "kernel.cu has no region "]),
}
FILES = ("find class -path class/roster.html -o -type f -print0 | sort -z | "
         "xargs -0 cksum; find class ! -name roster.html | sort")


@pytest.fixture(scope="module")
def rostered(tree):
    """The tree, and what `make roster` said of the class."""
    lab = Lab(tree, "labw")
    bad = f"{lab.skeleton}#error {SCRIPT}\n"
    for name, (files, _) in CLASS.items():
        for path, text in files.items():
            file = tree.path / "class" / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if text == PIPE:
                tree.ends(["mkfifo", "--", str(file)])
            elif text == LINK:
                file.symlink_to("/etc/passwd")
            else:
                file.write_text({BAD: bad, RIGHT: lab.solution}.get(text, text))
    before = tree.ends(FILES)
    said = tree.make("-s roster DIR=class")
    assert tree.ends(FILES) == before  # no file of theirs has changed
    return tree, said


def rows(page):
    """The cells of each student's rows."""
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", page, re.S):
        cells = re.findall(r"<td>(.*?)</td>", row, re.S)
        if cells:
            name = html.unescape(re.sub("</?bdi>", "", cells[0]))
            found.setdefault(name, []).extend(cells[1:])
    return found


@pytest.mark.parametrize("name", CLASS)
def test_student(rostered, name):
    found = rows(rostered[0].read("class/roster.html"))
    cells = " ".join(found[re.sub(r"[\n\33]", "?", name)])
    for text in CLASS[name][1]:
        assert html.escape(text) in cells


def test_page(rostered):
    tree, said = rostered
    page = tree.read("class/roster.html")
    assert "ann, labw: passed" in said and "cheat, labw: not passed" in said
    assert "\33" not in said
    assert not re.search("<[is][mc]", page) and "root:" not in page
    for text in f"3 of {len(CLASS)} are ready", "1 of 6 kernels", "SEEDS=7":
        assert text in page
    assert not tree.exists("pwned") and not tree.exists("class/pwned")


@pytest.mark.parametrize("words, says", [
    ("", "as in 'make roster DIR=class'"), ("DIR=nowhere", "has no folders")])
def test_no_class(rostered, words, says):
    rostered[0].make(f"-s roster {words}", 2, says)


def graded(count, time_us=None):
    return {"counters": {"a": {"here": count, "book": 10, "sign": "<="}},
            **({"time": {"here_us": time_us, "noise_us": 0.5}} if time_us
               else {})}


@pytest.mark.parametrize("grades, ranks", [
    ([graded(1, us) for us in (10.9, 10, 10.4, 11)], [3, 1, 1, 3]),
    ([graded(n) for n in (20, 10, 20)], [2, 1, 2]),
    ([graded(30, 10), graded(20)], [2, 1])])
def test_ranks(grades, ranks):
    """By time with its noise where all have one, else by counters."""
    ranked = board("lab1", [(f"s{i}", its) for i, its in enumerate(grades)])
    found = {student: int(rank) for rank, student in
             re.findall(r"<td>(\d+)</td><td>(s\d)</td>", ranked)}
    assert [found[f"s{i}"] for i in range(len(grades))] == ranks
