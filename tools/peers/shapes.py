"""A problem's shape, as common/harness/settings.c reads it."""

import json
import os
import re
from typing import NamedTuple

from draw_shapes import shapes as drawn_shapes

LARGEST = 2 ** 31 - 1
LARGEST_GRID = 65535
SETTINGS = os.path.join(os.path.dirname(__file__),
                        "../../common/harness/settings.json")
# Runs of their own: the shapes that draw_shapes.py draws, of its first draw or
# of a further one (sweep2), and what a model's tensors are.
SWEEP = re.compile(r"sweep([2-9]|[1-9][0-9])?")
REAL = "real"


class Shape(NamedTuple):
    batch: int
    heads: int
    seq_len: int
    head_dim: int
    kv_heads: int
    causal: bool

    @property
    def numbers(self):
        """[B, H, S, D], as results have it."""
        return list(self[:4])

    @property
    def of_q(self):
        return self.batch, self.heads, self.seq_len, self.head_dim

    @property
    def of_kv(self):
        return self.batch, self.kv_heads, self.seq_len, self.head_dim

    @property
    def grouped(self):
        return self.kv_heads != self.heads

    @property
    def size(self):
        """Rows of Q in all heads."""
        return self.batch * self.heads * self.seq_len

    @property
    def record(self):
        """As results have it."""
        groups = {"kv_heads": self.kv_heads} if self.grouped else {}
        return {"shape": self.numbers, **groups, "causal": self.causal,
                "flop": self.flop}

    @property
    def flop(self):
        """Of both products; a causal mask leaves half."""
        return ((2 if self.causal else 4) * self.batch * self.heads
                * self.seq_len * self.seq_len * self.head_dim)


NUMBERS = re.compile(r"([0-9]+),([0-9]+)(?::([0-9]+))?,([0-9]+),([0-9]+)"
                     r"(,causal)?")


def shapes_of_sweep(name):
    """Those of the draw that the name has a number of, the first where it has
    none."""
    return {text: shape_of(text) for text in drawn_shapes(
        int(SWEEP.fullmatch(name)[1] or 1))}


def shape_of(name):
    """ValueError, with one sentence, if it is none."""
    with open(SETTINGS, encoding="utf-8") as file:
        for known in json.load(file)["shapes"]:
            if known["key"] == name:
                return Shape(known["batch"], known["heads"], known["seq_len"],
                             known["head_dim"],
                             known.get("kv_heads", known["heads"]),
                             known.get("causal", False))
    found = NUMBERS.fullmatch(name)
    if not found:
        raise ValueError(
            f"'{name}' is no shape: give a name of settings.json, or B,H,S,D, "
            "as in 1,8,512,64 or 2,8:2,100,128,causal.")
    batch, heads, kv_heads, seq_len, head_dim = (
        int(n) if n else None for n in found.groups()[:5])
    shape = Shape(batch, heads, seq_len, head_dim,
                  heads if kv_heads is None else kv_heads, bool(found[6]))
    if not 1 <= min(shape[:5]) <= max(shape[:5]) <= LARGEST:
        raise ValueError(f"'{name}' is no shape: its numbers go from 1 to "
                         f"{LARGEST}.")
    if max(batch, heads) > LARGEST_GRID:
        raise ValueError(f"B and H in shape {name} may be at most "
                         f"{LARGEST_GRID}: that is the largest grid.")
    if heads % shape.kv_heads:
        raise ValueError(f"H in shape {name} must be a multiple of its "
                         f"{shape.kv_heads} K/V heads.")
    return shape
