#!/usr/bin/env python3
"""Judges the mistakes that rules make of a kernel:  judge.py STAGE
Each must be found by `race` or `check`, or be equivalent; exit code 1 where one
survives. Writes them, and the sums over all stages, to results/mutants.json.
In the environment:
  SAMPLE="SEED N"  only N of them, drawn by a seed; prints each verdict, and
                   writes nothing"""

import collections
import functools
import json
import os
import queue
import re
import sys
from concurrent.futures import ThreadPoolExecutor

TOOLS = os.path.join(os.path.dirname(__file__), "../..")
sys.path += [f"{TOOLS}/{its}" for its in ("common", "labs", "results",
                                          "source")]
from ask import Asker
from command import call, end, kernel_path, output, stop, text_of, write
from draw import generator
from editing import read_source
from facts import entries, ladder, rows
from kernel_hash import kernel_hash
from recorded import as_json
from rules import TABLE, choose, mistakes_of
from toggles import arm_of, beside, defines_of, others_of, toggles_of

RESULT = "results/mutants.json"
KINDS = {"race": "killed_by_race", "check": "killed_by_check",
         "time": "killed_by_time", "build": "not_compiled",
         "same": "same_machine_code", "class": "equivalent_by_class",
         "hand": "equivalent_by_hand", "survived": "survived"}
JOBS = len(os.sched_getaffinity(0))


# ---- which mistakes ----

def arms_of(stage):
    """The default first, then each setting with what it needs beside it; not
    those that print."""
    arms = ["default"]
    toggles = toggles_of(stage)
    for setting in others_of(toggles):
        more = (None if setting[0].startswith("DEBUG_")
                else beside(stage, toggles, setting))
        if more is not None:
            arms.append(arm_of(toggles, [setting, *more]))
    return arms


@functools.cache
def compiled(stage, arm):
    """The lines that the preprocessor leaves."""
    kernel = kernel_path(stage)
    left, file, number = set(), None, 0
    for line in output("sh", "-c", f"{os.environ['COMPILE_PLAIN']} "
                       f"{defines_of(arm)} -E {kernel}").split("\n"):
        if its := re.match('# ([0-9]+) "([^"]*)"', line):
            number, file = int(its[1]), its[2]
            continue
        if file == kernel and line.strip():
            left.add(number)
        number += 1
    return left


def chosen(stage):
    """The mistakes that are compiled in an arm that does not print, each in the
    first such arm."""
    before = ladder()[:ladder().index(stage)][-1:]
    source, *before = (read_source(kernel_path(its))
                       for its in [stage, *before])
    arms = arms_of(stage)
    for m in choose(source, mistakes_of(source), *before):
        m.rule, m.arm = m.rule.name, next((
            its for its in arms if m.line in compiled(stage, its)), None)
        if m.arm:
            yield m


def drawn(all_of_them, seed, count):
    draw, left = generator(seed), list(all_of_them)
    return [left.pop(draw(len(left))) for _ in range(min(count, len(left)))]


def add_equivalent(found, stage):
    """What is said of each: of its class, and by hand."""
    for m in found:
        m.by_class, m.by_hand = (next((
            why for regions, its, code, why in of
            if {"*", m.region} & {*regions.split(", ")}
            and {"*", m.rule} & {*its.split(", ")}
            and (code == "*" or code in m.sentence)), None)
            for of in (entries(TABLE, "equivalent", 4),
                       rows(stage, "equivalent", 4)))


# ---- verdicts ----

def judge(found, stage):
    goals = sorted({f"build/{target}/{stage}/{m.arm}/program" for m in found
                    for target in ("instrumented", "cpu")})
    if call([os.environ.get("MAKE", "make"), "-s", f"-j{JOBS}", *goals]):
        stop(1, f"{stage} does not build.")
    free = queue.SimpleQueue()
    for job in range(JOBS):
        free.put(Asker(stage, f"build/mutants/{stage}/job{job}"))

    def work(m):
        asker = free.get()
        m.verdict, m.words = asker.judge(m.text, m.arm, m.by_class or m.by_hand)
        free.put(asker)

    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(work, found))  # the first that fails ends all
    for m in found:
        # An entry by hand that is wrong or idle is a fault.
        if m.verdict == "known":
            m.verdict = "class" if m.by_class else "hand"
            m.words = m.by_class or m.by_hand
        elif m.by_hand and m.verdict != "same":
            m.words = f"it is said to be none, but: {m.verdict} {m.words}"
            m.verdict = "survived"


def sum_of(found):
    """What does not compile is no mistake that anybody could make."""
    score = {**dict.fromkeys(KINDS.values(), 0), **collections.Counter(
        KINDS[m.verdict] for m in found)}
    for name, parts in (
            ("killed", ("killed_by_race", "killed_by_check", "killed_by_time")),
            ("equivalent", ("same_machine_code", "equivalent_by_class",
                            "equivalent_by_hand")),
            ("judged", ("killed", "equivalent", "survived"))):
        score[name] = sum(score[part] for part in parts)
    return score


def say(found, stage, score, each):
    """The survivors and the sum; `each`: a line for each mistake before
    them."""
    for m in found:
        if each:
            print(f"mistake {m.number}: {m.verdict}")
        if m.verdict == "survived":
            print(f"survived: {kernel_path(stage)}:{m.line}, mistake "
                  f"{m.number} ({m.rule}, {m.arm}): {m.sentence}",
                  *[f"\n  {m.words}"] * bool(m.words), sep="")
    print("{}: {judged} mistakes judged; killed {killed}: by race "
          "{killed_by_race}, by check {killed_by_check}, by time "
          "{killed_by_time}; equivalent {equivalent}: the same machine code "
          "{same_machine_code}, by class {equivalent_by_class}, by hand "
          "{equivalent_by_hand}; not compiled {not_compiled}; survived "
          "{survived}".format(stage, **score))


def record(found, stage, score):
    """Puts a stage's record in place of an older one, and sums all up."""
    records = {its["stage"]: its for its in json.loads(
        text_of(RESULT) or '{"stages": []}')["stages"]}
    records[stage] = {
        **score, "stage": stage,
        "kernel_hash": kernel_hash(stage),
        "verdicts": [{**{key: getattr(m, key) for key in (
            "number", "region", "line", "rule", "sentence", "arm", "verdict")},
            "says": m.words} for m in found]}
    total = {"stages": [records[name] for name in ladder() if name in records]}
    for key in score:
        total[key] = sum(its[key] for its in total["stages"])
    write(RESULT, as_json(total))


def main(stage):
    found = list(chosen(stage))
    sample = re.fullmatch("(\\d+) (\\d+)", os.environ.get("SAMPLE", ""))
    if sample:
        found = drawn(found, *map(int, sample.groups()))
    add_equivalent(found, stage)
    judge(found, stage)
    score = sum_of(found)
    say(found, stage, score, sample)
    if not sample:
        record(found, stage, score)
    return 1 if score["survived"] else 0


if __name__ == "__main__":
    end(main, *sys.argv[1:])
