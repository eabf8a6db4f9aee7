"""A hunt for a mistake: what a learner gets has one and does not betray where,
it counts only when mended and named, and nothing that he wrote is lost."""

import re
from os.path import commonprefix

import pytest

from support import STAGES, folder_of, stage
from editing import Source

pytestmark = pytest.mark.takes(8)
MISTAKEN = "// dear\n"


class Hunt:
    """One in a folder of the tree's own."""

    def __init__(self, tree, mine="mine"):
        self.tree, self.mine = tree, mine
        self.folder = f"{mine}/bughunt"
        self.kernel = f"{self.folder}/kernel.cu"

    def make(self, words, code=0, *says, **more):
        return self.tree.make(f"bughunt {words} MINE={self.mine}", code, *says,
                              LAB_NVCC="0", **more)

    def look(self, number):
        """Where the kernel begins to differ from the book's."""
        self.book = self.tree.read(f"{folder_of(stage(number))}/kernel.cu")
        self.text = self.tree.read(self.kernel)
        alike = commonprefix([self.text.split("\n"), self.book.split("\n")])
        self.line = len(alike) + 1
        book = Source("kernel.cu", self.book)
        end = len("\n".join(alike))  # one statement twice may end a region
        self.region = next((name for at in (end + 1, end) if (
            name := book.region_at(at).name) != "*"), "*")
        self.sentence = (f"In {self.region}, line {self.line}, something other "
                         "than the book stands there.")

    def grade(self, text=None, sentence=None, code=2):
        """The demands that are not met, and the grade."""
        if text is not None:
            self.tree.write(self.kernel, text)
        self.tree.write(f"{self.folder}/found.txt",
                        (sentence or self.sentence) + "\n")
        self.tree.run(f"rm -f {self.folder}/grade.json")
        self.make("grade", code)
        grade = self.tree.json(f"{self.folder}/grade.json")
        assert grade["passed"] == (code == 0)
        return [d["demand"] for d in grade["demands"]
                if d.get("met") is False], grade


def test_from_its_beginning_to_its_end(tree):
    hunt = Hunt(tree)
    hunt.make("check", 2, f"There is no {hunt.kernel}")
    said = hunt.make("SEED=1 STAGE=0 LEVEL=1")
    hunt.look(0)
    assert "race, at " in said and f"{hunt.region} " not in said
    hunt.tree.write(hunt.kernel, hunt.text + "// mine\n")
    hunt.make("", 0, "was left alone")
    assert tree.read(hunt.kernel) == hunt.text + "// mine\n"
    # A comment mends nothing, and is no attempt.
    not_met, grade = hunt.grade()
    assert not_met == ["mended"] and not grade["attempt"]
    hunt.make("solution", 2)
    assert hunt.grade(hunt.book + "// mended\n", "In short, I have found and "
                      "mended the mistake in the kernel.")[0] == ["sentence"]
    not_met, grade = hunt.grade(hunt.book, code=0)
    assert not not_met and grade["attempt"]
    hunt.make("hint", 0, f"in the region {hunt.region}")
    hunt.make("hint", 0, "Hint 2 of 2")
    tree.write(hunt.kernel, hunt.text)
    hunt.make("solution", 0, f"--- {hunt.kernel}", "\n@@ ")
    tree.write(hunt.kernel, MISTAKEN)
    hunt.make("reset", 0, f"{hunt.kernel}.1")
    assert tree.read(hunt.kernel) == hunt.text
    assert tree.read(f"{hunt.kernel}.1") == MISTAKEN
    # Another hunt is not laid over this one, until it is passed.
    tree.write(f"{hunt.folder}/grade.json", '{"passed": false}')
    hunt.make("SEED=2 STAGE=0", 2, "one at a time")
    assert tree.read(hunt.kernel) == hunt.text
    tree.write(f"{hunt.folder}/grade.json", '{"passed": true}')
    hunt.make("SEED=2 STAGE=0", 0, f"now {hunt.folder}.1", "SEED=2", "LEVEL=1")
    assert tree.read(f"{hunt.folder}.1/kernel.cu") == hunt.text


def noted(tree, number, level, seed, mine):
    """A hunt that is there but for its kernel."""
    hunt = Hunt(tree, mine)
    tree.write(f"{hunt.folder}/hunt", f"SEED={seed}\nSTAGE={stage(number)}\n"
               f"LEVEL={level}\n")
    tree.write(hunt.kernel, MISTAKEN)
    hunt.make("reset")
    hunt.look(number)
    return hunt


