"""Kernels with the mistakes that each stage.toml plants, in trees of their
own."""

import re
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from support import STAGES, copy, folder_of  # noqa: E402
from editing import read_source  # noqa: E402
from facts import rows  # noqa: E402

PLANTED = {(stage, name): entry for stage in STAGES
           for name, *entry in rows(stage, "planted", 6)}


def kernel_of(stage):
    return f"{folder_of(stage)}/kernel.cu"


def plant(tree, stage, place, edit):
    source = read_source(kernel_of(stage))
    tree.write(source.path, source.planted(place, edit))


@contextmanager
def planted(stage, name):
    """A copy of the tree with that mistake."""
    with tempfile.TemporaryDirectory() as folder:
        tree = copy(Path(folder) / "tree")
        plant(tree, stage, *PLANTED[stage, name][:2])
        yield tree


def is_named(stage, name, tree, log):
    """Whether race says a finding of that kind one of whose two places lies in
    these lines of the kernel, and the other one in those: itself, or a call
    that led there."""
    _, _, finding, *places = PLANTED[stage, name]
    source = read_source(tree.path / kernel_of(stage))
    one, other = (range(source.line(at.begin), source.line(at.end) + 1)
                  for at in map(source.place, places))
    is_kind, hits, now = False, set(), "here"
    for line in log.split("\n"):
        if re.match("[a-z]", line):
            is_kind, hits = line.startswith(f"{finding}:"), set()
        its = re.match(rf" *(?:(here|there) +{re.escape(kernel_of(stage))}:"
                       r"|called in line )(\d+)", line)
        if its:
            now = its[1] or now
            hits |= {(now, which) for which, lines in enumerate((one, other))
                     if int(its[2]) in lines}
        if is_kind and ({("here", 0), ("there", 1)} <= hits
                        or {("here", 1), ("there", 0)} <= hits):
            return True
    return False
