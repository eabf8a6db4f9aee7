"""Of a lab that is a program of its own, with its own main: labh."""

import math
import re

import admit
import outside
from command import text_of, write
from count import SIGNS
from lab import region_in, solution, stripped
from programs import SECONDS, first_finding, lines_of, make


def cut(lab, text):
    """A file with numbers in place of what the reader's regions hold, and what
    they hold."""
    kept = []
    for region in lab.empties:
        its = region_in(text, region)
        text = f"{text[:its.start(1)]}\0{len(kept)}\0{text[its.end(1):]}"
        kept.append(its[1])
    return text, kept


def with_other_numbers(grade, text, run):
    """A program of which all but the reader's regions is the book's, with other
    numbers where the lab says so of this run, and these numbers. What is right
    for the book's numbers alone is not right."""
    said, (text, kept) = [], cut(grade.lab, text)
    for old, *ends in grade.lab.varies:
        low, high = map(int, ends[2 * run:2 * run + 2])
        number = low + grade.draw(high - low + 1)
        said.append(re.sub("[0-9]+$", str(number), old))
        text = text.replace(old, said[-1])
    return (re.sub("\0(.*?)\0", lambda its: kept[int(its[1])], text),
            ", ".join(said) + ": ")


def counts_of(scratch, file, counted):
    """What `make count` says of a program in all."""
    log = f"{scratch}/count"
    make(log, "count", f"FILE={file}", f"LIMIT={SECONDS}", limit="")
    return {what: int(number.replace(",", "")) for what, number in re.findall(
        "^ +(.*?) +([0-9,]+)$", text_of(log) or "", re.M) if what in counted}


def ask_run(grade, log, demand, verb, file, fine, numbers=""):
    """Of a program that says itself whether it is right."""
    # Managed memory is a large range of addresses.
    ended = make(log, verb, f"FILE={file}", f"LIMIT={SECONDS}", limit="")
    lines = [line for line in lines_of(log)
             if not line.startswith(("make", "building"))]
    its = next((line for line in lines if fine in line), "")
    met = bool(its) and ended.fine()
    if not met:
        if its:
            its += f", but: {ended.sentence()}"
        its = first_finding(lines) or its or (lines or [ended.sentence()])[0]
    grade.add(demand, met, numbers + its,
              f"make {verb} FILE={grade.folder.kernel}"
              + (", with these numbers" if numbers else ""))


def ask_program(grade, scratch, text):
    """All of it but the reader's regions must be the book's."""
    lab, file, log = grade.lab, grade.folder.kernel, f"{scratch}/log"
    book = solution(lab)
    same = stripped(cut(lab, text)[0]) == stripped(cut(lab, book)[0])
    regions = " and ".join(lab.empties)
    own = "\n".join(cut(lab, text)[1])
    fault = admit.source_fault(own, ()) or admit.region_fault(own, book)
    if re.search(r"\\\s*\n", text):
        fault = ("has a line that a backslash joins to the next one: no "
                 "comment ends so")
    if fault:
        grade.add("admitted", False, f"{lab.mine} {fault}.", admit.LOOK)
        return
    grade.add("yours", same, f"outside of {regions} all is the book's" if same
              else f"something has changed outside of {regions}",
              f"make {lab.name} reset")
    ask_run(grade, log, "run", "run", file, ", 0 wrong")
    ask_run(grade, log, "race", "race", file, "0 findings")
    if grade.not_met():
        return
    others = f"{scratch}/{lab.mine}"
    for number in range(len(lab.varies[0]) // 2):
        varied, numbers = with_other_numbers(grade, text, number)
        write(others, varied)
        ask_run(grade, log, "others", "run", others, ", 0 wrong", numbers)
        if not grade.not_met():
            ask_run(grade, log, "others", "race", others, "0 findings", numbers)
        if grade.not_met():
            return
    counted = lab.count.split(", ")
    found, wanted = (counts_of(scratch, its, counted) for its in (
        file, f"{grade.kind.folder}/{lab.file}"))
    # Lanes that do not come at once store by an instruction each: they need not.
    signs = {what: "<=" if what == "global stores" else "==" for what in counted}
    wrong = [what for what in counted if not SIGNS[signs[what]][1](
        found.get(what, math.inf), wanted[what])]
    grade.add("counts", not wrong, "; ".join(
        f"{what}: {found.get(what, 0):,}, {SIGNS[signs[what]][0]} "
        f"{wanted[what]:,}" for what in wrong or counted),
        f"make count FILE={file}")
    outside.judge_program(grade, scratch, file)
