#!/usr/bin/env python3
"""The least time of attention on a GPU, from the rates that `make floor`
measured:
  model.py [--json] FLOOR.json SHAPE...
  model.py --add FLOOR.json          puts the book's shapes into it
A line a shape: the shape, microseconds at the ceiling, what binds. Exit code:
1 the file is no result of `make floor`, 2 a wrong command line."""

import json
import math
import os
import sys
from argparse import ArgumentParser

TOOLS = os.path.join(os.path.dirname(__file__), "../tools")
sys.path += [f"{TOOLS}/results", f"{TOOLS}/common", f"{TOOLS}/peers"]
from command import stop, write
from recorded import Unreadable, as_json, is_number, read, rounded
from shapes import shape_of

BOOK = ("small", "mission", "2,8,512,64", "long", "large",
        "4,16,8192,64,causal", "4,16,8192,128", "4,16,8192,128,causal",
        "16,16,512,128", "2,32:8,4096,128,causal", "1,32:8,1024,128,causal")
ROWS, KEYS = 64, 128  # of Q in a block, of one warpgroup; and at a time
NEEDED = ("launch/empty/graph/us rates/dram_read/tera_s rates/l2_read/tera_s "
          "rates/ex2/tera_s rates/softmax/tera_s "
          "rates/softmax_sustained/tera_s "
          "rates/softmax_one_warpgroup/tera_s l2_bytes "
          "build_meta/device/multiprocessors waits/l2_hit/ns "
          "waits/dram_near/ns waits/shuffle/ns waits/ex2_chain/ns").split()


