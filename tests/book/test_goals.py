"""The index of goals and settings has what make has, and `make` alone names no
other: a reader types what stands there."""

import re

# What nobody types, and the stages and labs, which the index has as one.
UNLISTED = re.compile(r"left-out|(?:program-)?verbs|FORCE|lab-verb|hunt-verb|"
                      r"under-lock|"
                      r"ladder-verbs|need-.*|stage\d.*|lab[\dwh].*")


def index_of(root, name):
    section = re.search(rf"\n::: {{\.{name}}}(.*?)\n:::\n",
                        root.read("chapters/back/goals.md"), re.S)[1]
    return set(re.findall(r"\n`([^`]*)`", section))


def test_index_of_goals(root):
    index = index_of(root, "goals")
    database = root.run("make -npq LOCKED=1 help 2>/dev/null").text
    goals = {goal for line in re.findall(r"^\.PHONY: *(.*)", database, re.M)
             for goal in line.split() if not UNLISTED.fullmatch(goal)}
    assert len(goals) > 22
    assert index == goals | {"stageN", "diff-stageN", "labN"}

    settings = re.search(r"^SETTINGS := (.*)", database, re.M)[1].split()
    assert len(settings) > 12 and index_of(
        root, "settings") == set(settings) - {"LOCKED"}

    named = re.findall(r"make ([a-z0-9-]+)((?: [a-z]+(?:, [a-z]+)*)?)",
                       root.read("tools/make/help.sh"))
    words = {re.sub(r"(stage|lab)\d", r"\1N", word) for goal, verbs in named
             for word in [goal, *re.findall("[a-z]+", verbs)]}
    assert len(words) > 12 and words <= index, words - index
