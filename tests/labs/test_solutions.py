"""A learner whose solution is right must pass; one whose is wrong, is the
skeleton, or is another stage's must not, and is told what to look at."""

import re
from pathlib import Path

import pytest

from support import ROOT, STAGES, folder_of

PATHS = sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("labs/*/*.lab"))
pytestmark = [pytest.mark.apart, pytest.mark.parametrize(
    "path", PATHS, ids=[Path(p).stem for p in PATHS])]

ANSWERS = ("write for (int64_t i = 0; i < {0}batch * {0}heads * {0}seq_len * "
           "{0}head_dim; i++) {0}o[i] = 0x2c00 + i % 7;")


@pytest.mark.drawn(1)
def test_the_skeleton_fails_and_the_solution_passes(fresh_tree, lab, path):
    lab = lab(fresh_tree, Path(path).stem)
    not_met, said, grade = lab.grade(lab.skeleton)
    assert not grade["attempt"] and " ".join(not_met) == lab.says["fails"], said
    not_met, said, grade = lab.grade(lab.solution)
    assert grade["attempt"] and grade["passed"], said


@pytest.mark.slow
def test_what_is_no_solution(fresh_tree, lab, path):
    lab = lab(fresh_tree, Path(path).stem)
    fresh_tree.environment["LAB_NVCC"] = "1"
    assert lab.grade(lab.solution)[2]["passed"]
    if lab.name not in ("labw", "labh"):
        lab.tree.write(lab.kernel, lab.solution)
        lab.tree.make(f"{lab.name} check")
    # nvcc takes most of the time, and none of these is wrong in its eyes.
    fresh_tree.environment["LAB_NVCC"] = "0"
    wrong = list(lab.wrong())
    assert len(wrong) >= 4
    for _, place, edit, demands, words in wrong:
        lab.refuses(lab.edited(place, edit), demands, words)
    if lab.name == "labh":  # its main says whether it is right
        lab.refuses(lab.solution.replace("sums[i] != sum", "0"), ["yours"],
                    "outside of arrivals and ring")
    elif "cluster" not in path:
        lab.refuses(answers_written_in(lab), ["gates"], "")
    stage = lab.says["stage"]
    if stage in STAGES[1:] and "file" not in lab.says:
        the_stage_before(lab, STAGES[STAGES.index(stage) - 1])


def answers_written_in(lab):
    """Numbers that somebody has worked out before, for one shape."""
    if lab.name == "labw":
        return lab.edited("launch: 1st LAUNCH", "write for (int i = 0; i < "
                          "args->rows; i++) args->sums[i] = i % 7;")
    shaped = "//> launch-shape\n" in lab.solution
    return lab.edited(f"{'launch-shape' if shaped else 'launch'}: 1st LAUNCH",
                      ANSWERS.format("args." if shaped else "args->"))


def the_stage_before(lab, before):
    """As it is, and with names of its variables changed."""
    text = lab.tree.read(f"{folder_of(before)}/kernel.cu")
    for region in lab.says["empties"].split():
        if f"//> {region}\n" not in text:
            text += f"//> {region}\n//< {region}\n"
    lab.refuses(text, ["yours"], f"this is {before} as it is")
    renamed = re.sub(r"\b(head_start|score_scale)\b", r"other_\1", text)
    assert renamed != text
    not_met, said, _ = lab.grade(renamed)
    assert not_met and "yours" not in not_met, said
