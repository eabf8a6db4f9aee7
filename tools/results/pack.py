#!/usr/bin/env python3
"""Puts the arms of a run into one file:  pack.py FOLDER...
Of the files STAGE[.ARM].json in a folder FOLDER/arms.json is made, of those
with a kind, as STAGE[.ARM].ncu.json, FOLDER/arms.ncu.json; each is in it under
its name, and replaces what an earlier run has left there. All readers of
results find them there as if the files were."""

import os
import re
import sys

from recorded import as_json, files, load, pack_of
from command import end, stop, write


def by_stage(path):
    """Stages by number, the default first."""
    return [int(part) if part.isdigit() else part
            for part in re.split(r"(\d+)", os.path.basename(path)[:-5])]


def pack(folder):
    packs = {}
    for path in sorted(files(folder), key=by_stage):
        if into := pack_of(path):
            packs.setdefault(into, []).append(path)
    for into, paths in packs.items():
        if len(paths) == 1:
            continue
        write(into, "{\n" + ",\n".join(
            f'"{os.path.basename(path)}": {as_json(load(path))[:-1]}'
            for path in paths) + "\n}\n")
        for path in filter(os.path.exists, paths):
            os.remove(path)
        print(f"{into}: {len(paths)} arms")


def main(*words):
    folders = [word.rstrip("/") for word in words if word]
    if not folders:
        stop(2, "Which folder of results? Give DIR=results/DEVICE/DATE, or a "
             "folder below it.")
    for folder in folders:
        if not os.path.isdir(folder):
            stop(2, f"There is nothing in {folder}.")
        pack(folder)


if __name__ == "__main__":
    end(main, *sys.argv[1:])
