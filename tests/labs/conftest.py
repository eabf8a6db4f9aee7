"""A lab in a copy of the tree: its skeleton, its solution, and what is made of
them, graded as a reader has them graded."""

import re
import sys
from pathlib import Path

import pytest

from support import ROOT, have

sys.path.append(f"{ROOT}/tools/labs")
from editing import Source  # noqa: E402
from lab import read  # noqa: E402


class Lab:
    """`mine/NAME`, laid out. The solution is what `make NAME solution` says."""

    def __init__(self, tree, name):
        if name.startswith("lab18") and not have("mpicc && command -v mpirun"):
            pytest.skip("MPI is not here; setup.sh cluster")
        # What is expected of a wrong solution shall not depend on the draw.
        tree.environment.update(LAB_NVCC="0", SEEDS="7")
        self.tree, self.name, self.folder = tree, name, f"mine/{name}"
        text = next(tree.path.glob(f"labs/*/{name}.lab")).read_text()
        self.says = dict(re.findall(r"^([a-z]+): *(.*)$", text, re.M))
        file = Path(self.says.get("file", "kernel.cu")).name
        self.kernel = f"{self.folder}/{file}"
        tree.make(name)
        self.skeleton = tree.read(self.kernel)
        tree.write(f"{self.folder}/grade.json", '{"attempt": true}')
        tree.write("difference", tree.make(f"{name} solution"))
        tree.ends(f"patch -s -o solution {self.kernel} difference")
        self.solution = tree.read("solution")

    def grade(self, text):
        """The demands that this text does not meet, what is said, and the
        grade; the reader's file is as it was."""
        self.tree.write(self.kernel, text)
        (self.tree.path / self.folder / "grade.json").unlink(missing_ok=True)
        ran = self.tree.run(f"make {self.name} grade")
        assert self.tree.read(self.kernel) == text
        grade = self.tree.json(f"{self.folder}/grade.json")
        not_met = [d["demand"] for d in grade["demands"] if d["met"] is False]
        assert grade["passed"] == (ran.code == 0) == (not not_met), ran.text
        return not_met, ran.text, grade

    def refuses(self, text, demands, words):
        """These demands are not met at least, and the grade says so."""
        not_met, said, _ = self.grade(text)
        assert set(demands) <= set(not_met) and words in said, said

    def edited(self, place, edit):
        """The solution with one edit: tools/source/editing.py."""
        return Source("edited.cu", self.solution).planted(place, edit)

    def wrong(self):
        """Name, place, edit, demands and words of each."""
        for name, place, edit, demands, words in read(self.name).wrong:
            demands = demands.replace("toggle ", "toggle+").split()
            yield name, place, edit, [d.replace("+", " ")
                                      for d in demands], words


@pytest.fixture(scope="session")
def lab():
    return Lab
