#!/usr/bin/env python3
"""Says what is here, what is missing, and what each missing piece would enable.
  doctor.py           what can be done now, and the whole list; exit 3 where
                      even the CPU executor lacks something, else 0
  doctor.py --brief   the same in a few lines; exit 0"""

import os
import re
import shutil
import sys
import textwrap

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(f"{TOOLS}/setup")
from pins import (ROOT, SETUP, aarch64_pins, packages_of, pinned, requirements,
                  script, stamped, version_of)
from command import end, said, stop

WIDTH = 80


def fold(text, width):
    for line in text.split("\n"):
        yield from textwrap.wrap(line, width, break_on_hyphens=False) or [""]


class Doctor:
    def __init__(self):
        self.lines, self.missing = [], []
        self.core = self.book = True
        self.compiler = self.root = self.gpu = ""

    # ---- lines, no wider than a terminal ----

    def row(self, text):
        self.lines.append(text[:WIDTH].rstrip(" "))

    def heading(self, text):
        self.row("")
        self.row(text)

    def here(self, name, what):
        self.row(f"  here     {name:<17} "
                 f"{what.removeprefix(f'{ROOT}/')}")

    def lacks(self, name, purpose):
        self.row(f"  MISSING  {name:<17} for {purpose}")

    def say(self, text):
        self.lines += [" " * 11 * bool(line) + line
                       for line in fold(text, 69)]

    # ---- packages, and what setup fetches ----

    def group(self, name):
        for its in packages_of(name):
            program = its.probe.partition(":")[2]
            if its.good():
                if its.probe != "pip":
                    self.here(its.name, shutil.which(program) or "")
                continue
            if its.present():
                self.row(f"  TOO OLD  {its.name:<17} {version_of(program)}; "
                         f"{its.oldest} or newer for {its.purpose}")
            else:
                self.lacks(its.name, its.purpose)
            self.missing.append(its.name)
            if name == "book" or its.name == "unifdef":
                self.book = False
            elif name == "core" and its.name not in ("git", "python3-venv"):
                self.core = False  # the executor does without those

    def fetched(self, name, purpose, answer):
        """What setup fetches: `answer` is where it is, or its version."""
        if answer:
            self.here(name, answer)
        else:
            self.lacks(name, purpose)
            self.missing.append(name.replace(" ", "-"))
        return bool(answer)

    def toolkit(self):
        self.core &= self.fetched(
            "CUDA headers", "kernels on the CPU executor",
            script("cuda-home.sh", "--headers"))
        self.heading("CUDA compiler: make resources, programs for the GPU")
        code, text = said([f"{SETUP}/cuda-home.sh"])
        text = text.rstrip("\n")
        if not code:
            self.root = text
            its = re.search(r"release ([0-9.]*)",
                            said([f"{text}/bin/nvcc", "--version"])[1])
            self.compiler = its[1] if its else ""
            self.here(f"nvcc {self.compiler}", text)
            return
        self.lacks("nvcc", "make resources, programs for the GPU")
        self.say(text)
        self.missing.append("nvcc")
        if os.access("/usr/local/cuda/bin/nvcc", os.X_OK):
            self.say("CUDA_HOME=/usr/local/cuda would select the nvcc that "
                     "lies there.")

    # ---- the GPU ----

    def first_gpu(self):
        """Its name, whether kernels run on it, and the driver's age."""
        if not shutil.which("nvidia-smi"):
            self.lacks("NVIDIA GPU",
                       "timings; counters of the executor stand in")
            return
        code, text = said([
            "nvidia-smi", "--query-gpu=name,compute_cap,driver_version",
            "--format=csv,noheader"])
        if code or not text.strip():
            self.lacks("NVIDIA GPU",
                       "timings; nvidia-smi is here, but fails:")
            self.say("\n".join(text.rstrip("\n").split("\n")[:2]))
            return
        name, capability, driver = (re.split(
            ", *", text.split("\n", 1)[0], maxsplit=2) + ["", ""])[:3]
        self.here(name, f"compute capability {capability}, driver {driver}")
        self.gpu = name
        if not re.match(r"[89]\.|[1-9][0-9]\.", capability):
            self.say("Its compute capability is under 8.0: the kernels do not "
                     "run on it.")
            self.gpu = ""
        # The oldest driver for each major version of CUDA.
        first = {"12": 525, "13": 580}.get(self.compiler.partition(".")[0])
        if first and int(driver.partition(".")[0] or 0) < first:
            self.say(f"Driver {driver} is older than CUDA {self.compiler}, "
                     f"which needs driver {first} or newer: update the driver, "
                     "or set CUDA_HOME to a toolkit of CUDA 12 "
                     f"({pinned('oldest cuda')[0]} or newer).")
            self.gpu = ""

    def profilers(self):
        for name, purpose in (
                ("ncu", "make profile: the GPU's own counters"),
                ("compute-sanitizer", "make race on the GPU itself")):
            # make looks beside nvcc, too.
            program = shutil.which(
                name, path=f"{os.environ['PATH']}:{self.root}/bin")
            if program:
                self.here(name, program)
            else:
                self.lacks(name, purpose)

    # ---- all of it ----

    def report(self):
        self.heading("CPU executor: make check, bench, count, race")
        self.group("core")
        self.toolkit()
        self.heading("GPU: timings")
        self.first_gpu()
        self.heading("Profilers: they come with the full CUDA toolkit")
        self.profilers()
        self.heading("Book: make book")
        its = re.match("pandoc (.*)", script("pandoc.sh", "--version"))
        self.book &= self.fetched("pandoc", "the book's pages", its and its[1])
        self.group("book")
        self.heading("Tests: make check-all skips what it cannot run")
        self.group("tests")
        if self.compiler:
            self.fetched("nvdisasm", "what the chapters say of machine code",
                         script("disassembler.sh"))
        pins = requirements("tests")
        its = stamped("tests", pins) and re.search("^pytest==(.*)", pins, re.M)
        self.fetched("pytest", "the tests, the book in a browser",
                     its and its[1])

    def on_request(self):
        """What is installed only when asked for is not missing."""
        kept = list(self.missing)
        self.heading("Cluster: make stage18, on several ranks "
                     "(tools/setup/setup.sh cluster)")
        self.group("cluster")
        if self.compiler:
            code, place = said([f"{SETUP}/nccl-home.sh"])
            self.fetched("NCCL", "ranks on GPUs", not code and (
                place.strip() or "/usr"))
        self.heading("aarch64: the executor, emulated "
                     "(tools/setup/setup.sh aarch64)")
        self.group("aarch64")
        self.fetched("its libraries", "the executor for aarch64",
                     stamped("aarch64", aarch64_pins()) and
                     f"{ROOT}/.deps/aarch64")
        self.missing = kept

    def brief(self):
        lines = [self.can_do()]
        if self.missing:
            more = len(self.missing) - 6
            lines += fold(
                f"Missing: {' '.join(self.missing[:6])}"
                f"{f' and {more} more' if more > 0 else ''}. 'make setup' "
                "installs, 'make doctor' explains.", WIDTH)
        return lines

    def can_do(self):
        """In one line, what this machine can do now."""
        can = ["gates, counters, races"] * self.core
        can += ["machine code"] * bool(self.compiler)
        can += ["the book"] * self.book
        timings = self.core and self.compiler and self.gpu
        return ("This machine can do: " + ("; ".join(can) or "nothing yet")
                + ("; timings." if timings else "; no timings."))


def main(*words):
    if words not in ((), ("--brief",)):
        stop(2, "doctor.py takes --brief or nothing.")
    doctor = Doctor()
    doctor.report()
    if words:
        print(*doctor.brief(), sep="\n")
        return 0
    doctor.on_request()
    print(doctor.can_do(), *doctor.lines, "", sep="\n")
    if doctor.missing:
        print("'make setup' installs what is missing.")
    if not doctor.core:
        return 3
    print("All that the CPU executor needs is here.")
    return 0


if __name__ == "__main__":
    end(main, *sys.argv[1:])
