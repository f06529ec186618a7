"""The rows of the comparison: what PyTorch does for each, and what gorocm's time is to stay below. rows.go and host.go have gorocm's side, by the same names."""
from dataclasses import dataclass, field
from typing import Callable
import torch
import torch.nn.functional as F
from torch import nn

try:
    import cupy
except ImportError:
    cupy = None

TYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
if hasattr(torch, "float8_e4m3fn"):
    TYPES["f8e4m3"] = torch.float8_e4m3fn
COMPILE = True
HEIGHT, WIDTH, LONG, TOKENS = 4096, 8192, 16 << 20, 1 << 17
BATCH, CLASSES, DIM = 8192, 50304, 768  # of a training step
FLOATS, HALVES = ("f32", "f16", "bf16"), ("f32", "f16")

# Rows that are bound by memory alone: they are to reach 85 % of what a copy moves.
NEAR_COPY = {"add", "gelu", "cast_f16", "where"}


class Operands:
    def __init__(self, dtype):
        self.dtype = TYPES[dtype]

    def randn(self, *shape):
        return torch.randn(*shape, device="cuda").to(self.dtype)

    def ids(self, n, limit):
        return torch.randint(limit, (n,), device="cuda")


@dataclass
class Row:
    name: str
    dtypes: tuple
    make: Callable  # Operands to a function without arguments
    targets: dict = field(default_factory=dict)  # gorocm's time over that way's, at most
    limit: float = 0  # microseconds, at most
    count: int = 1  # operations that a call does
    cupy: Callable = None  # what make makes, with CuPy's arrays


ROWS = []


def row(name, dtypes, make, limit=0, count=1, cupy=None, **targets):
    """Adds a row. A target for compile has torch.compile measured, too."""
    ROWS.append(Row(name, dtypes, make, targets, limit, count, cupy))


def compiled(f):
    """f is an on: its function is compiled, so that its operands are arguments and no constants. A training step has its own way."""
    if hasattr(f, "compiled"):
        return f.compiled()
    g = torch.compile(f.func, dynamic=False)
    return lambda: g(*f.args)


class on:
    """A function with its operands."""

    def __init__(self, func, *args):
        self.func, self.args = func, args

    def __call__(self):
        return self.func(*self.args)


def unary(f, *shape):
    return lambda o: on(f, o.randn(*(shape or (HEIGHT, WIDTH))))


gelu = lambda x: F.gelu(x, approximate="tanh")

row("copy", FLOATS, unary(torch.clone))
row("add", FLOATS, lambda o: on(torch.add, o.randn(HEIGHT, WIDTH), o.randn(HEIGHT, WIDTH)), eager=1.0)
row("add_row", FLOATS, lambda o: on(torch.add, o.randn(HEIGHT, WIDTH), o.randn(WIDTH)), eager=1.0)
row("gelu", FLOATS, unary(gelu), eager=1.0)
row("cast_f16", ("f32",), unary(lambda x: x.to(torch.float16)), eager=1.0)
row("where", FLOATS, lambda o: (lambda x, y: on(torch.where, x > 0, x, y))(o.randn(HEIGHT, WIDTH), o.randn(HEIGHT, WIDTH)), eager=1.0)
row("chain", FLOATS, lambda o: on(lambda x, y, b: gelu((x * 2 + 1).tanh() * y + b), o.randn(HEIGHT, WIDTH), o.randn(HEIGHT, WIDTH), o.randn(WIDTH)),
    eager=0.25, compile=1.05)
row("chain_mean", FLOATS, lambda o: on(lambda x, y: (x - y).square().mean(-1), o.randn(HEIGHT, WIDTH), o.randn(HEIGHT, WIDTH)), eager=0.5, compile=1.05)
row("chain_sum_all", FLOATS, unary(lambda x: x.exp().sum()), eager=0.5, compile=1.05)
row("transpose_copy", FLOATS, unary(lambda x: x.T.contiguous()), eager=0.5)

