"""What the stage.toml beside a kernel says of its stage, for tests and tools. A
list has one entry a line, fields parted by ` | `; places and edits are those of
editing.py. What a stage has nothing to say of is left out.
  budget           what nvcc may allot: make stageN resources
  most_lines       where a step adds more than 120: tests/ladder
  planted          mistakes that `race` must name: NAME | PLACE | EDIT | FINDING |
                   the two places that it must show, in the kernel with it
  silent           mistakes that leave every wait in place: NAME | PLACE | EDIT.
                   `race` says nothing, so `check` must fail
  slow             mistakes that cost time alone, for make bughunt:
                   PLACE | EDIT | KIND | COUNTER of make stageN count
  equivalent       mistakes of make mutants that are none, or that nobody can
                   see: REGION | RULE | CODE, a part of the sentence | WHY. A *
                   is any. What is so in all stages: mistakes.toml
  unreachable      what no default case of check or race runs: SETTING of the arm
                   that has it, or all | REGION or any | part of the line, or of
                   a function or template instance that is never called
  instructions     what the chapters say: ARM CODE: CLAIMS. CODE is ptx, or sass
                   for compute capability 9.0; loop counts all instructions of
                   the innermost loop that has this one. A name counts whatever
                   begins with it, up to a dot: LDG is LDG.E.128 too, and not
                   LDGSTS. It counts them as they stand, a loop's body once.
  late_exponentials  by arm, the blocks (columns, warpgroups by rows, by keys, a
                   tile's keys) in which the compiler moves the exponentials past
                   the wait for P times V
  phases           where make stageN timeline stamps: timeline/stamp/stamp.py.
                   `as STAGE`: as in that one, and `not RULE` leaves one out
  race.shapes      at which planted mistakes are sought, beside small: such that
                   rings go round and every branch is taken
What the harness needs, too, says driver.c: its summary, `shapes` that check and
race run beside all stages' own, and which `excuses` of settings.json it has."""

import glob
import os
import re

from command import folder_of, kernel_path, stop, text_of


def load(path):
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10, whose pip has the same
        from pip._vendor import tomli as tomllib
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as reason:
        return stop(1, f"{path}: {reason}")


def facts(stage):
    path = f"{folder_of(stage)}/stage.toml"
    its = load(path)
    # Of a misspelt entry nothing would be asked.
    for key in its.keys() - set(re.findall("(?m)^  ([a-z_]+)", __doc__)):
        stop(1, f"{path}: there is no entry '{key}'.")
    return its


def phases(stage):
    """Its rules, with those of the stage that it names."""
    rules = []
    for line in facts(stage).get("phases", "").splitlines():
        word, _, rest = line.partition(" ")
        if word == "as":
            rules += phases(rest)
        elif word == "not":
            if rest not in rules:
                stop(1, f"{stage}/stage.toml: there is no '{rest}' to leave "
                     "out.")
            rules.remove(rest)
        elif line and not line.startswith("#"):
            rules.append(line)
    return rules


def of_driver(stage, key):
    """The texts in its driver.c, as of .shapes = {"1,1,77,64"}."""
    its = re.search(rf"\.{key} = {{([^}}]*)", text_of(
        f"{folder_of(stage)}/driver.c") or "")
    return re.findall('"([^"]*)"', its[1]) if its else []


def entries(table, key, fields, path=""):
    """Those of a list, each of so many fields."""
    found = [[field.strip() for field in line.split(" | ")]
             for line in table.get(key, "").splitlines()]
    for entry in found:
        if len(entry) != fields:
            stop(1, f"{path}: {key} has {fields} fields a line, and not as in: "
                 f"{' | '.join(entry)}")
    return found


def rows(stage, key, fields):
    return entries(facts(stage), key, fields, f"{stage}/stage.toml")


def ladder():
    """The names of its stages, by number. One of another kind has rules of its
    own, in its stage.mk, and is no step of it."""
    folders = [os.path.dirname(path) for where in ("", "further/") for path in
               glob.glob(f"{where}stage[0-9]*_*/kernel.cu")]
    return sorted((os.path.basename(its) for its in folders
                   if not os.path.exists(f"{its}/stage.mk")),
                  key=lambda its: int(re.match(r"stage(\d+)", its)[1]))


def architectures(stage):
    """Those that its kernel is for, as 90a; none are named where it is for
    all."""
    its = re.search("(?m)^// architectures:(.*)", text_of(
        kernel_path(stage)) or "")
    return its[1].split() if its else []


def named(word):
    """Of stage3_fused_softmax, stage3 or 3 the name; None where it is none."""
    return next((name for name in ladder() if word in (
        name, name.partition("_")[0], name.partition("_")[0][5:])), None)
