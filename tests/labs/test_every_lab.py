"""A lab whose text, chapter or regions are broken strands its reader."""

import re

import pytest

from support import ROOT, STAGES

PATHS = {p.stem: p for p in sorted(ROOT.glob("labs/*/*.lab"))}


def keys(name):
    return dict(re.findall(r"^([a-z]+): *(.*)$", PATHS[name].read_text(), re.M))


@pytest.fixture(scope="module")
def laid_out(tree):
    """What `make LAB` says of each, as laid out; and each one's solution."""
    tasks = tree.make(" ".join(PATHS))
    for name in PATHS:
        tree.write(f"mine/{name}/grade.json", '{"attempt": true}')
    solutions = tree.make(" ".join(PATHS) + " solution")
    return [dict(zip(PATHS, re.split(f"^(?={begin})", text, flags=re.M)[1:]))
            for begin, text in ((r"lab\w+: ", tasks), ("--- mine/", solutions))]


@pytest.mark.parametrize("name", PATHS)
def test_lab(tree, laid_out, name):
    tasks, solutions = laid_out
    says, task = keys(name), tasks[name]
    assert task.startswith(f"{name}: {says['title']}. ")
    assert re.search(r"Its chapter: (chapters/\S+\.md)", task)
    tree.ends(f"tools/labs/labs.py fits {name}")
    # The book's differs from the skeleton in the regions that are emptied.
    file = says.get("file", "kernel.cu").split("/")[-1]
    skeleton = tree.read(f"mine/{name}/{file}")
    tree.write("difference", solutions[name])
    tree.ends(f"patch -s -o solution mine/{name}/{file} difference")
    solution = tree.read("solution")
    for region in says["empties"].split():
        inside = re.compile(rf"(?s)(//> {region}\n)(.*?)( *//< {region}\n)")
        assert f"make {name} says" in inside.search(skeleton)[2]
        assert inside.search(solution)[2].strip()
        skeleton, solution = (inside.sub(r"\1\3", text)
                              for text in (skeleton, solution))
    assert skeleton == solution


def test_a_new_lab_is_told_all_that_it_lacks_at_once(tree):
    path, text = "labs/any-gpu/lab9c.lab", tree.read("labs/any-gpu/lab9.lab")
    tree.write(path, "\n".join(line for line in text.splitlines()
                               if line[:6] not in ("trains", "count:")))
    tree.make("lab9c accept", 2, f"{path} has no line trains.",
              f"{path} has no line count.")
    for old, new in (("minutes: 25", "minutes: 90"), ("empties: mask",
                     "empties: mast"), ("stub mask", "stub mast"),
                     ("| mask: row =", "| mask: lane ="),
                     ("demand: ", "demand: un"),
                     ("ch-stage9", "ch-fp9")):
        assert old in text
        text = text.replace(old, new)
    tree.write(path, text)
    tree.make("lab9c accept", 2, *(f"{path}: {its}" for its in (
        "minutes: ", "empties: ", "chapter: ", "wrong: all rows as",
        "demand: 'untensor_instructions'")))
    (tree.path / path).unlink()


def test_every_stage_has_a_lab():
    assert set(STAGES) <= {keys(name)["stage"] for name in PATHS}


@pytest.mark.parametrize("old, new, says", [
    ("minutes: 45", "minuets: 45", "lab2.lab:4: "),
    ("minutes: 45", "minutes: 45\nminutes: 50", "lab2.lab:5: "),
    ("minutes: 45", "minutes: some", "minutes"),
    ("title: P times V on tensor cores\n", "", "title"),
    ("shared_wavefronts <= 1.02", "shared_wavefronts", "lab2.lab:11: "),
    ("empties: p-times-v", "empties: p-times-v state", "state"),
])
def test_what_is_wrong_in_a_lab_is_named(tree, old, new, says):
    path = "labs/any-gpu/lab2.lab"
    whole = tree.read(path)
    tree.edit(path, old, new, 1)
    tree.make("lab2", 2, "lab2.lab", says)
    tree.write(path, whole)
