"""Does what was typed after make: GOALS names the goals, MAKEFLAGS has make's
own options and the settings."""

import itertools
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end
import actions
from here import Here
from ready import ready
from verbs import Verbs
from words import Words


def selection(its):
    """Verbs on stages, on labs, or on a program; or what is built of them."""
    words = its.words
    if words.program_verbs:
        return actions.program(its)
    ranks = [name for name in words.picked + words.picked_labs
             if words.labs.get(name, name) in words.others]
    if words.verbs and words.selected():
        its.all()
    for name in ranks if words.verbs or not words.picked_labs else []:
        its.ring(name)
    if words.picked_labs and (words.lab_verbs or not words.verbs):
        if words.goals != ["accept"]:
            actions.labs(its)
    elif not words.verbs and {*words.picked} - {*ranks}:
        its.build()
    return None


def main():
    words = Words(os.environ.get("GOALS", "").split() or ["help"])
    if not words.dry:
        ready("build")
    actions.check(words)
    words.check()
    its = Verbs(words, Here(words))
    if words.any() or words.program_verbs:
        selection(its)
    for are_files, names in itertools.groupby(words.goals, actions.is_file):
        if its.status:
            break
        if are_files:
            its.here.build(*names)
            continue
        for name in names:
            if not its.status:
                actions.goal_of(its, name)
    return its.status


end(main)
