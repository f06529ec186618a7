#!/usr/bin/env python3
"""Compares gorocm with PyTorch on one GPU, and prints times, ratios (below 1: gorocm is faster) and what each ratio is to stay below.

    python3 bench/gpu/compare.py                   # everything
    python3 bench/gpu/compare.py matmul attention  # the rows whose names contain one of these
    python3 bench/gpu/compare.py --markdown --json figures.json

The two take turns, row by row: a process of gorocm's (bench/gpu, in Go) and PyTorch in this one. A figure is the median of the samples of all turns; a
sample is some milliseconds of operations that follow one another, and one wait for the GPU. Needs a GPU, a PyTorch that knows it (its device is called
"cuda" for AMD, too), and the programs bench and gorocm, or the go command to build them:

    go build -o bin/gpu/bench ./bench/gpu && go build -o bin/gpu/gorocm ./cmd/gorocm

"compile" is torch.compile, where a row says so, and "cupy" CuPy, where that is installed; the first use of a row's kernels is not measured.
"""
import argparse, gc, json, os, select, shutil, statistics, subprocess, sys, time
import torch
import rows

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(ROOT, "bin", "gpu")


def program(name, package):
    """The path of one of our programs, built if it is not there."""
    path = os.path.join(BUILT, name)
    if not os.path.exists(path):
        if not shutil.which("go"):
            sys.exit("%s is missing, and so is the go command: run .ci/gpu build where there is one" % path)
        subprocess.run(["go", "build", "-o", path, package], cwd=ROOT, check=True)
    return path


PATIENCE = 30  # seconds that a turn of ours may take, with the compilation of its kernels


class Ours:
    """The process that times gorocm. It is started again when a row has ended it, or has taken too long."""

    def __init__(self, device):
        self.command, self.process = [program("bench", "./bench/gpu"), device], None

    def ask(self, name, dtype):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict({"GOROCM_FUSE": "wait"}, **os.environ))
        try:
            self.process.stdin.write("%s %s\n" % (name, dtype))
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                self.process.kill()
                self.process = None
                return {"problem": "it took longer than %d s" % PATIENCE}
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        if line:
            return json.loads(line)
        status, self.process = self.process.wait(), None
        return {"problem": "the process ended with status %d" % status}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


SAMPLE, SAMPLES = 0.003, 3  # seconds that a sample takes at least; samples in a turn


def elapsed(f, n):
    start = time.perf_counter()
    for _ in range(n):
        f()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def samples(f, count):
    """Microseconds of an operation in each of some measurements; count is how many f does."""
    elapsed(f, 3)
    n = 1
    while (took := elapsed(f, n)) < SAMPLE:
        n = max(2 * n, int(n * 1.2 * SAMPLE / max(took, 1e-6)))
    return [elapsed(f, n) * 1e6 / n / count for _ in range(SAMPLES)]


class Theirs:
    """PyTorch's side of a row: one function for each way to run it."""

    def __init__(self, row, dtype):
        self.count, self.ways, self.problems = row.count, {}, {}
        try:
            self.ways["eager"] = row.make(rows.Operands(dtype))
            if rows.COMPILE and "compile" in row.targets:
                self.ways["compile"] = rows.compiled(self.ways["eager"])
        except Exception as e:
            self.problems["compile" if self.ways else "eager"] = str(e)
        try:
            if rows.cupy and row.cupy:
                self.ways["cupy"] = row.cupy(rows.Operands(dtype))
        except Exception as e:
            self.problems["cupy"] = str(e)

    def measure(self):
        found = {}
        for way, f in list(self.ways.items()):
            try:
                found[way] = samples(f, self.count)
            except Exception as e:
                self.problems[way] = str(e)
                del self.ways[way]
        return found


def step_memory(device, name, dtype):
    """The most memory of training steps in MB, gorocm's in a process of its own, and PyTorch's of eager steps."""
    ours = Ours(device)
    answer = ours.ask(name + "_memory", dtype)
    ours.close()
    if "problem" in answer:
        return {"problem": answer["problem"]}
    gc.collect()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    elapsed(rows.STEPS[name](rows.Operands(dtype)), 3)
    mine, theirs = answer["facts"]["peak_mb"], (torch.cuda.max_memory_allocated() - before) / 1e6
    return {"gorocm_mb": mine, "eager_mb": theirs, "ratio": mine / theirs}


