"""Tensors of numbers in a list, as far as peers needs them: broadcasting, the
dtype as a name, E4M3 rounded as it is, the other formats not at all."""

import math
import random


class dtype(str):
    pass


float64, float32, float16, bfloat16, float8_e4m3fn, int64, uint8 = (
    dtype(n) for n in ("float64", "float32", "float16", "bfloat16",
                       "float8_e4m3fn", "int64", "uint8"))


def to_e4m3(x):
    if x == 0 or x != x:
        return x
    step = 2.0 ** (max(math.frexp(abs(x))[1] - 1, -6) - 3)
    return math.copysign(min(round(abs(x) / step) * step, 448.0), x)


def places(shape, onto):
    """For each place of `onto` the place of a tensor of this shape."""
    found = [0]
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step if n != 1 else 0)
        step *= n
    strides = [0] * (len(onto) - len(shape)) + strides
    for n, stride in zip(onto, strides):
        found = [p + i * stride for p in found for i in range(n)]
    return found


def together(a, b):
    size = max(len(a), len(b))
    a, b = ((1,) * (size - len(x)) + tuple(x) for x in (a, b))
    for m, n in zip(a, b):
        if m != n and 1 not in (m, n):
            raise RuntimeError(f"shapes {a} and {b} do not fit")
    return tuple(n if m == 1 else m for m, n in zip(a, b))


