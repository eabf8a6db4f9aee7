"""What the tools say of the kernel with the mistake, without where it is."""

import json
import re
import tempfile

from command import stop, text_of
from mistakes import COUNTED
from programs import SECONDS, complaint, make, run

SHAPES = "small", "odd"
SYMPTOM = {1: "race", 2: "check", 3: ""}  # of a level


def program_of(name):
    return f"build/instrumented/{name}/default/program"


def findings(log):
    """"odd: 4 findings: race, uninitialised read"."""
    text = text_of(log) or ""
    first = re.search(r"(?m)^\S+: [1-9]\d* findings?\b", text)
    kinds = re.findall(r"(?m)^([a-z][a-z -]*): (?!\d+ finding)", text)
    return (f"{first[0] if first else 'these: findings'}: "
            f"{', '.join(dict.fromkeys(kinds))}")


def wrong_numbers(log):
    """The first shape at which the numbers are wrong."""
    its = re.search(r"(?m)^(\S+) .* FAILED\n", text_of(log) or "")
    return f"{its[1] if its else 'long sums'}: wrong numbers"


def symptom(scratch, verb, shape=""):
    """What a verb says of the reader's kernel at a shape, or at all that it
    runs by itself: small ones do not lap a ring, or fill a block. None where
    all is well."""
    log = f"{scratch}/log"
    ended = run(log, SECONDS if shape else 4 * SECONDS, program_of("bughunt"),
                verb, *(["--shape", shape, "--seeds", "0"] if shape else []))
    if ended.fine():
        return None
    return f"{verb}, at " + (
        f"{shape or 'a longer shape'}: {ended.sentence()}"
        if ended.how != "code" else
        findings(log) if verb == "race" else wrong_numbers(log))


def symptoms(scratch, verb, level):
    each = {shape: symptom(scratch, verb, shape) for shape in SHAPES}
    found = [*filter(None, each.values())]
    fine = " and at ".join(shape for shape in each if not each[shape])
    silent = [f"race: silent at {fine}"] if verb == "race" and not found else []
    if not found and SYMPTOM[level] == verb:
        found = [*filter(None, [symptom(scratch, verb)])]
    return silent + found + (
        [f"check: passes at {fine}"] if verb == "check" and fine else [])


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
        if not make(log, *map(program_of, names)).fine():
            stop(3, f"The hunt cannot be built here: {complaint(log)}")
        lines = [line for verb in ("race", "check")[:hunt.level]
                 for line in symptoms(scratch, verb, hunt.level)]
        if hunt.counter:
            mine, book = (total_of(scratch, name, hunt.counter)
                          for name in names)
            lines.append(f"count, at {COUNTED}: {hunt.counter} {mine:.0f}, and "
                         f"{book:.0f} in the book's kernel")
    return "".join(f"  {line}\n" for line in lines)
