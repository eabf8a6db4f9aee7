"""The index of goals and settings has what make has, and `make` alone names no
other: a reader types what stands there."""

import re
import sys

from support import ROOT

sys.path += [f"{ROOT}/tools/{its}" for its in ("make", "toggles")]
from actions import GOALS, HELP
from words import LAB_VERBS, OTHERS, SETTINGS, VERBS


def index_of(root, name):
    sections = re.findall(rf"\n::: {{\.{name}}}(.*?)\n:::\n",
                          root.read("chapters/back/goals.md"), re.S)
    return set(re.findall(r"\n`([^`]*)`", "".join(sections)))


def test_index_of_goals(root):
    index = index_of(root, "goals")
    assert index == {*GOALS, *f"{VERBS} {LAB_VERBS} {OTHERS}".split()}
    assert index_of(root, "settings") == {*SETTINGS.split()}

    named = re.findall(r"make ([a-z0-9-]+)((?: [a-z]+(?:, [a-z]+)*)?)", HELP)
    words = {re.sub(r"(stage|lab)\d", r"\1N", word) for goal, verbs in named
             for word in [goal, *re.findall("[a-z]+", verbs)]}
    assert len(words) > 12 and words <= index, words - index
