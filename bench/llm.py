#!/usr/bin/env python3
"""Times language models on the CPU beside llama.cpp, and prints tokens/s and their ratio (above 1: gorocm is faster).

    python3 bench/llm.py --llama path/to/llama-bench      # builds bench/llm where there is Go; --threads 2, --table as Markdown
    python3 bench/llm.py                                  # without llama.cpp: beside the rate at which memory is read

A Llama of 125 million random weights, in five formats; the files are written to --folder, once. The two take turns in --rounds
rounds, of which the best one of each counts. "memory" is the bytes of weights that a token reads, times tokens/s, by the rate at which
gorocm sums 256 MiB with as many threads. "peak" is the most memory that gorocm's process had, pages of the mapped file included,
by the size of the file; "llama's" is that of llama-bench.
"""
import argparse, json, os, shutil, subprocess, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORMATS = ["q4_k", "q4_k_m", "q8_0", "f16", "bf16"]


def ours(program, threads, *args):
    out = subprocess.run([program, *map(str, args)], check=True, capture_output=True, text=True, env=dict(os.environ, GOMAXPROCS=str(threads)))
    return json.loads(out.stdout)


def llama(program, threads, file, prompt, tokens):
    """Tokens/s of the prompt and of single tokens, and the peak of memory. Each is a process of its own, waited for alone."""
    speeds, peak = [], 0
    for p, n in (prompt, 0), (0, tokens):
        process = subprocess.Popen([program, "-m", file, "-t", str(threads), "-p", str(p), "-n", str(n), "-r", "3", "-o", "json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        runs = json.load(process.stdout)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        speeds.append(max(1e9 * (p + n) / t for t in runs[0]["samples_ns"]))
        peak = max(peak, usage.ru_maxrss * 1024)
    return speeds[0], speeds[1], peak


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--llama")
    a.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a.add_argument("--rounds", type=int, default=3)
    a.add_argument("--prompt", type=int, default=512)
    a.add_argument("--tokens", type=int, default=64)
    a.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "gorocm-llm"))
    a.add_argument("--table", action="store_true")
    a.add_argument("formats", nargs="*", default=FORMATS)
    a = a.parse_args()
    program = os.path.join(ROOT, "bin", "llm")
    if shutil.which("go"):
        subprocess.run(["go", "build", "-o", program, "./bench/llm"], check=True, cwd=ROOT)
    if not all(os.path.exists(os.path.join(a.folder, f + ".gguf")) for f in FORMATS):
        subprocess.run([program, "write", a.folder], check=True)
    row = "| %s | %s | %s | %s | %s | %s | %s | %s | %s |" if a.table else "%-8s %9s %9s %6s %9s %9s %6s %7s %14s"
    print(row % ("format", "decode", "llama.cpp", "ratio", "prefill", "llama.cpp", "ratio", "memory", "peak; llama's"))
    if a.table:
        print("|---|" + "---:|" * 8)
    for name in a.formats:
        file, best = os.path.join(a.folder, name + ".gguf"), {}
        for _ in range(a.rounds):
            r = ours(program, a.threads, "run", file, a.prompt, a.tokens)
            r["read"] = ours(program, a.threads, "memory")["read"]
            if a.llama:
                r["llama prefill"], r["llama decode"], r["llama peak"] = llama(a.llama, a.threads, file, a.prompt, a.tokens)
            for k, v in r.items():
                best[k] = v if k not in best else min(best[k], v) if "peak" in k else max(best[k], v)
        g = best.get
        ratio = lambda k: "%.2f" % (best[k] / best["llama " + k]) if a.llama else ""
        speed = lambda k: "%.1f" % best[k] if k in best else ""
        peak = "%.2f" % (g("peak") / g("file")) + ("; %.2f" % (g("llama peak") / g("file")) if a.llama else "")
        print(row % (name, speed("decode"), speed("llama decode"), ratio("decode"), speed("prefill"), speed("llama prefill"), ratio("prefill"),
                     "%.2f" % (g("decode") * g("weights") / g("read")), peak), flush=True)


if __name__ == "__main__":
    main()
