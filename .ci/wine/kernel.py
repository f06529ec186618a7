"""kernel.py WINDOWS GOROCM KERNELSPEC FOLDER: gorocm.exe under Wine as the kernel of Linux' jupyter_client. KERNELSPEC is the kernel.json that
gorocm install has written there, FOLDER one for files. WINDOWS starts wine where it is."""
import json
import os
import sys
import threading
import time

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

windows, gorocm, spec, folder = sys.argv[1:]
spec = json.load(open(spec))
assert spec["argv"][0].startswith("Z:\\") and spec["argv"][0].endswith("gorocm.exe"), spec["argv"]
assert spec["interrupt_mode"] == "message", spec
assert "{connection_file}" in spec["argv"], spec["argv"]
spec["argv"][:1] = [windows, "wine", gorocm]
kernels = os.path.join(folder, "kernels")
os.makedirs(os.path.join(kernels, "gorocm"), exist_ok=True)
json.dump(spec, open(os.path.join(kernels, "gorocm", "kernel.json"), "w"))

os.environ["JUPYTER_RUNTIME_DIR"] = folder
manager = KernelManager(kernel_name="gorocm", kernel_spec_manager=KernelSpecManager(kernel_dirs=[kernels]),
                        connection_file=os.path.join(folder, "connection.json"))
manager.start_kernel(cwd=folder)
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=120)
failed = 0


def run(code, **kind):
    """run executes a cell and returns its status and what it has shown."""
    shown = []

    def hook(m):
        c = m["content"]
        if m["msg_type"] == "stream":
            shown.append(c["text"])
        elif m["msg_type"] in ("execute_result", "display_data"):
            shown.append(c["data"].get(kind.get("mime", "text/plain"), ""))
        elif m["msg_type"] == "error":
            shown.append(c["ename"] + ": " + c["evalue"])

    stdin = (lambda m: client.input(kind["answer"])) if "answer" in kind else None
    reply = client.execute_interactive(code, output_hook=hook, stdin_hook=stdin, timeout=120, allow_stdin=stdin is not None)
    return reply["content"]["status"], "".join(shown)


def check(what, ok, facts=""):
    global failed
    failed += not ok
    print(f"{'ok  ' if ok else 'FAIL'}  {what}", "" if ok else facts)


def cell(what, code, want, status="ok", **kind):
    got = run(code, **kind)
    check(what, got[0] == status and want in got[1], got)


def interrupted(what, code):
    threading.Timer(2, manager.interrupt_kernel).start()
    start = time.time()
    got = run(code)
    check(what, got[0] == "error" and "Interrupted" in got[1] and time.time() - start < 15, got)


info = client.kernel_info(reply=True, timeout=30)["content"]
check("kernel_info", info["language_info"]["name"] == "go" and info["status"] == "ok", info)
cell("a result", "runtime.GOOS", '"windows"')
cell("the emulated GPU", 'x := Device("rocm").Arange(tensor.F32, 6).Reshape(2, 3); x.MatMul(x.T())', "[14., 50.]")
cell("a sum", "x.Sum(0)", "[3., 5., 7.]")
cell("a chart", "display.Line([]float64{1, 4, 9})", "data:image/svg+xml", mime="text/html")
cell("a type error", "x.Nothing()", "TypeError", status="error")
cell("a command of the system", "!echo from %OS%", "from Windows_NT")
cell("a question", 'name := session.Input("name? "); name', '"Ada"', answer="Ada")
cell("fmt.Scan", "var n int; fmt.Scan(&n); n + 1", "42", answer="41")
names = client.complete("fmt.Printl", reply=True, timeout=30)["content"]["matches"]
check("completion", names == ["Println"], names)
text = client.inspect("fmt.Println", reply=True, timeout=30)["content"]["data"].get("text/plain", "")
check("inspection", "func fmt.Println(" in text, text)
interrupted("an interrupt of a loop", "for {}")
interrupted("an interrupt of a command", "!ping -n 30 127.0.0.1 >nul")
interrupted("an interrupt of a wait", "time.Sleep(time.Minute)")
cell("variables after interrupts", "name", '"Ada"')
cell("a panic in a goroutine", 'go func() { panic("lost") }(); time.Sleep(time.Second)', "lost", status="error")
cell("a fatal error of Go's", "var mu sync.Mutex; go mu.Unlock(); time.Sleep(time.Second)", "unlock of unlocked mutex", status="error")
cell("a new session after it", "40 + 2", "42")
run("kept := 1")
manager.restart_kernel(now=False)
client.wait_for_ready(timeout=120)
cell("a restart", "kept", "undefined: kept", status="error")
cell("a cell after it", "40 + 2", "42")
manager.shutdown_kernel(now=False)
check("the end", not manager.is_alive())
client.stop_channels()
sys.exit(1 if failed else 0)
