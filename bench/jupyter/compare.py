#!/usr/bin/env python3
"""Compares Jupyter kernels in one run, in turns: python3 bench/jupyter/compare.py [--markdown] [kernel ...]

The kernels (default: gorocm python3 xpython) are those that Jupyter knows in this Python; --spec NAME=COMMAND adds one that it does not
know, such as --spec gorocm="bin/gorocm kernel --connection-file {connection_file}". Needs pyzmq and jupyter_client.
"""
import argparse, os, shlex, shutil, statistics, time

from rawclient import Kernel

PYTHON = {"one": "1+1", "lines": "for i in range(%d): print(i, '.' * %d)", "loop": "while True: pass", "keep": "kept = 7", "kept": "kept"}
GO = {"one": "1+1", "lines": "for i := range %d { fmt.Println(i, strings.Repeat(\".\", %d)) }", "loop": "for {}", "keep": "kept := 7", "kept": "kept"}
CELLS = {"python3": PYTHON, "xpython": PYTHON, "xpython-raw": PYTHON, "gorocm": GO, "gophernotes": GO, "gonb": GO}

LINES, DEAF_LINES, QUEUED = 100000, 300000, 1000


def lines(kernel, code, n, timeout):
    start = time.perf_counter()
    _, shown = kernel.run(code, timeout)
    took = time.perf_counter() - start
    text = "".join(content["text"] for kind, content in shown if kind == "stream")
    return took, len(shown), n - text.count("\n")


def fresh_pages(program):
    """Makes the system read a program anew if it can: Linux 6.18 counts all of a large piece of the page cache for each process
    that needs a page of it, and what was just written lies there in large pieces, what was read in small ones."""
    try:
        fd = os.open(shutil.which(program) or program, os.O_RDONLY)
    except OSError:
        return
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def starts(spec, row):
    begin = time.perf_counter()
    kernel = Kernel(spec)
    row.setdefault("start to kernel_info, ms", []).append((kernel.ready() - begin) * 1e3)
    row.setdefault("memory after start, MB RSS", []).append(kernel.memory())
    row.setdefault("memory after start, MB PSS", []).append(kernel.memory("Pss"))
    row.setdefault("memory after start, MB that are not a file's", []).append(kernel.memory("Anonymous"))
    return kernel


def round_trips(kernel, cells, row):
    kernel.run(cells["one"])
    for name, send in (("1+1", lambda: kernel.execute(cells["one"])), ("kernel_info", lambda: kernel.send("shell", "kernel_info_request", {}))):
        times = []
        for _ in range(500):
            start = time.perf_counter()
            msg_id = send()
            kernel.outputs(msg_id)
            kernel.reply(msg_id)
            times.append((time.perf_counter() - start) * 1e3)
        row.setdefault(name + " to idle and reply, median ms", []).append(statistics.median(times))
        row.setdefault(name + " to idle and reply, 95th percentile ms", []).append(sorted(times)[int(len(times) * 0.95)])
    times = []
    for _ in range(500):  # what a client that only asks waits for
        start = time.perf_counter()
        kernel.reply(kernel.send("shell", "kernel_info_request", {}))
        times.append((time.perf_counter() - start) * 1e3)
    row.setdefault("kernel_info to reply, median ms", []).append(statistics.median(times))


def output(kernel, cells, row):
    took, messages, lost = lines(kernel, cells["lines"] % (LINES, 0), LINES, 120)
    row.setdefault("100,000 lines, s", []).append(took)
    row.setdefault("… in messages", []).append(messages)
    row.setdefault("… lines lost", []).append(lost)


def queued(kernel, cells, row):
    start = time.perf_counter()
    ids = [kernel.execute(cells["one"]) for _ in range(QUEUED)]
    answered = [kernel.receive("shell")[1] for _ in range(QUEUED)]
    kernel.outputs(ids[-1])
    row.setdefault("queued cells per second", []).append(QUEUED / (time.perf_counter() - start))
    row.setdefault("… lost or out of order", []).append(sum(a != b for a, b in zip(ids, answered)))


def interrupts(kernel, cells, row):
    kernel.run(cells["keep"])
    for _ in range(5):
        msg_id = kernel.execute(cells["loop"])
        time.sleep(0.3)
        start = time.perf_counter()
        kernel.interrupt()
        kernel.reply(msg_id, timeout=5)
        row.setdefault("interrupt to reply, ms", []).append((time.perf_counter() - start) * 1e3)
        kernel.outputs(msg_id)
    reply, shown = kernel.run(cells["kept"])
    kept = reply["status"] == "ok" and any("7" in content["data"]["text/plain"] for kind, content in shown if kind == "execute_result")
    row.setdefault("… variables lost", []).append(0 if kept else 1)


def beside_deaf(kernel, cells, row):
    deaf = kernel.deaf_subscriber()
    took, _, lost = lines(kernel, cells["lines"] % (DEAF_LINES, 40), DEAF_LINES, 60)
    row.setdefault("300,000 lines of 46 bytes beside a subscriber that never reads, s", []).append(took)
    row.setdefault("… lines lost there", []).append(lost)
    deaf.close()


# What ends a kernel ends only its own measurement: the next has a kernel of its own.
TESTS = [round_trips, output, queued, interrupts, beside_deaf]


def measure(names, specs, rounds):
    for name in names:
        fresh_pages(specs[name]["argv"][0])
    rows = {name: {} for name in names}
    failed = {name: {} for name in names}
    for _ in range(rounds):
        for test in TESTS:
            for name in names:
                kernel = starts(specs[name], rows[name])
                try:
                    test(kernel, CELLS[name], rows[name])
                except TimeoutError as e:
                    failed[name][test.__name__] = "dies" if kernel.process.poll() is not None else str(e)
                finally:
                    kernel.close()
    return rows, failed


def best(key, values):
    """The best of all rounds: what other programs on the machine have slowed down least. Of losses the worst."""
    if key.startswith("queued") or "lost" in key:
        return max(values)
    return statistics.median(values) if key.startswith("memory") else min(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", default=["gorocm", "python3", "xpython"])
    parser.add_argument("--spec", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    specs = {}
    for text in args.spec:
        name, _, command = text.partition("=")
        specs[name] = {"argv": shlex.split(command), "interrupt_mode": "message"}
    for name in set(args.kernels) - set(specs):
        from jupyter_client.kernelspec import KernelSpecManager
        specs[name] = KernelSpecManager().get_kernel_spec(name).to_dict()
    rows, failed = measure(args.kernels, specs, args.rounds)
    keys = list(dict.fromkeys(key for name in args.kernels for key in rows[name]))
    line = "| %s |" if args.markdown else "%s"
    gap = " | " if args.markdown else "  "
    print(line % gap.join(["%-66s" % "the best round"] + ["%12s" % n for n in args.kernels]))
    if args.markdown:
        print("|---|" + "---:|" * len(args.kernels))
    for key in keys:
        cells = []
        for name in args.kernels:
            values = rows[name].get(key)
            cells.append("%12s" % ("-" if not values else ("%.0f" if key[0] == "…" else "%.2f") % best(key, values)))
        print(line % gap.join(["%-66s" % key] + cells))
    for name in args.kernels:
        for test, why in failed[name].items():
            print("%s, %s: %s" % (name, test, why))


if __name__ == "__main__":
    main()
