#!/usr/bin/env python3
"""Times sparse matrices on the host: SciPy, on one thread, and gorocm, in ms.

    python3 bench/sparse_matrices.py

Needs Go and SciPy. gorocm's rows are those of `go test ./tensor/sparse -bench Host`, on all cores. The two take turns; the best of
several measurements counts.
"""
import os, re, subprocess, time
import numpy as np
import scipy.sparse as sp

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS, N, EACH = 3, 100_000, 20
g = np.random.default_rng(1)

line = sp.diags_array([-np.ones(999), 2 * np.ones(1000), -np.ones(999)], offsets=[-1, 0, 1])
grid = (sp.kron(sp.eye_array(1000), line) + sp.kron(line, sp.eye_array(1000))).tocsr().astype(np.float32)
rows, cols = np.repeat(np.arange(N), EACH), g.integers(0, N, N * EACH)
values = g.standard_normal(N * EACH, dtype=np.float32)
m = sp.csr_array((values, (rows, cols)), shape=(N, N))
order = g.permutation(N * EACH)
r, c, v = rows[order], cols[order], values[order]
long, x, y = g.standard_normal(1_000_000, dtype=np.float32), g.standard_normal(N, dtype=np.float32), g.standard_normal((N, 32), dtype=np.float32)

CASES = {
    "grid matvec": lambda: grid @ long, "random matvec": lambda: m @ x, "random matmul 32": lambda: m @ y,
    "from coo": lambda: sp.csr_array((v, (r, c)), shape=(N, N)), "transpose": lambda: m.T.tocsr(),
    "add transposed": lambda: m + m.T.tocsr(), "product": lambda: m @ m,
}


def seconds(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def gorocm(best):
    out = subprocess.run(["go", "test", "./tensor/sparse", "-run", "xxx", "-bench", "Host", "-benchtime", "3x"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name, ms in re.findall(r"BenchmarkHost/(\S+?)(?:-\d+)?\s.*?([\d.]+) ms/call", out):
        name = name.replace("_", " ")
        best[name] = min(best.get(name, 1e9), float(ms))


def main():
    scipy, ours = {}, {}
    for _ in range(ROUNDS):
        for name, f in CASES.items():
            scipy[name] = min(scipy.get(name, 1e9), *(seconds(f) * 1000 for _ in range(2)))
        gorocm(ours)
    print("%-20s %8s %8s %8s" % ("ms", "SciPy", "gorocm", "ratio"))
    for name, ms in scipy.items():
        print("%-20s %8.2f %8.2f %8.2f" % (name, ms, ours[name], ours[name] / ms))


main()