def compare(ours, row, dtype, turns):
    """One line of the table: medians in microseconds by way, and what goes with them."""
    line, times = {"name": row.name, "dtype": dtype, "targets": row.targets, "limit": row.limit}, {}
    theirs = Theirs(row, dtype)
    for _ in range(turns):
        answer = ours.ask(row.name, dtype)
        if "problem" in answer:
            line["problem"] = answer["problem"]
        else:
            line.update((key, answer[key]) for key in ("bytes", "flops") if key in answer)
            times.setdefault("gorocm", []).extend(answer["micros"])
        for way, list_ in theirs.measure().items():
            times.setdefault(way, []).extend(list_)
        if "problem" in line:
            break
    line["micros"] = {way: statistics.median(list_) for way, list_ in times.items()}
    line["samples"] = {way: [round(t, 3) for t in list_] for way, list_ in times.items()}
    if theirs.problems:
        line["torch_problems"] = theirs.problems
    judge(line)
    return line


def judge(line):
    """Adds the ratios, and says which targets are missed: all of them where there is no figure."""
    micros, missed = line["micros"], []
    mine = micros.get("gorocm")
    line["ratios"] = {way: mine / t for way, t in micros.items() if mine and way != "gorocm"}
    for way, most in line["targets"].items():
        wanted = rows.COMPILE or way != "compile"
        if wanted and (way not in line["ratios"] or round(line["ratios"][way], 2) > most):
            missed.append(way)
    if mine and line["limit"] and mine > line["limit"]:
        missed.append("limit")
    if not mine:
        missed.append("failed")
    line["missed"] = missed


def add_copy_share(lines, most):
    """most is the bandwidth of a copy; operations that are to reach a part of it are marked."""
    for line in lines:
        if line.get("bytes") and "gorocm" in line["micros"]:
            line["gb_s"] = line["bytes"] / line["micros"]["gorocm"] / 1e3
            if most and line["gb_s"] < 5 * most:
                line["of_copy"] = line["gb_s"] / most
                if line["name"] in rows.NEAR_COPY and line["of_copy"] < 0.85:
                    line["missed"].append("copy")
        if line.get("flops") and "gorocm" in line["micros"]:
            line["tflop_s"] = line["flops"] / line["micros"]["gorocm"] / 1e6


HEAD = ["row", "dtype", "gorocm µs", "eager µs", "compile µs", "cupy µs", "/eager", "/compile", "/cupy", "target", "missed", "GB/s", "of copy", "TFLOP/s"]


def cells(line):
    micros, ratios = line["micros"], line["ratios"]
    number = lambda x: "" if x is None else "%.0f" % x if x >= 100 else "%.1f" % x if x >= 10 else "%.2f" % x
    target = ", ".join("%s %g" % pair for pair in line["targets"].items())
    if line["limit"]:
        target += (", " if target else "") + "%g µs" % line["limit"]
    if line["name"] in rows.NEAR_COPY:
        target += ", copy 85%"
    return [line["name"], line["dtype"], number(micros.get("gorocm")), number(micros.get("eager")), number(micros.get("compile")), number(micros.get("cupy")),
            number(ratios.get("eager")), number(ratios.get("compile")), number(ratios.get("cupy")), target, "* " + " ".join(line["missed"]) if line["missed"] else "",
            number(line.get("gb_s")), "%.0f%%" % (100 * line["of_copy"]) if "of_copy" in line else "", number(line.get("tflop_s"))]


