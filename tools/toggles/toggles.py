#!/usr/bin/env python3
"""The toggles of a stage, and how an arm of it is spelled:
  list STAGE               a line a toggle: NAME DEFAULT VALUE...
  allowed STAGE NAME=VALUE...  exit 1 with the kernel's own #error, if it rules
                           that out
  arm STAGE NAME=VALUE...  how that arm is spelled: default, or A-0.B-1
  settings ARM             the other way: A=0 B=1
A kernel declares a toggle by `// toggle TILE_N: 32 64 (detail)`, with the layer
of the search that tries it, structure where there is none, and then by `#define
TILE_N 64`. What is C spells arms by common/harness/results.h."""

import itertools
import os
import re
import subprocess
import sys
from typing import NamedTuple

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import did_you_mean, end, kernel_path, stop, text_of, verb_of

DECLARED = re.compile("(?m)^// +toggle +")
# From there on to what defines it
TOGGLE = re.compile(r"""//[ ]+toggle[ ]+ ([A-Za-z_]\w*): ((?:[ ]+\d+)+)
  (?:[ ]+\((\w+)\))? [ \t]*\n (?:(?!//[ ]+toggle[ ]) .*\n)*?
  [ \t]*\#define[ ]+\1[ ]+(\S+)""", re.VERBOSE)


class Toggle(NamedTuple):
    name: str
    values: list  # as declared, the default among them
    layer: str
    default: str


def toggles_of(stage):
    path = kernel_path(stage)
    text, found = text_of(path), {}
    if text is None:
        stop(2, f"There is no kernel in '{stage}'.")
    for declared in DECLARED.finditer(text):
        its = TOGGLE.match(text, declared.start())
        if not its:
            number = 1 + text.count("\n", 0, declared.start())
            stop(2, f"{path}:{number}: a toggle is declared as in '// toggle "
                 "TILE_N: 32 64', with whole numbers, and '#define TILE_N "
                 "64'.")
        found[its[1]] = Toggle(its[1], its[2].split(), its[3] or "structure",
                               its[4])
    return found


def others_of(toggles):
    """Each setting that is no default."""
    return [(its.name, value) for its in toggles.values()
            for value in its.values if value != its.default]


def settings_of(stage, toggles, words, also=()):
    """All of the settings, those of the default's value, too; `also`: what may
    have been meant where one is no toggle."""
    chosen = {}
    for word in words:
        name, _, value = word.partition("=")
        its = toggles.get(name)
        if not its:
            stop(2, f"{stage} has no toggle '{name}'; it has: "
                 f"{' '.join(toggles) or 'none'}."
                 + did_you_mean(name, [*toggles, *also]))
        if value not in its.values:
            stop(2, f"{name} of {stage} cannot be '{value or word}'; it can "
                 f"be: {' '.join(its.values)}.")
        if chosen.setdefault(name, value) != value:
            stop(2, f"{name} is to be {chosen[name]} and {value}: give it one "
                 "value.")
    return list(chosen.items())


def ruled_out(stage, settings):
    """Why the kernel does not allow them, or None. It is asked by its own #if
    and #error, without what it includes, of the C++ compiler in $CXX; one of
    several words, as "ccache g++", is the shell's to part."""
    text = re.sub("(?m)^#include.*", "", text_of(kernel_path(stage)))
    ran = subprocess.run(
        ["sh", "-c", f'{os.environ.get("CXX") or "g++"} -E -x c++ "$@" -', "sh",
         *(f"-D{name}={value}" for name, value in settings)], text=True,
        errors="surrogateescape", input=text, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, check=False)
    if not ran.returncode:
        return None
    error = re.search('#error[^"\n]*"(.*)"', ran.stderr)
    return error[1] if error else ran.stderr.partition("\n")[0]


def beside(stage, toggles, setting):
    """The fewest other settings, one or two, beside which the kernel allows
    this setting: none where it stands alone. None where there are none."""
    others = [its for its in others_of(toggles) if its[0] != setting[0]]
    return next((more for count in range(3)
                 for more in itertools.product(others, repeat=count)
                 if ruled_out(stage, [*more, setting]) is None), None)


def spelled(settings, before="", sign="=", between=" "):
    return between.join(f"{before}{name}{sign}{value}"
                        for name, value in settings)


def decoded(arm):
    """Its settings."""
    if arm == "default":
        return []
    if not re.fullmatch(r"(?a)[A-Za-z_]\w*-\d+(\.[A-Za-z_]\w*-\d+)*", arm):
        stop(2, f"'{arm}' is no arm: it is default, or as in A-0.B-1.")
    return [word.split("-") for word in arm.split(".")]


def defines_of(arm):
    """Its settings for a compiler."""
    return spelled(decoded(arm), "-D")


def arm_of(toggles, settings):
    """How an arm with these settings is spelled."""
    chosen = dict(settings)
    return spelled([(name, chosen[name]) for name, its in toggles.items()
                    if chosen.get(name, its.default) != its.default],
                   "", "-", ".") or "default"


def list_(stage):
    for its in toggles_of(stage).values():
        print(its.name, its.default, *its.values)


def allowed(stage, *words):
    why = ruled_out(stage, settings_of(stage, toggles_of(stage), words))
    if why is not None:
        stop(1, why)


def arm(stage, *words):
    toggles = toggles_of(stage)
    print(arm_of(toggles, settings_of(stage, toggles, words)))


if __name__ == "__main__":
    end(verb_of, __doc__, {
        "list": list_, "allowed": allowed, "arm": arm, "settings":
        lambda its: print(spelled(decoded(its)))}, sys.argv[1:])
