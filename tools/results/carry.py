#!/usr/bin/env python3
"""Carries recorded results over to a kernel whose source changed and whose
machine code did not: 'make carry'. RESULTS/machine-code.json names, for each
recorded arm, the SHA-256 of its disassembly for this device and the hashes of
all sources that compiled to it; the book takes a record of any of these.
  carry.py RESULTS ARCH         exit code 1: a kernel has to be measured again
  carry.py code STAGE ARM ARCH  that SHA-256: of instructions, registers and
                                shared memory, without names and notes; exit
                                code 3: there is no compiler or no nvdisasm
What the host does is not compared: whether grid and arguments are the same is
for you to see."""

import hashlib
import os
import re
import sys
import tempfile

from kernel_hash import kernel_hash, kernels_of
from recorded import Unreadable, as_json, files, load
from command import (cuda_home, end, nvdisasm, output, said, stop, verb_of,
                     write)
from toggles import defines_of

# Sections of a disassembly that say nothing of what runs.
NOTES = re.compile(
    r" \.(debug|note|rela|nv\.(info|compat|callgraph|constant0))|SYM")
USED = re.compile(r"Used \d* registers|\d* bytes [^,\n]*")


def nvcc():
    home = cuda_home() or stop(3, "There is no nvcc: 'make setup' installs it.")
    return f"{home}/bin/nvcc"


def instructions(text):
    kept = False
    for line in text.splitlines():
        if line.startswith("//-----"):
            kept = not NOTES.search(line)
        if kept:
            yield line


def machine_code(stage, arm, arch):
    disassembler = nvdisasm() or stop(
        3, "There is no nvdisasm: 'make setup' installs it.")
    defines = defines_of(arm).split()
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for source in kernels_of(stage):
            code, text = said([
                nvcc(), "-std=c++17", "-O3", "-I.", "--objdir-as-tempdir",
                "-gencode", f"arch=compute_{arch},code=sm_{arch}", *defines,
                "-Xptxas", "-v", "-cubin", "-o", f"{scratch}/cubin", source])
            if code:
                stop(1, text.rstrip())
            lines += [*instructions(output(disassembler,
                                           f"{scratch}/cubin")),
                      *USED.findall(text)]
    code = re.sub("_Z[A-Za-z0-9_]*", "KERNEL", "".join(
        line + "\n" for line in lines))
    return hashlib.sha256(code.encode()).hexdigest()


def arms_of(result):
    """STAGE.ARM, or STAGE alone, of every kernel that a record is about."""
    meta = result.get("build_meta") or {}
    yield from meta.get("kernels") or ()
    if meta.get("stage"):
        tried = [trial["arm"] for trial in result.get("tune", {}).get(
            "trials", ()) if trial["state"] in ("timed", "same code")]
        for arm in [meta["arm"]] if meta.get("arm") else tried or ["default"]:
            yield f"{meta['stage']}.{arm}"


def recorded_arms(folder):
    arms = set()
    for path in files(folder, deep=True):
        if not path.endswith("/machine-code.json"):
            try:
                arms.update(arms_of(load(path)))
            except (Unreadable, AttributeError, KeyError, TypeError):
                stop(1, f"{path} is no result that can be read, and its arms "
                     "would be lost.")
    return sorted({tuple((f"{arm}.default" if "." not in arm else arm)
                         .split(".", 1)) for arm in arms})


def now_of(stage, arm, arch, its):
    """The entry of an arm. Of some kernels ptxas makes one of two machine codes,
    now this, now that: what differs is compiled again before we believe it."""
    now, known = kernel_hash(stage), its.get("kernel_hashes", [])
    code = its.get("machine_code")
    for _ in range(5):
        if now in known:
            break
        code = machine_code(stage, arm, arch)
        if not its or code == its["machine_code"]:
            break
    same = code == its.get("machine_code")
    return {"stage": stage, "arm": arm, "machine_code": code,
            "kernel_hashes": [*known * same, *[now] * (not same
                                                       or now not in known)]}


def carry(folder, arch):
    path = f"{folder}/machine-code.json"
    compiler = next(line for line in output(nvcc(), "--version").splitlines()
                    if "release" in line)
    arms = recorded_arms(folder)
    ledger = load(path) if os.path.exists(path) else {"kernels": []}
    if ledger.get("compiler", compiler) != compiler:
        stop(3, f"machine-code.json was made by {ledger['compiler']}; here is "
             f"{compiler}.")
    before = {(its["stage"], its["arm"]): its for its in ledger["kernels"]}
    kernels = [now_of(*arm, arch, before.get(arm, {})) for arm in arms]
    if kernels != ledger["kernels"]:
        write(path, as_json({"compiler": compiler, "arch": arch,
                             "kernels": kernels}))
    carried = [f" {its['stage']} {its['arm']}" for its in kernels
               if its != before.get((its["stage"], its["arm"]))]
    print(f"{path}: {len(kernels)} arms, {len(carried)} new here"
          f"{':' * bool(carried)}{','.join(carried)}.", flush=True)
    changed = [its for its in kernels if its["machine_code"] != before.get(
        (its["stage"], its["arm"]), its)["machine_code"]]
    for its in changed:
        print(f"{its['stage']} {its['arm']} is other machine code now: measure "
              "it again.", file=sys.stderr)
    return 1 if changed else 0


if __name__ == "__main__":
    if sys.argv[1:2] != ["code"]:
        sys.argv.insert(1, "carry")
    end(verb_of, __doc__, {"carry": carry, "code": lambda *its: print(
        machine_code(*its))}, sys.argv[1:])