def table(lines, markdown):
    if markdown:
        print("| %s |\n|---|---|%s" % (" | ".join(HEAD), "---:|" * (len(HEAD) - 2)))
        for line in lines:
            print("| %s |" % " | ".join(cells(line)))
        return
    grid = [HEAD] + [cells(line) for line in lines]
    widths = [max(len(row[i]) for row in grid) for i in range(len(HEAD))]
    left = {0, 1, 9, 10}
    for row in grid:
        print("  ".join(c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())


# Sums of sixteen elements in a session: what a cell's loop costs. The last line that it prints is the microseconds of one.
CELL = """import "time"
dev := Device("%s")
x, y := dev.Randn(tensor.F32, 16), dev.Randn(tensor.F32, 16)
sums := func(n int) { for range n { z := x.Add(y); z.Buffer(); z.Free() } }
sums(1000); dev.Synchronize(); start := time.Now(); sums(20000); dev.Synchronize()
fmt.Println(float64(time.Since(start).Nanoseconds()) / 1e3 / 20000)
"""


def interpreted(device):
    line = {"name": "add_16_cell", "dtype": "f32", "targets": {}, "limit": 8, "micros": {}}
    done = subprocess.run([program("gorocm", "./cmd/gorocm"), "run", "-"], input=CELL % device, text=True, capture_output=True)
    try:
        line["micros"]["gorocm"] = float(done.stdout.split()[-1])
    except (IndexError, ValueError):
        line["problem"] = (done.stdout + done.stderr).strip() or "it printed nothing"
    judge(line)
    return line


def main():
    parser = argparse.ArgumentParser(description="Compares gorocm with PyTorch on one GPU.")
    parser.add_argument("names", nargs="*", help="rows whose names contain one of these; all, if there are none")
    parser.add_argument("--dtype", help="this dtype only: f32, f16, bf16")
    parser.add_argument("--turns", type=int, default=3, help="how often the two take turns at a row")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile, which takes seconds for each row")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--json", help="write the figures to this file, too")
    parser.add_argument("--device", default="rocm" if torch.version.hip else "cuda", help="gorocm's device")
    args = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("PyTorch %s sees no GPU" % torch.__version__)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    rows.COMPILE = not args.no_compile
    wanted = lambda name: not args.names or any(part in name for part in args.names)
    began, lines, copy = time.time(), [], 0
    ours = Ours(args.device)
    print("%s, PyTorch %s, gorocm on %s" % (torch.cuda.get_device_name(), torch.__version__, args.device), flush=True)
    for row in rows.ROWS:
        for dtype in row.dtypes:
            bandwidth = row.name == "copy" and dtype == "f32"
            if not bandwidth and (not wanted(row.name) or args.dtype not in (None, dtype)):
                continue
            line = compare(ours, row, dtype, args.turns)
            lines.append(line)
            print(row.name, dtype, ", ".join("%s %.4g µs" % pair for pair in line["micros"].items()), file=sys.stderr, flush=True)
            if bandwidth and line["micros"]:
                copy = line.get("bytes", 0) / min(line["micros"].values()) / 1e3
            for who, problem in [("gorocm", line.get("problem"))] + list(line.get("torch_problems", {}).items()):
                if problem:
                    print("%s %s, %s: %s" % (row.name, dtype, who, problem.strip()[:500]), file=sys.stderr, flush=True)
    if wanted("add_16_cell"):
        lines.append(interpreted(args.device))
        if "problem" in lines[-1]:
            print("add_16_cell:", lines[-1]["problem"], file=sys.stderr)
    add_copy_share(lines, copy)
    table(lines, args.markdown)
    facts = ours.ask("memory", "f32") if wanted("memory") else {}
    ours.close()
    for name in rows.STEPS:
        for dtype in ("f32", "bf16"):
            if wanted(name + "_memory") and args.dtype in (None, dtype):
                found = step_memory(args.device, name, dtype)
                facts[name + " " + dtype] = found
                print("\nmost memory of %s %s: %s" % (name, dtype, found.get("problem") or "gorocm %(gorocm_mb).0f MB, eager %(eager_mb).0f MB, ratio %(ratio).2f" % found))
    if "facts" in facts or "problem" in facts:
        print("\na million sums: %s" % (facts.get("problem") or "host %(host_mb).0f MB and %(host_growth_mb)+.1f MB, device %(device_mb).0f MB and %(device_growth_mb)+.1f MB" % facts["facts"]))
    missed = sum(bool(line["missed"]) for line in lines)
    print("\na copy moves %.0f GB/s; %d of %d rows miss a target (*); %.0f s" % (copy, missed, len(lines), time.time() - began))
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "copy_gb_s": copy, "lines": lines, "memory": facts}, f, indent=1)


if __name__ == "__main__":
    main()
