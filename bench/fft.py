#!/usr/bin/env python3
"""Compares gorocm's Fourier transforms on the host with SciPy's, NumPy's and, where it is installed, PyTorch's, each with as many threads as there are
cores, and prints milliseconds and gorocm's time over that of the fastest (below 1: gorocm is faster).

    python3 bench/fft.py            # all cases of BenchmarkCPU in tensor/fft/bench_test.go; names as arguments choose some

The programs take turns, case by case, and the best of several measurements counts. Needs Go, and a Python with SciPy.
"""
import os, re, subprocess, sys, tempfile, time
import numpy as np
import scipy.fft, scipy.signal
try:
    import torch
except ImportError:
    torch = None

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORES = len(os.sched_getaffinity(0))
ROUNDS, SECONDS = 4, 0.1
rng = np.random.default_rng(1)


def c(*shape, dtype=np.complex64):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def r(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def complex_case(x, axes=(-1,)):
    t = torch and torch.from_numpy(x)
    return {"scipy": lambda: scipy.fft.fftn(x, axes=axes, workers=CORES), "numpy": lambda: np.fft.fftn(x, axes=axes),
            "torch": t is not None and (lambda: torch.fft.fftn(t, dim=axes))}


def real_case(x):
    t = torch and torch.from_numpy(x)
    return {"scipy": lambda: scipy.fft.rfft(x, workers=CORES), "numpy": lambda: np.fft.rfft(x), "torch": t is not None and (lambda: torch.fft.rfft(t))}


def back_case(x):
    t = torch and torch.from_numpy(x)
    return {"scipy": lambda: scipy.fft.irfft(x, workers=CORES), "numpy": lambda: np.fft.irfft(x), "torch": t is not None and (lambda: torch.fft.irfft(t))}


CASES = {
    "rows_64": lambda: complex_case(c(4096, 64)), "rows_1000": lambda: complex_case(c(256, 1000)), "rows_1024": lambda: complex_case(c(256, 1024)),
    "rows_1009": lambda: complex_case(c(256, 1009)), "rows_4096": lambda: complex_case(c(256, 4096)),
    "rows_1024_c128": lambda: complex_case(c(256, 1024, dtype=np.complex128)),
    "single_1024": lambda: complex_case(c(1024)), "single_65536": lambda: complex_case(c(1 << 16)), "single_1M": lambda: complex_case(c(1 << 20)),
    "single_1M_c128": lambda: complex_case(c(1 << 20, dtype=np.complex128)), "single_16M": lambda: complex_case(c(1 << 24)),
    "columns_512": lambda: complex_case(c(512, 512), (0,)), "image_512": lambda: complex_case(c(512, 512), (0, 1)),
    "image_4096": lambda: complex_case(c(4096, 4096), (0, 1)), "volume_128": lambda: complex_case(c(128, 128, 128), (0, 1, 2)),
    "real_rows_1024": lambda: real_case(r(256, 1024)), "real_1M": lambda: real_case(r(1 << 20)),
    "to_real_rows_1024": lambda: back_case(scipy.fft.rfft(r(256, 1024))),
    "convolve_100k_1k": lambda: (lambda x, y: {"scipy": lambda: scipy.signal.fftconvolve(x, y)})(r(100_000), r(1000)),
}


def seconds(f):
    f()
    start, n = time.perf_counter(), 0
    while n == 0 or time.perf_counter() - start < SECONDS:
        f()
        n += 1
    return (time.perf_counter() - start) / n


def go_seconds(binary, name):
    out = subprocess.run([binary, "-test.run=^$", "-test.bench=^BenchmarkCPU$/^%s$" % name, "-test.benchtime=%gs" % SECONDS], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return float(re.search(r"^BenchmarkCPU/\S+\s+\d+\s+([\d.]+) ns/op", out, re.M)[1]) * 1e-9


def main():
    names = sys.argv[1:] or list(CASES)
    if torch:
        torch.set_num_threads(CORES)
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "fft.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./tensor/fft"], cwd=ROOT, check=True)
        print("%-18s %9s %9s %9s %9s %7s" % ("ms", "gorocm", "scipy", "numpy", "torch", "ratio"))
        for name in names:
            others, best = CASES[name](), {}
            for _ in range(ROUNDS):
                best["gorocm"] = min(best.get("gorocm", 1e9), go_seconds(binary, name))
                for who, f in others.items():
                    if f:
                        best[who] = min(best.get(who, 1e9), seconds(f))
            fastest = min(v for k, v in best.items() if k != "gorocm")
            print("%-18s" % name, *("%9.3f" % (best[k] * 1e3) if k in best else "%9s" % "-" for k in ("gorocm", "scipy", "numpy", "torch")),
                  "%7.2f" % (best["gorocm"] / fastest), flush=True)


if __name__ == "__main__":
    main()
