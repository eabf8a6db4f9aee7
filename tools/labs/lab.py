"""A lab: labs/README.md says how one is written. Its skeleton, the book's
solution, and what differs between labs by the stage that they begin with."""

import glob
import os
import re
from types import SimpleNamespace

from command import answer, folder_of, stop, text_of

# What a lab may say. The first must be there; the second may be repeated; text
# is in the lines below, which are indented by two blanks.
MUST = "title stage minutes trains fails empties inputs count task".split()
MANY = "demand toggle hint stub wrong varies".split()
TEXT = "task hint stub".split()
KNOWN = [*MUST, *MANY, "keeps", "chapter", "time", "file"]


def stripped(text):
    """A source without comments and white space, as the compiler has it."""
    return re.sub(r"(?a)(?s:/\*.*?\*/)|//[^\n]*|\s", "", text)


# ---- the file of a lab ----

def path_of(name):
    """Wherever under labs/ it lies; None where it does not."""
    return next(iter(glob.glob(f"labs/*/{name}.lab")), None)


def fields_of(path):
    """key, name and line number, and the value or the lines of text."""
    fields = []
    for number, line in enumerate(text_of(path).split("\n"), 1):
        refused = f"{path}:{number}: a lab has no such line: {line}"
        if re.match("[a-z]", line):
            its = re.fullmatch(r"([a-z]+) ?([a-z0-9-]*):\s*(.*?)\s*", line)
            if not its or its[1] not in KNOWN or (
                    (its[1] == "stub") != bool(its[2])):
                stop(2, refused)
            fields.append([its[1], its[2], number, its[3]])
            if its[1] in TEXT:
                fields[-1][3] = ""
        elif fields and fields[-1][0] in TEXT and (
                not line or line.startswith("  ")):
            fields[-1][3] += line[2:] + "\n"
        elif line.startswith("  "):
            stop(2, f"{path}:{number}: nothing that takes text is open here.")
        elif line and not line.startswith("#"):
            stop(2, refused)
    return fields


def demand_of(place, value):
    """"tensor_instructions >= 0.99": of the book's count of the same shape."""
    its = re.fullmatch(r"([a-z_]+) ([<>]=) ([0-9.]+)", value)
    if not its:
        stop(2, f"{place}: a demand is COUNTER <= FACTOR or COUNTER >= FACTOR.")
    return its[1], its[2], float(its[3])


def read(name):
    path = path_of(name)
    if not path:
        stop(2, f"There is no lab {name}.")
    said, demands, toggles, hints, stubs, wrong = {}, [], [], [], {}, []
    varies, faults = [], []
    for key, region, number, value in fields_of(path):
        if key in TEXT:
            value = value.rstrip() + "\n"
        if key == "demand":
            demands.append(demand_of(f"{path}:{number}", value))
        elif key == "toggle":
            toggles.append(value)
        elif key == "hint":
            hints.append(value)
        elif key == "stub":
            stubs[region] = value
        elif key == "wrong":
            wrong.append([field.strip() for field in value.split(" | ")])
            if len(wrong[-1]) != 5:
                faults.append(f"{path}:{number}: a wrong solution has five "
                              "fields.")
        elif key == "varies":
            varies.append(value.split(" | "))
        elif key in said:
            faults.append(f"{path}:{number}: a second {key}.")
        else:
            said[key] = value
    faults += [f"{path} has no line {key}." for key in MUST if key not in said]
    lab = SimpleNamespace(**{**dict.fromkeys(MUST, ""),
        "name": name, "demands": demands, "toggles": toggles, "hints": hints,
        "stubs": stubs, "wrong": wrong, "varies": varies, "keeps": "",
        "chapter": "",
        "time": "1.1",
        "file": "kernel.cu", **said})
    for key in "empties", "inputs", "keeps":
        setattr(lab, key, getattr(lab, key).split())
    # `file` is in the stage's folder, `mine` in the reader's.
    mine = re.search(r"[\w-]+\.cu?$", lab.file)
    if not mine:
        faults.append(f"{path}: file is a C file or a kernel of the stage.")
    if not lab.minutes.isdigit():
        faults.append(f"{path}: minutes are a number.")
    if len(hints) != 3:
        faults.append(f"{path}: a lab has three hints.")
    faults += [f"{path}: region {region} has no stub."
               for region in lab.empties if region not in stubs]
    if faults:
        stop(2, "\n".join(faults))
    lab.mine, lab.minutes = mine[0], int(lab.minutes)
    return lab


