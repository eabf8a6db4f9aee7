#!/usr/bin/env python3
"""Mistakes made of a kernel's own source:
  mutate.py rules                    names each rule
  mutate.py list STAGE               one mistake a line:
                                     NUMBER|REGION|LINE|RULE|SENTENCE
  mutate.py choose STAGE [BEFORE]    those that make mutants judges
  mutate.py make STAGE NUMBER        prints the kernel with that mistake
STAGE is a folder, its first part as in stage3, its number, or a file. Exit
status: 0 pass, 1 something does not fit, 2 wrong command line."""

import glob
import os
import re
import sys
from typing import NamedTuple

TOOLS = os.path.join(os.path.dirname(__file__), "..")
sys.path += [f"{TOOLS}/common", f"{TOOLS}/source", f"{TOOLS}/mutants"]
from command import end, stop
from editing import Misfit, Region, read_source
from rules import RULES, Kernel, Rule

CHOSEN_MOST = 60
SHOWN = 60  # characters of the code in a sentence


class Mistake(NamedTuple):
    rule: Rule
    region: Region  # None outside all regions
    line: int
    begin: int      # of the code that the sentence shows
    sentence: str
    text: str       # the whole source with the mistake


def shown(code):
    """In one line, cut off where it is long."""
    code = re.sub(r"(?a)\s+", " ", code).lstrip(" ")
    return code if len(code) < SHOWN else f"{code[:SHOWN]}..."


def mistakes_of(source):
    """All that the rules make of a source, rule by rule, each rule's in the
    order of the text; of those with the same text the first."""
    kernel, texts, found = Kernel(source), {source.text}, []
    for rule in RULES:
        for edits, begin, last in kernel.found(rule):
            text = source.applied(edits)
            if text not in texts:
                texts.add(text)
                found.append(Mistake(
                    rule, source.region_at(begin), source.line(begin), begin,
                    rule.sentence.replace("%s", shown(source.text[begin:last])),
                    text))
    return found


def choose(source, found, before=None):
    """Which mistakes of a stage are built and judged, with their numbers: for
    each rule one in each region, and of these CHOSEN_MOST at most, evenly
    spread. Where the stage before has a statement too, token by token, it was
    judged there, unless the rule is about what puts threads in order."""
    def texts(of, st):
        return tuple(t.text for t in of.tokens[st.first:st.last + 1]
                     if t.kind != "comment")
    theirs = {texts(before, st) for st in before.statements} if before else ()
    seen, chosen = set(), []
    for number, m in enumerate(found, 1):
        st = next(st for st in source.statements if source.end(st) > m.begin)
        if (m.rule, m.region) not in seen and (
                m.rule.orders or texts(source, st) not in theirs):
            seen.add((m.rule, m.region))
            chosen.append((number, m))
    count = len(chosen)
    return chosen if count <= CHOSEN_MOST else [
        its for nth, its in enumerate(chosen)
        if nth * CHOSEN_MOST // count != (nth + 1) * CHOSEN_MOST // count]


def kernel_of(stage):
    """Of stage3_fused_softmax, stage3, 3 or FILE.cu."""
    if stage.endswith(".cu"):
        return read_source(stage)
    for pattern in stage, f"{stage}_*", f"stage{stage}_*":
        paths = [path for folder in ("", "further/")
                 for path in sorted(glob.glob(f"{folder}{pattern}/kernel.cu"))]
        if paths:
            return read_source(paths[0])
    raise Misfit(f"There is no kernel in '{stage}'.")


def say(numbered):
    for number, m in numbered:
        print(number, m.region.name if m.region else "", m.line, m.rule.name,
              m.sentence, sep="|")


def make(stage, number):
    source = kernel_of(stage)
    found = mistakes_of(source)
    if not number.isdigit() or not 1 <= int(number) <= len(found):
        raise Misfit(f"{source.path} has mistakes 1 to {len(found)}, and no "
                     f"'{number}'.")
    print(found[int(number) - 1].text, end="")


def main(verb="", *words):
    try:
        if verb == "rules" and not words:
            print(*(rule.name for rule in RULES), sep="\n")
        elif verb == "list" and len(words) == 1:
            say(enumerate(mistakes_of(kernel_of(*words)), 1))
        elif verb == "choose" and len(words) in (1, 2):
            source, *before = map(kernel_of, words)
            say(choose(source, mistakes_of(source), *before))
        elif verb == "make" and len(words) == 2:
            make(*words)
        else:
            stop(2, __doc__)
    except Misfit as reason:
        stop(1, str(reason))


if __name__ == "__main__":
    end(main, *sys.argv[1:])
