#!/usr/bin/env python3
"""Compares convolutions, pools and changes of size of package tensor/nn on the CPU with NumPy and SciPy on the same cores, and prints the
times and their ratio (below 1: gorocm is faster).

    python3 bench/windows.py              # all operations; names as arguments choose some
    python3 bench/windows.py --table      # as Markdown

NumPy has no convolutions of channels: its idiom is a product with sliding_window_view. The two take turns, operation by operation; the best
of several measurements counts. Needs Go, and a Python with NumPy and SciPy (Debian: apt-get install python3-scipy libopenblas0, then
/usr/bin/python3 bench/windows.py).
"""
import numpy as np, scipy.ndimage
from numpy.lib.stride_tricks import sliding_window_view

import beside


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


beside.main("./tensor/nn", "Windows", cases)
