"""The index of goals has what make has, and `make` alone names no other: a
reader types what stands there."""

import re
import sys

from support import ROOT

sys.path += [f"{ROOT}/tools/{its}" for its in ("make", "toggles")]
from actions import GOALS, HELP
from words import LAB_VERBS, OTHERS, VERBS


def test_index_of_goals(root):
    section = re.search(r"\n::: {\.goals}(.*?)\n:::\n",
                        root.read("chapters/back/goals.md"), re.S)[1]
    index = set(re.findall(r"\n`([^`]*)`", section))
    assert index == {*GOALS, *f"{VERBS} {LAB_VERBS} {OTHERS}".split()}

    named = re.findall(r"make ([a-z0-9-]+)((?: [a-z]+(?:, [a-z]+)*)?)", HELP)
    words = {re.sub(r"(stage|lab)\d", r"\1N", word) for goal, verbs in named
             for word in [goal, *re.findall("[a-z]+", verbs)]}
    assert len(words) > 12 and words <= index, words - index
