"""The arms of a kernel's toggles."""

import os
import re

import admit
import outside
from command import said, text_of
from gates import judge_gates
from programs import build_error, make
from races import judge_races


def judge_admitted(grade, arm="default", built=("cpu", "instrumented")):
    """Whether the objects of an arm hold nothing but a kernel; a line only where
    they hold more."""
    for path, constructors in grade.kind.objects:
        if path.split("/")[1] in built and (fault := admit.fault_of(
                path.replace("default", arm), constructors, grade.kind.book)):
            return grade.add("admitted" + setting(arm), False,
                             f"{grade.lab.mine} {fault}.", admit.LOOK)
    return True


def setting(arm):
    """As a reader writes its toggles, where it has any."""
    return "" if arm == "default" else " " + arm.replace(
        "-", "=").replace(".", " ")


def judge_unset(grade, arm="default",
                what="(?:maybe-)?uninitialized|return-type"):
    """A register that nobody has set holds one number here, which may be a good
    one; on a GPU it holds any. So does what a function ends without. The
    compiler says which."""
    said = text_of(grade.kind.objects[0][0].replace("default", arm) +
                   ".said") or ""
    its = re.search(r"(?m)^(\S+:\d+):\d+: [^:]*: (.*) "
                    rf"\[-W(?:{what})\]$", said)
    if its:
        declared = re.search(r"(?m)^(\S+:\d+):\d+: [^:]*: .* declared here",
                             said[its.end():])
        grade.add("unset" + setting(arm), False, f"g++ says: {its[2]}",
                  "give it a value at " +
                  os.path.basename((declared or its)[1]))


def two_at_once(grade, free):
    """Two toggles with values other than their own that go together, or ()."""
    names = list(free)
    for _ in range(9 if len(names) > 1 else 0):
        first = grade.draw(len(names))
        second = (first + 1 + grade.draw(len(names) - 1)) % len(names)
        pair = [(name, grade.one_of(*free[name]))
                for name in names if name in (names[first], names[second])]
        if not said(["tools/toggles/toggles.py", "allowed",
                     f"build/labs/{grade.lab.name}",
                     *map("=".join, pair)])[0]:
            return pair
    return ()


def arms_of(grade):
    """Each value of a toggle that the kernel lists, and two drawn ones at once,
    by what a demand calls it; and one of these arms, whose races are asked. Of
    what the book's kernel asks by #if, a lab has one arm alone."""
    lab = grade.lab
    asked = re.findall("(?m)^ *# *(?:el)?if (.*)", text_of(
        f"{grade.kind.folder}/{lab.file}"))
    free = {name: values[1:] for name, values in outside.values_of(lab).items()
            if not re.search(rf"\b{name}\b", " ".join(asked))}
    arms = {f"{name}-{value}": f"toggle {name}={value}"
            for name, values in free.items() for value in values
            if name not in lab.toggles}
    if pair := two_at_once(grade, free):
        arms[".".join("-".join(its) for its in pair)] = "toggle " + " ".join(
            "=".join(its) for its in pair)
    return arms, grade.one_of(*arms) if arms else None


def ask_arms(grade, scratch, arms, drawn):
    """At the lab's shapes; a line only for what is not met."""
    lab, log = grade.lab, f"{scratch}/log"
    cases = [f"{shape}/mixed-scales/{grade.seed + processors}/{processors}"
             for shape in grade.shapes if "inputs=" not in shape
             for processors in (1, 160)]
    if arms and not make(log, *(f"build/cpu/{lab.name}/{arm}/attempt"
                                for arm in arms)).fine():
        grade.add("compiles", False, build_error(log), "the kernel's toggles")
        return
    for arm, name in arms.items():
        if not judge_admitted(grade, arm, ("cpu",)):
            continue
        judge_unset(grade, arm)
        judge_gates(grade, scratch, name, cases, arm)
        if arm == drawn and grade.demands[-1]["met"]:
            grade.demands.pop()
            make(log, f"build/instrumented/{lab.name}/{arm}/program")
            if judge_admitted(grade, arm, ("instrumented",)):
                judge_races(grade, scratch, name, grade.shapes, arm=arm)
        if grade.demands[-1]["met"]:
            grade.demands.pop()
