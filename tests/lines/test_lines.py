"""Every line of a kernel, in every instance of its templates, is run by a
default case of `check` and by one of `race`: what is in a line that none runs,
nobody would find."""

import json
import re

import pytest

from support import STAGES, folder_of
from facts import of_driver, rows

pytestmark = [pytest.mark.apart, pytest.mark.parametrize("stage", STAGES)]


def cases(tree, verb, stage):
    """The default cases, normal inputs: the other distributions run the same
    shapes. First what reaches much for little: plain shapes of few keys, then
    the variants, for a kernel may refuse some, then what is large."""
    settings = tree.json("common/harness/settings.json")
    own, lengths = settings[verb], {
        s["key"]: s["seq_len"] for s in settings["shapes"]}

    def keys(shape):
        return lengths.get(shape) or int(
            re.match(r"\d+,[\d:]+,(\d+)", shape)[1])
    variants = [case for case in own["variants"] if "strides" not in case]
    variants += of_driver(stage, "shapes")
    groups = [[s for s in own["shapes"] if keys(s) <= 200],
              *([s] for s in sorted(variants, key=keys, reverse=True)),
              *([s] for s in own["shapes"] if keys(s) > 200)]
    # In a check each seed has a number of multiprocessors of its own.
    each = [f"--seeds {settings['seeds'][0]} --multiprocessors {number}"
            for number in settings["multiprocessors"]]
    if verb == "check":
        each = [f"--seeds {seed}" for seed in settings["seeds"]]
    return [f"check --distribution normal {one} --shape "
            + " --shape ".join(group) for group in groups for one in each]


def unrun(tree, stage):
    """What never ran: its line, its region, and the instance with the text of
    the line, or the instance alone where nothing of it ran."""
    report = json.loads(tree.ends(
        f"gcov --json-format --stdout build/lines/{stage}/default/kernel.gcda"))
    source, regions, region = tree.read(
        f"{folder_of(stage)}/kernel.cu").split("\n"), [], "none"
    for text in source:
        region = text[4:] if text.startswith("//> ") else region
        regions.append(region)
    found, instance, dead = set(), {}, set()
    [file] = [f for f in report["files"] if f["file"].endswith("kernel.cu")]
    for function in file["functions"]:
        title = function["demangled_name"]
        who = re.sub(r"^\w+ ", "", title.split("(")[0])
        instance[function["name"]] = who
        if "::{lambda" not in title and function["execution_count"] == 0:
            dead.add(who)
            at = function["start_line"]
            found.add((at, regions[at - 1], who))
    for line in file["lines"]:
        who = instance.get(line.get("function_name"), "the kernel")
        if line["count"] == 0 and who not in dead:
            at = line["line_number"]
            found.add((at, regions[at - 1], f"{who}: {source[at - 1].strip()}"))
    return sorted(found)


def not_excused(found, excuses):
    """What is left, and the excuses that were needed."""
    left, needed = [], set()
    for at, region, text in found:
        for excuse in excuses:
            if excuse[0] in ("any", region) and excuse[1] in text:
                needed.add(excuse)
                break
        else:
            left.append(f"line {at}, {text}")
    return left, needed


@pytest.mark.drawn(1)
def test_every_line_runs(fresh_tree, stage):
    """Shapes that the kernel does not take are no mistake."""
    tree = fresh_tree
    program = f"build/lines/{stage}/default/program"
    tree.make(f"-s {program}")
    settings = tree.run(f"{program} info | head -n 1").text.split()
    excuses = {tuple(entry) for its, *entry in rows(stage, "unreachable", 3)
               if its in ["all", *settings]}
    for verb in "race", "check":
        tree.run(f"rm -f build/lines/{stage}/default/kernel.gcda")
        left, needed = ["every line"], set()
        for command in cases(tree, verb, stage):
            if left:
                ran = tree.run(f"{program} {command}")
                assert ran.code == 0 or ran.code == 3 and " takes " in ran.text
                if ran.code == 0:
                    left, needed = not_excused(unrun(tree, stage), excuses)
        assert not left and needed == excuses, (verb, left)
