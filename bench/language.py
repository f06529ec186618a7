#!/usr/bin/env python3
"""Compares the Go of a session, with its machine code and without, with yaegi alone, Python 3 and compiled Go, and measures what a session adds to a cell, in one run:

    python3 bench/language.py [--rounds 3] [--only language|everyday|session]

Needs the go command and builds gorocm itself. Every program of bench/language runs in every way in turn, in several rounds; a figure is
the best of the rounds' medians, since other work of the machine only ever adds time. The second table compares programs as people write them in notebooks with
compiled Go alone; the third is of Go's benchmarks of the session, with what each is to stay below.
"""
import argparse, os, platform, re, statistics, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.path.join(ROOT, "bench", "language", "programs.go")
EVERYDAY = ["everyday", "more"] # folders of programs as people write them in notebooks, each with one file of that name

# What is measured of a session: package, benchmark, how often, metric, what it is, and the limit in milliseconds, if there is one.
SESSION = [
    ("./repl/golang", "BenchmarkNew", "100x", "ns/op", "a session begins, in the process", 30),
    ("./repl/worker", "BenchmarkStart", "30x", "ns/op", "a session begins in a worker, with its first cell", 60),
    ("./repl", "BenchmarkEval", "1000x", "ns/op", "the cell `1`, in the process", 0.2),
    ("./repl/worker", "BenchmarkRoundTrip", "1000x", "ns/op", "the cell `1`, in a worker", None),
    ("./repl/golang", "BenchmarkLoop/native=1", "100x", "ns/op", "a cell with a loop of 100,000 steps, as machine code", None),
    ("./repl/golang", "BenchmarkLoop/native=0", "20x", "ns/op", "the same, interpreted", None),
    ("./repl/golang/native", "BenchmarkElements/machine", "20x", "ns/op", "tensor.Map of a function with a loop over a million elements", None),
    ("./repl/golang/native", "BenchmarkElements/loop", "20x", "ns/op", "the same as a compiled loop on one core", None),
    ("./repl/golang", "BenchmarkManyVariables/3000", "1000x", "ns/op", "the cell `v1 + v2` among 3,000 variables", None),
    ("./repl/golang/assist", "BenchmarkComplete/vars3000", "300x", "p95-ms", "completion among 3,000 variables, 95th percentile", 20),
    ("./repl/golang/assist", "BenchmarkComplete/cell200lines", "300x", "p95-ms", "completion in a cell of 200 lines, 95th percentile", 20),
    ("./repl/golang/assist", "BenchmarkInspect", "300x", "p95-ms", "documentation of a name in a cell of 200 lines, 95th percentile", None),
]


def run(*command):
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def processor():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def table(head, rows):
    print("| %s |\n|%s|" % (" | ".join(head), "---|" + "|".join("---:" for _ in head[1:])))
    for row in rows:
        print("| %s |" % " | ".join(row))
    print()


def number(x):
    return "%.2f" % x if x < 10 else "%.0f" % x


def in_turns(ways, rounds):
    """Runs the commands in turns, each of which prints its programs' times and results: the least nanoseconds by program and way."""
    times, results = {}, {}
    for _ in range(rounds):
        for way, command in ways.items():
            for line in run(*command).splitlines():
                name, ns, result = line.split()
                if results.setdefault(name, result) != result:
                    sys.exit("%s: %s gives %s, others %s" % (name, way, result, results[name]))
                of = times.setdefault(name, {})
                of[way] = min(int(ns), of.get(way, int(ns)))
    return times


def language(folder, rounds):
    built = lambda name: os.path.join(folder, name)
    run("go", "build", "-o", built("gorocm"), "./cmd/gorocm")
    run("go", "build", "-o", built("compiled"), "./bench/language")
    run("go", "build", "-o", built("yaegi"), "bench/language/yaegi.go")
    ways = {
        "gorocm": [built("gorocm"), "run", PROGRAMS],
        "interpreted": ["env", "GOROCM_NATIVE=0", built("gorocm"), "run", PROGRAMS],
        "yaegi": [built("yaegi"), PROGRAMS],
        "Python": [sys.executable, PROGRAMS[:-len("go")] + "py"],
        "compiled Go": [built("compiled")],
    }
    rows, ratios = [], {"interpreted": [], "yaegi": [], "Python": [], "compiled Go": []}
    for name, ns in in_turns(ways, rounds).items():
        ms = {way: t / 1e6 for way, t in ns.items()}
        for other in ratios:
            ratios[other].append(ms["gorocm"] / ms[other])
        rows.append([name] + [number(ms[way]) for way in ways] + ["%.2f" % ratios[o][-1] for o in ratios])
    rows.append(["geometric mean"] + [""] * len(ways) + ["%.2f" % statistics.geometric_mean(r) for r in ratios.values()])
    print("Milliseconds; %s, Go %s\n" % (platform.python_implementation() + " " + platform.python_version(), run("go", "env", "GOVERSION").strip()[2:]))
    table(["program"] + list(ways) + ["gorocm / " + o for o in ratios], rows)


def everyday(folder, rounds):
    built = lambda name: os.path.join(folder, name)
    run("go", "build", "-o", built("gorocm"), "./cmd/gorocm")
    for programs in EVERYDAY:
        run("go", "build", "-o", built(programs), "./bench/language/" + programs)
        source = os.path.join(ROOT, "bench", "language", programs, programs + ".go")
        ways = {"gorocm": [built("gorocm"), "run", source], "compiled Go": [built(programs)]}
        rows, ratios = [], []
        for name, ns in in_turns(ways, rounds).items():
            us = {way: t / 1e3 for way, t in ns.items()}
            ratios.append(us["gorocm"] / us["compiled Go"])
            rows.append([name.replace("_", " ")] + [number(us[way]) for way in ways] + ["%.2f" % ratios[-1]])
        rows.append(["geometric mean", "", "", "%.2f" % statistics.geometric_mean(ratios)])
        print("Microseconds; the least of some runs, of bench/language/%s\n" % programs)
        table(["program", *ways, "gorocm / compiled Go"], rows)


def session():
    rows = []
    for package, name, times, metric, what, limit in SESSION:
        out = run("go", "test", "-run", "^$", "-bench", "/".join("^%s$" % n for n in name.split("/")), "-benchtime", times, "-count", "5", package)
        values = [float(v) for v in re.findall(r"^Benchmark.*?([\d.]+) %s" % metric, out, re.M)]
        if not values:
            sys.exit("%s in %s reports no %s" % (name, package, metric))
        ms = min(values) * (1e-6 if metric == "ns/op" else 1)
        rows.append([what, "%.3g" % ms, *(("", "") if limit is None else ("%g" % limit, "yes" if ms < limit else "NO"))])
    table(["session", "ms", "limit, ms", "kept"], rows)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--rounds", type=int, default=3)
    args.add_argument("--only", choices=["language", "everyday", "session"])
    args = args.parse_args()
    print("%s, %d threads\n" % (processor(), os.cpu_count()))
    with tempfile.TemporaryDirectory() as folder:
        if args.only in (None, "language"):
            language(folder, args.rounds)
        if args.only in (None, "everyday"):
            everyday(folder, args.rounds)
    if args.only in (None, "session"):
        session()


if __name__ == "__main__":
    main()