class Tensor:
    def __init__(self, shape, flat, kind=float32):
        self.shape, self.flat, self.dtype = tuple(shape), flat, kind
        self.device = "cuda"
        assert math.prod(self.shape) == len(flat)

    def new(self, flat, kind=None, shape=None):
        return Tensor(self.shape if shape is None else shape, flat,
                      kind or self.dtype)

    def each(self, function):
        return self.new([function(x) for x in self.flat])

    def with_other(self, other, function):
        if not isinstance(other, Tensor):
            return self.each(lambda x: function(x, other))
        shape = together(self.shape, other.shape)
        a, b = places(self.shape, shape), places(other.shape, shape)
        return self.new([function(self.flat[i], other.flat[j])
                         for i, j in zip(a, b)], shape=shape)

    def __add__(self, other):
        return self.with_other(other, lambda x, y: x + y)

    def __sub__(self, other):
        return self.with_other(other, lambda x, y: x - y)

    def __mul__(self, other):
        return self.with_other(other, lambda x, y: x * y)

    def __truediv__(self, other):
        return self.with_other(other, lambda x, y: x / y)

    def __gt__(self, other):
        return self.with_other(other, lambda x, y: x > y)

    def __matmul__(self, other):
        (n, k), (k2, m) = self.shape, other.shape
        assert k == k2
        rows = [self.flat[i * k:(i + 1) * k] for i in range(n)]
        columns = [other.flat[j::m] for j in range(m)]
        return self.new([sum(map(float.__mul__, r, c)) for r in rows
                         for c in columns], shape=(n, m))

    @property
    def T(self):
        return self.transpose(0, 1)

    def transpose(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = order[b], order[a]
        strides = [math.prod(self.shape[i + 1:]) for i in order]
        shape, found = [self.shape[i] for i in order], [0]
        for n, stride in zip(shape, strides):
            found = [p + i * stride for p in found for i in range(n)]
        return self.new([self.flat[p] for p in found], shape=shape)

    def part(self, key):
        """(places, shape) of integers in front, or of one slice for all
        batches, as in x[:, :n]."""
        if isinstance(key, tuple) and key[0] == slice(None):
            rows, n = self.shape[0], self.shape[1]
            width = range(n)[key[1]]
            return ([r * n + i for r in range(rows) for i in width],
                    (rows, len(width)))
        key = key if isinstance(key, tuple) else (key,)
        rest = self.shape[len(key):]
        start = 0
        for index, n in zip(key, self.shape):
            assert 0 <= index < n
            start = start * n + index
        size = math.prod(rest)
        return range(start * size, (start + 1) * size), rest

    def __getitem__(self, key):
        if key is None:
            return self.new(self.flat, shape=(1, *self.shape))
        if isinstance(key, tuple) and key[-1] is None:
            return self.new(self.flat, shape=(*self.shape, 1))
        if isinstance(key, Tensor):
            size = math.prod(self.shape[1:])
            return self.new([x for row in key.flat for x in
                             self.flat[row * size:(row + 1) * size]],
                            shape=(*key.shape, *self.shape[1:]))
        found, shape = self.part(key)
        return self.new([self.flat[p] for p in found], shape=shape)

    def __setitem__(self, key, other):
        found, shape = self.part(key)
        assert tuple(shape) == other.shape
        for p, x in zip(found, other.flat):
            self.flat[p] = x

    def expand(self, *shape):
        shape = shape[0] if len(shape) == 1 else shape
        return self.new([self.flat[p] for p in places(self.shape, shape)],
                        shape=shape)

    def gather(self, dim, index):
        assert dim == 2 and len(self.shape) == 4
        _, heads, rows, width = self.shape
        flat, place = [], 0
        for b in range(index.shape[0]):
            for h in range(index.shape[1]):
                for _ in range(index.shape[2]):
                    for d in range(index.shape[3]):
                        row = ((b * heads + h) * rows + index.flat[place])
                        flat.append(self.flat[row * width + d])
                        place += 1
        return self.new(flat, shape=index.shape)

    def masked_fill_(self, mask, value):
        mask = mask.expand(*self.shape).flat
        self.flat = [value if m else x for x, m in zip(self.flat, mask)]

    def contiguous(self):
        return self

    def to(self, kind):
        flat = self.flat
        if kind == float8_e4m3fn:
            flat = [to_e4m3(x) for x in flat]
        return self.new(flat, kind)

    def double(self):
        return self.to(float64)

    def float(self):
        return self.to(float32)

    def half(self):
        return self.to(float16)

    def abs(self):
        return self.each(abs)

    def square(self):
        return self.each(lambda x: x * x)

    def sqrt(self):
        return self.each(math.sqrt)

    def max(self):
        return self.new([max(self.flat)], shape=())

    amax = max

    def mean(self):
        return self.new([math.fsum(self.flat) / len(self.flat)], shape=())

    def all(self):
        return self.new([all(self.flat)], shape=())

    def item(self):
        assert len(self.flat) == 1
        return self.flat[0]

    def stride(self):
        return tuple(math.prod(self.shape[i + 1:])
                     for i in range(len(self.shape)))

    def data_ptr(self):
        addresses[id(self)] = self
        return id(self)


addresses = {}


def isfinite(x):
    return x.each(math.isfinite)


def where(which, a, b):
    return a.new([x if w else y
                  for w, x, y in zip(which.flat, a.flat, b.flat)])


def full(shape, value, device=None, dtype=float32):
    shape = (shape,) if isinstance(shape, int) else shape
    return Tensor(shape, [value] * math.prod(shape), dtype)


def empty(shape, device=None, dtype=float32):
    return full(shape, math.nan, dtype=dtype)


def empty_like(x):
    return empty(x.shape, dtype=x.dtype)


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
    assert dim == 1 and len(x.shape) == 2
    flat, n = [], x.shape[1]
    for i in range(x.shape[0]):
        row = x.flat[i * n:(i + 1) * n]
        largest = max(row)
        row = [math.exp(s - largest) for s in row]
        total = sum(row)
        flat += [p / total for p in row]
    return x.new(flat)


class Generator:
    def __init__(self, device):
        pass

    def manual_seed(self, seed):
        self.drawn = random.Random(seed)
        return self


def randn(shape, generator=None, device=None):
    return Tensor(shape, [generator.drawn.gauss(0, 1)
                          for _ in range(math.prod(shape))])
