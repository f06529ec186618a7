#!/usr/bin/env python3
"""Compares gorocm's CPU backend with PyTorch's on the same cores, and prints the times and their ratio (below 1: gorocm is faster).

    python3 bench/cpu.py                 # all operations; names as arguments choose some
    python3 bench/cpu.py --table         # as Markdown
    python3 bench/cpu.py --candle        # and Candle's CPU backend, from crates.io (needs cargo), for the operations that it has

The two take turns, case by case, in many short measurements; the best one of each counts, so that a neighbour's load hits neither
side alone. Needs a Python with PyTorch (Debian: apt-get install python3-torch libopenblas0, then /usr/bin/python3 bench/cpu.py), and
Go or, on a machine without it, the test program of package tensor, which `.ci/gpu build` makes in bin/gpu where there is Go:

    CGO_ENABLED=0 go test -c -trimpath -o bin/gpu/tensor.test ./tensor

The last line has the geometric mean of the ratios and the rows above LIMIT. Products are timed with the BLAS of the system and, as "matmul_512 (Go)", without. Results are freed
when the next one is made, as Python does by itself; what is bound by memory is also timed with results that are left to the
collector, as "add (collected)".
"""
import argparse, math, os, re, shutil, subprocess, sys, tempfile, time
import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What follows the name of an operation, and the environment in which gorocm then runs it.
VARIANTS = {" (Go)": {"GOROCM_BLAS": "go"}, " (collected)": {"GOROCM_BENCH": "collect"}}
WITHOUT_BLAS, COLLECTED = VARIANTS
BUILT = os.path.join(ROOT, "bin", "gpu", "tensor.test")  # what is run where there is no go command
LIMIT = 1.15  # how much slower than PyTorch a row may be
WARM_UP = 0.02  # seconds before the first measurement, as in tensor/cpu_bench_test.go, which makes its operands for each


