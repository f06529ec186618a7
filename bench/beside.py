"""Times Go benchmarks beside functions of Python on the same cores: bench/linalg.py, bench/windows.py and bench/science.py use it."""
import os, re, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROUNDS = 3


def python_seconds(f):
    """Returns the shortest time of a call, and the mean processor time."""
    f()
    best, calls, begin, end = float("inf"), 0, time.process_time(), time.perf_counter() + 0.3
    while time.perf_counter() < end:
        start = time.perf_counter()
        f()
        best, calls = min(best, time.perf_counter() - start), calls + 1
    return best, (time.process_time() - begin) / calls


def go_seconds(binary, benchmark, name):
    """Returns the time of a call, and the processor time if the benchmark reports it."""
    out = subprocess.run([binary, "-test.run=XXX", "-test.bench=%s/^%s$" % (benchmark, name), "-test.benchtime=0.3s"], check=True, capture_output=True, text=True).stdout
    cpu = re.search(r"([\d.]+) cpu-ns/op", out)
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9, float(cpu[1]) / 1e9 if cpu else float("nan")


def main(package, benchmark, cases):
    """Prints a line for each case, a name and a function: Benchmark<benchmark>/<name> of a Go package, the function, their ratio, and
    that of the processor time of all threads, which other work on the machine changes less."""
    table, names = "--table" in sys.argv, [a for a in sys.argv[1:] if a != "--table"]
    row = "| %s | %s | %s | %s | %s |" if table else "%-18s %10s %10s %6s %6s"
    print(row % ("operation", "gorocm ms", "NumPy ms", "ratio", "CPU"))
    if table:
        print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "bench.test")
        subprocess.run(["go", "test", "-c", "-o", binary, package], check=True, cwd=ROOT)
        for name, f in cases():
            if names and name not in names:
                continue
            ours, theirs = zip(*((go_seconds(binary, benchmark, name), python_seconds(f)) for _ in range(ROUNDS)))
            (mine, busy), (other, its) = (map(min, zip(*side)) for side in (ours, theirs))
            print(row % (name, "%.3f" % (mine * 1e3), "%.3f" % (other * 1e3), "%.2f" % (mine / other), "%.2f" % (busy / its)), flush=True)
