"""Drives the kernel named gorocm with jupyter_client, as notebooks do.

The cells are those of the fake session (see fake_test.go). Prints a line "PASS name" or "FAIL name: why" per check.
"""
import os
import subprocess
import sys
import tempfile
import time
import traceback
from queue import Empty

from jupyter_client.manager import KernelManager, start_new_kernel

PATIENCE = 120  # seconds; it only bounds a failure


def run(kc, code, **options):
    """Runs a cell; returns its reply and its outputs as (type, content)."""
    outputs = []

    def hook(msg):
        if msg["msg_type"] not in ("status", "execute_input"):
            outputs.append((msg["msg_type"], msg["content"]))

    reply = kc.execute_interactive(code, timeout=PATIENCE, output_hook=hook, **options)
    return reply["content"], outputs


def started(kc):
    """Waits until the running cell prints."""
    while kc.get_iopub_msg(timeout=PATIENCE)["msg_type"] != "stream":
        pass


def wait_until(what, condition):
    end = time.time() + PATIENCE
    while not condition():
        assert time.time() < end, what
        time.sleep(0.05)


def execute(km, kc):
    reply, outputs = run(kc, "print hello\nvalue 42\nwarn careful")
    assert reply["status"] == "ok", reply
    assert [o[0] for o in outputs] == ["stream", "execute_result", "stream"], outputs
    assert outputs[0][1] == {"name": "stdout", "text": "hello\n"}, outputs
    assert outputs[1][1]["data"]["text/plain"] == "42", outputs


def error(km, kc):
    reply, outputs = run(kc, "print a\nnonsense")
    assert (reply["status"], reply["ename"]) == ("error", "TypeError"), reply
    assert outputs[1][0] == "error" and outputs[1][1]["evalue"] == "undefined: nonsense", outputs
    assert outputs[1][1]["traceback"], outputs


def user_expressions(km, kc):
    reply, _ = run(kc, "", user_expressions={"a": "1", "b": "bad"}, store_history=False)
    values = reply["user_expressions"]
    assert values["a"]["status"] == "ok" and values["a"]["data"] == {"text/plain": "1"}, values
    assert values["b"]["status"] == "error", values


def complete(km, kc):
    reply = kc.complete("é pri", 5, reply=True, timeout=PATIENCE)["content"]
    assert reply["matches"] == ["print", "printé"], reply
    assert (reply["cursor_start"], reply["cursor_end"]) == (2, 5), reply


def inspect(km, kc):
    reply = kc.inspect("print x", 2, reply=True, timeout=PATIENCE)["content"]
    assert reply["found"] and "text/plain" in reply["data"], reply


def history(km, kc):
    run(kc, "print remembered")
    reply = kc.history(raw=True, output=False, hist_access_type="tail", n=1, reply=True, timeout=PATIENCE)["content"]
    assert reply["history"][0][2] == "print remembered", reply


def info(km, kc):
    reply = kc.kernel_info(reply=True, timeout=PATIENCE)["content"]
    assert reply["language_info"]["name"] == "go", reply


def heartbeat(km, kc):
    wait_until("the heart does not beat", kc.hb_channel.is_beating)
    assert kc.is_alive()


def interrupt(km, kc):
    ids = [kc.execute(code) for code in ("print started\nsleep 1h", "print never", "print never")]
    started(kc)
    kc.kernel_info(reply=True, timeout=PATIENCE)  # read after the cells, so they are queued now
    km.interrupt_kernel()
    statuses = {}
    while len(statuses) < len(ids):
        msg = kc.get_shell_msg(timeout=PATIENCE)
        statuses[msg["parent_header"]["msg_id"]] = msg["content"]["status"]
    assert [statuses[i] for i in ids] == ["error", "aborted", "aborted"], statuses
    reply, _ = run(kc, "print alive")
    assert reply["status"] == "ok", reply


def stop_on_error(km, kc):
    ids = [kc.execute(code) for code in ("hold\nnonsense", "print never", "print never")]
    kc.inspect("release")  # read after the cells, so they are queued then
    statuses = [kc._recv_reply(i, timeout=PATIENCE)["content"]["status"] for i in ids]
    assert statuses == ["error", "aborted", "aborted"], statuses
    kc.execute("nonsense", stop_on_error=False)
    reply, _ = run(kc, "print on")
    assert reply["status"] == "ok", reply


