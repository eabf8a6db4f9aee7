"""Shapes and inputs that are drawn for a grade, anew each time."""

import json
import re

from command import output, text_of
from draw import generator
from facts import of_driver
from lab import kind_of

SETTINGS = "common/harness/settings.json"
DISTRIBUTIONS = ("normal", "large-logits", "dominant-key", "constant-rows",
                 "mixed-scales", "zero-head")
MULTIPROCESSORS = 2, 8, 132
LONGEST = 300  # what is drawn for a ? in a shape
# Of a lab that has it, sums of twice as many keys are asked for as well.
DRIFTS = "1,1,32,64,inputs=offset-values,keys=2048,multiprocessors=1"
# Scores to a thousand: the maximum rises by a hundred behind many keys. With
# larger ones float's last bits show where two keys share a row.
LARGE = "large-logits,scale=1"


class Inputs:
    def __init__(self, lab, seed):
        self.lab, self.kind = lab, kind_of(lab)
        self.seed, self.draw = seed, generator(seed)
        self.shapes = [re.sub("[?]", lambda _: str(self.among(1, LONGEST)), its)
                       for its in lab.inputs]
        self.of_arms = f"1,1,{self.among(577, 992)},64"

    def among(self, low, high):
        return low + self.draw(high - low + 1)

    def one_of(self, *values):
        return values[self.draw(len(values))]

    def width(self, takes):
        return self.one_of(*re.findall("[0-9]+", takes))

    def meeting(self, takes, rows, long=False):
        """A shape in which all that the kernel takes may meet, with so many
        rows in all its heads; or with fewer heads, and more rows in each."""
        kv = self.among(1, 2 if long else 3)
        batch = self.one_of(*(1, 2, 3) if long else (1, 1, 2, 3, 4, 5))
        groups = self.among(1, 2 if long else 4)
        heads = kv * (groups if "shared" in takes else 1)
        most = min(1088 if long else 200, rows // (batch * heads))
        length = self.among(*(201, max(201, most)) if long else (1, most))
        words = [f"{batch},{heads}:{kv},{length}", self.width(takes)]
        if "mask" in takes and self.draw(2):
            words.append("causal")
        if self.draw(2):
            other = "number" in takes and words[-1] != "causal"
            words.append(f"keys={self.among(1, 600 if long else 300)}"
                         if other else f"keys={length}")
        if "strides" in takes and self.draw(2):
            words.append("strides=" + self.one_of("padded", "permuted"))
        return ",".join(words)

    def met(self, *how, **more):
        """Such a shape with inputs of any kind that hides little; where scores
        stay the same with it, with any scale of softmax. 0 times NaN is NaN in
        some kernels."""
        shape = self.meeting(*how, **more)
        kind = self.one_of(
            "mixed-scales", f"large-logits,scale={self.among(1, 10) / 10}",
            "far-scales", "subnormal", "unscaled",
            f"nan-{self.one_of(*('qk' if 'causal' in shape else 'qkv'))}")
        return f"{shape},inputs={kind}" + (
            f",scale={self.among(10, 99) / 10}e{self.among(-26, 23)}"
            if kind in ("far-scales", "subnormal") else "")

    def drawn_shapes(self, verb):
        """Others at each grade, in ranges that the fixed leave out: batches,
        many heads, groups of them, lengths, strides, rare inputs; and many
        small ones."""
        among, one_of = self.among, self.one_of
        takes = output(f"build/cpu/{self.lab.stage}/default/judge", "support")

        def width():
            return self.width(takes)
        kv, other_kv = among(3, 5), among(3, 5)
        many = among(6, 8)
        both = [
            f"{among(3, 5)},2,97,64",
            f"1,{kv * among(2, 3)}:{kv},{among(33, 96)},{width()}",
            f"{among(2, 5)},{among(9, 16)},{among(1, 40)},{width()},causal",
            f"2,{2 * other_kv}:{other_kv},{among(65, 160)},{width()},"
            f"strides={one_of('padded', 'permuted')}"]
        long = f"1,1,{among(1025, 1088)},64,inputs={LARGE}"
        if verb == "race":  # whose own has as many keys under a mask
            return [*both, *([] if "mask" in takes else [long]),
                    *(self.met(takes, 300) for _ in range(6))]
        # Where the keys are split, and where they are not
        long_sums = [
            f"1,{heads},{among(1, 64)},{d},inputs=offset-values,"
            f"keys={among(least, most)},multiprocessors={processors}"
            for d in (64, 128) for heads, least, most, processors in (
                (1, 4096, 4500, 1), (1, 4096, 4500, 160), (1, 2000, 2048, 1),
                (among(4, 9), 1900, 4500, one_of(1, 160)))]
        # A block has several heads, one after the other.
        long_sums += [f"2,1,{among(1040, 1088)},{width()},inputs=nan-v,"
                      f"multiprocessors={one_of(1, 2)}"]
        long_sums += [f"1,1,{among(3300, 3700)},{d},causal,"
                      "inputs=offset-values,multiprocessors=1"
                      for d in (64, 128)]
        return [
            *both, long, f"1,{2 * many}:{many},{among(1, 64)},{width()}",
            *(f"1,{16 // group * group}:{16 // group},{among(1, 24)},{width()}"
              for group in (among(i, i + 2) for i in (5, 8, 11, 14))),
            *(f"1,1,{4 * among(0, 31) + 4 - rest},64" for rest in range(4)),
            *(f"{among(2, 5)},{among(9, 16)},{among(1, 40)},64"
              for _ in range(4)),
            f"1,1,{among(577, 992)},64",
            f"{among(4, 5)},{among(13, 16)},{among(97, 160)},64",
            f"1,1,{among(577, 992)},{width()},causal,inputs={LARGE}",
            f"1,2,{among(705, 992)},64,inputs={LARGE}",
            f"{among(1, 3)},3,{among(33, 40)},64,inputs=nan-v",
            f"{among(1, 3)},3,{among(65, 76)},{width()},inputs=nan-v",
            *(f"1,2,{among(33, 160)},{width()}{mask},scale=1e-{among(30, 36)}"
              for mask in ("", ",causal")),
            f"{among(1, 3)},2,{among(33, 160)},{width()},inputs=nan-k",
            f"{among(1, 3)},2,{among(33, 99)},64,inputs=nan-q",
            *(f"1,2,{among(33, 100)},{d},causal,inputs=nan-{its}"
              for its in "qk" for d in (64, 128)),
            *(f"1,{2 * kv}:{kv},{among(9, 60)},{width()},inputs=nan-{its}"
              for its in "qkv"),
            *(f"1,{among(8, 9)},{among(220, 290)},{width()}{mask},"
              f"inputs=dominant-key,scale={one_of(1, 2)}"
              for mask in (",multiprocessors=132", ",causal")),
            f"{among(3, 5)},{among(9, 16)},1,{width()},inputs=far-scales",
            f"1,2,{among(33, 70)},64,strides=wide",
            f"2,3,{among(20, 90)},64,inputs=far-below,scale={one_of(1, 2)}",
            f"1,2,{among(33, 160)},{width()},inputs=far-below,scale=2,"
            "multiprocessors=132",
            f"1,2,{among(65, 150)},{width()},causal,inputs=far-below,"
            f"scale={one_of(1, 2)}",
            *(self.met(takes, 800) for _ in range(30)),
            *(self.met(takes, 1600, long=True) for _ in range(6)),
            *(long_sums if DRIFTS in self.lab.inputs else ())]

    def matrices(self):
        """Of the warm-up, of every width; and some of whole pieces of 64."""
        return [f"{self.among(1, 40)},{width}" for width in (
            *(self.among(1, most) for most in 10 * (40, 160, 1100, 2100)),
            *(64 * self.among(1, 32) for _ in range(10)))]

    def further(self, verb):
        """The shapes of `make check` or `make race` that the book's kernel
        takes, without what the grade has had already; and drawn ones."""
        its = json.loads(text_of(SETTINGS))
        own, further = its[verb], of_driver(self.lab.stage, "shapes")
        drawn = []
        if not self.kind.ranks:
            further = [*own["shapes"], *own["variants"], *further,
                       *own.get("axes", ())]
            drawn = self.drawn_shapes(verb)
        left_out = {*self.shapes, *(
            case for excuse in of_driver(self.lab.stage, "excuses")
            for case in its["excuses"][excuse]["cases"])}
        return [[shape for shape in output(
            f"build/cpu/{self.lab.stage}/default/judge", "takes",
            *shapes).split() if shape not in left_out]
                for shapes in (further, drawn)]

    def one_each(self, shapes):
        """With inputs that hide nothing, as zeros and a dominant key would; and
        not with normal ones, since with drawn seeds their absolute gates can
        refuse a kernel for what its formats cost."""
        return [f"{shape}/mixed-scales/{self.seed + i}/"
                f"{1 + self.draw((16, 16, 16, 160)[self.draw(4)])}"
                for i, shape in enumerate(shapes)]

    def cases(self):
        """Each shape with each kind of inputs, and on devices of each size.
        Ranks get no normal ones where the shape is drawn, for the reason
        above."""
        first = self.draw(len(MULTIPROCESSORS))
        return [f"{shape}/{kind}/{self.seed + 10 * i + k}/"
                f"{MULTIPROCESSORS[(first + k) % len(MULTIPROCESSORS)]}"
                for i, shape in enumerate(self.shapes)
                for k, kind in enumerate(DISTRIBUTIONS[
                    :1 if "inputs=" in shape else None], 1)
                if not (self.kind.ranks and kind == "normal" and
                        shape not in self.lab.inputs)]