row("softmax", FLOATS, unary(lambda x: x.softmax(-1)), compile=1.05)
row("layer_norm", FLOATS, lambda o: on(lambda x, w, b: F.layer_norm(x, [WIDTH], w, b, 1e-5), o.randn(HEIGHT, WIDTH), o.randn(WIDTH), o.randn(WIDTH)), compile=1.05)
row("rms_norm", FLOATS, lambda o: on(lambda x, w: F.rms_norm(x, [WIDTH], w, 1e-5), o.randn(HEIGHT, WIDTH), o.randn(WIDTH)), compile=1.05)
row("argmax", FLOATS, unary(lambda x: x.argmax(-1)), eager=0.7)
row("sum_last", FLOATS, unary(lambda x: x.sum(-1)), eager=1.0)
row("sum_first", FLOATS, unary(lambda x: x.sum(0)), eager=1.0)
row("sum_first_768", FLOATS, unary(lambda x: x.sum(0), BATCH, DIM), eager=1.0)
row("sum_all", FLOATS, unary(torch.sum), eager=1.0)
row("cumsum", FLOATS, unary(lambda x: x.cumsum(-1)), eager=1.0)
row("cumsum_long", HALVES, unary(lambda x: x.cumsum(-1), 1, LONG), eager=1.0)
row("sort", HALVES, unary(lambda x: x.sort(-1)), eager=1.0)
row("sort_long", HALVES, unary(lambda x: x.sort(-1), 1, LONG), eager=1.0)
MANY = 64 << 20
row("random_normal", ("f32",), lambda o: on(lambda: torch.randn(MANY, device="cuda")), eager=1.05)
row("random_uniform", ("f32",), lambda o: on(lambda: torch.rand(MANY, device="cuda")), eager=1.05)
row("random_integers", ("f32",), lambda o: on(lambda: torch.randint(0, 1000, (MANY,), device="cuda")), eager=1.05)
row("random_permutation", ("f32",), lambda o: on(lambda: torch.randperm(LONG, device="cuda")), eager=1.05)
row("random_poisson", ("f32",), lambda o: on(torch.poisson, torch.full((LONG,), 30.0, device="cuda")), eager=1.05)
row("random_gamma", ("f32",), lambda o: on(torch._standard_gamma, torch.full((LONG,), 2.5, device="cuda")), eager=1.05)


def sparse(*columns):
    """Products with 2^20 rows of 20 random elements, by cuSPARSE."""
    n, each = 1 << 20, 20
    rows, ids = torch.arange(n, device="cuda").repeat_interleave(each), torch.randint(0, n, (n * each,), device="cuda")
    m = torch.sparse_coo_tensor(torch.stack((rows, ids)), torch.randn(n * each, device="cuda"), (n, n)).coalesce().to_sparse_csr()
    return on(torch.matmul, m, torch.randn(n, *columns, device="cuda"))


row("sparse_matvec", ("f32",), lambda o: sparse(), eager=1.05)
row("sparse_matmul_8", ("f32",), lambda o: sparse(8), eager=1.05)
row("sparse_matmul_64", ("f32",), lambda o: sparse(64), eager=1.05)


def adamw(o, clipped=False):
    """A step of the parameters of a GPT-2 of 124 million, by PyTorch's fused kernel; its moments have the type of the parameters."""
    dim = 768
    layer = [(dim,), (dim,), (3 * dim, dim), (3 * dim,), (dim, dim), (dim,), (dim,), (dim,), (4 * dim, dim), (4 * dim,), (dim, 4 * dim), (dim,)]
    params = [torch.nn.Parameter(o.randn(*shape)) for shape in [(50304, dim), (1024, dim), (dim,), (dim,)] + 12 * layer]
    grads = [torch.randn_like(p) for p in params]
    optimizer = torch.optim.AdamW(params, fused=True)

    def step():
        for p, g in zip(params, grads):
            p.grad = g
        if clipped:
            torch.nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()

    return step


row("adamw", ("f32", "bf16"), adamw, eager=1.0)
row("adamw_clipped", ("f32", "bf16"), lambda o: adamw(o, True), eager=1.0)

