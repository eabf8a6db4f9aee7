"""The instructor's guide fits the labs: a day that is too short, or a wrong
solution that nobody can try, would show in front of a class."""

import re
import shutil

import pytest

from support import ROOT, Tree

TAUGHT = set(re.findall(r"^lab (\w+)", (
    ROOT / "workshop/timetables.list").read_text(), re.M))
GUIDE = "".join(p.read_text() for p in ROOT.glob("workshop/labs*.md"))
SECTIONS = set(re.findall(r"^## (lab\w+)$", GUIDE, re.M))
COURSE = "course 1 | short\nday 1\n"


def test_timetables_are_current(root):
    assert root.ends("tools/workshop/timetable.py") == root.read(
        "workshop/timetables.md")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Labs and one chapter, whose timetable a test writes."""
    folder = tmp_path_factory.mktemp("small")
    for part in "tools/labs", "tools/common", "tools/workshop", "labs":
        shutil.copytree(ROOT / part, folder / part)
    tree = Tree(folder)
    tree.write("chapters/01.md", "# One {#ch-problem}\n")
    tree.edit("labs/warmup/labw.lab", "minutes: 40", "minutes: 50")
    return tree


@pytest.mark.parametrize("code, says, lines", [
    (0, "| 0:10 | 50 | **labw**: copy, transpose, sum | [One]",
     COURSE + "start 10 | hello\nlab labw\n"),
    (1, ":2: this day takes 61 minutes", COURSE + "start 11 | x\nlab labw\n"),
    (1, "There is no lab lab99", COURSE + "lab lab99\n"),
    (1, ":3: there is no chapter ch-none", COURSE + "talk 5 | ch-none | x\n")])
def test_timetable(small, code, says, lines):
    small.write("workshop/timetables.list", lines)
    small.ends("tools/workshop/timetable.py", code, says)


@pytest.mark.parametrize("lab", sorted(SECTIONS | TAUGHT))
def test_section_of_each_lab(root, lab):
    [path] = ROOT.glob(f"labs/*/{lab}.lab")
    wrong = set(re.findall(r"^wrong: *(.*?) \|", path.read_text(), re.M))
    section = re.search(rf"\n## {lab}\n(.*?)\n## ",
                        GUIDE + "\n## ", re.S)[1]
    named = {" ".join(name.split()) for name in
             re.findall(r"\n- \*(.*?)\*:", section, re.S)}
    assert len(named) >= 3 and named <= wrong, named - wrong
