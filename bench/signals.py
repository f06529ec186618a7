#!/usr/bin/env python3
"""Times package tensor/signal on the host beside SciPy, on one thread, in ms.

    python3 bench/signals.py

Needs Go and SciPy. gorocm's rows are those of `go test ./tensor/signal -bench Host`, on all cores. The two take turns; the best of
several measurements counts.
"""
import os, re, subprocess, time
import numpy as np
from scipy import signal

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS, N = 3, 1 << 20
x = np.random.default_rng(5).standard_normal(N)
batch = x.reshape(64, -1)
sos, (b, a) = signal.butter(4, 0.2, output="sos"), signal.butter(4, 0.2)
CASES = {
    "lfilter": lambda: signal.lfilter(b, a, x), "sosfilt": lambda: signal.sosfilt(sos, x), "sosfilt of 64": lambda: signal.sosfilt(sos, batch),
    "sosfiltfilt": lambda: signal.sosfiltfilt(sos, x), "welch": lambda: signal.welch(x, nperseg=1024),
    "resample poly": lambda: signal.resample_poly(x, 3, 2), "savgol": lambda: signal.savgol_filter(x, 31, 3),
    "medfilt": lambda: signal.medfilt(x, 5), "find peaks": lambda: signal.find_peaks(x, prominence=1),
}


def seconds(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


scipy, ours = {}, {}
for _ in range(ROUNDS):
    for name, f in CASES.items():
        scipy[name] = min(scipy.get(name, 1e9), *(seconds(f) * 1000 for _ in range(2)))
    out = subprocess.run(["go", "test", "./tensor/signal", "-run", "xxx", "-bench", "Host", "-benchtime", "2x"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name, ms in re.findall(r"BenchmarkHost/(\S+?)(?:-\d+)?\s.*?([\d.]+) ms/call", out):
        name = name.replace("_", " ")
        ours[name] = min(ours.get(name, 1e9), float(ms))
print("%-20s %8s %8s %6s" % ("ms", "SciPy", "gorocm", "ratio"))
for name in CASES:
    print("%-20s %8.2f %8.2f %6.2f" % (name, scipy[name], ours[name], ours[name] / scipy[name]))