def test_only_a_sentence_that_names_the_mistake_counts(tree):
    hunt = noted(tree, 0, 1, 1, "sentences")
    here, line = f"In {hunt.region}", hunt.line
    other = "store-output" if hunt.region != "store-output" else "scores"
    for sentence in (f"{here}, line {line + 1}, the threads go on too early.",
                     f"{here} (lines {line - 6} to {line + 1}) somebody goes\n"
                     "on too early.",
                     # It was the first statement of its region.
                     "In p-times-v, a barrier is missing at its very end."):
        assert hunt.grade(hunt.book, sentence, 0)[0] == []
    for sentence in (
            "Broken.", f"In {other}, line {line}, the threads go on too early.",
            f"{here}, line {line + 9}, the threads go on too early.",
            f"{here} a barrier, wait, fence, commit or sum is off.",
            f"{here}, line {line}, it is off. In {other} it is as well."):
        assert hunt.grade(None, sentence)[0] == ["sentence"], sentence


def test_the_same_mistake_again_and_nothing_betrays_it(tree):
    texts = set()
    for seed, number, level in (1, 0, 1), (3, 6, 2), (4, 7, 3), (6, 17, 1):
        hunt, again = (noted(tree, number, level, seed, f"{mine}{seed}")
                       for mine in ("one", "two"))
        text, book = hunt.text, hunt.book
        assert text == again.text and text != book
        assert {*re.findall("//.*", text)} <= {*re.findall("//.*", book)}
        assert not re.search(r"\n\s*;|\n\n\n", text)
        assert abs(text.count("\n") - book.count("\n")) <= 4
        texts.add(text)
    assert len(texts) == 4


def with_more(text):
    """With a line that compiles to nothing."""
    return re.sub(r"(?s)^(.*?\n#include [^\n]*\n)",
                  r"\1using spare_word = unsigned;\n", text)


@pytest.mark.parametrize("words", [
    "STAGE=40 SEED=1", "LEVEL=4 SEED=1", "SEED=x", "LEVEL=2", "grade", "hint",
    "solution", "reset"])
def test_what_fits_no_hunt_is_refused(tree, words):
    Hunt(tree, "none").make(words, 2)
    assert not tree.exists("none/bughunt/kernel.cu")


def test_what_is_damaged_is_left_alone(tree):
    hunt = noted(tree, 0, 1, 1, "damaged")
    note = f"{hunt.folder}/hunt"
    tree.write(hunt.kernel, MISTAKEN)
    tree.write(note, "SEED=1\nSTA")
    hunt.make("grade", 2, note)
    tree.run(f"rm {note}")
    hunt.make("grade", 2, note)
    hunt.make("SEED=1 STAGE=0", 0, "was left alone")
    assert tree.exists(note) and tree.read(hunt.kernel) == MISTAKEN
    tree.run(f"rm {hunt.kernel}")
    hunt.make("grade", 2, hunt.kernel)


SHOWS = {1: ["race, at "], 2: ["race: silent", "check, at "],
         3: ["race: silent", "check: passes", "count, at "]}


def hunts_of(tree, number, level):
    """Those of some seeds, each mistake once."""
    seen = set()
    for seed in range(1, {1: 2, 2: 1, 3: 24}[level] + 1):
        words = f"SEED={seed} STAGE={number} LEVEL={level}"
        hunt = Hunt(tree, f"mine/{seed}-{level}")
        ran = tree.run(f"make bughunt {words} MINE={hunt.mine}", LAB_NVCC="0")
        if ran.code == 2 and "has no hunt of level" in ran.text:
            return
        assert ran.code == 0, ran.text
        hunt.look(number)
        if hunt.text not in seen:
            seen.add(hunt.text)
            yield hunt, ran.text


@pytest.mark.apart
@pytest.mark.slow
@pytest.mark.parametrize("name", STAGES)
def test_hunts_of_a_stage(fresh_tree, name):
    """As laid out each shows the symptom of its level and is refused; mended
    it passes, as the stage's text and as its machine code; with another change
    it does not."""
    tree, number = fresh_tree, int(re.search(r"\d+", name)[0])
    for level, shows in SHOWS.items():
        for hunt, said in hunts_of(tree, number, level):
            assert all(text in said for text in shows), said
            counts = re.findall(r" (\d+), and (\d+) in the book's", said)
            assert level < 3 or any(int(a) > int(b) for a, b in counts), said
            assert hunt.grade()[0] == ["mended"]
            assert hunt.grade(hunt.book, code=0)[0] == []
    assert hunt.grade(with_more(hunt.book), code=0)[0] == []
    assert hunt.grade(hunt.text + "\n// one more line\nint spare;\n")[0]
