#!/usr/bin/env python3
"""Times PyTorch on the operations of tensor's Go benchmarks, in the same run, and prints the ratio gorocm/PyTorch (below 1: gorocm is faster).

    go test -run xxx -bench . ./tensor | python3 bench/torch_ratio.py
"""
import re, sys, time
import torch


def cases(device):
    r = lambda *shape: torch.randn(*shape, device=device)
    yield from (("Add/%d" % n, (lambda x, y: lambda: x + y)(r(n), r(n))) for n in (16, 1 << 20, 1 << 24))
    m, v, f = r(1024, 1024), r(1024), r(1 << 20)
    yield "Add/row", lambda: m + v
    yield "Add/number", lambda: m + 1
    yield "Add/transposed", lambda: m + m.T
    yield "Exp/1048576", f.exp
    yield "Copy/dense", m.clone
    yield "Copy/transposed", lambda: m.T.contiguous()
    yield from (("MatMul/%d" % n, (lambda x, y: lambda: x @ y)(r(n, n), r(n, n))) for n in (8, 128, 512))
    for name, dtype in (("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16)):
        if device == "cpu":
            continue
        for n in (512, 1024, 4096):
            x, y = r(n, n).to(dtype), r(n, n).to(dtype)
            yield "Product/%s/%d" % (name, n), lambda x=x, y=y: x @ y
            if n == 1024:
                yield "Product/%s/transposed" % name, lambda x=x, y=y: x @ y.T
        q, k = (r(4, 512, 16, 64).to(dtype).transpose(1, 2) for _ in range(2))
        yield "Product/%s/heads" % name, lambda q=q, k=k: q @ k.transpose(2, 3)
    yield "Softmax/rows", lambda: m.softmax(1)
    yield "Softmax/columns", lambda: m.softmax(0)
    yield "Sum/all", m.sum
    yield "Sum/rows", lambda: m.sum(1)
    yield "Sum/columns", lambda: m.sum(0)
    yield "Randn/1048576", lambda: r(1 << 20)
    yield "ToVec/ToVec2", m.tolist


def seconds(f, wait):
    for _ in range(3):
        f()
    wait()
    n = 1
    while True:
        start = time.perf_counter()
        for _ in range(n):
            f()
        wait()
        took = time.perf_counter() - start
        if took > 0.3:
            return took / n
        n = max(n * 2, int(n * 0.4 / max(took, 1e-9)))


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    ours = {}
    for line in sys.stdin:
        sys.stderr.write(line)
        m = re.match(r"Benchmark(\w+)/(cpu|rocm|cuda)/(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", line)
        if m:
            ours[m[2], m[1] + "/" + m[3]] = float(m[4]) * 1e-9
    print("PyTorch %s, %d host threads" % (torch.__version__, torch.get_num_threads()))
    for device in sorted({d for d, _ in ours}):
        if device != "cpu" and not torch.cuda.is_available():
            print("%s: PyTorch sees no GPU" % device)
            continue
        place = "cpu" if device == "cpu" else "cuda"
        wait = torch.cuda.synchronize if place == "cuda" else lambda: None
        for name, f in cases(place):
            if (device, name) in ours:
                theirs, mine = seconds(f, wait), ours[device, name]
                print("%-5s %-18s gorocm %10.1f us   PyTorch %10.1f us   ratio %5.2f" % (device, name, mine * 1e6, theirs * 1e6, mine / theirs))


if __name__ == "__main__":
    main()
