#!/usr/bin/env python3
"""The verbs of this stage, one after another, on ranks that launch.py starts:
  run.py PROGRAMS VERBS gpu|cpu RANKS RESULTS_FOLDER [OPTION...]
PROGRAMS is where they lie below build/cpu: the stage, or an arm of a lab of
it. The exit code is that of the first verb that failed."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(f"{HERE}/../../tools/common")
from command import commit, end, results_of_today, stop

LAUNCH = "further/stage18_ring/launch.py"
NONE = {
    "count": "its work is the library's, which 'make stage17 count' counts",
    "tune": "it has no toggles; MULTIPROCESSORS and EXCHANGE are its arms",
    "profile": "its work is the library's: 'make stage17 profile'",
    "timeline": "its bench writes when each rank computed and exchanged",
    "peers": "its peer is PyTorch's context parallel attention: 'make "
             "ring-peer'",
    "compare": "its bench compares one card with several",
}


def run(*command):
    """A launcher's own code is no verdict of a gate."""
    code = subprocess.call(command)
    return code if code in (0, 1, 2, 130) else 3


def main(programs, verbs, target, ranks, folder, *options):
    ranks, stage = ranks or "2", programs.partition("/")[0]
    if not re.fullmatch("[1-9][0-9]*", ranks):
        stop(2, "RANKS is how many ranks are started, 1 or more, not "
             f"'{ranks}'.")
    program = f"build/{target}/{programs}/program"
    # Nobody measures on these GPUs at the same time.
    alone = ["tools/make/alone.py"] * (target == "gpu")

    def verb_of(verb):
        if verb in NONE:
            print(f"{stage} has no {verb}: {NONE[verb]}.", file=sys.stderr)
            return 3
        if verb == "resources":
            return run("tools/resources/resources.py", "table",
                       f"{stage}/default")
        if verb == "race":
            return run(LAUNCH, ranks, f"build/instrumented/{programs}/program",
                       "race", *options)
        if verb != "bench":
            return run(LAUNCH, ranks, program, verb, *options)
        place = folder or results_of_today(program, "info", "--folder")
        if not place:
            return 3
        return run(*alone, LAUNCH, ranks, program, "bench", "--commit",
                   commit(), "--json", place, *options)

    codes = [verb_of(verb) for verb in verbs.split()]
    return next(filter(None, codes), 0)


if __name__ == "__main__":
    end(main, *sys.argv[1:])
