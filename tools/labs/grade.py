"""What a grade asks of a kernel, in this order: each question costs more than
the one before it, and what ends one ends those that need its answer."""

import json
import os
import re
import tempfile
import time

import admit
import count
import outside
from arms import arms_of, ask_arms, judge_admitted, judge_unset
from command import folder_of, output, stop, text_of, write
from draw import seed_of
from facts import ladder
from gates import judge_gates
from inputs import Inputs
from lab import region_in, stripped
from programs import ONE_CORE, SECONDS, build_error, make, make_ahead, run
from races import judge_races
from whole import ask_program

LARGEST = 1 << 20  # bytes of a kernel's source


def was_passed(path):
    """"passed", "passed before" where a later grade did not, "not yet" or "".
    By the grade in the reader's folder, which he may have written."""
    try:
        grade = json.loads(text_of(f"{path}/grade.json") or "{}")
        return {True: "passed", False: "passed before" if grade.get(
            "passed_before") else "not yet"}.get(grade.get("passed"), "")
    except (ValueError, AttributeError, RecursionError, TypeError):
        return ""


class Grade(Inputs):
    """The lines of one grade, and the inputs that are drawn for it."""

    def __init__(self, lab, folder):
        super().__init__(lab, seed_of("A grade", 10))
        self.folder = folder
        self.demands, self.launched = [], {}
        before = was_passed(folder.path).startswith("passed")
        self.json = {
            "lab": lab.name, "stage": lab.stage, "seed": self.seed,
            "graded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "demands": self.demands, "passed_before": before}

    def run(self, log, seconds, *words):
        """Runs a program of the reader's, as programs.run does it. One that
        launches ranks may end before they do."""
        ended = run(log, seconds, *self.kind.launch, *words, before=ONE_CORE)
        if self.kind.launch and ended.how == "others":
            return ended._replace(how="code", number=ended.own)
        return ended

    def add(self, demand, met, says, look=None):
        """One demand: True, False, or None where it is not judged here. What
        is not met says where to look. Returns whether it is met."""
        line = {"demand": demand, "says": says,
                "met": "not judged" if met is None else bool(met)}
        self.demands.append(line)
        if line["met"] is False and look:
            line["look"] = look
        return met

    def not_met(self):
        return sum(line["met"] is False for line in self.demands)

    def hand_in(self):
        """Says it all and writes it beside the kernel; the exit code."""
        lab, not_met = self.lab, self.not_met()
        self.json.update(not_met=not_met, passed=not not_met)
        print(f"{lab.name}, {self.folder.kernel}; inputs drawn with "
              f"SEEDS={self.seed}")
        for line in self.demands:
            met = {True: "met", False: "NOT MET"}.get(line["met"], line["met"])
            print(f"  {met:<10} {line['demand']}: {line['says']}")
            if "look" in line:
                print(f"             look: {line['look']}")
        print(f"{lab.name} is not passed: {not_met} of {len(self.demands)} "
              "demands are not met." if not_met else f"{lab.name} is passed.")
        path = f"{self.folder.path}/grade.json"
        write(path, json.dumps(self.json) + "\n")
        print(f"wrote {path}")
        return 1 if not_met else 0


# ---- before anything is built ----

def read_kernel(folder, empties=()):
    """The reader's file, if it can be graded at all."""
    text = folder.source()
    if len(text) > LARGEST:
        stop(2, f"{folder.kernel} has more than a megabyte: no kernel is that "
             "long.")
    for region in empties:
        if not region_in(text, region):
            stop(2, f"{folder.kernel} has no region {region} any more: put its "
                 f"marks back, //> {region} and //< {region}, each alone in a "
                 "line.")
    return text


def stage_of(lab, text):
    """The name of a stage that this is, word for word; not of the lab's own.
    The stage before may also come as it is compiled by default."""
    wanted, before = stripped(text), None
    for name in ladder():
        if name == lab.stage:
            if before and wanted == stripped(output(
                    "tools/diff/diff.py", "default", before)):
                return before
        elif wanted == stripped(text_of(f"{folder_of(name)}/kernel.cu")):
            return name
        before = name
    return None


def not_built(grade, log, ended):
    """Where the compiler or linker could not go on."""
    if re.search("No space left|disk may be full|File too large",
                 text_of(log) or ""):
        stop(3, "There is no room to build: the disk is full. Nothing of "
             "yours was changed.")
    return grade.add("compiles", False, build_error(log)
                     if ended.how == "code" else ended.sentence(),
                     "the compiler's words")


def build(grade, scratch, text):
    """Builds the programs of the reader's kernel, once its text and its objects
    are admitted; False with a line where that fails."""
    lab, kind, log = grade.lab, grade.kind, f"{scratch}/log"
    of_book = text_of(f"{kind.folder}/{lab.file}")
    fault = admit.source_fault(text, re.findall(r"#ifndef (\w+)", of_book))
    if fault:
        return grade.add("admitted", False, f"{lab.mine} {fault}.", admit.LOOK)
    objects = [path for path, _ in kind.objects]
    seen = f"build/instrumented/{lab.name}/default"
    programs = [f"build/cpu/{lab.name}/default/attempt", f"{seen}/program",
                *[f"{seen}/attempt"] * kind.ranks]
    linked = make(log, *objects, *programs)
    ended = linked if linked.fine() else make(log, *objects)
    if not ended.fine():
        return not_built(grade, log, ended)
    if not judge_admitted(grade):
        return False
    if not linked.fine():
        return not_built(grade, log, make(log, *programs))
    return grade.add("compiles", True, "for the executor")


# ---- all ----

def judge_support(grade, log):
    """What it says that it takes must be what the book's kernel says."""
    lab = grade.lab
    grade.run(log, SECONDS, f"build/cpu/{lab.name}/default/attempt", "support")
    mine = text_of(log)
    book = output(f"build/cpu/{lab.stage}/default/judge", "support")

    def words(text):  # widths in any order
        return sorted(re.findall(r"\w+", text))
    return words(mine) == words(book) or grade.add(
        "support", False, f"stage_support says '{mine.strip()}', and the "
        f"book's '{book.strip()}'", f"stage_support in {lab.mine}")


def ask(grade, scratch):
    """What is asked of a kernel that is built; False where no more can be."""
    make_ahead(*outside.compiled_by_nvcc(grade.lab), *(
        f"build/cpu/{grade.lab.name}/{arm}/kernel.o"
        for arm in outside.own_arms(grade.lab)))
    if not (grade.kind.ranks or grade.lab.stage == "warmup" or
            judge_support(grade, f"{scratch}/log")):
        return False
    judge_unset(grade, what="return-type")
    if not judge_gates(grade, scratch, "gates", grade.cases()):
        return False
    if judge_races(grade, scratch, "race", grade.shapes):
        count.judge(grade, scratch, grade.lab.count)
    for toggle in grade.lab.toggles:
        outside.judge_toggle(grade, toggle, scratch)
    return True


def ask_further(grade, scratch):
    """Once all else is met: a grade is no weaker than check and race."""
    lab = grade.lab
    if grade.not_met():
        return
    judge_unset(grade)
    count.judge(grade, scratch, count.other_shape(grade))
    if grade.not_met():
        return
    if lab.stage == "warmup":
        shapes = grade.matrices()
        judge_gates(grade, scratch, "check", grade.one_each(shapes))
        judge_races(grade, scratch, "races", shapes[:40:9] + shapes[40:])
        return
    arms, drawn = arms_of(grade)
    of_arms = outside.own_arms(lab)
    make_ahead(
        *(f"build/cpu/{lab.name}/{arm}/attempt" for arm in [*of_arms, *arms]),
        *(f"build/instrumented/{lab.name}/{arm}/program"
          for arm in [*of_arms, *filter(None, [drawn])]))
    cases, ranks = grade.one_each(sum(grade.further("check"), [])), ""
    if grade.kind.ranks:  # another number of them
        others = [its for its in "2345" if its != grade.kind.launch[1]]
        grade.kind.launch[1] = others[grade.draw(len(others))]
        ranks = f" RANKS={grade.kind.launch[1]}"
    fine = judge_gates(grade, scratch, "check" + ranks, cases)
    outside.judge_on_gpu(grade, scratch)
    if fine:
        judge_races(grade, scratch, "races" + ranks,
                    *grade.further("race"))
    for arm in of_arms:
        make(f"{scratch}/log", f"build/cpu/{lab.name}/{arm}/attempt",
             f"build/instrumented/{lab.name}/{arm}/program")
        if not judge_admitted(grade, arm):
            continue
        name = arm.replace("-", "=")
        judge_unset(grade, arm)
        judge_gates(grade, scratch, f"check {name}",
                    cases[grade.draw(3)::3] + grade.one_each([grade.of_arms]),
                    arm)
        judge_races(grade, scratch, f"races {name}", grade.shapes,
                    [grade.of_arms, *grade.further("race")[1][-3:]], arm)
    ask_arms(grade, scratch, arms, drawn)


def grade_of(lab, folder):
    text = read_kernel(folder, lab.empties)
    grade = Grade(lab, folder)
    grade.json["attempt"] = any(
        stripped(region_in(text, region)[1]) != stripped(lab.stubs[region])
        for region in lab.empties)
    other = lab.file == "kernel.cu" and stage_of(lab, text)
    if other:
        grade.add("yours", False, f"this is {other} as it is",
                  f"make diff-{lab.stage.partition('_')[0]}")
    with tempfile.TemporaryDirectory() as scratch:
        if lab.stage == "hopper":
            ask_program(grade, scratch, text)
        elif build(grade, scratch, text) and ask(grade, scratch):
            ask_further(grade, scratch)
            outside.judge(grade, scratch)
    return grade
