#!/usr/bin/env python3
"""The experiments of the chapter on mistakes:  fooled.py [NAME]
Each plants a mistake in a copy of the tree, and shows what a check of this
repository says. Exit 1: something was not as it should be; 3: this machine
lacks what it takes; 2: there is no such experiment."""

import difflib
import re
import sys
import tempfile
import textwrap
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent),
                str(Path(__file__).resolve().parent.parent)]
import support  # noqa: E402
from editing import Source  # noqa: E402

WIDE, WIDTH = 116, 76
surprises = []


class Lacking(Exception):
    """What this machine has not."""


def needs(command, lack):
    if support.run(command).code:
        raise Lacking(f"{lack}: 'make setup' installs it.")


def surprise(what, said=""):
    print(f"SURPRISE: {what}")
    for line in said.splitlines()[-15:]:
        print(f"  | {line}")
    surprises.append(what)


def print_fit(text):
    """A line that is much longer than a page is wide, in pieces."""
    if len(text.encode()) > WIDE:
        text = textwrap.fill(
            " ".join(text.split()), WIDTH, subsequent_indent=6 * " ",
            initial_indent=text[:len(text) - len(text.lstrip())],
            break_long_words=False, break_on_hyphens=False)
    print(text)


class Shown(support.Tree):
    """A tree; of what its commands say the first lines are shown that match
    any pattern, and the first pattern must match some line."""

    most, said = 12, ""

    def copied(self):
        folder = tempfile.TemporaryDirectory()
        there = Shown(support.copy(Path(folder.name) / "tree").path)
        there.folder = folder  # removed with the tree
        return there

    def put(self, path, text):
        """A file becomes this text, and the difference is shown."""
        print(f"planted in {path}:")
        before = self.read(path)
        for line in difflib.unified_diff(
                before.splitlines(), text.splitlines(), n=0, lineterm=""):
            if re.match(r"[-+](?![-+]{2} )", line):
                print(f"  {line[0]} {line[1:].lstrip()}")
        self.write(path, text)

    def plant(self, path, place, edit):
        """Edits a place, as tools/source has them."""
        self.put(path, Source(path, self.read(path)).planted(place, edit))

    def set_number(self, path, key, number):
        text, times = re.subn(rf'("{key}": )[\d.]+', rf"\g<1>{number}",
                              self.read(path))
        assert times == 1, (path, key)
        self.put(path, text)

    def answer(self, command, patterns):
        print_fit(f"$ {command}")
        ran = self.run(command)
        self.said = ran.text
        lines = [line for line in ran.text.splitlines() if line and
                 any(re.search(p, line) for p in patterns)]
        for line in lines[:self.most]:
            print_fit(f"  {line}".rstrip())
        if not any(re.search(patterns[0], line) for line in lines):
            surprise(f"nothing said matches '{patterns[0]}'", ran.text)
        return ran

    def accepts(self, command, *patterns):
        code = self.answer(command, patterns).code
        if code:
            surprise(f"this should have passed, exit code {code}", self.said)

    def refuses(self, command, *patterns):
        if self.answer(command, patterns).code == 0:
            surprise("this should have been refused", self.said)


def perform(name, experiment):
    surprises.clear()
    try:
        experiment(Shown())
    except Lacking as lack:
        print(lack, file=sys.stderr)
        return 3
    if surprises:
        return 1
    print("The mistake is refused.")
    return 0


def main(wanted):
    import experiments
    names = {name.replace("_", "-"): function
             for name, function in vars(experiments).items()
             if callable(function) and
             function.__code__.co_varnames[:1] == ("here",)}
    if wanted and wanted not in names:
        print(f"There is no experiment '{wanted}'; there are: "
              f"{' '.join(sorted(names))}.", file=sys.stderr)
        return 2
    if wanted:
        return perform(wanted, names[wanted])
    status = 0
    for name in sorted(names):
        print(f"--- {name}", flush=True)
        code = perform(name, names[name])
        status = status or (code if code != 3 else 0)
    return status


if __name__ == "__main__":
    sys.modules["fooled"] = sys.modules["__main__"]
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
