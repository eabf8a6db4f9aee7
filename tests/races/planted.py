"""Kernels with the mistakes that each stage.toml plants, in trees of their
own."""

import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from simt.driver import stories  # noqa: E402
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
    _, _, kind, *places = PLANTED[stage, name]
    kernel, source = kernel_of(stage), read_source(tree.path / kernel_of(stage))
    one, other = ({*range(source.line(at.begin), source.line(at.end) + 1)}
                  for at in map(source.place, places))

    def lies(place, lines):
        return place and lines & {*place["lines"][place["file"] != kernel:]}
    return any(its["kind"] == kind and (
        lies(its["here"], one) and lies(its["there"], other) or
        lies(its["here"], other) and lies(its["there"], one))
        for its in stories(log))
