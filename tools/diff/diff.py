#!/usr/bin/env python3
"""A stage's kernel as it is compiled by default: the arms of its toggles that
are left out then, and the marks of regions, are gone. The region "toggles"
stays as it is. The book's listings show the same.
  diff.py default STAGE            that kernel
  diff.py lines STAGE [A=1]...     the numbers of its lines, or of another arm's
  diff.py marked STAGE [TOGGLE]... with the marks, and all arms of these
                                   toggles, as labs need them
  diff.py stages stageN STAGE...   what stage N changes against the one before"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, kernel_path, stop, text_of, verb_of
from toggles import ruled_out, settings_of, toggles_of

MARK = re.compile(" *//([<>]) (.*)")


def lines_of(stage, words=(), marked=False, kept=()):
    """The lines of an arm with their numbers; of blank ones in a row the
    first."""
    if not shutil.which("unifdef"):
        stop(3, "The default arm of a kernel needs unifdef: 'make setup' "
             "installs it.")
    toggles = toggles_of(stage)
    settings = dict(settings_of(stage, toggles, words))
    why = ruled_out(stage, settings.items()) if settings else None
    if why is not None:
        stop(1, why)
    lines, texts, stays = text_of(kernel_path(stage)).splitlines(), [], False
    for line in lines:
        if (its := MARK.match(line)) and its[2] == "toggles":
            stays = its[1] == ">"
        # unifdef leaves a blank line where it takes one out.
        texts.append("//\n" if stays or not line.strip() else f"{line}\n")
    ran = subprocess.run(
        ["unifdef", "-b", "-x2",
         *(f"-D{name}={settings.get(name, its.default)}"
           for name, its in toggles.items() if name not in kept)],
        input=os.fsencode("".join(texts)), stdout=subprocess.PIPE, check=False)
    if ran.returncode:
        stop(1, f"unifdef cannot tell the arms of {stage} apart.")
    found, after_blank = [], False
    left = os.fsdecode(ran.stdout).splitlines()
    for number, (line, its) in enumerate(zip(lines, left), 1):
        line = line if its == "//" else its
        if its and (marked or not MARK.match(line)):
            if line.strip() or not after_blank:
                found.append((number, line))
            after_blank = not line.strip()
    return found


def default(stage, marked=False, kept=()):
    return "".join(f"{line}\n" for _, line in
                   lines_of(stage, (), marked, kept))


def stages(wanted, *names):
    after = next((i for i, name in enumerate(names)
                  if name == wanted or name.startswith(f"{wanted}_")), None)
    if after is None:
        stop(2, f"There is no {wanted}; the stages here: {' '.join(names)}.")
    if not after:
        stop(2, f"{names[0]} is the first stage: there is nothing before it.")
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{name}/kernel.cu" for name in names[after - 1:after + 1]]
        for path in paths:
            os.mkdir(f"{folder}/{os.path.dirname(path)}")
            with open(f"{folder}/{path}", "wb") as file:
                file.write(os.fsencode(default(os.path.dirname(path))))
        # The book compares by the same rules (book/lib/code/code_html.lua).
        code = subprocess.call(
            ["git", "diff", "--no-index", "--no-ext-diff", "--no-prefix",
             "--patience", "--indent-heuristic", "--color=auto", *paths],
            cwd=folder)
    return 0 if code == 1 else code


if __name__ == "__main__":
    end(verb_of, __doc__, {
        "stages": stages,
        "default": lambda stage: print(default(stage), end=""),
        "lines": lambda stage, *words: print(
            *(number for number, _ in lines_of(stage, words))),
        "marked": lambda stage, *kept: print(default(stage, True, kept),
                                             end="")}, sys.argv[1:])
