"""Drives the real kernel, gorocm itself, with jupyter_client. Prints a line per check, as client.py does."""
import os
import signal

from client import PATIENCE, main, parent_killed, processes, run, started, wait_until


def text(outputs, name="stdout"):
    return "".join(c["text"] for kind, c in outputs if kind == "stream" and c["name"] == name)


def result(outputs):
    values = [c["data"]["text/plain"] for kind, c in outputs if kind == "execute_result"]
    return values[0] if values else None


def ok(kc, code):
    reply, outputs = run(kc, code)
    assert reply["status"] == "ok", reply
    return outputs


def values(km, kc):
    assert result(ok(kc, "1+1")) == "2"
    ok(kc, "x := 40")
    assert result(ok(kc, "x + 2")) == "42"
    outputs = ok(kc, 'import "fmt"\nfmt.Println("é", x)')
    assert text(outputs) == "é 40\n", outputs


def mistakes(km, kc):
    reply, outputs = run(kc, "y := 1\ny + undefinedName")
    assert reply["status"] == "error" and "undefinedName" in reply["evalue"], reply
    assert any("undefinedName" in line for line in reply["traceback"]), reply
    assert [kind for kind, _ in outputs] == ["error"], outputs
    reply, _ = run(kc, 'panic("deliberate")')
    assert reply["status"] == "error" and "deliberate" in "".join(reply["traceback"]), reply
    assert result(ok(kc, "x")) == "40"


def completion(km, kc):
    code = '"é"; fmt.Printl'
    reply = kc.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
    assert reply["cursor_end"] == len(code) and reply["matches"], reply
    start = reply["cursor_start"]
    assert any((code[:start] + m).endswith("fmt.Println") for m in reply["matches"]), reply
    assert reply["metadata"]["_jupyter_types_experimental"][0]["type"] == "function", reply


def inspection(km, kc):
    reply = kc.inspect("fmt.Println", 8, reply=True, timeout=PATIENCE)["content"]
    assert reply["found"] and "Println(a ...any)" in reply["data"]["text/plain"], reply
    assert not kc.inspect("noSuchName", 3, reply=True, timeout=PATIENCE)["content"]["found"]


def completeness(km, kc):
    for code, status in [("x", "complete"), ("func f() {", "incomplete"), ("1 +", "incomplete"), (")", "invalid")]:
        kc.is_complete(code)
        reply = kc.get_shell_msg(timeout=PATIENCE)["content"]
        assert reply["status"] == status, (code, reply)


def stopping(km, kc):
    ids = [kc.execute(code) for code in ('fmt.Println("started")\nfor {\n}', "x = 1", "x = 2")]
    started(kc)
    kc.complete("fmt.Pri", 7, reply=True, timeout=PATIENCE)  # beside the running cell, and read after all three
    km.interrupt_kernel()
    statuses = [kc._recv_reply(i, timeout=PATIENCE)["content"]["status"] for i in ids]
    assert statuses == ["error", "aborted", "aborted"], statuses
    assert result(ok(kc, "x")) == "40"


def much_output(km, kc):
    outputs = ok(kc, "for i := range 100000 {\n\tfmt.Println(i)\n}")
    assert text(outputs) == "".join(f"{i}\n" for i in range(100000))
    assert len(outputs) < 500, len(outputs)


def tensors(km, kc):
    ok(kc, 'dev := Device("rocm")\na := dev.Ones(tensor.F32, 2, 3)')
    outputs = ok(kc, "a.Add(a).Add(1.0)")
    assert result(outputs).startswith("[[3., 3., 3.],\n [3., 3., 3.]]"), outputs
    ok(kc, "b := a.Sum(-1)")
    assert result(ok(kc, "b.ToVec1()")) == "[3 3]"


def pictures(km, kc):
    outputs = ok(kc, "display.Heatmap([][]float64{{0, 1}, {2, 3}})")
    data = outputs[0][1]["data"]
    assert "text/plain" in data and any(t.startswith("image/") for t in data), data.keys()


