#!/usr/bin/env python3
"""Compares package tensor/linalg on the CPU with NumPy and SciPy on the same cores, and prints the times and their ratio (below 1:
gorocm is faster).

    python3 bench/linalg.py              # all operations; names as arguments choose some
    python3 bench/linalg.py --table      # as Markdown

The two take turns, operation by operation; the best of several measurements counts. Needs Go, and a Python with NumPy and SciPy
(Debian: apt-get install python3-scipy libopenblas0, then /usr/bin/python3 bench/linalg.py).
"""
import numpy as np, scipy.linalg

import beside


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


beside.main("./tensor/linalg", "CPU", cases)
