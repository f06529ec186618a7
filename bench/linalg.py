#!/usr/bin/env python3
"""Compares package tensor/linalg on the CPU with NumPy and SciPy on the same cores, and prints the times and their ratio (below 1:
gorocm is faster).

    python3 bench/linalg.py              # all operations; names as arguments choose some
    python3 bench/linalg.py --table      # as Markdown

The two take turns, operation by operation; the best of several measurements counts. Needs Go, and a Python with NumPy and SciPy
(Debian: apt-get install python3-scipy libopenblas0, then /usr/bin/python3 bench/linalg.py).
"""
import os, re, subprocess, sys, tempfile, time
import numpy as np, scipy.linalg

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS = 3


def cases():
    r = np.random.default_rng(1).standard_normal
    for shape in (500, 500), (1000, 32, 32), (10000, 4, 4):
        a, n = r(shape), shape[-1]
        s = a @ a.swapaxes(-1, -2) + np.eye(n)
        name = str(n) if len(shape) == 2 else "%dx%d" % (shape[0], n)
        yield "solve_" + name, lambda s=s, a=a: np.linalg.solve(s, a)
        yield "inv_" + name, lambda s=s: np.linalg.inv(s)
        yield "det_" + name, lambda s=s: np.linalg.det(s)
        yield "cholesky_" + name, lambda s=s: np.linalg.cholesky(s)
        yield "qr_" + name, lambda a=a: np.linalg.qr(a)
        yield "svd_" + name, lambda a=a: np.linalg.svd(a, full_matrices=False)
        yield "eigh_" + name, lambda s=s: np.linalg.eigh(s)
        if n > 4:
            yield "eig_" + name, lambda a=a: np.linalg.eig(a)
    x, y, z = r((64, 32, 32)), r((64, 32, 32)), r((32, 32))
    yield "einsum", lambda: np.einsum("bij,bjk,kl->il", x, y, z, optimize=True)
    m = r((100, 100))
    yield "expm_100", lambda: scipy.linalg.expm(m)


def numpy_seconds(f):
    f()
    best, end = float("inf"), time.perf_counter() + 0.3
    while time.perf_counter() < end:
        start = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - start)
    return best


def go_seconds(binary, name):
    out = subprocess.run([binary, "-test.run=XXX", "-test.bench=CPU/^%s$" % name, "-test.benchtime=0.3s"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9


def main():
    table, names = "--table" in sys.argv, [a for a in sys.argv[1:] if a != "--table"]
    row = "| %s | %s | %s | %s |" if table else "%-18s %10s %10s %6s"
    print(row % ("operation", "gorocm ms", "NumPy ms", "ratio"))
    if table:
        print("|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "linalg.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./tensor/linalg"], check=True, cwd=ROOT)
        for name, f in cases():
            if names and name not in names:
                continue
            ours, theirs = zip(*((go_seconds(binary, name), numpy_seconds(f)) for _ in range(ROUNDS)))
            print(row % (name, "%.3f" % (min(ours) * 1e3), "%.3f" % (min(theirs) * 1e3), "%.2f" % (min(ours) / min(theirs))), flush=True)


main()