def many_cells(km, kc):
    ids = [kc.execute(f"print {i}") for i in range(300)]
    for i in ids:
        assert kc.get_shell_msg(timeout=PATIENCE)["parent_header"]["msg_id"] == i


def much_output(km, kc):
    _, outputs = run(kc, "raw 100000")
    text = "".join(o[1]["text"] for o in outputs)
    assert text == "".join(f"line {i}\n" for i in range(100000)), len(text)


def restart(km, kc):
    run(kc, "print a")
    km.restart_kernel(now=False)
    kc.wait_for_ready(timeout=PATIENCE)
    reply, _ = run(kc, "print a")
    assert reply["execution_count"] == 1, reply


def exit_cell(km, kc):
    reply, _ = run(kc, "exit 0")
    assert reply["payload"][0]["source"] == "ask_exit", reply
    wait_until("the kernel still runs", lambda: not km.is_alive())


def shutdown(km, kc):
    km.start_kernel()
    kc = km.client()
    kc.start_channels()
    kc.wait_for_ready(timeout=PATIENCE)
    kc.execute("print started\nsleep 1h")
    started(kc)
    reply = kc.shutdown(reply=True, timeout=PATIENCE)["content"]
    assert reply == {"status": "ok", "restart": False}, reply
    wait_until("the kernel still runs", lambda: not km.is_alive())
    kc.stop_channels()


def ipc(km, kc):
    with tempfile.TemporaryDirectory() as folder:
        km = KernelManager(kernel_name="gorocm", transport="ipc", ip=os.path.join(folder, "k"))
        km.start_kernel()
        kc = km.client()
        kc.start_channels()
        kc.wait_for_ready(timeout=PATIENCE)
        assert len(os.listdir(folder)) == 5, os.listdir(folder)
        reply, outputs = run(kc, "print over files")
        assert reply["status"] == "ok" and outputs[0][1]["text"] == "over files\n", outputs
        kc.stop_channels()
        km.shutdown_kernel()
        assert os.listdir(folder) == [], os.listdir(folder)


LAUNCHER = """
import sys, time
from jupyter_client.manager import KernelManager
km = KernelManager(kernel_name="gorocm")
km.start_kernel()
kc = km.client()
kc.start_channels()
kc.wait_for_ready(timeout=120)
print(km.provisioner.pid, flush=True)
time.sleep(1000)
"""


def parent_killed(km, kc):
    parent = subprocess.Popen([sys.executable, "-c", LAUNCHER], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(parent.stdout.readline())
        family = {p for p, parent_pid in processes() if pid in (p, parent_pid)}
        assert pid in family, family
    finally:
        parent.kill()
        parent.wait()
    wait_until("the kernel outlives its parent", lambda: not family & {p for p, _ in processes()})


def processes():
    """Lists (pid, parent's pid) of all processes but those that only wait to be collected."""
    if not os.path.isdir("/proc/self"):
        rows = subprocess.run(["ps", "-axo", "pid=,ppid=,stat="], stdout=subprocess.PIPE, text=True, check=True).stdout
        return [(int(pid), int(parent)) for pid, parent, state in map(str.split, rows.splitlines()) if state[0] != "Z"]
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as f:
                state, parent = f.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has ended
        if state != "Z":
            found.append((int(pid), int(parent)))
    return found


CHECKS = [execute, error, user_expressions, complete, inspect, history, info, heartbeat, interrupt, stop_on_error,
          many_cells, much_output, restart, exit_cell, shutdown, ipc, parent_killed]


def main(checks):
    km, kc = start_new_kernel(kernel_name="gorocm")
    for check in checks:
        try:
            check(km, kc)
            print("PASS", check.__name__, flush=True)
        except (AssertionError, Empty, LookupError, TimeoutError, RuntimeError, OSError) as e:
            print("FAIL", f"{check.__name__}: {type(e).__name__}: {e}".replace("\n", " "), flush=True)
            traceback.print_exc()
    kc.stop_channels()


if __name__ == "__main__":
    main(CHECKS)
