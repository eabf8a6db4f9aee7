"""Programs that hold the reader's code, and what becomes of them."""

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import answer, stop, text_of

# Processor seconds and MiB that one may take.
LIMIT = os.environ.get("LAB_SECONDS", "")
SECONDS = int(LIMIT) if re.fullmatch("[0-9]+", LIMIT) else 60
MEGABYTES = 2048
COMPILE_SECONDS = 200  # and 4 GiB
ONE_CORE = "env", "OMP_NUM_THREADS=1"  # for two of them run at once
MINE = os.environ.get("MINE") or "mine"
SIGNALS = {4: "an instruction that this processor does not have",
           6: "it ended itself", 8: "a division by zero", 9: "killed",
           11: "an access to memory that is not its own"}


class Ended(NamedTuple):
    """How a program ended: "code" and its exit code, or what stopped it:
    "time", "memory", "output", "signal", or "others", and then also how the
    command itself ended."""
    how: str
    number: int
    own: int

    def fine(self):
        return self.how == "code" and self.number == 0

    def sentence(self):
        """What that has to do with the reader."""
        if self.how == "signal":
            return (f"Signal {self.number} ended it: "
                    f"{SIGNALS.get(self.number, 'something went wrong')}.")
        return {
            "time": f"It was stopped after {SECONDS} seconds of the processor: "
                    "does a loop never end?",
            "memory": f"It was stopped when it had {MEGABYTES} MiB of memory "
                      "in use.",
            "output": "It was stopped when it had written a gigabyte.",
            "others": "It started other programs, which a kernel has no use "
                      "for.",
            "code": f"It ended with exit code {self.number}."}[self.how]


def limited(log, seconds, *words):
    """A command within limits; what it says will be in `log`."""
    return ["build/tools/limited", str(seconds), str(MEGABYTES), log,
            *map(str, words)]


def run(log, seconds, *words, before=()):
    """Runs a command within limits; the words `before` are of another program,
    which starts that."""
    said = answer([*before, *limited(log, seconds, *words)])
    if said is None:
        stop(3, "The grade was interrupted: nothing was written.")
    how, number, own = re.match(r"([a-z]+) (\d+) ?(\d*)", said).groups()
    return Ended(how, int(number), int(own or 0))


def as_make(goals, limit="ulimit -v 4194304; "):
    return ["sh", "-c", limit + "unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES; "
            'exec make -s -j2 "$@"', "make", f"MINE={MINE}", *goals]


POOL, ahead = ThreadPoolExecutor(), {}


def make(log, *goals, **limit):
    """Runs make, as a reader's shell would have it; within limits. What has
    been begun is waited for."""
    if all(goal in ahead and ahead[goal].result().fine() for goal in goals):
        return ahead[goals[0]].result()
    return run(log, COMPILE_SECONDS, *as_make(goals, **limit))


def make_ahead(*goals):
    """Begins to build what will be asked for later, while programs run that
    leave a core free. Whether it can be built, `make` says then."""
    ending = goals and POOL.submit(run, os.devnull, COMPILE_SECONDS,
                                   *as_make(goals))
    ahead.update(dict.fromkeys(goals, ending))


def lines_of(log):
    return [line for line in (text_of(log) or "").split("\n") if line]


def complaint(log, name=""):
    """What a program complained of: its last line, without its own name."""
    said = "\n".join(lines_of(log)).split("\nNot checked: ")[0].split("\n")
    last = said[-1] or "It said nothing."
    return last.removeprefix(f"{name}: ")[:300]


def first_finding(lines):
    """Of the race check, and its places; or why a launch was refused."""
    for number, line in enumerate(lines):
        if re.match(r"The kernel \S+ (?!failed:)", line):
            return line
        if re.match("[a-z][A-Za-z -]*: ", line) and not re.search(
                r": \d+ finding", line):
            words = [line]
            for place in lines[number + 1:]:
                if not place.startswith(" "):  # another finding
                    break
                if its := re.match(r" +called in line (\d+):", place):
                    words[-1] += f" called in {its[1]}"
                elif its := re.match(r" +[a-z]+ +\S*?([^/\s]+:\d+)", place):
                    words.append(its[1])
            return ", ".join(words)
    return ""


def build_error(log):
    """The first complaint of a compiler or linker about the reader's file."""
    lines = lines_of(log)
    for line in lines:
        if re.search("error[: ]|fatal *:|multiple definition|relocation "
                     "truncated|undefined reference", line):
            return line[:300]
    return lines[0] if lines else "the compiler said nothing"
