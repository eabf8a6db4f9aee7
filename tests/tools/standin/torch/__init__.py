"""Stands in for PyTorch where there is none, and no GPU: numbers in a list, as
far as peers judges them, and a clock that cuda.work() moves."""

import math
from types import SimpleNamespace

from . import cuda

__version__ = "0.standin"
version = SimpleNamespace(cuda="0.0")
backends = SimpleNamespace(cudnn=SimpleNamespace(version=lambda: 0))


class Tensor:
    def __init__(self, shape, flat):
        self.shape, self.flat = tuple(shape), flat
        assert math.prod(self.shape) == len(flat)

    def each(self, function, *others):
        size = len(self.flat)
        others = [its.flat if isinstance(its, Tensor) else [its] * size
                  for its in others]
        assert all(len(its) == size for its in others)
        return Tensor(self.shape, [*map(function, self.flat, *others)])

    def __sub__(self, other):
        return self.each(lambda a, b: a - b, other)

    def __mul__(self, other):
        return self.each(lambda a, b: a * b, other)

    def __truediv__(self, other):
        return self.each(lambda a, b: a / b, other)

    def square(self):
        return self * self

    def sqrt(self):
        return self.each(math.sqrt)

    def mean(self):
        return Tensor((), [math.fsum(self.flat) / len(self.flat)])

    def all(self):
        return Tensor((), [all(self.flat)])

    def item(self):
        (its,) = self.flat
        return its

    def double(self):
        return self


def isfinite(x):
    return x.each(math.isfinite)


def full(shape, value):
    return Tensor(shape, [value] * math.prod(shape))