def cases():
    r = torch.randn
    one = lambda f, *x: lambda: f(*x)
    for suffix in "", COLLECTED:
        yield "add" + suffix, lambda: one(torch.add, r(1 << 22), r(1 << 22))
        yield "broadcast_add" + suffix, lambda: one(torch.add, r(4096, 1024), r(1024))
    yield "chain", lambda: one(lambda x, y: (x * 2 + 1).tanh() * y, r(1 << 22), r(1 << 22))
    yield "chain_add", lambda: one(lambda x, y, z: (x + y) * z - x, r(1 << 22), r(1 << 22), r(1 << 22))
    yield "chain_mean", lambda: one(lambda x, y: (x - y).square().mean(-1), r(4096, 1024), r(4096, 1024))
    yield "exp", lambda: one(torch.exp, r(1 << 22))
    yield "gelu", lambda: one(lambda x: F.gelu(x, approximate="tanh"), r(1 << 22))
    yield "softmax", lambda: one(lambda x: x.softmax(-1), r(4096, 1024))
    yield "layer_norm", lambda: one(lambda x, w, b: F.layer_norm(x, [1024], w, b), r(4096, 1024), r(1024), r(1024))
    yield "sum_last", lambda: one(lambda x: x.sum(-1), r(4096, 1024))
    yield "sum_first", lambda: one(lambda x: x.sum(0), r(4096, 1024))
    yield "transpose_copy", lambda: one(lambda x: x.T.contiguous(), r(4096, 1024))
    yield "argsort", lambda: one(lambda x: x.argsort(-1), r(512, 1024))
    yield "argmax", lambda: one(lambda x: x.argmax(-1), r(4096, 1024))
    for suffix in "", COLLECTED:
        yield "index_select" + suffix, lambda: one(lambda x, i: x.index_select(0, i), r(32000, 512), torch.randint(32000, (2048,)))
    yield "max_pool", lambda: one(lambda x: F.max_pool2d(x, 3, 2), r(1, 64, 112, 112))
    product = lambda *shapes, dt=torch.float32: lambda: one(torch.matmul, *(r(*s).to(dt) for s in shapes))
    for name, f in [("matmul_%d" % n, product((n, n), (n, n))) for n in (128, 512, 1024)] + [
            ("matmul_512_f64", product((512, 512), (512, 512), dt=torch.float64)), ("matmul_batch", product((32, 128, 64), (32, 64, 128))), ("matvec", product((1, 4096), (4096, 4096)))]:
        yield name, f
        yield name + WITHOUT_BLAS, f
    for name, n, size, out, taps, padding, stride in [
            ("conv_7x7", 3, 224, 64, 7, 3, 2), ("conv_3x3_56", 64, 56, 64, 3, 1, 1), ("conv_3x3_14", 256, 14, 256, 3, 1, 1), ("conv_1x1_7", 512, 7, 2048, 1, 0, 1)]:
        yield name, lambda n=n, size=size, out=out, taps=taps, padding=padding, stride=stride: one(
            lambda x, w: F.conv2d(x, w, padding=padding, stride=stride), r(1, n, size, size), r(out, n, taps, taps))

    yield "conv_dilated", lambda: one(lambda x, w: F.conv2d(x, w, dilation=2), r(1, 64, 56, 56), r(64, 64, 3, 3))
    yield "conv_groups", lambda: one(lambda x, w: F.conv2d(x, w, padding=1, groups=32), r(1, 256, 28, 28), r(256, 8, 3, 3))
    yield "conv_depthwise", lambda: one(lambda x, w: F.conv2d(x, w, padding=1, groups=128), r(1, 128, 56, 56), r(128, 1, 3, 3))
    yield "conv_transpose", lambda: one(lambda x, w: F.conv_transpose2d(x, w, padding=1, stride=2), r(1, 64, 28, 28), r(64, 64, 4, 4))
    yield "conv_1d_f64", lambda: one(lambda x, w: F.conv1d(x, w, padding=15), r(1, 1, 1 << 20).double(), r(1, 1, 31).double())
    yield "avg_pool", lambda: one(lambda x: F.avg_pool2d(x, 3, 2), r(1, 64, 112, 112))
    yield "upsample_nearest", lambda: one(lambda x: F.interpolate(x, (112, 112)), r(1, 64, 56, 56))
    yield "upsample_bilinear", lambda: one(lambda x: F.interpolate(x, (112, 112), mode="bilinear"), r(1, 64, 56, 56))
    for name, f in [("log", torch.log), ("sin", torch.sin), ("cos", torch.cos), ("erf", torch.erf), ("gelu_erf", F.gelu), ("tanh", torch.tanh), ("sigmoid", torch.sigmoid),
                    ("pow", lambda x: x.pow(1.7)), ("elu", F.elu), ("clamp", lambda x: x.clamp(-1, 1)), ("floor", torch.floor)]:
        yield name, lambda f=f: one(f, r(4096, 1024))
    yield "less", lambda: one(torch.lt, r(4096, 1024), r(4096, 1024))
    yield "where", lambda: one(torch.where, r(4096, 1024) < 0, r(4096, 1024), r(4096, 1024))
    yield "rms_norm", lambda: one(lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w, r(4096, 1024), r(1024))
    yield "cumsum", lambda: one(lambda x: x.cumsum(-1), r(4096, 1024))
    yield "cumsum_first", lambda: one(lambda x: x.cumsum(0), r(4096, 1024))
    yield "cat", lambda: one(lambda x, y: torch.cat([x, y], 1), r(4096, 512), r(4096, 512))
    yield "gather", lambda: one(lambda x, i: x.gather(1, i), r(4096, 1024), torch.randint(1024, (4096, 256)))
    yield "scatter_add", lambda: one(lambda x, i, s: x.scatter_add(1, i, s), r(4096, 1024), torch.randint(1024, (4096, 256)), r(4096, 256))
    yield "index_add", lambda: one(lambda x, i, s: x.index_add(0, i, s), r(4096, 512), torch.randint(4096, (2048,)), r(2048, 512))
    yield "sort", lambda: one(lambda x: x.sort(-1), r(512, 1024))
    t = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32, "u8": torch.uint8}
    two = lambda f, dt: lambda: one(f, r(4096, 1024).to(t[dt]), r(4096, 1024).to(t[dt]))
    unary = lambda f, dt: lambda: one(f, r(4096, 1024).to(t[dt]))
    yield "add_f64", two(torch.add, "f64")
    for name, f in [("exp", torch.exp), ("log", torch.log), ("sin", torch.sin), ("tanh", torch.tanh), ("sum", lambda x: x.sum(-1)), ("max", lambda x: x.amax(-1)),
                    ("softmax", lambda x: x.softmax(-1))]:
        yield name + "_f64", unary(f, "f64")
    for dt in ("i32", "i64"):
        yield "add_" + dt, two(torch.add, dt)
    yield "mul_i64", two(torch.mul, "i64")
    yield "sum_i64", unary(lambda x: x.sum(-1), "i64")
    for dt in ("u8", "bf16", "f16"):
        yield "add_" + dt, two(torch.add, dt)
    for name, f in [("exp", torch.exp), ("softmax", lambda x: x.softmax(-1)), ("sum", lambda x: x.sum(-1))]:
        yield name + "_bf16", unary(f, "bf16")
    for a, b in [("f32", "f16"), ("f16", "f32"), ("f32", "bf16"), ("bf16", "f32"), ("f32", "f64"), ("f64", "f32"), ("f32", "i64"), ("i64", "f32"), ("u8", "f32")]:
        yield "%s_to_%s" % (a, b), unary(lambda x, b=b: x.to(t[b]), a)