# ---- kinds ----

def kind_of(lab):
    """Of a kernel of the ladder, of the warm-up, which has no attention, of a
    program of several ranks, which is what a stage with a stage.mk is, or of a
    program with its own main, which says itself whether it is right.
    `objects`: the reader's, and how many constructors gcc gives each. `clean`
    stands between a shape and what a race check found there. What `book`, an
    object of it, has and calls, the reader's may have and call."""
    folder, is_c = folder_of(lab.stage), lab.mine.endswith(".c")
    name = os.path.splitext(lab.mine)[0]
    kind = SimpleNamespace(
        objects=[(f"build/cpu/{lab.name}/default/{name}.o", 0),
                 (f"build/instrumented/{lab.name}/default/{name}.o", 1)],
        folder=folder, draw="build/tools/draw", launch=[], race=[],
        verbs="check, race, count", clean=": ", ranks=False, not_timed="",
        book="")
    if lab.stage == "hopper":
        kind.verbs = ""
    elif lab.stage == "warmup":
        kind.folder, kind.draw = "labs/warmup", "build/tools/draw_matrices"
        kind.not_timed = "the warm-up is not timed"
    elif os.path.exists(f"{folder}/stage.mk"):
        # With one rank there is no ring. A C file is the same in both programs.
        ranks = os.environ.get("RANKS") or "3"
        if not re.fullmatch("[2-8]", ranks):
            stop(2, f"RANKS is 2 to 8 for a lab, not '{ranks}'.")
        kind.launch = [f"{folder}/launch.py", ranks]
        kind.verbs, kind.race = "check, race", ["--exchange", "ring"]
        kind.clean, kind.ranks = ", ring: ", True
        kind.not_timed = "ranks are not timed here"
        kind.book = f"build/cpu/{lab.stage}/default/kernel.o"
        if is_c:
            del kind.objects[1:]
            kind.book = (f"build/cpu/{lab.stage}/objects/"
                         f"{lab.file.removesuffix('.c')}.o")
    return kind


# ---- the reader's file, and the book's ----

def region_in(text, region):
    """Where a region's marks are, with what it holds as its first group."""
    name = re.escape(region)
    return re.search(rf"(?ms)^ *//> {name}\n(.*?)^ *//< {name}\n", text)


def solution(lab):
    """The file of a lab's stage as the book has it: of a kernel the default arm
    with the marks of its regions. Those in which other arms alone had lines
    are gone."""
    path = f"{kind_of(lab).folder}/{lab.file}"
    text = text_of(path) if lab.file != "kernel.cu" else answer(
        ["tools/diff/diff.py", "marked", os.path.dirname(path),
         *lab.keeps])
    if text is None:
        stop(2, f"{path} cannot be read.")
    text = re.sub(r"//> ([a-z0-9-]+)\n//< \1\n", "", text)
    return re.sub("\n\n\n+", "\n\n", text)


def skeleton(lab):
    """The same, but for the regions that the lab empties."""
    text = solution(lab)
    for region in lab.empties:
        its = region_in(text, region)
        assert its, f"the kernel has no region {region}"
        text = (f"{text[:its.start(1)]}// Yours: make {lab.name} says what "
                f"belongs here.\n{lab.stubs[region]}{text[its.end(1):]}")
    return text


# ---- its chapter ----

def chapter_of(lab):
    """Its path, or None."""
    for path in sorted(glob.glob("chapters/*.md")):
        if f"{{#{lab.chapter}}}" in text_of(path).partition("\n")[0]:
            return path
    return None


def lists(line, lab):
    """Does a listing of a region that the lab empties begin in this line, or
    one of what has changed there?"""
    regions = re.match(r'```\{.*region="([^"]*)"', line)
    return (regions and set(lab.empties) & set(regions[1].split())
            and (f'file="{folder_of(lab.stage)}/{lab.file}"' in line
                 or f' stage="{lab.stage}"' in line))


def prints_from(lab, path):
    """The heading under which the chapter first prints the reader's part, or
    None."""
    heading = None
    for line in text_of(path).split("\n"):
        if its := re.match("##+ (.*)", line):
            heading = its[1]
        if heading and lists(line, lab):
            return re.sub(r"\s*\{#[^}]*\}$", "", heading)
    return None
