#!/usr/bin/env python3
"""A stage's kernel as it is compiled by default: the arms of its toggles that
are left out then, and the marks of regions, are gone. The region "toggles"
stays as it is. The book's listings show the same (book/lib/code/sources.lua).
  diff.py default STAGE            that kernel
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
from toggles import toggles_of


def default(stage, marked=False, kept=()):
    if not shutil.which("unifdef"):
        stop(3, "The default arm of a kernel needs unifdef: 'make setup' "
             "installs it.")
    toggles = [its for name, its in toggles_of(stage).items()
               if name not in kept]
    text = re.sub(
        r"^ *//> toggles\n.*?^ *//< toggles$",
        lambda its: re.sub("^#", "@#", its[0], flags=re.M),
        text_of(kernel_path(stage)), flags=re.M | re.S)
    ran = subprocess.run(
        ["unifdef", "-x2", *(f"-D{its.name}={its.default}" for its in toggles)],
        input=os.fsencode(text), stdout=subprocess.PIPE, check=False)
    text = re.sub("^@#", "#", os.fsdecode(ran.stdout), flags=re.M)
    if not marked:
        text = re.sub(r"^ *//[<>] .*\n", "", text, flags=re.M)
    return re.sub(r"\n\n\n+", "\n\n", re.sub(r"^\n\n+", "\n", text))


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
        "marked": lambda stage, *kept: print(default(stage, True, kept),
                                             end="")}, sys.argv[1:])
