"""What the tools say of the kernel with the mistake, without where it is."""

import json
import re
import tempfile

from command import stop, text_of
from mistakes import COUNTED
from programs import SECONDS, complaint, lines_of, make, run

SHAPES = "small", "odd"


def program_of(name):
    return f"build/instrumented/{name}/default/program"


def runs(scratch, seconds, verb, *words):
    """Runs a verb with the reader's kernel; True where all is well, False, or
    the words of what ended it."""
    ended = run(f"{scratch}/log", seconds, program_of("bughunt"), verb, *words)
    return ended.sentence() if ended.how != "code" else ended.number == 0


def runs_at(scratch, verb, shape):
    return runs(scratch, SECONDS, verb, "--shape", shape, "--seeds", "0")


def findings(log):
    """"at odd: 4 findings: race, uninitialised read"."""
    kinds, first = {}, None
    for line in lines_of(log):
        if its := re.match(r"(\S+: (\d+) findings?)\b", line):
            first = first or (int(its[2]) and its[1])
        elif its := re.match("([a-z][a-z -]*): ", line):
            kinds[its[1]] = True
    return f"race, at {first or 'these: findings'}: {', '.join(kinds)}"


def wrong_numbers(log):
    """The first shape at which the numbers are wrong."""
    its = re.search(r"(?m)^(\S+) .* FAILED\n", text_of(log) or "")
    return f"check, at {its[1] if its else 'long sums'}: wrong numbers"


def anywhere(scratch, verb):
    """What a verb finds at all that it runs by itself: None where all is well.
    Small shapes do not lap a ring, or fill a block."""
    fine = runs(scratch, 4 * SECONDS, verb)
    if fine is True:
        return None
    if fine:
        return f"{verb}, at a longer shape: {fine}"
    return (findings if verb == "race" else wrong_numbers)(f"{scratch}/log")


def races(scratch, level):
    found = []
    for shape in SHAPES:
        fine = runs_at(scratch, "race", shape)
        if fine is not True:
            found.append(f"race, at {shape}: {fine}" if fine else
                         findings(f"{scratch}/log"))
    more = level == 1 and not found and anywhere(scratch, "race")
    return found or [f"race: silent at {' and at '.join(SHAPES)}",
                     *filter(None, [more])]


def numbers(scratch, level):
    found, passes = [], []
    for shape in SHAPES:
        fine = runs_at(scratch, "check", shape)
        if fine is True:
            passes.append(shape)
        else:
            found.append(f"check, at {shape}: {fine or 'wrong numbers'}")
    if level == 2 and not found:
        found = [*filter(None, [anywhere(scratch, "check")])]
    if passes:
        found.append(f"check: passes at {' and at '.join(passes)}")
    return found


def total_of(scratch, name, counter):
    log = f"{scratch}/log"
    ended = run(log, SECONDS, program_of(name), "count", "--shape", COUNTED,
                "--json", scratch)
    text = text_of(f"{scratch}/{name}.count.json")
    if not ended.fine() or text is None:
        stop(3, f"It cannot be counted here: {complaint(log)}")
    return json.loads(text)["counters"][COUNTED]["total"][counter]


def symptoms_of(hunt):
    """Lines of text. The kernel with the mistake lies in the reader's
    folder."""
    names = ["bughunt", *[hunt.stage] * bool(hunt.counter)]
    with tempfile.TemporaryDirectory() as scratch:
        log = f"{scratch}/log"
        if not make(log, "-j2", *map(program_of, names)).fine():
            stop(3, f"The hunt cannot be built here: {complaint(log)}")
        lines = races(scratch, hunt.level)
        if hunt.level > 1:
            lines += numbers(scratch, hunt.level)
        if hunt.counter:
            mine, book = (total_of(scratch, name, hunt.counter)
                          for name in names)
            lines.append(f"count, at {COUNTED}: {hunt.counter} {mine:.0f}, and "
                         f"{book:.0f} in the book's kernel")
    return "".join(f"  {line}\n" for line in lines)
