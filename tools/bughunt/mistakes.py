"""The mistakes that a hunt can plant in a stage, by level:
  1  `race` names it: judged mistakes of tools/mutants, and those that its
     stage.toml plants
  2  `race` is silent and `check` fails
  3  the numbers are right, and it costs time: slow of its stage.toml"""

import collections
import json
import re
from types import SimpleNamespace

from command import kernel_path, text_of
from editing import Misfit, read_source
from facts import rows
from rules import mistakes_of

COUNTED = "1,2,300,64"  # the shape at which counters are compared


def planting(stage, where, edit):
    return lambda: read_source(kernel_path(stage)).planted(where, edit)


def judged(stage, verdict):
    """A judged mistake is known by its region, its rule and its sentence:
    numbers and lines change with the kernel. One that is there twice is passed
    over."""
    record = json.loads(text_of("results/mutants.json") or '{"stages": []}')
    found = {}
    for m in mistakes_of(read_source(kernel_path(stage))):
        key = m.region, m.rule.name, m.sentence
        found[key] = None if key in found else m
    for says in next((its["verdicts"] for its in record["stages"]
                      if its["stage"] == stage), ()):
        m = found.get((says["region"], says["rule"], says["sentence"]))
        # What only hangs, and at a longer shape, is waited for and not seen.
        if m and m.rule.kind != "-" and says["arm"] == "default" and (
                says["verdict"] == verdict) and "timed out" not in says["says"]:
            yield m.rule.kind, lambda text=m.text: text, None


def planted(stage):
    """Of what kind an entry is, what it does and to what says."""
    for _, where, edit, *_ in rows(stage, "planted", 6):
        for word, kind in (
                ("commit", "commit"), ("fence", "fence"), ("wait", "wait"),
                ("arriv", "arrival"), ("release", "arrival"),
                ("sync", "barrier")):
            if word in where + edit:
                yield kind, planting(stage, where, edit), None
                break


def plantable(stage, level):
    """Of each its kind, a function that makes the kernel with it, and the
    counter that shows it."""
    if level == 1:
        return [*judged(stage, "race"), *planted(stage)]
    if level == 2:
        return list(judged(stage, "check"))
    return [(kind, planting(stage, where, edit), counter)
            for where, edit, kind, counter in rows(stage, "slow", 4)]


def tidy(text):
    """A lone semicolon would betray where a statement was. None where one has
    to stay, behind a condition or a loop."""
    kept, code = [], ""
    for line in text.split("\n"):
        bare = re.sub(r"(?a)\s+$", "", re.sub("//.*", "", line))
        if re.fullmatch(r"\s*;", bare):
            if code[-1:] not in (";", "{", "}"):
                return None
            continue
        if re.search(r"\)\s+;$", bare):
            return None
        kept.append(line)
        if bare.strip() and not bare.startswith("#"):
            code = bare
    return re.sub("\n+$", "\n", "\n".join(kept))


def lines_in(text):
    """How often each line is there."""
    return collections.Counter(filter(None, (
        re.sub(r"(?a)//.*|\s", "", line) for line in text.split("\n"))))


def is_there(hunt, text):
    """Whether a line that the mistake has brought is still there."""
    here, before = lines_in(text), lines_in(hunt.book)
    return any(here[line] > before[line]
               for line in lines_in(hunt.text) - before)


def place_of(book, text):
    """The line in which two texts begin to differ, the innermost region there,
    and all that it may be in: what is missing at the border of two regions may
    have been in either."""
    lines, others = text.split("\n"), book.split("\n")
    inner, regions = [], []  # the innermost region before each line
    for line in lines:
        inner.append(regions[-1] if regions else None)
        if mark := re.match(r"\s*//> (\S+)", line):
            regions.append(mark[1])
        if regions and re.match(r"\s*//< ", line):
            regions.pop()
    at = next((number for number, line in enumerate(lines)
               if others[number:number + 1] != [line]), None)
    if at is None:
        return None, None, set()
    first = last = at
    if len(lines) < len(others):  # marks and empty lines part nothing
        while first and not re.sub("//.*", "", lines[first - 1]).strip():
            first -= 1
        while last + 1 < len(lines) and not re.sub(
                "//.*", "", lines[last]).strip():
            last += 1
    return at + 1, inner[at], {*inner[first:last + 1]}


def hunt_of(stage, kind, make, counter):
    """The hunt for a mistake; None where the mistake will not do."""
    book = text_of(kernel_path(stage))
    try:
        text = tidy(make())
    except Misfit:
        return None
    line, region, beside = place_of(book, text or book)
    return SimpleNamespace(
        stage=stage, kind=kind, counter=counter, book=book, text=text,
        line=line, region=region,
        beside=beside) if text and region else None
