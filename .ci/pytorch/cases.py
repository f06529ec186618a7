"""Random operations. Each function here makes one: it returns a function that computes it in PyTorch, and Go's expression."""
import torch
import torch.nn.functional as F

from values import DTYPES, INTEGERS, Value, numbers

UNARY = {"exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan", "tanh": "Tanh", "sqrt": "Sqrt", "rsqrt": "Rsqrt", "abs": "Abs", "neg": "Neg",
         "floor": "Floor", "ceil": "Ceil", "trunc": "Trunc", "frac": "Frac", "sign": "Sign", "reciprocal": "Recip", "relu": "Relu", "sigmoid": "Sigmoid",
         "erf": "Erf", "erfc": "Erfc", "erfinv": "Erfinv", "expm1": "Expm1", "log1p": "Log1p", "exp2": "Exp2", "log2": "Log2", "log10": "Log10", "asin": "Asin",
         "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh", "atanh": "Atanh", "lgamma": "Lgamma",
         "deg2rad": "Deg2Rad", "rad2deg": "Rad2Deg", "square": "Sqr", "isnan": "IsNaN", "isinf": "IsInf", "isfinite": "IsFinite", "nan_to_num": "NanToNum"}
ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "maximum": "Maximum", "minimum": "Minimum", "eq": "Eq", "ne": "Ne", "lt": "Lt", "le": "Le", "gt": "Gt",
              "ge": "Ge"}  # of numbers of any types
BINARY = {"div": "Div", "pow": "Pow", "fmod": "Fmod", "remainder": "Mod", "fmax": "Fmax", "fmin": "Fmin", "atan2": "Atan2", "hypot": "Hypot",
          "copysign": "Copysign", "logaddexp": "LogAddExp"}  # of floats
BITS = {"gcd": "Gcd", "lcm": "Lcm", "bitwise_and": "BitAnd", "bitwise_or": "BitOr", "bitwise_xor": "BitXor"}
REDUCTIONS = {"sum": "Sum", "mean": "Mean", "amax": "Max", "amin": "Min", "prod": "Prod", "any": "Any", "all": "All", "var": "Var", "std": "Std",
              "logsumexp": "LogSumExp", "nansum": "NanSum", "nanmean": "NanMean"}
OF_INTEGERS = ["sum", "amax", "amin", "prod"]


def unary(c):
    name = c.random.choice(list(UNARY))
    x = c.some(c.random.choice(c.numbers) if name in ("abs", "neg", "sign", "square") else None)
    exact = name in ("abs", "neg", "sign", "square", "nan_to_num")
    return lambda: getattr(torch, name)(x.t) if exact or c.gradients else in_f64(getattr(torch, name), x.t), "%s.%s()" % (x, UNARY[name])


def binary(c):
    r = c.random
    table = r.choice([ARITHMETIC, ARITHMETIC, BINARY] + ([] if c.gradients else [BITS]))
    name = r.choice(list(table))
    c.terms = 4 if name == "logaddexp" else 1
    types = INTEGERS if table is BITS else c.floats if table is BINARY else c.numbers
    one = r.choice(types)
    x = c.some(one, tame=table is BITS)  # least common multiples wrap otherwise
    y = c.beside(x, one if r.random() < 0.5 else r.choice(types), tame=table is BITS)
    if r.random() < 0.3:
        x, y = y, x
    return lambda: getattr(torch, name)(x.t, y.t), "%s.%s(%s)" % (x, table[name], y)


def with_number(c):
    table = {**ARITHMETIC, "pow": "Pow", "div": "Div"}
    name = c.random.choice([n for n in table if n not in ("maximum", "minimum")])
    x = c.some(c.random.choice(c.floats if name in ("pow", "div") else c.numbers))
    y = c.random.choice([1, 2, 3, 7, 100] + [-1, -3, 0.5, 2.5, -1.25] * (x.t.dtype != torch.uint8))
    return lambda: getattr(torch, name)(x.t, y), "%s.%s(%r)" % (x, table[name], y)


def reduction(c):
    r, name = c.random, c.random.choice(list(REDUCTIONS))
    others = INTEGERS if name in OF_INTEGERS else ["Bool", "I32"] if name in ("any", "all") else []  # of U8 PyTorch's are U8
    x = c.some(r.choice(c.floats if c.gradients else c.floats + others))
    dims = r.sample(range(x.t.dim()), 1 if name == "prod" else r.randint(0, x.t.dim()))
    keep = bool(dims) and r.random() < 0.3
    c.terms = max(1, x.t.numel())
    go = "%s.%s%s(%s)" % (x, REDUCTIONS[name], "KeepDim" if keep else "", numbers(dims))
    if name == "prod":
        return lambda: torch.prod(x.t, dims[0], keepdim=keep), go
    if not dims and name != "logsumexp":
        return lambda: getattr(torch, name)(x.t), go
    return lambda: getattr(torch, name)(x.t, dim=tuple(dims or range(x.t.dim())), keepdim=keep), go


