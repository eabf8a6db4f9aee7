"""Builds mistakes of one stage, one after the other, and asks the executor. The
commands come from the environment, as tools/make/commands.mk has them."""

import os
import re
import subprocess

from command import kernel_path, text_of
from toggles import defines_of

# Two quick questions; then what is asked of what is not known to be
# equivalent, with seconds of the processor.
QUICK = (("instrumented", "race", 20, "--shape odd"),
         ("instrumented", "check", 20, "--shape odd --seeds 0 -d normal"))
SLOW = (("cpu", "check", 50, "--brief --seeds 0"),
        ("cpu", "check", 400, "-d normal"),
        ("cpu", "check", 400, "-d large-logits"),
        ("cpu", "check", 800, "--seeds 0"), ("instrumented", "race", 200, ""))


class Asker:
    """In a folder of its own."""

    def __init__(self, stage, folder):
        self.stage, self.folder, self.originals = stage, folder, {}
        self.log, self.kernel = f"{folder}/log", f"{folder}/kernel.cu"
        os.makedirs(folder, exist_ok=True)

    def run(self, seconds, command):
        """The exit code, 128 and more where a signal ended it. Seconds are of
        the processor, so that a machine which is busy decides nothing."""
        code = subprocess.call(
            f"ulimit -t {seconds}; ulimit -c 0; exec >{self.log} 2>&1 "
            f"</dev/null; {command}", shell=True)
        if code in (-2, 130):  # Ctrl-C is no verdict
            raise KeyboardInterrupt
        return 128 - code if code < 0 else code

    def compile(self, text, command, arm, file):
        with open(self.kernel, "w", encoding="utf-8",
                  errors="surrogateescape", newline="") as kernel:
            kernel.write(text)
        return self.run(300, f"{command} {defines_of(arm)} -c -o {self.folder}/"
                        f"{file} {self.kernel}") == 0

    def build(self, text, target, command, arm):
        path = f"{self.folder}/{target}"
        its = f"build/{target}/{self.stage}/{arm}"
        return self.compile(text, command, arm, f"{target}.o") and self.run(
            300, f"{os.environ['LINK']} -o {path} {path}.o {its}/object.o "
            f"{its}/driver.o {os.environ['LINK_WITH']}") == 0

    def findings(self):
        """The kinds of findings that race has named, each once."""
        return ", ".join(dict.fromkeys(
            its[1] for line in text_of(self.log).split("\n")
            if (its := re.match("([a-z][a-z -]*): ", line))
            and not re.search(r": \d+ finding", line)))

    def ask(self, target, verb, seconds, options):
        """What a program says in so many seconds: a verdict and its words, or
        None if it passes."""
        code = self.run(seconds, f"{self.folder}/{target} {verb} {options}")
        text = text_of(self.log)
        if code == 0:
            return None
        if code in (3, 127):  # nothing was asked, or what was is lost
            lost = re.search(r"brought to the device: ([^.]*)", text)
            assert lost and lost[1] != "out of memory", text
            return verb, lost[1]
        if code in (128 + 24, 128 + 9):
            return "time", verb
        if (verb, code) == ("race", 1):
            return "race", self.findings()
        failed = re.search(r"The kernel failed: ([^.]*)", text)
        return verb, (f"exit code {code}" if code != 1 else
                      failed[1] if failed else "")

    def first_answer(self, questions):
        return next(filter(None, (self.ask(*its) for its in questions)), None)

    def is_same(self, text, kind, command, arm):
        """As the machine code of the kernel as it is, which is made once an
        arm. Of some kernels nvcc makes one of two, now this, now that: only
        "the same" says something."""
        def code(text):
            if not self.compile(text, command, arm, f"{kind}.o"):
                return None
            with open(f"{self.folder}/{kind}.o", "rb") as file:
                return file.read()
        if (kind, arm) not in self.originals:
            original = code(text_of(kernel_path(self.stage)))
            assert original, "the kernel does not compile"
            self.originals[kind, arm] = original
        return code(text) == self.originals[kind, arm]

    def judge(self, text, arm, known):
        """The verdict on a kernel with a mistake, and words on it. Cheap
        questions come first; the first answer that is not "fine" counts:
          build      does not compile
          race       `race` fails, and names these kinds of findings
          check      `check` fails
          time       it runs on where the kernel as it is would have ended
          same       the same machine code as without it, of g++ or of nvcc
          known      not found soon, and known to be equivalent
          survived   silent"""
        instrumented, plain, device = (os.environ.get(f"COMPILE_{name}") for
                                       name in ("INSTRUMENTED", "PLAIN",
                                                "DEVICE"))
        if not self.build(text, "instrumented", instrumented, arm):
            return "build", ""
        found = self.first_answer(QUICK)
        if found or known:
            return found or ("known", "")
        if self.is_same(text, "cpu", f"{plain} -g0", arm):
            return "same", "g++"
        if device and self.is_same(text, "device", device, arm):
            return "same", "nvcc"
        if not self.build(text, "cpu", plain, arm):
            return "build", ""
        return self.first_answer(SLOW) or ("survived", "")
