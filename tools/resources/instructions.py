#!/usr/bin/env python3
"""What a kernel's machine code is made of, counted where it stands: a loop's
body once, however often it runs.

  count FILE.cubin|FILE.ptx OPCODE  how many are that opcode: LDG is LDG.E.128,
                                  too, not LDGSTS
  loop FILE.cubin OPCODE [OTHER]  the instructions of the smallest loop that has
                                  that opcode; or those of them that are OTHER
  waits FILE.cubin                of each kernel its template's numbers, and,
                                  where two waits follow a wgmma, how many
                                  exponentials follow the first and the second
  table STAGE/ARM...              the sums that the book speaks of, for the
                                  architecture in ARCH

A cubin takes nvdisasm."""

import os
import re
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import answer, end, nvdisasm, stop, text_of, verb_of

# An instruction of each language, of which the last group is the opcode.
SASS = re.compile(r" +/\*[0-9a-f]{4,}\*/ +(?:@!?U?P[0-9T]+ +)?([A-Zx0-9_.]+)")
PTX = re.compile(r"[\s{]*(?:@!?%p[0-9]+\s+)?([a-z][a-z0-9_.:]*)[\s;]")
KERNEL = re.compile(r"\.text\.(\S+):")
LABEL, BRANCH = re.compile(r"(\.L\w*):"), re.compile(r"BRA.*?\((\.L\w*)\)")
# Which opcodes count as what; the first that fits. Patterns as the shell's.
SUMS = {
    "tensor": "*MMA.*", "cp.async": "LDGSTS*", "ldmatrix": "LDSM*",
    "barrier": "BAR.*", "mbarrier": "SYNCS.*", "mufu": "MUFU*",
    "convert": "F2FP.*E4M3*", "local": "LDL* STL*"}
SPACES = {"global loads": "LDG.*", "global stores": "STG.*",
          "shared loads": "LDS LDS.*", "shared stores": "STS STS.*"}
COLUMNS = {"tensor": 6, "cp.async": 8, "ldmatrix": 8, "barrier": 7, "mufu": 5,
           "convert": 7, "local": 5}


def lines_of(path):
    if path.endswith(".cubin"):
        text = answer([nvdisasm() or stop(
            3, "Reading a cubin takes nvdisasm: 'make setup' installs it."),
            "-c", path], stderr=subprocess.DEVNULL) or ""
    else:
        text = text_of(path)
    return stop(1, f"Cannot read {path}.") if text is None else (
        text.splitlines())


def opcodes(path):
    form = SASS if path.endswith(".cubin") else PTX
    found = [match[1] for line in lines_of(path)
             if (match := form.match(line))]
    return found or stop(1, f"No instructions found in {path}.")


def is_opcode(word, opcode):
    return word == opcode or word.startswith(opcode + ".")


def smallest_loop(path, opcode):
    """A loop is what lies between a label and a branch back to it."""
    labels, code, best = {}, [], None
    for line in lines_of(path):
        label, instruction = LABEL.match(line), SASS.match(line)
        if label:
            labels[label[1]] = len(code)
        elif instruction:
            code.append(instruction[1])
            back = BRANCH.search(line)
            loop = code[labels.get(back[1], len(code)):] if back else []
            if (any(is_opcode(word, opcode) for word in loop)
                    and (best is None or len(loop) < len(best))):
                best = loop
    return best or stop(1, f"No loop of {path} has {opcode}.")


def exponentials_by_wait(path):
    """Kernel -> lists: of the code from one wgmma to the next, how many
    exponentials stand after each of its waits."""
    kernels = {}
    for line in lines_of(path):
        name, instruction = KERNEL.match(line), SASS.match(line)
        word = instruction[1] if instruction else ""
        if name:
            kernels[name[1]] = runs = [[]]
        elif is_opcode(word, "QGMMA"):
            runs.append([])
        elif is_opcode(word, "WARPGROUP.DEPBAR"):
            runs[-1].append(0)
        elif is_opcode(word, "MUFU.EX2") and runs[-1]:
            runs[-1][-1] += 1
    return {name: runs for name, runs in kernels.items() if any(runs)}


def width_of(opcode):
    """Bytes of a load or store of one thread."""
    words = {*opcode.split(".")[1:]}
    return next((width for width, names in (
        (16, {"128"}), (8, {"64"}), (2, {"U16", "S16"}), (1, {"U8", "S8"}))
        if names & words), 4)


def kind_of(opcode, kinds):
    return next((kind for kind, patterns in kinds.items()
                 if any(fnmatchcase(opcode, p) for p in patterns.split())),
                None)


def print_row(name, found):
    sums = Counter(kind_of(opcode, SUMS) for opcode in found)
    print(f"{name:42}", *(f"{sums[kind]:{width}}"
                          for kind, width in COLUMNS.items()))
    if sums["mbarrier"]:
        print(f"  mbarrier         {sums['mbarrier']:2}")
    widths = Counter((kind_of(opcode, SPACES), width_of(opcode))
                     for opcode in found if kind_of(opcode, SPACES))
    for space in SPACES:
        its = [f"{widths[space, width]} x {width} B"
               for width in (16, 8, 4, 2, 1) if widths[space, width]]
        if its:
            print(f"  {space:15}", *its, sep="  ")


def table(first, *others):
    if not nvdisasm():
        return print("\nInstructions are not counted: there is no nvdisasm "
                     "here ('make setup').")
    arch = os.environ.get("ARCH") or "90a"
    title = f"instructions as they stand, sm_{arch}"
    print(f"\n{title:42}", *(f"{kind:>{width}}"
                             for kind, width in COLUMNS.items()))
    for arm in (first, *others):
        path = f"build/gpu/{arm}/sm_{arch}.cubin"
        if os.path.exists(path):
            print_row(arm, opcodes(path))
        else:
            print(f"{arm:42} not for this architecture")
    return None


def count(path, opcode):
    print(sum(is_opcode(word, opcode) for word in opcodes(path)))


def loop(path, opcode, other=None):
    code = smallest_loop(path, opcode)
    print(sum(is_opcode(word, other) for word in code) if other else len(code))


def waits(path):
    for name, runs in exponentials_by_wait(path).items():
        print(",".join(re.findall(r"Li(\d+)E", name)),
              *(f"{a}:{b}" for a, b in (r for r in runs if len(r) == 2)))


if __name__ == "__main__":
    end(verb_of, __doc__, {"count": count, "loop": loop, "waits": waits,
                           "table": table}, sys.argv[1:])