def views(c):
    x = c.view(c.view(c.some(c.random.choice(c.types))))
    shape = list(reversed(x.t.shape))
    return c.random.choice([(lambda: x.t.reshape(-1), "%s.FlattenAll()" % x), (lambda: x.t.clone(), "%s.Copy()" % x),
                            (lambda: x.t.reshape(shape), "%s.Reshape(%s)" % (x, numbers(shape)))])


def cast(c):
    to = c.random.choice(c.types)
    x = c.some(c.random.choice(c.types), tame=True)
    if to == "U8" and x.t.dtype not in (torch.bool, torch.uint8):
        x = Value(x.t.abs(), "%s.Abs()" % x)
    return lambda: x.t.to(DTYPES[to]), "%s.ToDType(tensor.%s)" % (x, to)


def indexing(c):
    r = c.random
    x = c.some(r.choice(c.types), empty=False, rank=r.choice([1, 2, 3]))
    if x.t.numel() == 0:
        return views(c)
    d = r.randrange(x.t.dim())
    n = x.t.size(d)
    ids = lambda *shape: c.input(torch.randint(0, n, shape))
    form = r.randrange(9)
    if form == 0:
        i = ids(r.randint(0, 7))
        return lambda: x.t.index_select(d, i.t), "%s.IndexSelect(%s, %d)" % (x, i, d)
    if form == 1:
        shape = list(x.t.shape)
        shape[d] = r.randint(1, 5)
        i = ids(*shape)
        return lambda: x.t.gather(d, i.t), "%s.Gather(%s, %d)" % (x, i, d)
    if form == 2:
        i = c.input(torch.randint(-x.t.size(0), x.t.size(0), (r.randint(1, 3), r.randint(1, 3))))
        return lambda: x.t[i.t], "%s.I(%s)" % (x, i)
    if form == 3:
        i = [c.input(torch.randint(-m, m, (4,))) for m in x.t.shape[:r.randint(1, x.t.dim())]]
        return lambda: x.t[tuple(v.t for v in i)], "%s.I(%s)" % (x, numbers(i))
    if form == 4:
        mask = c.input(torch.rand(x.t.shape) < 0.5)
        return lambda: x.t[mask.t], "%s.I(%s)" % (x, mask)
    if form == 5:
        mask, y = c.input(torch.rand(x.t.shape) < 0.5), c.beside(x, next(k for k, v in DTYPES.items() if v == x.t.dtype))
        return lambda: torch.where(mask.t, x.t, y.t), "%s.WhereCond(%s, %s)" % (mask, x, y)
    if form == 6 and x.t.dtype != torch.bool:
        m = r.randint(1, 6)
        i, shape = ids(m), list(x.t.shape)
        shape[d] = m
        y = c.make(shape, next(k for k, v in DTYPES.items() if v == x.t.dtype), tame=True)
        return lambda: x.t.index_add(d, i.t, y.t), "%s.IndexAdd(%s, %s, %d)" % (x, i, y, d)
    if form == 7:
        size, step = r.randint(1, n), r.randint(1, 3)
        return lambda: x.t.unfold(d, size, step), "%s.Unfold(%d, %d, %d)" % (x, d, size, step)
    shift, times = r.randint(-7, 7), r.randint(1, 3)
    return r.choice([(lambda: x.t.roll(shift, d), "%s.Roll(%d, %d)" % (x, shift, d)),
                     (lambda: x.t.repeat_interleave(times, d), "%s.RepeatInterleave(%d, %d)" % (x, times, d)),
                     (lambda: torch.cat([x.t, x.t], d), "tensor.Cat([]*tensor.Tensor{%s, %s}, %d)" % (x, x, d)),
                     (lambda: torch.stack([x.t, x.t], d), "tensor.Stack([]*tensor.Tensor{%s, %s}, %d)" % (x, x, d))])


