#!/usr/bin/env python3
"""Kernels with the PTX of common/device/ptx in place of its twins, as the
executor reads it in a program with its own main:  as_ptx.py FOLDER FILES"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools/program"))
from rewrite import Rewriter  # noqa: E402


def without_twins(text):
    """As nvcc's preprocessor has it for compute capability 9.0."""
    text = re.sub(r"(?m)^#(?=include|pragma)", "@", text)
    made = subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", "-D__CUDA_ARCH__=900", "-"],
        input=text, capture_output=True, text=True, check=True).stdout
    return re.sub(r"(?m)^@", "#", made)


def main(folder, *files):
    sources = Path(folder) / "sources"
    for path in (ROOT / "common/device/ptx").glob("*.cuh"):
        copy = sources / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(without_twins(path.read_text()))
    rewriter = Rewriter(folder, [sources, ROOT])
    for file in files:
        rewriter.file(file).rename(Path(folder) / Path(file).name)


if __name__ == "__main__":
    main(*sys.argv[1:])
