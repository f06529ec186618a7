#!/usr/bin/env python3
"""Compares convolutions, pools and changes of size of package tensor/nn on the CPU with NumPy and SciPy on the same cores, and prints the
times and their ratio (below 1: gorocm is faster).

    python3 bench/windows.py              # all operations; names as arguments choose some
    python3 bench/windows.py --table      # as Markdown

NumPy has no convolutions of channels: its idiom is a product with sliding_window_view. The two take turns, operation by operation; the best
of several measurements counts. Needs Go, and a Python with NumPy and SciPy (Debian: apt-get install python3-scipy libopenblas0, then
/usr/bin/python3 bench/windows.py).
"""
import os, re, subprocess, sys, tempfile, time
import numpy as np, scipy.ndimage
from numpy.lib.stride_tricks import sliding_window_view

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS = 3


def cases():
    r = lambda *shape: np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    image, kernel, volume, cube = r(16, 256, 256), r(16, 16, 3, 3), r(8, 32, 64, 64), r(8, 8, 3, 3, 3)
    sides = lambda x, *pads: np.pad(x, [(0, 0), *pads])
    windows = lambda x, *size: sliding_window_view(x, size, tuple(range(1, x.ndim)))
    yield "conv2d", lambda: np.tensordot(kernel, windows(sides(image, (1, 1), (1, 1)), 3, 3), ((1, 2, 3), (0, 3, 4)))
    yield "conv2d_strides", lambda: np.tensordot(kernel, windows(sides(image, (1, 1), (1, 1)), 3, 3)[:, :, ::2], ((1, 2, 3), (0, 3, 4)))
    yield "conv3d", lambda: np.tensordot(cube, windows(sides(volume, (1, 1), (1, 1), (1, 1)), 3, 3, 3), ((1, 2, 3, 4), (0, 4, 5, 6)))
    yield "max_pool2d", lambda: scipy.ndimage.maximum_filter(image, (1, 3, 3), mode="constant", cval=-np.inf)[:, ::2, ::2].copy()
    yield "avg_pool2d", lambda: scipy.ndimage.uniform_filter(image, (1, 3, 3), mode="constant")[:, ::2, ::2].copy()
    yield "max_pool3d", lambda: volume.reshape(8, 16, 2, 32, 2, 32, 2).max((2, 4, 6))
    yield "bilinear", lambda: scipy.ndimage.zoom(image, (1, 2, 2), order=1, mode="nearest", grid_mode=True)
    yield "bicubic", lambda: scipy.ndimage.zoom(image, (1, 2, 2), order=3, mode="nearest", grid_mode=True)
    yield "nearest", lambda: scipy.ndimage.zoom(image, (1, 2, 2), order=0, mode="nearest", grid_mode=True)
    at = np.mgrid[0:256, 0:256].astype(np.float32) / 2 + 63.75
    yield "grid_sample", lambda: np.stack([scipy.ndimage.map_coordinates(plane, at, order=1) for plane in image])
    yield "unfold", lambda: windows(sides(image, (1, 1), (1, 1)), 3, 3).transpose(0, 3, 4, 1, 2).copy()


def numpy_seconds(f):
    f()
    best, end = float("inf"), time.perf_counter() + 0.3
    while time.perf_counter() < end:
        start = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - start)
    return best


def go_seconds(binary, name):
    out = subprocess.run([binary, "-test.run=XXX", "-test.bench=Windows/^%s$" % name, "-test.benchtime=0.3s"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9


def main():
    table, names = "--table" in sys.argv, [a for a in sys.argv[1:] if a != "--table"]
    row = "| %s | %s | %s | %s |" if table else "%-18s %10s %10s %6s"
    print(row % ("operation", "gorocm ms", "NumPy ms", "ratio"))
    if table:
        print("|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "nn.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./tensor/nn"], check=True, cwd=ROOT)
        for name, f in cases():
            if names and name not in names:
                continue
            ours, theirs = zip(*((go_seconds(binary, name), numpy_seconds(f)) for _ in range(ROUNDS)))
            print(row % (name, "%.3f" % (min(ours) * 1e3), "%.3f" % (min(theirs) * 1e3), "%.2f" % (min(ours) / min(theirs))), flush=True)


main()
