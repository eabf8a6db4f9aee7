"""Tensors of numbers in a list, as far as peers needs them: broadcasting, the
dtype as a name, E4M3 rounded as it is, the other formats not at all."""

import math
import operator
import random

float64, float32, float16, float8_e4m3fn, int64 = (
    "float64", "float32", "float16", "float8_e4m3fn", "int64")


def to_e4m3(x):
    if x == 0 or x != x:
        return x
    step = 2.0 ** (max(math.frexp(abs(x))[1] - 1, -6) - 3)
    return math.copysign(min(round(abs(x) / step) * step, 448.0), x)


def walk(sizes, strides):
    found = [0]
    for n, stride in zip(sizes, strides):
        found = [p + i * stride for p in found for i in range(n)]
    return found


def strides_of(shape):
    return [math.prod(shape[i + 1:]) for i in range(len(shape))]


def spread(shape, onto):
    """For each place of `onto` the place of a tensor of this shape."""
    strides = [s if n != 1 else 0 for n, s in zip(shape, strides_of(shape))]
    return walk(onto, [0] * (len(onto) - len(shape)) + strides)


def chosen(shape, key):
    """What shape[key] leaves, and its places. Of numbers, slices, None,
    and in front a list of rows."""
    key = key if isinstance(key, tuple) else (key,)
    if key[0] is Ellipsis:
        key = (slice(None),) * len(shape) + key[1:]
    key += (slice(None),) * (len(shape) - len(key) + key.count(None))
    left, sizes, found = [], iter(shape), [0]
    for part in key:
        if part is None:
            left.append(1)
            continue
        n = next(sizes)
        rows = part.flat if isinstance(part, Tensor) else range(n)[part]
        if isinstance(rows, int):
            rows = [rows]
        else:
            left.append(len(rows))
        found = [p * n + row for p in found for row in rows]
    return left, found


class Tensor:
    device = "cuda"

    def __init__(self, shape, flat, kind=float32):
        self.shape, self.flat, self.dtype = tuple(shape), flat, kind
        assert math.prod(self.shape) == len(flat)

    def at(self, shape, places):
        return Tensor(shape, [self.flat[p] for p in places], self.dtype)

    def each(self, function):
        return Tensor(self.shape, [function(x) for x in self.flat], self.dtype)

    def with_other(self, other, function):
        if not isinstance(other, Tensor):
            return self.each(lambda x: function(x, other))
        size = max(len(self.shape), len(other.shape))
        both = [(1,) * (size - len(x.shape)) + x.shape for x in (self, other)]
        if any(m != n and 1 not in (m, n) for m, n in zip(*both)):
            raise RuntimeError(f"shapes {both} do not fit")
        shape = [n if m == 1 else m for m, n in zip(*both)]
        a, b = (x.expand(shape).flat for x in (self, other))
        return Tensor(shape, list(map(function, a, b)), self.dtype)

    def __matmul__(self, other):
        (n, k), (k2, m) = self.shape, other.shape
        assert k == k2
        rows = [self.flat[i * k:(i + 1) * k] for i in range(n)]
        columns = [other.flat[j::m] for j in range(m)]
        return Tensor((n, m), [sum(map(float.__mul__, r, c)) for r in rows
                               for c in columns], self.dtype)

    @property
    def T(self):
        return self.transpose(0, 1)

    def transpose(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = order[b], order[a]
        strides = strides_of(self.shape)
        shape = [self.shape[i] for i in order]
        return self.at(shape, walk(shape, [strides[i] for i in order]))

    def __getitem__(self, key):
        return self.at(*chosen(self.shape, key))

    def __setitem__(self, key, other):
        shape, found = chosen(self.shape, key)
        assert tuple(shape) == other.shape
        for p, x in zip(found, other.flat):
            self.flat[p] = x

    def expand(self, *shape):
        shape = shape[0] if len(shape) == 1 else shape
        return self.at(shape, spread(self.shape, shape))

    def gather(self, dim, index):
        """Rows of each head of each batch."""
        assert dim == 2 and len(self.shape) == 4
        _, _, rows, width = self.shape
        size = math.prod(index.shape[2:])
        return self.at(index.shape, [
            (p // size * rows + row) * width + p % width
            for p, row in enumerate(index.flat)])

    def masked_fill_(self, mask, value):
        mask = mask.expand(*self.shape).flat
        self.flat = [value if m else x for x, m in zip(self.flat, mask)]

    def contiguous(self):
        return self

    def to(self, kind):
        flat = self.flat
        if kind == float8_e4m3fn:
            flat = [to_e4m3(x) for x in flat]
        return Tensor(self.shape, flat, kind)

    def double(self):
        return self.to(float64)

    def float(self):
        return self.to(float32)

    def half(self):
        return self.to(float16)

    def item(self):
        assert len(self.flat) == 1
        return self.flat[0]


def mean(flat):
    return math.fsum(flat) / len(flat)


for name in "add sub mul truediv gt".split():
    setattr(Tensor, f"__{name}__", lambda self, other, its=getattr(
        operator, name): self.with_other(other, its))
for name, its in {"abs": abs, "square": lambda x: x * x,
                  "sqrt": math.sqrt}.items():
    setattr(Tensor, name, lambda self, its=its: self.each(its))
for name, its in {"max": max, "amax": max, "mean": mean, "all": all}.items():
    setattr(Tensor, name, lambda self, its=its: Tensor((), [its(self.flat)]))


def isfinite(x):
    return x.each(math.isfinite)


def where(which, a, b):
    return Tensor(a.shape, [x if w else y for w, x, y in
                            zip(which.flat, a.flat, b.flat)])


def full(shape, value, device=None, dtype=float32):
    return Tensor(shape, [value] * math.prod(shape), dtype)


def empty(shape, device=None, dtype=float32):
    return full(shape, math.nan, dtype=dtype)


def ones_like(x):
    return full(x.shape, 1.0, dtype=x.dtype)


def arange(n, device=None):
    return Tensor((n,), list(range(n)), int64)


def tensor(nested, device=None, dtype=int64):
    shape, flat = [], nested
    while isinstance(flat[0], list):
        shape.append(len(flat) // math.prod(shape))
        flat = [x for row in flat for x in row]
    shape.append(len(flat) // math.prod(shape))
    return Tensor(shape, flat, dtype)


def softmax(x, dim):
    assert dim == 1
    rows = []
    for i in range(x.shape[0]):
        row, largest = x[i].flat, max(x[i].flat)
        row = [math.exp(s - largest) for s in row]
        total = sum(row)
        rows.append([p / total for p in row])
    return tensor(rows, dtype=x.dtype)


class Generator:
    def __init__(self, device):
        pass

    def manual_seed(self, seed):
        self.drawn = random.Random(seed)
        return self


def randn(shape, generator=None, device=None):
    return Tensor(shape, [generator.drawn.gauss(0, 1)
                          for _ in range(math.prod(shape))])
