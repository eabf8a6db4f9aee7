"""Judges a mended copy: the mistake is gone, nothing else is another, and a
sentence names what was wrong."""

import collections
import tempfile
from types import SimpleNamespace

import outside
import sentence
from command import folder_of, output, stop, text_of
from grade import Grade, ask, build, read_kernel
from lab import stripped
from mistakes import COUNTED, is_there, place_of
from programs import complaint, make
from symptoms import symptom

# What a kernel does, of which a copy that is mended does neither more nor less
SAME = ("shared_wavefronts", "bank_conflicts", "global_load_sectors",
        "global_store_sectors", "barriers", "warp_syncs", "shuffles",
        "tensor_instructions")


def lab_of(hunt):
    return SimpleNamespace(
        name="bughunt", stage=hunt.stage, inputs=["small", "odd", "1,2,?,64"],
        file="kernel.cu", mine="kernel.cu", empties=[], toggles=[], time="1.1",
        demands=[(counter, "==", 1) for counter in SAME], count=COUNTED)


def same_code(scratch, hunt):
    """The executor's machine code of the copy is the stage's."""
    log, book = f"{scratch}/log", f"build/cpu/{hunt.stage}/default"
    if not make(log, f"{book}/kernel.o", f"{book}/judge", "build/tools/draw",
                f"build/instrumented/{hunt.stage}/default/program").fine():
        stop(3, f"The book's kernel cannot be built here: {complaint(log)}")
    mine = outside.machine_code("build/cpu/bughunt/default/kernel.o")
    return mine == outside.machine_code(f"{book}/kernel.o")


def other_arms(folder):
    """What a kernel has beside its default arm, which the checks do not run."""
    left, others = collections.Counter(map(stripped, output(
        "tools/diff/diff.py", "marked", folder).split("\n"))), []
    for line in text_of(f"{folder}/kernel.cu").split("\n"):
        if left[stripped(line)] > 0:
            left[stripped(line)] -= 1
        elif not line.startswith("#line "):
            others.append(stripped(line))
    return [line for line in others if line]


def ask_longer(grade, scratch, hunt):
    """Where nothing above refuses a copy, the verb that has shown the symptom
    is asked again, at all that it runs by itself, and so is race: what was
    mended wrongly may have a race where the mistake had none. (Counters are
    compared above.)"""
    if any(line["met"] is False for line in grade.demands):
        return
    for verb in ("check", "race") if hunt.level == 2 else ("race",):
        found = symptom(scratch, verb)
        if not grade.add("symptom", not found, found or f"{verb} is silent "
                         "at all of its own shapes", f"make bughunt {verb}"):
            return


def judge(grade, scratch, hunt, text):
    if stripped(text) == stripped(hunt.text):
        grade.json["attempt"] = False
        grade.add("mended", False, "this is the kernel that was laid out",
                  "make bughunt race, check and count")
    elif stripped(text) == stripped(hunt.book):
        grade.add("mended", True, "the text is the stage's, white space and "
                  "comments aside")
    elif is_there(hunt, text):
        grade.add("mended", False, "what was wrong is still there",
                  "make bughunt hint")
    elif build(grade, scratch, text):
        if other_arms("build/labs/bughunt") != other_arms(
                folder_of(hunt.stage)):
            grade.add("mended", False, "lines of other arms have changed: the "
                      "mistake is in what is compiled by default",
                      "make bughunt solution")
        elif same_code(scratch, hunt):
            grade.add("mended", True, "the machine code is the stage's")
        else:
            grade.add("mended", True, "otherwise than in the book: so gates, races "
                      "and counters decide")
            if ask(grade, scratch):
                outside.judge(grade, scratch)
            ask_longer(grade, scratch, hunt)
            if all(line["met"] is not False for line in grade.demands):
                # A right mend elsewhere: its region names the mistake as well.
                hunt.beside |= place_of(hunt.text, text)[2] - {None}


def grade_of(hunt, folder):
    text = read_kernel(folder)
    grade = Grade(lab_of(hunt), folder)
    grade.json.update(attempt=True, level=hunt.level)
    with tempfile.TemporaryDirectory() as scratch:
        judge(grade, scratch, hunt, text)
    found = f"{folder.path}/found.txt"
    named, why = sentence.judge(text_of(found) or "", hunt)
    grade.add("sentence", named, f"{found}: {why}", "make bughunt")
    return grade
