#!/usr/bin/env python3
"""Compares Jupyter kernels through jupyter_client, in one run: python3 bench/kernels.py [kernel ...] (default: gorocm python3).

Prints, per kernel: start to kernel_info, a trivial cell to idle (median, 95th percentile), 100,000 lines of output, interrupt
to reply of an endless loop, and ratios to the last kernel named.
"""
import statistics, sys, time
from jupyter_client.manager import start_new_kernel

CELLS = {
    "python3": {"one": "1+1", "lines": "for i in range(100000): print(i)", "loop": "while True: pass", "keep": "kept = 7", "kept": "kept"},
    "gorocm": {"one": "1+1", "lines": "for i := range 100000 { fmt.Println(i) }", "loop": "for {}", "keep": "kept := 7", "kept": "kept"},
}


def run(client, code, timeout=60):
    """Executes code; returns seconds to idle, the shell reply, and the text of all streams and results."""
    start, text = time.perf_counter(), []
    msg = client.execute(code)
    while True:
        m = client.get_iopub_msg(timeout=timeout)
        if m["parent_header"].get("msg_id") != msg:
            continue
        kind, content = m["msg_type"], m["content"]
        if kind == "stream":
            text.append(content["text"])
        elif kind == "execute_result":
            text.append(content["data"]["text/plain"])
        elif kind == "status" and content["execution_state"] == "idle":
            break
    idle = time.perf_counter() - start
    while True:
        reply = client.get_shell_msg(timeout=timeout)
        if reply["parent_header"].get("msg_id") == msg:
            return idle, reply["content"], "".join(text)


def measure(name):
    cells, row = CELLS[name], {}
    start = time.perf_counter()
    manager, client = start_new_kernel(kernel_name=name)
    row["start to ready, ms"] = (time.perf_counter() - start) * 1e3
    try:
        times = sorted(run(client, cells["one"])[0] * 1e3 for _ in range(300))
        row["1+1 to idle, median ms"] = statistics.median(times)
        row["1+1 to idle, p95 ms"] = times[int(len(times) * 0.95)]
        seconds, _, text = run(client, cells["lines"])
        assert text.count("\n") == 100000, "%s lost lines: %d" % (name, text.count("\n"))
        row["100k lines, s"] = seconds
        run(client, cells["keep"])
        waits = []
        for _ in range(5):
            msg = client.execute(cells["loop"])
            time.sleep(0.3)
            start = time.perf_counter()
            manager.interrupt_kernel()
            while client.get_shell_msg(timeout=20)["parent_header"].get("msg_id") != msg:
                pass
            waits.append((time.perf_counter() - start) * 1e3)
        row["interrupt to reply, median ms"] = statistics.median(waits)
        _, reply, text = run(client, cells["kept"])
        assert reply["status"] == "ok" and text.strip().startswith("7"), "%s lost its variables: %r %r" % (name, reply, text)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return row


def main():
    names = sys.argv[1:] or ["gorocm", "python3"]
    rows = {name: measure(name) for name in names}
    print("%-32s" % "" + "".join("%12s" % n for n in names) + "   ratio")
    for key in rows[names[0]]:
        values = [rows[n][key] for n in names]
        print("%-32s" % key + "".join("%12.2f" % v for v in values) + "   %.2f" % (values[0] / values[-1]))


if __name__ == "__main__":
    main()
