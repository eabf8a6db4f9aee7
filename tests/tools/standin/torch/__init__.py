"""Stands in for PyTorch where there is none, and no GPU: numbers in a list, as
far as peers judges them, and a clock that cuda.work() moves."""

import math
from types import SimpleNamespace

from . import cuda
from .cuda import OutOfMemoryError

float64, float32, float16, float8_e4m3fn = (
    "float64", "float32", "float16", "float8_e4m3fn")
__version__ = "0.standin"
version = SimpleNamespace(cuda="0.0")
backends = SimpleNamespace(cudnn=SimpleNamespace(version=lambda: 0))


class Tensor:
    def __init__(self, shape, flat, dtype=float32):
        self.shape, self.flat, self.dtype = tuple(shape), flat, dtype
        assert math.prod(self.shape) == len(flat)

    def each(self, function, *others):
        size = len(self.flat)
        others = [its.flat if isinstance(its, Tensor) else [its] * size
                  for its in others]
        assert all(len(its) == size for its in others)
        return Tensor(self.shape, [*map(function, self.flat, *others)],
                      self.dtype)

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

    def contiguous(self):
        return self

    def transpose(self, one, two):
        """Of the two in the middle."""
        a, b, c, d = self.shape
        assert (one, two) == (1, 2)
        return Tensor((a, c, b, d), [
            self.flat[((i * b + j) * c + k) * d + m] for i in range(a)
            for k in range(c) for j in range(b) for m in range(d)], self.dtype)

    def __getitem__(self, key):
        """Of the first two dimensions."""
        left, picked = [], []
        for size, its in zip(self.shape, key):
            its = range(size)[its]
            left += [] if isinstance(its, int) else [len(its)]
            picked.append([its] if isinstance(its, int) else its)
        size = math.prod(self.shape[2:])
        starts = [(i * self.shape[1] + j) * size for i in picked[0]
                  for j in picked[1]]
        return Tensor((*left, *self.shape[2:]), [
            x for at in starts for x in self.flat[at:at + size]], self.dtype)


def isfinite(x):
    return x.each(math.isfinite)


def full(shape, value, device=None, dtype=float32):
    return Tensor(shape, [value] * math.prod(shape), dtype)


def tensor(nested, device=None, dtype=float32):
    shape = []
    while isinstance(nested[0], list):
        shape.append(len(nested) // math.prod(shape))
        nested = [x for row in nested for x in row]
    return Tensor((*shape, len(nested) // math.prod(shape)), nested, dtype)