class GPT(torch.nn.Module):
    """A GPT-2: its batch is [batch n] tokens, its loss the cross entropy for targets of the same shape."""
    def __init__(self, vocab=50304, context=1024, dim=768, layers=12, heads=12):
        super().__init__()
        self.heads = heads
        self.tokens, self.positions = torch.nn.Embedding(vocab, dim), torch.nn.Embedding(context, dim)
        parts = ("norm1", lambda: torch.nn.LayerNorm(dim)), ("qkv", lambda: torch.nn.Linear(dim, 3 * dim)), \
            ("out", lambda: torch.nn.Linear(dim, dim)), ("norm2", lambda: torch.nn.LayerNorm(dim)), \
            ("up", lambda: torch.nn.Linear(dim, 4 * dim)), ("down", lambda: torch.nn.Linear(4 * dim, dim))
        self.layers = torch.nn.ModuleList([torch.nn.ModuleDict({k: make() for k, make in parts}) for _ in range(layers)])
        self.norm = torch.nn.LayerNorm(dim)
        for w in self.parameters():
            if w.dim() > 1:
                torch.nn.init.normal_(w, std=0.02)

    def forward(self, ids, targets):
        batch, n = ids.shape
        x = self.tokens(ids) + self.positions.weight[:n]
        for l in self.layers:
            q, k, v = (t.view(batch, n, self.heads, -1).transpose(1, 2) for t in l["qkv"](l["norm1"](x)).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, n, -1)
            x = x + l["out"](y)
            x = x + l["down"](F.gelu(l["up"](l["norm2"](x)), approximate="tanh"))
        logits = self.norm(x) @ self.tokens.weight.T
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def trained(make, optimizer, inputs):
    """A row's function of training steps: make makes a network of a dtype, whose forward is the loss of the inputs."""

    def prepare(o):
        batch = inputs(o)

        def step_of(change):
            model = make().cuda().to(o.dtype)
            if batch[0].dim() == 4:
                model = model.to(memory_format=torch.channels_last)
            opt = optimizer(model.parameters())
            loss = change(model)

            def step():
                opt.zero_grad()
                result = loss(*batch)
                result.backward()
                opt.step()
                return result.detach()

            return step

        step = step_of(lambda model: model)
        step.compiled = lambda: step_of(torch.compile)
        return step

    return prepare


class Bottleneck(nn.Module):
    def __init__(self, width, out, stride):
        super().__init__()
        conv = lambda i, o, k, s: nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o))
        mid = out // 4
        self.convs = nn.ModuleList([conv(width, mid, 1, 1), conv(mid, mid, 3, stride), conv(mid, out, 1, 1)])
        self.shortcut = conv(width, out, 1, stride) if width != out or stride != 1 else nn.Identity()

    def forward(self, x):
        y = F.relu(self.convs[0](x))
        y = F.relu(self.convs[1](y))
        return F.relu(self.convs[2](y) + self.shortcut(x))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        blocks, width = [], 64
        for depth, out, stride in ((3, 256, 1), (4, 512, 2), (6, 1024, 2), (3, 2048, 2)):
            for i in range(depth):
                blocks.append(Bottleneck(width, out, stride if i == 0 else 1))
                width = out
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.blocks, self.head = nn.Sequential(*blocks), nn.Linear(2048, 1000)

    def forward(self, x, labels):
        return F.cross_entropy(self.head(self.blocks(self.stem(x)).mean((2, 3))), labels)


def tokens_and_targets(o):
    return o.ids(8 * 1024, 50304).view(8, 1024), o.ids(8 * 1024, 50304).view(8, 1024)


def images_and_labels(o):
    return o.randn(64, 3, 224, 224).contiguous(memory_format=torch.channels_last), o.ids(64, 1000)


# Training steps, all parameters of the dtype: a GPT-2 of 124 million parameters and a ResNet-50.
gpt_step = trained(GPT, lambda p: torch.optim.AdamW(p, lr=0.001, fused=True), tokens_and_targets)
resnet50_step = trained(ResNet50, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, fused=True), images_and_labels)
STEPS = {"gpt_step": gpt_step, "resnet50_step": resnet50_step}  # whose memory is compared, too
row("gpt_step", ("f32",), gpt_step, eager=1.0)
row("gpt_step", ("bf16",), gpt_step, eager=0.8, compile=1.1)
row("gpt_step_launched", ("f32", "bf16"), gpt_step, eager=1.5)
row("resnet50_step", ("f32",), resnet50_step, eager=1.0)
row("resnet50_step", ("bf16",), resnet50_step, eager=1.0, compile=1.1)
row("resnet50_step_launched", ("f32", "bf16"), resnet50_step, eager=1.5)