def up(count, by):
    return -(-count // by)


class Model:
    """Times in microseconds, rates of the whole GPU in units a microsecond. NaN
    is what was not measured."""

    def __init__(self, path):
        self.floor = read(path).value
        for figure in NEEDED:
            if not self.figure(figure) > 0:
                raise Unreadable(f"{path} has no figure {figure}: it is no "
                                 "complete result of 'make floor'.")
        self.launch = self.figure("launch/empty/graph/us")
        self.multiprocessors = max(
            1, int(self.figure("build_meta/device/multiprocessors")))
        # Before Hopper the fastest products are those of halves.
        self.products = self.products_sustained = self.rate("mma_half_random")
        if self.rate("wgmma_shared_128_random") > 0:
            self.products = self.rate("wgmma_shared_128_random")
        if self.rate("wgmma_shared_128_random_sustained") > 0:
            self.products_sustained = self.rate(
                "wgmma_shared_128_random_sustained")
        if not min(self.products, self.products_sustained) > 0:
            raise Unreadable(f"{path} has no figure rates/mma_half_random/"
                             "tera_s: it is no complete result of 'make "
                             "floor'.")

    def figure(self, path):
        value = self.floor
        for key in path.split("/"):
            value = value.get(key) if isinstance(value, dict) else None
        return value if is_number(value) else math.nan

    def rate(self, name):
        return 1e6 * self.figure(f"rates/{name}/tera_s")

    def wait(self, name):
        return 1e-3 * self.figure(f"waits/{name}/ns")

    def memory(self, shape):
        """Bytes of Q and O, K and V, and the scales; whether they fit into the
        L2 cache."""
        kv_rows = shape.batch * shape.kv_heads * shape.seq_len
        size = ((3 * shape.size + 2 * kv_rows) * shape.head_dim
                + 4 * shape.batch * (shape.heads + 2 * shape.kv_heads))
        return size, size <= self.figure("l2_bytes")

    def parts(self, shape, scores, sustained=False):
        """How long each unit takes at least, for so many scores."""
        size, from_l2 = self.memory(shape)
        return {"memory": size / self.rate("l2_read" if from_l2
                                           else "dram_read"),
                "products": 4 * scores * shape.head_dim / (
                    self.products_sustained if sustained else self.products),
                "exponentials": scores / self.rate("ex2"),
                "softmax": scores / self.rate(
                    "softmax_sustained" if sustained else "softmax")}

    def floor_of(self, shape, sustained=False):
        """The floor and what binds it: the launch, and the longest part."""
        parts = self.parts(shape, scores_of(shape), sustained)
        most = max(parts, key=lambda part: (parts[part],
                                            list(parts).index(part)))
        return self.launch + parts[most], (
            most if parts[most] >= self.launch else "launch")

    def ceiling(self, shape):
        """Beside that, products and softmax at the rate of both together, where
        it was measured: percent is of the ceiling."""
        us, binding = self.floor_of(shape)
        both = f"beside/d{shape.head_dim}"
        together = scores_of(shape) * self.figure(f"{both}/both/us") / (
            self.figure(f"{both}/scores_in_all"))
        if not together > us - self.launch:
            return us, binding
        return self.launch + together, ("products beside softmax"
                                        if together > self.launch else binding)

    def whole(self, shape):
        """The same on whole multiprocessors, with whole tiles: how many tiles
        of rows, multiprocessors that have one, tiles of the busiest, time."""
        in_head, heads = up(shape.seq_len, ROWS), shape.batch * shape.heads
        tiles = in_head * heads

        def scores(i):
            """Of tile i of a head, masked and past the end included."""
            seen = (min(shape.seq_len, (i + 1) * ROWS) if shape.causal
                    else shape.seq_len)
            return ROWS * up(seen, KEYS) * KEYS
        largest = scores(in_head - 1)
        waves = up(tiles, self.multiprocessors)
        busiest = waves * largest
        if shape.causal:  # tiles differ: at best the sum is shared evenly
            busiest = max(largest, heads * sum(map(scores, range(in_head)))
                          / self.multiprocessors)
            waves = busiest / largest
        parts = self.parts(shape, busiest * self.multiprocessors)
        parts["memory"] = self.parts(shape, 0)["memory"]
        return {"rows": ROWS, "keys": KEYS, "tiles": tiles,
                "busy": min(tiles, self.multiprocessors),
                "waves": float(waves), "us": self.launch + max(parts.values())}

    def products_wait(self, n, count):
        """`count` products of 32 codes and N columns, started together."""
        one, four = self.wait(f"wgmma_{n}_1"), self.wait(f"wgmma_{n}_4")
        return one + (count - 1) * (four - one) / 3

    def chain(self, shape):
        """One block a multiprocessor, and in it one tile after the other,
        nothing overlapped: a load, then for each tile of keys products,
        maximum, exponentials, products. NaN where D is neither 64 nor 128, or
        the products' waits were not measured."""
        rate = min(self.rate("softmax_one_warpgroup"),
                   self.rate("softmax")) / self.multiprocessors
        step = (self.products_wait(KEYS, up(shape.head_dim, 32))
                + 2 * self.wait("shuffle") + self.wait("ex2_chain")
                + ROWS * KEYS / rate
                + self.products_wait(shape.head_dim, up(KEYS, 32)))
        load = self.wait("l2_hit" if self.memory(shape)[1] else "dram_near")
        return (self.launch + load + self.whole(shape)["waves"] * step
                * up(shape.seq_len, KEYS))

    def json(self, shape):
        """All figures of a shape."""
        chain = self.chain(shape)
        floor, binding = self.floor_of(shape)
        ceiling, ceiling_binding = self.ceiling(shape)
        sustained, sustained_binding = self.floor_of(shape, sustained=True)
        return rounded({
            "floor_us": floor, "binding": binding, "ceiling_us": ceiling,
            "ceiling_binding": ceiling_binding, "launch_us": self.launch,
            **{f"{name}_us": us for name, us in self.parts(
                shape, scores_of(shape)).items()},
            "memory": "L2" if self.memory(shape)[1] else "DRAM",
            "sustained_us": sustained, "sustained_binding": sustained_binding,
            "whole": self.whole(shape),
            "chain": {"groups": 1,
                      "us": None if math.isnan(chain) else chain}})


def scores_of(shape):
    """Those that are needed: half, and a little more, under a mask."""
    length = shape.seq_len
    return shape.batch * shape.heads * (
        length * (length + 1) // 2 if shape.causal else length * length)


def main():
    parser = ArgumentParser(usage=__doc__.partition("\nA line")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("words", nargs="+")
    line = parser.parse_args()
    path, *names = line.words
    if not names and not line.add:
        parser.error("it needs a shape.")
    try:
        shapes = {name: shape_of(name)
                  for name in (BOOK if line.add else names)}
    except ValueError as reason:
        stop(2, str(reason))
    try:
        model = Model(path)
    except Unreadable as reason:
        stop(1, str(reason))
    its = {name: model.json(shape) for name, shape in shapes.items()}
    if line.add:
        write(path, as_json({**model.floor, "model": its}))
    elif line.json:
        print(json.dumps(its, indent=1))
    else:
        for name, shape in shapes.items():
            us, binds = model.ceiling(shape)
            print(f"{name} {us:.4g} {binds}")


if __name__ == "__main__":
    main()
