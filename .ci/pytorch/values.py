"""Random tensors and views of them, in PyTorch and as expressions of Go."""
import math

import torch

DTYPES = {"F32": torch.float32, "F64": torch.float64, "F16": torch.float16, "BF16": torch.bfloat16, "C64": torch.complex64,
          "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "Bool": torch.bool}
INTEGERS = ["I64", "I32", "I16", "I8", "U8"]


class Value:
    """A tensor of PyTorch, and the expression that gives the same in gorocm."""

    def __init__(self, tensor, go):
        self.t, self.go = tensor, go

    def __str__(self):
        return self.go


class Case:
    """A case is one operation on inputs that it has made. terms is how many rounded numbers an element of the result is
    the sum of, about: it widens what may differ."""

    def __init__(self, number, random, gradients):
        self.number, self.random, self.gradients, self.inputs, self.terms = number, random, gradients, {}, 1
        self.floats = ["F32", "F64"] if gradients else ["F32", "F32", "F32", "F64", "F16", "BF16"]
        self.numbers = self.floats if gradients else self.floats + INTEGERS
        self.types = self.floats if gradients else self.numbers + ["Bool"]

    def shape(self, rank=None, empty=True):
        r = self.random
        dims = [r.randint(1, 6) for _ in range(r.choice([1, 2, 2, 3, 3, 4]) if rank is None else rank)]
        if r.random() < 0.15:
            dims[r.randrange(len(dims))] = r.choice([1, 17, 33, 64, 130])
        if empty and not self.gradients and r.random() < 0.04:
            dims[r.randrange(len(dims))] = 0
        return dims

    def input(self, t):
        """An input of the case. With gradients it is a variable if it is of floats."""
        name = "%d.%s" % (self.number, "abcdef"[len(self.inputs)])
        t = t.contiguous()
        if self.gradients and t.dtype.is_floating_point:
            t.requires_grad_(True)
        self.inputs[name] = t
        return Value(t, 'in["%s"]' % name)

    def make(self, shape, dtype, tame=False):
        """An input of random elements: with special values unless it is tame, or gradients are wanted."""
        return self.input(self.elements(shape, dtype, tame or self.gradients))

    def elements(self, shape, dtype, tame):
        r, kind = self.random, DTYPES[dtype]
        if dtype == "Bool":
            return torch.rand(shape) < 0.5
        if dtype == "C64":
            return torch.randn(shape, dtype=kind)
        if dtype in INTEGERS:
            if not tame and r.random() < 0.3:
                bounds = torch.iinfo(kind)
                return torch.randint(max(bounds.min, -2**62), min(bounds.max, 2**62), shape).to(kind)
            return torch.randint(0 if dtype == "U8" else -9, 10, shape, dtype=kind)
        x, form = torch.randn(shape, dtype=torch.float64), r.random()
        if tame or form > 0.55:
            return x.to(kind)
        if form < 0.2:
            return (x * 10 ** r.uniform(-6, 6)).to(kind)
        if form < 0.4:
            return x.round().to(kind)
        for i, special in enumerate([math.nan, math.inf, -math.inf, -0.0]):
            x = torch.where((torch.rand(shape) * 10).floor() == i, torch.tensor(special, dtype=torch.float64), x)
        return x.to(kind)

    def some(self, dtype=None, tame=False, rank=None, empty=True):
        """A view of an input of some shape."""
        return self.viewed(self.make(self.shape(rank, empty), dtype or self.random.choice(self.floats), tame))

    def beside(self, x, dtype, tame=False):
        """An input whose shape is that of x, or broadcasts to it."""
        shape = [1 if self.random.random() < 0.25 else n for n in x.t.shape]
        while shape and self.random.random() < 0.2:
            shape = shape[1:]
        return self.make(shape, dtype, tame)

    def viewed(self, x):
        for _ in range(self.random.choice([0, 0, 1, 2])):
            x = self.view(x)
        return x

    def view(self, x):
        r, rank = self.random, x.t.dim()
        d = r.randrange(rank)
        n = x.t.size(d)
        index = lambda part: '%s.I("%s")' % (x, ",".join(part if i == d else ":" for i in range(rank)))
        form = r.randrange(6)
        if form == 0:
            order = r.sample(range(rank), rank)
            return Value(x.t.permute(order), "%s.Permute(%s)" % (x, numbers(order)))
        if form == 1 and n:
            first = r.randrange(n)
            count = r.randint(1, n - first)
            return Value(x.t.narrow(d, first, count), "%s.Narrow(%d, %d, %d)" % (x, d, first, count))
        if form == 2:
            step = r.randint(1, 3)
            return Value(x.t[tuple(slice(None, None, step if i == d else 1) for i in range(rank))], index("::%d" % step))
        if form == 3:
            return Value(x.t.flip(d), index("::-1"))
        if form == 4 and n == 1:
            shape = list(x.t.shape)
            shape[d] = r.randint(2, 4)
            return Value(x.t.expand(shape), "%s.Expand(%s)" % (x, numbers(shape)))
        d = r.randint(0, rank)
        return Value(x.t.unsqueeze(d), "%s.Unsqueeze(%d)" % (x, d))


def numbers(list):
    return ", ".join(str(n) for n in list)
