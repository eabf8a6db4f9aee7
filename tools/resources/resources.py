#!/usr/bin/env python3
"""What the compiler says that kernels use, and whether it is within the stage's
budget:
  read REPORT         what ptxas says there, in one line: of several functions
                      the most registers and shared memory, and the sum of
                      stacks and of spills; exit 1 where it says nothing
  allotted REPORT     the number of registers, rounded up to the next eight,
                      which is how they are allotted
  table STAGE/ARM...  every architecture that is built, against the budget in
                      the stage's stage.toml; exit 1 if it is exceeded, or if
                      ptxas has put waits of its own between products. A lab
                      names its stage: lab2/default:stage2_wmma_pv"""

import glob
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, folder_of, stop, text_of, verb_of
from facts import facts

ROW = "{:<44} {:>9} {:>7} {:>6} {:>6}{}"


def report(path):
    """What a file of ptxas' words says, by kind; the program's end where it
    says nothing."""
    text = text_of(path) or ""

    def numbers(words):
        return [int(its) for its in re.findall(words, text)] or [0]
    used = {"registers": max(numbers(r"Used (\d+)")),
            "shared_bytes": max(numbers(r"(\d+) bytes smem")),
            "stack_bytes": sum(numbers(r"(\d+) bytes stack frame")),
            "spill_bytes": sum(numbers(r"(\d+) bytes spill stores")
                               + numbers(r"(\d+) bytes spill loads"))}
    if not used["registers"]:
        stop(1, f"No resource report in {path}.")
    return used


def excess(stage, used):
    """What is over the stage's budget. The warm-up's kernel has none."""
    budget = facts(stage).get("budget")
    if not budget and os.path.isdir(folder_of(stage)):
        stop(1, f"{stage} has no budget in a stage.toml.")
    return [f"over budget: {kind}={most}"
            for kind, most in (budget or {}).items() if used[kind] > most]


def row(arm, stage, cubin):
    """Prints it; whether it is within the budget."""
    name = os.path.basename(cubin)
    used = report(f"{cubin}.ptxas")
    over = "".join(f" {its}" for its in excess(stage, used))
    if re.search(r"\(C75\d\d\)", text_of(f"{cubin}.ptxas")):
        over += " ptxas waits for products under way (C75xx)"
    print(ROW.format(f"{arm} {name.partition('.')[0]}", *used.values(), over))
    return not over


def table(first, *others):
    print(ROW.format("kernel", "registers", "shared", "stack", "spills", ""))
    fine = True
    for its in (first, *others):
        arm, _, stage = its.partition(":")
        cubins = sorted(glob.glob(f"build/gpu/{arm}/sm_*.cubin"))
        if not cubins:
            stop(1, f"There is no machine code of {arm}.")
        for cubin in cubins:
            fine = row(arm, stage or arm.partition("/")[0], cubin) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    end(verb_of, __doc__, {
        "table": table,
        "read": lambda path: print(*(f"{kind}={number}" for kind, number in
                                     report(path).items())),
        "allotted": lambda path: print(
            (report(path)["registers"] + 7) // 8 * 8)}, sys.argv[1:])
