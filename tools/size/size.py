#!/usr/bin/env python3
"""How large this tree is: files and lines written by hand outside kernels and
prose, by folder; then all tracked files and their bytes. Exit 2: no git."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

COUNTED = re.compile(
    r"\.(c|h|cu|cuh|lua|sh|mk|py|js|css|toml|lab)$|(^|/)Makefile$")
# Recorded runs, and what a reader comes for: the kernels themselves
NOT_COUNTED = re.compile(
    r"^results/|(^|/)kernel\.cu$|^common/device/|^(floor|hopper|first)/.*\.cuh?$"
    r"|^labs/.*\.(cu|cuh|h)$")


def main():
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True,
                            text=True, check=False)
    if listed.returncode:
        print("Only a clone of git knows which files are tracked.",
              file=sys.stderr)
        return 2
    files, lines, number, size = Counter(), Counter(), 0, 0
    for name in filter(None, listed.stdout.split("\0")):
        path = Path(name)
        if not path.is_file() or path.is_symlink():
            continue
        number += 1
        size += path.stat().st_size
        if COUNTED.search(name) and not NOT_COUNTED.search(name):
            part = path.parts[0] if path.parts[1:] else "."
            files[part] += 1
            lines[part] += path.read_bytes().count(b"\n")
    print(f"{'folder':40} {'files':>6} {'lines':>7}")
    for part in sorted(lines, key=lambda p: (-lines[p], p)):
        print(f"{part:40} {files[part]:6} {lines[part]:7}")
    print(f"{'counted':40} {files.total():6} {lines.total():7}")
    print(f"{'all tracked files':40} {number:6} {size / 1e6:7.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