def writing(c):
    if c.gradients:
        return indexing(c)
    r, dtype = c.random, c.random.choice(c.numbers)
    x = c.make(c.shape(rank=r.choice([1, 2, 3]), empty=False), dtype, tame=True)
    d = r.randrange(x.t.dim())
    n = x.t.size(d)
    first = r.randrange(n)
    last, step = r.randint(first, n), r.choice([1, 2, 3, -1])
    part, add = range(n)[first:last:step] if step > 0 else range(n)[::-1], r.random() < 0.3
    shape = list(x.t.shape)
    shape[d] = len(part)
    y = c.make(shape, dtype, tame=True)

    def result():
        i, z = torch.tensor(list(part), dtype=torch.int64), x.t.clone()
        return z.index_add(d, i, y.t) if add else z.index_copy(d, i, y.t)
    bounds = "%d:%d:%d" % (first, last, step) if step > 0 else "::-1"
    index = ",".join(bounds if i == d else ":" for i in range(x.t.dim()))
    return result, 'with(%s, func(x *tensor.Tensor) { x.%s(%s, "%s") })' % (x, "AddI" if add else "SetI", y, index)


def matmul(c):
    r = c.random
    dtype = r.choice(c.floats if c.gradients else c.floats + ["I64", "I32", "C64"])
    m, n, k = (r.choice([1, 2, 3, 5, 8, 16, 17, 33, 64, 70]) for _ in range(3))
    batch, c.terms = r.choice([[], [], [2], [3, 2], [1]]), k
    x = c.make(batch + [m, k], dtype, tame=True)
    if r.random() < 0.4:
        y = c.make([n, k], dtype, tame=True)
        y = Value(y.t.mT, "%s.T()" % y)
    else:
        y = c.make(r.choice([batch, []]) + [k, n], dtype, tame=True)
    return lambda: wide(torch.matmul, x.t, y.t), "%s.MatMul(%s)" % (x, y)


def in_f64(f, x):
    """f with the accuracy that gorocm's functions have."""
    y = f(x.double())
    return y.to(x.dtype) if y.is_floating_point() else y


def wide(f, *operands):
    """f of 16-bit floats computed in F64: PyTorch's own results are rounded more often than gorocm's."""
    dtype = operands[0].dtype
    if dtype not in (torch.float16, torch.bfloat16):
        return f(*operands)
    return f(*(x.double() for x in operands)).to(dtype)


