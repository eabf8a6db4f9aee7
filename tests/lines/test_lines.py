"""Every line of a kernel, in every instance of its templates, is run by a
default case of `check` and by one of `race`: what is in a line that none runs,
nobody would find."""

import json
import re

import pytest

from support import STAGES, folder_of

pytestmark = [pytest.mark.apart, pytest.mark.parametrize("stage", STAGES)]

# What no default case runs: the stage, a setting of the arms that it is of
# (or of all), the region, and text of the line, or of a function or template
# instance that is never called.
UNREACHABLE = [
    # Helpers that another arm has a use for.
    (2, "USE_HALF2_PV=0", "vector-helpers", "load4"),
    (2, "USE_WMMA_PV=1", "vector-helpers", "add_scaled"),
    (7, "USE_FP8_MMA=1", "bits", "bits_of"),
    # Compiled, and never chosen in this arm.
    (8, "USE_SPLIT_KEYS=0", "any", "block_shape<1, 2, 4, 1>"),
    (8, "USE_SPLIT_KEYS=2", "any", "block_shape<2, 4, 1, 2>"),
    (16, "CHOOSE_BLOCK=0", "any", "block_shape<64, 2, 1, 128>"),
    (16, "CHOOSE_BLOCK=0", "any", "block_shape<128, 2, 1, 128>"),
    (16, "CHOOSE_BLOCK=0", "busiest", "steps_of_busiest<"),
    (16, "CHOOSE_BLOCK=0", "busiest", "the kernel:"),
    # Strides reach a part of the instances only, so no case here has them.
    *((number, "all", "launch-shape", "const attention_strides strides =")
      for number in range(10, 18)),
    # In a low block no tile of 128 keys begins past a group of its 128 rows.
    *((16, "CHOOSE_BLOCK=1", "skip-masked", f"2, 1, 128> >: {line}")
      for line in ("await(shared.k_full, n)", "await(shared.turned_full, n)",
                   "release(&shared.k_empty[at(n).slot]);",
                   "release(&shared.turned_empty[at(n).slot]);")),
    *((17, "all", "skip-masked", line)
      for line in ("await_k(n);", "release(&shared.k_empty[k_at(n).slot]);",
                   "await_v(n);",
                   "release(&shared.turned_empty[v_at(n).slot]);")),
    # Blocks that split keys would from 4,097 keys on.
    *((17, "PROMOTE_KEYS=2048", region, f"1, 2, {dim}, 2048> >: {line}")
      for dim in (128, 64) for region, line in (
          ("overlapped", "promote();"), ("overlapped", "chain = n;"),
          ("promote", "const auto promote = [&] {"))),
]


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
    plain = own["shapes"] + [
        f"{own['batch']},{own['heads']},{keys},{own['head_dim']}"
        for keys in own.get("seq_lens", [])]
    variants = [case for case in own["variants"] if "strides" not in case]
    variants += settings["further"].get(stage, [])
    groups = [[s for s in plain if keys(s) <= 200],
              *([s] for s in sorted(variants, key=keys, reverse=True)),
              *([s] for s in plain if keys(s) > 200)]
    # In a check each seed has a number of multiprocessors of its own.
    each = [f"--seeds {settings['seeds'][0]} --multiprocessors {number}"
            for number in settings["multiprocessors"]]
    if verb == "check":
        each = [f"--seeds {seed}" for seed in settings["seeds"]]
    return [f"check --distribution normal {one} --shape "
            + " --shape ".join(group) for group in groups for one in each]


def unrun(tree, stage, arm):
    """What never ran: its line, its region, and the instance with the text of
    the line, or the instance alone where nothing of it ran."""
    report = json.loads(tree.ends(
        f"gcov --json-format --stdout build/lines/{stage}/{arm}/kernel.gcda"))
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


def ran(tree, stage, arm, command):
    """Shapes that the kernel does not take are no mistake."""
    ran = tree.run(f"build/lines/{stage}/{arm}/program {command}")
    assert ran.code == 0 or ran.code == 3 and " takes " in ran.text, ran.text
    return ran.code == 0


def every_line_runs(tree, stage, arm, to_the_end=False):
    """The cases end where no line is left, or where all are wanted, since a
    later one may run what is excused."""
    tree.make(f"-s build/lines/{stage}/{arm}/program")
    settings = tree.run(
        f"build/lines/{stage}/{arm}/program info | head -n 1").text.split()
    number = int(re.search(r"\d+", stage)[0])
    excuses = {entry[2:] for entry in UNREACHABLE if entry[0] == number and
               entry[1] in ["all", *settings]}
    for verb in "race", "check":
        tree.run(f"rm -f build/lines/{stage}/{arm}/kernel.gcda")
        left, needed = ["every line"], set()
        for command in cases(tree, verb, stage):
            if (left or to_the_end and excuses) and ran(
                    tree, stage, arm, command):
                left, needed = not_excused(unrun(tree, stage, arm), excuses)
        assert not left, (verb, arm)
        assert needed == excuses, (verb, arm)


@pytest.mark.drawn(1)
@pytest.mark.takes(20)
def test_default_arm(fresh_tree, stage):
    every_line_runs(fresh_tree, stage, "default")
    if stage.startswith("stage10_"):  # one tile of keys alone does not do
        folder = f"build/lines/{stage}/default"
        fresh_tree.run(f"rm -f {folder}/kernel.gcda")
        ran(fresh_tree, stage, "default", "check --brief --seeds 0 "
            "--multiprocessors 2 --shape small")
        left = str(unrun(fresh_tree, stage, "default"))
        assert "block_shape<64, 2, 4, 1, 64, 2> >'" in left
        assert "copy_tile(step + NUM_STAGES" in left


@pytest.mark.slow
@pytest.mark.takes(200)
def test_every_arm_that_the_book_shows(fresh_tree, stage):
    tree = fresh_tree
    results = re.search("^results: (.*)$", tree.read("chapters/book.yaml"),
                        re.M)[1]
    arms = set()
    for path in (tree.path / results).rglob(f"{stage}.*json"):
        name = re.sub(r"(\.(cold|count|ncu|timeline|tune))*\.json$", "",
                      path.name)
        arms.add(tree.ends(f"tools/toggles/toggles.py of-file {name}")
                 .strip().split("/")[1])
    assert len(arms) > 1 or stage == STAGES[0]
    for arm in sorted(arms | {"default"}):
        every_line_runs(tree, stage, arm, arm == "default")
