"""Times Go benchmarks beside functions of Python on the same cores: bench/linalg.py, bench/windows.py and bench/science.py use it."""
import os, re, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS = 3


def python_seconds(f):
    f()
    best, end = float("inf"), time.perf_counter() + 0.3
    while time.perf_counter() < end:
        start = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - start)
    return best


def go_seconds(binary, benchmark, name):
    out = subprocess.run([binary, "-test.run=XXX", "-test.bench=%s/^%s$" % (benchmark, name), "-test.benchtime=0.3s"], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9


def main(package, benchmark, cases):
    """Prints a line for each case, a name and a function: Benchmark<benchmark>/<name> of a Go package, the function, and their ratio."""
    table, names = "--table" in sys.argv, [a for a in sys.argv[1:] if a != "--table"]
    row = "| %s | %s | %s | %s |" if table else "%-18s %10s %10s %6s"
    print(row % ("operation", "gorocm ms", "NumPy ms", "ratio"))
    if table:
        print("|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "bench.test")
        subprocess.run(["go", "test", "-c", "-o", binary, package], check=True, cwd=ROOT)
        for name, f in cases():
            if names and name not in names:
                continue
            ours, theirs = zip(*((go_seconds(binary, benchmark, name), python_seconds(f)) for _ in range(ROUNDS)))
            print(row % (name, "%.3f" % (min(ours) * 1e3), "%.3f" % (min(theirs) * 1e3), "%.2f" % (min(ours) / min(theirs))), flush=True)