def subshells(km, kc):
    """JEP 91, as JupyterLab uses it: a subshell answers while the main shell's cell runs, and shares its variables."""
    def control(kind, **content):
        msg = kc.session.msg(kind, content)
        kc.control_channel.send(msg)
        return kc._recv_reply(msg["header"]["msg_id"], timeout=PATIENCE, channel="control")["content"]

    def send(subshell, kind, **content):
        msg = kc.session.msg(kind, content)
        msg["header"]["subshell_id"] = subshell
        kc.shell_channel.send(msg)
        return msg["header"]["msg_id"]

    replies = {}  # the main shell's reply may come before that of the cell which ends it, and must not be dropped then

    def reply_to(id):
        while id not in replies:
            msg = kc.get_shell_msg(timeout=PATIENCE)
            replies[msg["parent_header"].get("msg_id")] = msg["content"]
        return replies.pop(id)

    def execute(subshell, code):
        id = send(subshell, "execute_request", code=code, silent=False, store_history=True, user_expressions={},
                  allow_stdin=False, stop_on_error=True)
        reply, outputs = reply_to(id), []
        while True:
            msg = kc.get_iopub_msg(timeout=PATIENCE)
            if msg["parent_header"].get("msg_id") == id:
                if msg["content"].get("execution_state") == "idle":
                    return reply, outputs
                outputs.append((msg["msg_type"], msg["content"]))

    kc.kernel_info()
    assert "kernel subshells" in kc.get_shell_msg(timeout=PATIENCE)["content"]["supported_features"]
    first, second = [control("create_subshell_request")["subshell_id"] for _ in range(2)]
    assert control("list_subshell_request")["subshell_id"] == [first, second]
    ok(kc, "stop, seen := make(chan bool), 0")
    main = kc.execute('fmt.Println("started")\nfor done := false; !done; {\n select { case done = <-stop: default: seen++ }\n}')
    started(kc)
    for shell in (first, second):
        reply, outputs = execute(shell, 'fmt.Println("beside")\nint64(40) + 2')
        assert reply["status"] == "ok" and text(outputs) == "beside\n" and result(outputs) == "42", (reply, outputs)
    reply, _ = execute(first, "undefinedName")
    assert reply["status"] == "error" and "subshell[" in "".join(reply["traceback"]), reply
    assert execute(second, "stop <- true")[0]["status"] == "ok"
    assert reply_to(main)["status"] == "ok"
    assert result(ok(kc, "seen > 0")) == "true"
    for shell in (first, second):
        assert control("delete_subshell_request", subshell_id=shell)["status"] == "ok"
    assert control("delete_subshell_request", subshell_id=first)["status"] == "error"


def lost_worker(km, kc):
    reply, _ = run(kc, 'import "time"\ngo func() { panic("in a goroutine") }()\ntime.Sleep(5 * time.Second)')
    assert reply["status"] == "error", reply
    assert result(ok(kc, "2+2")) == "4"


def descendants(pid):
    found = [pid]
    for p in found:
        found += [child for child, parent in processes() if parent == p]
    return found[1:]


def killed_worker(km, kc):
    """What kill -9 and the kernel's out-of-memory killer do to the process that runs the cells."""
    for cell in ('fmt.Println("started")\nfor {\n}', 'fmt.Println("started")\ntime.Sleep(time.Hour)'):
        ids = [kc.execute(cell), kc.execute("x := 1")]
        started(kc)
        workers = descendants(km.provisioner.pid)
        assert workers, "the kernel has no worker"
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        replies = [kc._recv_reply(i, timeout=PATIENCE)["content"] for i in ids]
        assert replies[0]["status"] == "error" and "kill" in " ".join(replies[0]["traceback"]), replies
        assert replies[1]["status"] == "aborted", replies
        assert result(ok(kc, "2+2")) == "4"
    for pid in descendants(km.provisioner.pid):  # while nothing runs
        os.kill(pid, signal.SIGKILL)
    run(kc, "3+3")  # may be the one that finds out
    assert result(ok(kc, "3+3")) == "6"


def killed_kernel(km, kc):
    """The worker does not outlive a kernel that had no time to end it."""
    kc.execute('fmt.Println("started")\nfor {\n}')
    started(kc)
    pid = km.provisioner.pid
    workers = descendants(pid)
    os.kill(pid, signal.SIGKILL)
    wait_until("the worker outlives its kernel", lambda: not set(workers) & {p for p, _ in processes()})
    km.restart_kernel(now=True)
    kc.wait_for_ready(timeout=PATIENCE)


def end(km, kc):
    reply, _ = run(kc, 'import "os"\nos.Exit(3)')
    assert reply["payload"][0]["source"] == "ask_exit", reply
    wait_until("the kernel still runs", lambda: not km.is_alive())


if __name__ == "__main__":
    main([values, mistakes, completion, inspection, completeness, stopping, much_output, tensors, pictures, subshells, lost_worker,
          killed_worker, killed_kernel, end, parent_killed])