def convolution(c):
    r = c.random
    dims, transposed = r.choice([1, 2]), r.random() < 0.4
    groups = r.choice([1, 1, 2, 3]) if dims == 1 or not transposed else 1
    ins, outs, dtype = groups * r.randint(1, 4), groups * r.randint(1, 5), r.choice(c.floats)
    taps = [r.randint(1, 3)] * dims
    stride, dilation, padding = r.randint(1, 3), r.randint(1, 2), r.randint(0, 2)
    x = c.make([r.randint(1, 3), ins] + [r.randint(5, 14) for _ in range(dims)], dtype, tame=True)
    w = c.make(([ins, outs // groups] if transposed else [outs, ins // groups]) + taps, dtype, tame=True)
    c.terms = ins * 9
    if not transposed:
        f = F.conv1d if dims == 1 else F.conv2d
        return (lambda: wide(lambda x, w: f(x, w, None, stride, padding, dilation, groups), x.t, w.t),
                "%s.Conv%dd(%s, %s)" % (x, dims, w, numbers([padding, stride, dilation, groups])))
    more, f = r.randint(0, max(stride, dilation) - 1), F.conv_transpose1d if dims == 1 else F.conv_transpose2d
    return (lambda: wide(lambda x, w: f(x, w, None, stride, padding, more, groups, dilation), x.t, w.t),
            "%s.ConvTranspose%dd(%s, %s)" % (x, dims, w, numbers([padding, more, stride, dilation] + [groups] * (dims == 1))))


def pool(c):
    r = c.random
    x = c.make([r.randint(1, 3), r.randint(1, 3), r.randint(6, 20), r.randint(6, 20)], r.choice(c.floats), tame=True)
    size, stride = [r.randint(1, 4), r.randint(1, 4)], [r.randint(1, 4), r.randint(1, 4)]
    padding, ceil, exclude = [r.randint(0, n // 2) for n in size], r.random() < 0.4, r.random() < 0.5
    c.terms = 16
    options = "nn.PoolOptions{Stride: []int{%s}, Padding: []int{%s}, CeilMode: %s" % (numbers(stride), numbers(padding), str(ceil).lower())
    if r.random() < 0.5:
        return (lambda: F.max_pool2d(x.t, size, stride, padding, 1, ceil), "nn.MaxPool(%s, []int{%s}, %s})" % (x, numbers(size), options))
    return (lambda: wide(lambda x: F.avg_pool2d(x, size, stride, padding, ceil, not exclude), x.t),
            "nn.AvgPool(%s, []int{%s}, %s, ExcludePadding: %s})" % (x, numbers(size), options, str(exclude).lower()))


def sorting(c):
    r = c.random
    x = c.some(r.choice(c.numbers), tame=True, empty=False)
    d, ascending = r.randrange(x.t.dim()), r.random() < 0.5
    count, order = r.randint(1, max(1, x.t.size(d))), str(ascending).lower()
    return r.choice([
        (lambda: x.t.sort(dim=d, descending=not ascending, stable=True)[0], "first(%s.Sort(%d, %s))" % (x, d, order)),
        (lambda: x.t.sort(dim=d, descending=not ascending, stable=True)[1], "%s.ArgSort(%d, %s)" % (x, d, order)),
        (lambda: x.t.topk(count, d, ascending)[0], "first(%s.TopK(%d, %d, %s))" % (x, count, d, order)),
        (lambda: x.t.median(d)[0], "%s.Median(%d)" % (x, d)),
        (lambda: x.t.cummax(d)[0], "first(%s.CumMax(%d))" % (x, d))])


def scan(c):
    name = c.random.choice(["CumSum", "CumProd", "LogCumSumExp"])
    x = c.some(c.random.choice(c.floats if name == "LogCumSumExp" else c.numbers), tame=True)
    d = c.random.randrange(x.t.dim())
    c.terms = max(1, x.t.size(d))
    return lambda: wide(lambda x: getattr(torch, name.lower())(x, d), x.t), "%s.%s(%d)" % (x, name, d)


def network(c):
    r = c.random
    x = c.some(tame=True, empty=False)
    d, dtype = r.randrange(x.t.dim()), next(k for k, v in DTYPES.items() if v == x.t.dtype)
    c.terms = max(1, x.t.size(d), x.t.size(-1))
    form = r.randrange(6)
    if form == 0:
        w, b = c.make([x.t.size(-1)], dtype, tame=True), c.make([x.t.size(-1)], dtype, tame=True)
        return lambda: wide(lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5), x.t, w.t, b.t), "%s.LayerNorm(%s, %s, 1e-5)" % (x, w, b)
    if form == 1:
        heads, size, keys = r.randint(1, 3), r.choice([8, 16, 32, 40, 64]), r.randint(1, 70)
        q, k, v = (c.make([2, heads, n, size], dtype, tame=True) for n in (r.randint(1, 9), keys, keys))
        c.terms = 64
        return lambda: wide(F.scaled_dot_product_attention, q.t, k.t, v.t), "nn.Attention(%s, %s, %s, nn.Attend{})" % (q, k, v)
    if form == 2:
        c.terms = 16
        y, (h, w), align = c.make([2, 3, r.randint(2, 7), r.randint(2, 7)], dtype, tame=True), (r.randint(1, 15), r.randint(1, 15)), r.random() < 0.5
        return (lambda: wide(lambda y: F.interpolate(y, (h, w), mode="bilinear", align_corners=align), y.t),
                "%s.UpsampleBilinear2d(%d, %d, %s)" % (y, h, w, str(align).lower()))
    return r.choice([(lambda: wide(lambda x: x.softmax(d), x.t), "%s.Softmax(%d)" % (x, d)),
                     (lambda: wide(lambda x: x.log_softmax(d), x.t), "%s.LogSoftmax(%d)" % (x, d)),
                     (lambda: F.gelu(x.t), "%s.GeluErf()" % x), (lambda: F.gelu(x.t, approximate="tanh"), "%s.Gelu()" % x),
                     (lambda: F.silu(x.t), "%s.Silu()" % x), (lambda: F.softplus(x.t), "%s.Softplus()" % x), (lambda: F.elu(x.t, 0.7), "%s.Elu(0.7)" % x),
                     (lambda: x.t.clamp(-0.5, 0.75), "%s.Clamp(-0.5, 0.75)" % x)])


def chain(c):
    x = c.some("F64" if c.random.random() < 0.3 else "F32", tame=True, empty=False)
    dtype, c.terms = next(k for k, v in DTYPES.items() if v == x.t.dtype), 100
    for _ in range(c.random.randint(2, 6)):
        d, form = c.random.randrange(x.t.dim()), c.random.randrange(7)
        if form < 2:
            y = c.beside(x, dtype, tame=True) if len(c.inputs) < 6 else x
            x = Value(x.t + y.t, "%s.Add(%s)" % (x, y)) if form == 0 else Value(x.t * y.t, "%s.Mul(%s)" % (x, y))
        elif form == 2:
            x = c.view(x)
        else:
            x = [Value(x.t * 0.5 + 1, "%s.Affine(0.5, 1)" % x), Value(x.t.tanh(), "%s.Tanh()" % x),
                 Value(x.t.mean(d, keepdim=True), "%s.MeanKeepDim(%d)" % (x, d)), Value(x.t.softmax(d), "%s.Softmax(%d)" % (x, d))][form - 3]
    return lambda: x.t, str(x)


def linear_algebra(c):
    r = c.random
    dtype, batch, n = r.choice(["F32", "F64"] if c.gradients else ["F32", "F64", "C64"]), r.choice([[], [], [2], [2, 3]]), r.choice([1, 2, 3, 4, 5, 8, 13])
    c.terms = 1000
    a, b = c.make(batch + [n, n], dtype, tame=True), c.make(batch + [n, 2], dtype, tame=True)
    near_one = Value(a.t * 0.1 + torch.eye(n, dtype=a.t.dtype), "%s.Mul(0.1).Add(dev.Eye(tensor.%s, %d))" % (a, dtype, n))
    positive = Value(near_one.t @ near_one.t.mH, "%s.MatMul(%s.H())" % (near_one, near_one))
    letters = "ijklm"
    sizes, operands = {k: r.randint(1, 4) for k in letters}, ["".join(r.sample(letters, r.randint(1, 3))) for _ in range(r.randint(1, 3))]
    used = sorted(set("".join(operands)))
    equation = ",".join(operands) + "->" + "".join(r.sample(used, r.randint(0, len(used))))
    xs = [c.make([sizes[k] for k in o], dtype, tame=True) for o in operands]
    return r.choice([
        (lambda: torch.linalg.solve(near_one.t, b.t), "linalg.Solve(%s, %s)" % (near_one, b)),
        (lambda: torch.linalg.inv(near_one.t), "linalg.Inv(%s)" % near_one), (lambda: torch.linalg.det(a.t), "linalg.Det(%s)" % a),
        (lambda: torch.linalg.slogdet(near_one.t)[1], "second(linalg.SlogDet(%s))" % near_one),
        (lambda: torch.linalg.cholesky(positive.t), "linalg.Cholesky(%s)" % positive),
        (lambda: torch.linalg.qr(near_one.t)[1].abs(), "second(linalg.QR(%s)).Abs()" % near_one),
        (lambda: torch.linalg.svdvals(b.t), "linalg.SVDVals(%s)" % b), (lambda: torch.linalg.eigvalsh(positive.t), "linalg.EigValsH(%s)" % positive),
        (lambda: torch.linalg.matrix_exp(near_one.t), "linalg.MatrixExp(%s)" % near_one), (lambda: torch.linalg.pinv(near_one.t), "linalg.PInv(%s)" % near_one),
        (lambda: torch.kron(a.t, b.t), "linalg.Kron(%s, %s)" % (a, b)),
        (lambda: torch.einsum(equation, *(x.t for x in xs)), 'linalg.Einsum("%s", %s)' % (equation, numbers(xs)))])


def fourier(c):
    r = c.random
    dtype = r.choice(["F32"] if c.gradients else ["F32", "C64"])
    shape = [r.choice([1, 2, 3, 5, 7, 8, 11, 16, 30, 37, 64]) for _ in range(r.randint(1, 2))]
    x, dims, c.terms = c.make(shape, dtype, tame=True), r.sample(range(len(shape)), r.randint(1, len(shape))), 200
    transform = (lambda: torch.fft.ifftn(x.t, dim=dims), "fft.IFFT(%s, %s)" % (x, numbers(dims)))
    if dtype == "C64":
        n = r.randint(1, 2 * shape[-1] + 2)
        return r.choice([transform, (lambda: torch.fft.irfft(x.t, n), "fft.IRFFT(%s, %d)" % (x, n))])
    return (lambda: torch.fft.fftn(x.t, dim=dims).abs().square(), "fft.FFT(%s, %s).Abs().Sqr()" % (x, numbers(dims)))


OPERATIONS = [unary] * 4 + [binary] * 6 + [with_number] * 2 + [reduction] * 5 + [views] * 3 + [cast] * 2 + [indexing] * 7 + [writing] * 2 + [matmul] * 3 + [
    convolution] * 3 + [pool] * 2 + [sorting] * 3 + [scan] * 2 + [network] * 4 + [chain] * 5 + [linear_algebra] * 4 + [fourier] * 2