def torch_seconds(f, count, seconds):
    """The best of count means, each over so many seconds."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP:
        f()
    best, n = float("inf"), 1
    while count:
        start = time.perf_counter()
        for _ in range(n):
            f()
        took = time.perf_counter() - start
        if took < seconds:
            n = max(n + 1, int(n * 1.1 * seconds / max(took, 1e-9)))
            continue
        best, count = min(best, took / n), count - 1
    return best


def go_seconds(binary, name, count, seconds):
    env = dict(os.environ)
    for suffix, settings in VARIANTS.items():
        if name.endswith(suffix):
            name = name[:-len(suffix)]
            env.update(settings)
    out = subprocess.run([binary, "-test.run=^$", "-test.bench=^BenchmarkCPU$/^%s$" % name, "-test.count=%d" % count, "-test.benchtime=%gs" % seconds],
                         env=env, check=True, text=True, stdout=subprocess.PIPE).stdout
    found = re.findall(r"^BenchmarkCPU/\S+\s+\d+\s+([\d.]+) ns/op", out, re.M)
    if not found:
        sys.exit("no time for %s in:\n%s" % (name, out))
    return min(map(float, found)) * 1e-9


def plain(name):
    """The name of an operation without its variant."""
    return name.split(" (")[0]


def build(folder):
    """The path of the test program with the operations."""
    if shutil.which("go"):
        path = os.path.join(folder, "tensor.test")
        subprocess.run(["go", "test", "-c", "-o", path, "./tensor"], cwd=ROOT, check=True)
        return path
    if not os.path.exists(BUILT):
        sys.exit("%s is missing, and so is the go command: run .ci/gpu build where there is one" % BUILT)
    return BUILT


def build_candle(folder):
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", folder], cwd=os.path.join(ROOT, "bench", "candle"), check=True)
    return os.path.join(folder, "release", "candle-bench")


def candle_seconds(binary, name, threads, count, seconds):
    """As go_seconds; None for an operation that bench/candle has not."""
    out = subprocess.run([binary, name, str(count), str(seconds)], env=dict(os.environ, RAYON_NUM_THREADS=str(threads)), check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return float(out) if out else None


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return re.search(r"model name\s*: (.*)", f.read())[1]
    except (OSError, TypeError):
        return "unknown processor"


def main():
    args = argparse.ArgumentParser()
    args.add_argument("names", nargs="*")
    args.add_argument("--turns", type=int, default=4)
    args.add_argument("--count", type=int, default=10, help="measurements in a turn")
    args.add_argument("--seconds", type=float, default=0.02, help="of a measurement")
    args.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    args.add_argument("--table", action="store_true")
    args.add_argument("--candle", action="store_true")
    args.add_argument("--program", help="the test program of package tensor, already built")
    args = args.parse_args()
    torch.set_num_threads(args.threads)
    os.environ["GOMAXPROCS"] = str(args.threads)
    columns = 6 if args.candle else 4
    form = "|" + " %s |" * columns if args.table else "%-20s %12s %12s %8s" + " %12s %8s" * args.candle
    with tempfile.TemporaryDirectory() as folder:
        binary = args.program or build(folder)
        candle = build_candle(os.path.join(folder, "candle")) if args.candle else None
        vectors = re.search(r"CPU capability usage: (\S+)", torch.__config__.show())[1]
        print("%s, %d threads, PyTorch %s (ATen at %s)" % (processor(), args.threads, torch.__version__, vectors))
        if args.table:
            print()
        print(form % ("operation", "gorocm, ms", "PyTorch, ms", "ratio", "Candle, ms", "ratio")[:columns])
        if args.table:
            print("|---|" + "---:|" * (columns - 1))
        ratios = {}
        for name, setup in cases():
            if args.names and name not in args.names and plain(name) not in args.names:
                continue
            torch.manual_seed(1)
            f = setup()
            ours, theirs, candles = [], [], []
            for _ in range(args.turns):
                theirs.append(torch_seconds(f, args.count, args.seconds))
                ours.append(go_seconds(binary, name, args.count, args.seconds))
                took = candle_seconds(candle, plain(name), args.threads, args.count, args.seconds) if candle else None
                if took:
                    candles.append(took)
            ratios[name] = min(ours) / min(theirs)
            row = [name, "%.3f" % (min(ours) * 1e3)]
            for others in (theirs, candles)[:1 + args.candle]:
                row += ["%.3f" % (min(others) * 1e3), "%.2f" % (min(ours) / min(others))] if others else ["", ""]
            print(form % tuple(row), flush=True)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            slow = ["%s %.2f" % (name, r) for name, r in sorted(ratios.items(), key=lambda x: -x[1]) if r > LIMIT]
            print("\n%d rows, geometric mean %.2f, above %.2f: %s" % (len(ratios), mean, LIMIT, ", ".join(slow) or "none"))


if __name__ == "__main__":
    main()