row("argsort", HALVES, unary(lambda x: x.argsort(-1)), eager=1.0)
row("argsort_1024", ("f32",), unary(lambda x: x.argsort(-1), HEIGHT, 1024), eager=1.0)
row("argsort_long", HALVES, unary(lambda x: x.argsort(-1), 1, LONG), eager=1.0)
row("topk", FLOATS, unary(lambda x: x.topk(50), 64, TOKENS), eager=1.0)
row("topk_one", FLOATS, unary(lambda x: x.topk(50), 1, TOKENS), eager=1.0)
row("topk_experts", FLOATS, unary(lambda x: x.topk(8), 2 * HEIGHT, 128), eager=1.0)
row("masked_fill", HALVES, lambda o: (lambda x: on(torch.masked_fill, x, x > 1, 0))(o.randn(HEIGHT, WIDTH)), eager=1.0)
row("masked_select", HALVES, lambda o: (lambda x: on(torch.masked_select, x, x > 1))(o.randn(HEIGHT, WIDTH)), eager=1.0)
row("nonzero", ("f32",), lambda o: on(torch.nonzero, o.randn(HEIGHT, WIDTH) > 1), eager=1.0)
row("index_select", FLOATS, lambda o: on(lambda x, i: x.index_select(0, i), o.randn(HEIGHT, WIDTH), o.ids(HEIGHT, HEIGHT)), eager=1.0)
row("index_select_long", HALVES, lambda o: on(lambda x, i: x.index_select(0, i), o.randn(LONG), o.ids(LONG, LONG)), eager=1.0)


def both(f, *vars, grad=None):
    """f of variables, and its gradients by them, from that of its result, or from 1."""
    vars = [v.requires_grad_() for v in vars]
    if grad is None:
        return on(lambda *v: torch.autograd.grad(f(*v), v), *vars)
    return on(lambda g, *v: torch.autograd.grad(f(*v), v, g), grad, *vars)


def cross_entropy(o):
    target = o.ids(BATCH, CLASSES)
    return both(lambda x: F.cross_entropy(x, target), o.randn(BATCH, CLASSES))


def embedding(o):
    ids = o.ids(BATCH, CLASSES)
    return both(lambda w: F.embedding(ids, w), o.randn(CLASSES, DIM), grad=o.randn(BATCH, DIM))


row("cross_entropy_both", FLOATS, cross_entropy, eager=0.5, compile=1.0)
row("layer_norm_both", FLOATS, lambda o: both(lambda x, w, b: F.layer_norm(x, [DIM], w, b, 1e-5), o.randn(BATCH, DIM), o.randn(DIM), o.randn(DIM), grad=o.randn(BATCH, DIM)),
    eager=1.0, compile=1.05)
row("rms_norm_both", FLOATS, lambda o: both(lambda x, w: F.rms_norm(x, [DIM], w, 1e-5), o.randn(BATCH, DIM), o.randn(DIM), grad=o.randn(BATCH, DIM)), compile=1.05)
row("softmax_both", FLOATS, lambda o: both(lambda x: x.softmax(-1), o.randn(BATCH, 1024), grad=o.randn(BATCH, 1024)), eager=1.0)
row("silu_mul_both", FLOATS, lambda o: both(lambda x, y: F.silu(x) * y, o.randn(BATCH, 2048), o.randn(BATCH, 2048), grad=o.randn(BATCH, 2048)), compile=1.05)
row("embedding_both", FLOATS, embedding, eager=1.0)


def product(n, transposed=False):
    return lambda o: on(torch.matmul, o.randn(n, n), o.randn(n, n).T if transposed else o.randn(n, n))


def heads(o):
    q, k = (o.randn(4, 512, 16, 64).transpose(1, 2) for _ in range(2))
    return on(torch.matmul, q, k.transpose(2, 3))


row("einsum_scores", FLOATS, lambda o: on(torch.einsum, "bqhd,bkhd->bhqk", o.randn(4, 512, 16, 64), o.randn(4, 512, 16, 64)), eager=1.05)
row("einsum_values", FLOATS, lambda o: on(torch.einsum, "bhqk,bkhd->bqhd", o.randn(4, 16, 512, 512), o.randn(4, 512, 16, 64)), eager=1.05)
row("unique", ("f32",), lambda o: on(lambda x: x.unique(return_inverse=True, return_counts=True), torch.randint(0, 1 << 20, (LONG,), device="cuda")), eager=1.05)
row("searchsorted", ("f32",), lambda o: on(torch.searchsorted, torch.arange(1 << 20, device="cuda") / (1 << 20), torch.rand(LONG, device="cuda")), eager=1.05)


def product_f8(o):
    one = torch.ones((), device="cuda")
    return on(lambda x, y: torch._scaled_mm(x, y, scale_a=one, scale_b=one, out_dtype=torch.bfloat16), o.randn(4096, 4096), o.randn(4096, 4096).T)


