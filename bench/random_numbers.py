#!/usr/bin/env python3
"""Times random numbers on the host: NumPy, PyTorch if it is installed, and gorocm, in ns per number.

    python3 bench/random_numbers.py

Needs Go and NumPy. NumPy draws on one thread. gorocm's rows are those of `go test ./tensor/random -bench Host`, on all cores. The
three take turns; the best of several measurements counts.
"""
import os, re, subprocess, time
import numpy as np

try:
    import torch
except ImportError:
    torch = None

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
N, ROUNDS = 1 << 21, 5
g = np.random.default_rng(1)

NUMPY = {
    "uniform f32": lambda: g.random(N, dtype=np.float32), "uniform f64": lambda: g.random(N),
    "normal f32": lambda: g.standard_normal(N, dtype=np.float32), "normal f64": lambda: g.standard_normal(N),
    "integers i64": lambda: g.integers(0, 1000, N), "integers i32": lambda: g.integers(0, 1000, N, dtype=np.int32),
    "exponential f64": lambda: g.exponential(1, N), "gamma 2.5 f64": lambda: g.gamma(2.5, 1, N),
    "gamma 0.5 f64": lambda: g.gamma(0.5, 1, N), "poisson 4 i64": lambda: g.poisson(4, N),
    "poisson 100 i64": lambda: g.poisson(100, N), "binomial 1000 0.3 i64": lambda: g.binomial(1000, 0.3, N),
    "permutation": lambda: g.permutation(N),
}
TORCH = {} if torch is None else {
    "uniform f32": lambda: torch.rand(N), "uniform f64": lambda: torch.rand(N, dtype=torch.float64),
    "normal f32": lambda: torch.randn(N), "normal f64": lambda: torch.randn(N, dtype=torch.float64),
    "integers i64": lambda: torch.randint(0, 1000, (N,)), "integers i32": lambda: torch.randint(0, 1000, (N,), dtype=torch.int32),
    "exponential f64": lambda: torch.empty(N, dtype=torch.float64).exponential_(), "permutation": lambda: torch.randperm(N),
}


def seconds(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def gorocm(best):
    out = subprocess.run(["go", "test", "./tensor/random", "-run", "xxx", "-bench", "Host", "-benchtime", "3x"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name, ns in re.findall(r"BenchmarkHost/(\S+?)(?:-\d+)?\s.*?([\d.]+) ns/number", out):
        name = name.replace("_", " ")
        best[name] = min(best.get(name, 1e9), float(ns))


def main():
    best = {"NumPy": {}, "PyTorch": {}, "gorocm": {}}
    for _ in range(ROUNDS):
        for who, cases in ("NumPy", NUMPY), ("PyTorch", TORCH):
            for name, f in cases.items():
                best[who][name] = min(best[who].get(name, 1e9), seconds(f) / N * 1e9)
        gorocm(best["gorocm"])
    print("%-24s %8s %8s %8s %8s" % ("ns per number", "NumPy", "PyTorch", "gorocm", "ratio"))
    for name, numpy in best["NumPy"].items():
        other, ours = best["PyTorch"].get(name), best["gorocm"][name]
        print("%-24s %8.2f %8s %8.2f %8.2f" % (name, numpy, "" if other is None else "%.2f" % other, ours, ours / min(numpy, other or numpy)))


main()
