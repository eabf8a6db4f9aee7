"""What a kernel does at a shape, against what the book's does there in the
same run of the grade."""

import collections
import json
import math
import operator
import os
from concurrent.futures import ThreadPoolExecutor

from command import output, text_of
from programs import SECONDS, complaint, run

# What a demand may say. Labs use the first two, hunts the third.
SIGNS = {"<=": ("at most", operator.le), ">=": ("at least", operator.ge),
         "==": ("must be", operator.eq)}


def counters_of(grade, scratch, name, shape):
    """Of the program of a stage or of a lab; None where it has none. Of ranks:
    what all of them did together."""
    log = f"{scratch}/{name}.log"
    program = f"build/instrumented/{name}/default"
    if grade.kind.ranks:
        inputs, result = f"{scratch}/{name}.in", f"{scratch}/{name}.json"
        if os.path.exists(result):
            os.remove(result)
        output(grade.kind.draw, inputs, f"{shape}/normal/{grade.seed}/2")
        ended = grade.run(log, SECONDS, f"{program}/attempt", inputs,
                          f"{scratch}/{name}.out", result)
    else:
        result = f"{scratch}/{name}.count.json"
        ended = run(log, SECONDS, f"{program}/program", "count", "--shape",
                    shape, "--seeds", grade.seed, "--json", scratch)
    text = text_of(result) if ended.fine() else None
    if text is None:
        return None
    counted = json.loads(text)
    return counted if grade.kind.ranks else counted["counters"][shape]


def conflicts_of(counted):
    """Bank conflicts by line: its number, how many, and what stands there."""
    texts = {}
    for line in counted.get("lines", []):
        its, file = line["counters"], line["file"]
        conflicts = (its.get("shared_wavefronts", 0)
                     - its.get("shared_wavefronts_ideal", 0))
        if conflicts > 0:
            if file not in texts:
                texts[file] = (text_of(file) or "").split("\n")
            yield line["line"], conflicts, "".join(
                texts[file][line["line"] - 1:line["line"]])


def worst_line(counted, book, counter):
    """The line with the most bank conflicts, where that is what was asked.
    Those that the book's kernel has as well are no fault of the reader's."""
    if "wavefronts" not in counter and counter != "bank_conflicts":
        return ""
    of_book = collections.Counter()
    for _, conflicts, text in conflicts_of(book):
        of_book[text] += conflicts
    more, number, conflicts = max(
        ((conflicts - of_book[text], -line, conflicts)
         for line, conflicts, text in conflicts_of(counted)),
        default=(0, 0, 0))
    return f"; {conflicts:,} conflicts in line {-number}" if more > 0 else ""


def look_at(lab, kind, shape):
    """Where a demand that is not met is looked up. What runs on ranks has no
    `count`: there the place is what the reader wrote."""
    if kind.ranks:
        return (f"the region{'s' if len(lab.empties) > 1 else ''} "
                f"{', '.join(lab.empties)} in {lab.mine}")
    return f"make {lab.name} count SHAPES={shape}"


def other_shape(grade):
    """With fewer rows than the lab's own; of a matrix another multiple of 32, so
    that its transpose is as regular."""
    sizes = grade.lab.count.split(",")
    if len(sizes) == 2:
        return f"{32 * (1 + grade.draw(2))},{sizes[1]}"
    rows = int(sizes[2])
    sizes[2] = str(rows - 1 - grade.draw(rows // 3))
    return ",".join(sizes)


def judge(grade, scratch, shape):
    """At other shapes than the lab's own, a line only for what is not met."""
    lab = grade.lab
    with ThreadPoolExecutor(2) as pool:
        mine, book = pool.map(
            lambda name: counters_of(grade, scratch, name, shape),
            (lab.name, lab.stage))
    look = look_at(lab, grade.kind, shape)
    if not mine:
        return grade.add("counts", False,
                         complaint(f"{scratch}/{lab.name}.log", lab.name),
                         look)
    assert book, "the book's kernel could not be counted"
    for counter, sign, factor in lab.demands:
        have, of_book = (its["total"].get(counter, 0) for its in (mine, book))
        limit, (words, holds) = of_book * factor, SIGNS[sign]
        met = holds(have, limit)
        if met and shape != lab.count:
            continue
        grade.json.setdefault("counters", {})[counter] = {
            "here": have, "book": of_book, "sign": sign}
        grade.add(counter, met, f"{have:,}, {words} {math.floor(limit):,} (the "
                  f"book's kernel: {of_book:,}), at {shape}"
                  f"{'' if met else worst_line(mine, book, counter)}", look)