for n in 512, 1024, 4096:
    row("matmul_%d" % n, FLOATS, product(n), eager=1.03)
row("matmul_1024_transposed", FLOATS, product(1024, True), eager=1.03)
row("matmul_4096_transposed", FLOATS, product(4096, True), eager=1.03)
row("matmul_heads", FLOATS, heads, eager=1.03)
row("matmul_f8", ("f8e4m3",), product_f8)
row("matvec", ("f16",), lambda o: on(torch.matmul, o.randn(1, 4096), o.randn(4096, 11008)), eager=1.0)
row("matvec_transposed", ("f16",), lambda o: on(torch.matmul, o.randn(1, 4096), o.randn(11008, 4096).T), eager=1.0)


def causal(*shape):
    return lambda o: on(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), o.randn(*shape), o.randn(*shape), o.randn(*shape))


def decode(o):
    q, pairs, i = o.randn(1, 32, 1, 128), [(o.randn(1, 32, 2048, 128), o.randn(1, 32, 2048, 128)) for _ in range(4)], 0

    def f():
        nonlocal i
        i = (i + 1) % len(pairs)
        return F.scaled_dot_product_attention(q, *pairs[i])

    return f


def training(*shape):
    """The forward pass and the gradients of queries, keys and values."""
    def prepare(o):
        operands = [o.randn(*shape).requires_grad_() for _ in range(3)]
        g = o.randn(*shape)

        def f():
            y = F.scaled_dot_product_attention(*operands, is_causal=True)
            return (y, *torch.autograd.grad(y, operands, g))

        return f

    return prepare


row("attention_64_training", ("f32", "f16"), training(8, 16, 2048, 64), eager=1.2)
row("attention_128_training", ("f32", "f16"), training(4, 32, 2048, 128), eager=1.2)
row("attention_256_training", ("f32", "f16"), training(4, 16, 2048, 256), eager=1.2)
row("attention_64", ("f32", "f16"), causal(4, 16, 2048, 64), eager=2.5)
row("attention_128", ("f32", "f16"), causal(4, 32, 2048, 128), eager=2.5)
row("attention_256", ("f32", "f16"), causal(4, 16, 2048, 256), eager=2.5)
row("attention_decode", ("f16",), decode, eager=1.0)


def conv(channels, size, out, taps, padding, stride, groups):
    return lambda o: on(lambda x, w: F.conv2d(x, w, padding=padding, stride=stride, groups=groups), o.randn(16, channels, size, size), o.randn(out, channels // groups, taps, taps))


row("conv2d", HALVES, conv(64, 56, 64, 3, 1, 1, 1), eager=1.1)
row("conv2d_first", HALVES, conv(3, 224, 64, 7, 3, 2, 1), eager=1.1)
row("conv2d_depthwise", HALVES, conv(64, 56, 64, 3, 1, 1, 64), eager=1.1)
row("max_pool2d", HALVES, unary(lambda x: F.max_pool2d(x, 2), 32, 64, 112, 112), eager=1.1)
row("upsample_nearest", HALVES, unary(lambda x: F.interpolate(x, (224, 224)), 32, 64, 112, 112), eager=1.1)
row("upsample_bilinear", HALVES, unary(lambda x: F.interpolate(x, (224, 224), mode="bilinear"), 32, 64, 112, 112), eager=1.1)

row("conv3d", HALVES, lambda o: on(lambda x, w: F.conv3d(x, w, padding=1), o.randn(4, 32, 16, 56, 56), o.randn(32, 32, 3, 3, 3)))
row("max_pool2d_padded", HALVES, unary(lambda x: F.max_pool2d(x, 3, 2, 1), 8, 64, 112, 112), eager=1.1)
row("avg_pool2d_padded", HALVES, unary(lambda x: F.avg_pool2d(x, 3, 2, 1), 8, 64, 112, 112), eager=1.1)
row("max_pool2d_both", HALVES, lambda o: both(lambda x: F.max_pool2d(x, 3, 2, 1), o.randn(8, 64, 112, 112), grad=o.randn(8, 64, 56, 56)), eager=1.1)
row("avg_pool2d_both", HALVES, lambda o: both(lambda x: F.avg_pool2d(x, 3, 2, 1), o.randn(8, 64, 112, 112), grad=o.randn(8, 64, 56, 56)), eager=1.1)
row("adaptive_avg_pool2d", HALVES, unary(lambda x: F.adaptive_avg_pool2d(x, 7), 8, 64, 112, 112))
row("upsample_bicubic", ("f32",), unary(lambda x: F.interpolate(x, (224, 224), mode="bicubic"), 8, 64, 112, 112))
row("grid_sample", ("f32",), lambda o: on(lambda x, at: F.grid_sample(x, at, align_corners=False), o.randn(8, 64, 112, 112), F.affine_grid(o.randn(8, 2, 3), (8, 64, 224, 224), align_corners=False)))

# Symmetric positive definite matrices: a large one, and many small ones.
def positive(batch, n):
    def make(o):
        g = o.randn(batch, n, n)
        return g @ g.mT + n * torch.eye(n, dtype=g.dtype, device=g.device)

    return make


def factor(name, side, by_torch, by_cupy):
    """A factorisation with PyTorch and, where that is installed, with CuPy."""
    for suffix, operand in (str(side), positive(1, side)), ("batch", positive(10_000, 32)):
        row(name + "_" + suffix, ("f32", "f64"), lambda o, operand=operand: on(by_torch, operand(o)), eager=1.0,
            cupy=lambda o, operand=operand: on(by_cupy, cupy.from_dlpack(operand(o))))


factor("solve", 4096, lambda a: torch.linalg.solve(a, a[..., :1]), lambda a: cupy.linalg.solve(a, a[..., :1]))
factor("cholesky", 4096, torch.linalg.cholesky, lambda a: cupy.linalg.cholesky(a))
factor("qr", 4096, torch.linalg.qr, lambda a: cupy.linalg.qr(a))
factor("svd", 1024, lambda a: torch.linalg.svd(a, full_matrices=False), lambda a: cupy.linalg.svd(a, full_matrices=False))
factor("eigh", 1024, torch.linalg.eigh, lambda a: cupy.linalg.eigh(a))



def transform(f, *shape):
    return lambda o: on(f, torch.complex(o.randn(*shape), o.randn(*shape)))


row("fft_16M", ("f32",), transform(torch.fft.fft, 1 << 24), eager=1.05)
row("fft2_4096", ("f32",), transform(torch.fft.fft2, 4096, 4096), eager=1.05)
row("ifft2_4096", ("f32",), transform(torch.fft.ifft2, 4096, 4096), eager=1.05)
row("fft_rows_1024", ("f32",), transform(torch.fft.fft, 1 << 14, 1024), eager=1.05)
row("rfft_rows_1024", ("f32",), lambda o: on(torch.fft.rfft, o.randn(1 << 14, 1024)), eager=1.05)
row("fft_prime", ("f32",), transform(torch.fft.fft, 64, 100_003), eager=1.05)
row("stft", ("f32",), lambda o: on(lambda x, w: torch.stft(x, 1024, window=w, return_complex=True), o.randn(16, 1 << 20), torch.hann_window(1024, device="cuda")),
    eager=1.1)

MOVED = 64 << 20  # elements of f32 in a transfer: 256 MiB


def graph(o):
    x, y = o.randn(16), o.randn(16)
    g = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(g):
        total = x
        for _ in range(1000):
            total = total + y
    return lambda: (g.replay(), None)[1] if total is not None else None


def transfer(way):
    def make(o):
        host, device = torch.ones(MOVED), torch.ones(MOVED, device="cuda")
        pinned = host.pin_memory() if way.startswith("pinned") else None
        return {
            "pinned up": lambda: pinned.to("cuda", non_blocking=True), "up": lambda: host.to("cuda"),
            "pinned down": lambda: pinned.copy_(device, non_blocking=True), "down": lambda: host.copy_(device), "new": lambda: device.cpu(),
        }[way]

    return make


row("add_16", ("f32",), lambda o: on(torch.add, o.randn(16), o.randn(16)), limit=5, eager=1.0)
row("launch", ("f32",), lambda o: on(torch.cuda._sleep, 1))
row("graph_add_16", ("f32",), graph, limit=1, count=1000, eager=1.05)
# Where the name says pinned, both sides' memory is.
row("upload", ("f32",), transfer("up"), eager=0.5)
row("upload_pinned", ("f32",), transfer("pinned up"), eager=1.0)
row("download", ("f32",), transfer("down"), eager=0.5)
row("download_pinned", ("f32",), transfer("pinned down"), eager=1.0)
row("download_new", ("f32",), transfer("new"), eager=0.5)
