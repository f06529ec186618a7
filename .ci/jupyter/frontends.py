"""Notebooks through nbclient, nbconvert, papermill, jupytext, nbval and Kernel Gateway, with the kernel that Jupyter knows as gorocm.

Prints "PASS name", "FAIL name: why" or "SKIP name: what is not installed" for each.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
import uuid

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PATIENCE = 120  # seconds; it only bounds a failure


def notebook(*cells):
    nb = new_notebook(cells=[new_markdown_cell("# A run")] + [new_code_cell(code) for code in cells])
    nb.metadata.kernelspec = {"name": "gorocm", "display_name": "Go (gorocm)", "language": "go"}
    return nb


def text(cell):
    return "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)


def nbclient(folder):
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    nb = notebook("x := 6", 'fmt.Println("x is", x)', "x * 7")
    NotebookClient(nb, timeout=120).execute()
    assert [text(c) for c in nb.cells[1:]] == ["", "x is 6\n", "42"], [text(c) for c in nb.cells[1:]]
    try:
        NotebookClient(notebook('panic("deliberate")', "1"), timeout=120).execute()
    except CellExecutionError as e:
        assert "deliberate" in str(e), e
    else:
        raise AssertionError("a cell that fails does not stop the notebook")


def nbconvert(folder):
    nbformat.write(notebook("x := 6", "x * 7", 'display.HTML("<b>bold</b>")'), folder / "in.ipynb")
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "in.ipynb"], cwd=folder, check=True, capture_output=True)
    page = (folder / "in.html").read_text()
    assert "<b>bold</b>" in page and ">42" in page.replace("\n", ""), "the outputs are not in the page"


def papermill(folder):
    import papermill as pm
    nb = notebook("alpha := 0.5\nvar names []string\nvar steps, more int = 1, 2", "fmt.Println(alpha, names, steps, alpha/2, extra, none, zero)")
    nb.cells[1].metadata.tags = ["parameters"]
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "jupyter" / "papermill"))
    from gorocm_papermill import Go  # papermill knows no Go by itself
    assert [p.name for p in Go.inspect(nb.cells[1])] == ["alpha", "names", "steps", "more"]
    nbformat.write(nb, folder / "in.ipynb")
    pm.execute_notebook(str(folder / "in.ipynb"), str(folder / "out.ipynb"), progress_bar=False,
                        parameters={"alpha": 1, "names": ["a", "b\n"], "steps": 7, "extra": {"a": 1.5}, "none": None, "zero": -0.0})
    done = nbformat.read(folder / "out.ipynb", 4)
    assert text(done.cells[-1]) == "1 [a b\n] 7 0.5 map[a:1.5] <nil> -0\n", [c.source for c in done.cells] + [text(done.cells[-1])]


def jupytext(folder):
    (folder / "script.md").write_text("---\nkernelspec:\n  name: gorocm\n  display_name: Go (gorocm)\n  language: go\n---\n\n"
                                      "# Text\n\n```go\nx := 6\n```\n\n```go\nx * 7\n```\n")
    subprocess.run([sys.executable, "-m", "jupytext", "--to", "notebook", "--execute", "script.md"], cwd=folder, check=True, capture_output=True)
    nb = nbformat.read(folder / "script.ipynb", 4)
    codes = [c for c in nb.cells if c.cell_type == "code"]
    assert [text(c) for c in codes] == ["", "42"], [text(c) for c in codes]
    subprocess.run([sys.executable, "-m", "jupytext", "--to", "go:percent", "script.ipynb"], cwd=folder, check=True, capture_output=True)
    assert "// %%" in (folder / "script.go").read_text()


def nbval(folder):
    """pytest --nbval runs notebooks again and compares: 00-tour, which has no timings, to the letter; others run without an error."""
    notebooks = pathlib.Path(__file__).parent.parent.parent / "notebooks"
    hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="", HIP_VISIBLE_DEVICES="-1")  # the notebook has the outputs of a machine without a GPU
    for how, names in [("--nbval", ["00-tour"]), ("--nbval-lax", ["03-*", "06-*", "12-*", "15-*"])]:
        for path in sorted(p for name in names for p in notebooks.glob(name + ".ipynb")):
            shutil.copy(path, folder)
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--color=no", how, "-p", "no:cacheprovider", path.name], cwd=folder, env=hidden,
                                  capture_output=True, text=True)
            assert done.returncode == 0, "%s %s: %s" % (how, path.name, done.stdout[-2000:])


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def call(url, token, method, path, body=None):
    """Asks a server of kernels, and returns what its answer holds."""
    request = urllib.request.Request(url + path, method=method, headers={"Authorization": token}, data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read() or "null")


def wait_for_server(server, url, token):
    """Waits until a process that serves kernels answers."""
    for _ in range(10 * PATIENCE):
        try:
            return call(url, token, "GET", "/api")
        except urllib.error.URLError:
            assert server.poll() is None, "the gateway has ended"
            time.sleep(0.1)
    raise TimeoutError("the gateway does not answer")


def run_over_websocket(kernel, token, codes):
    """Runs cells in a kernel of a server, http://…/api/kernels/ID, and returns what they show."""
    from websocket import create_connection
    ws = create_connection(kernel.replace("http", "ws", 1) + "/channels", header=["Authorization: " + token], timeout=120)
    shown = []
    for code in codes:
        msg_id = uuid.uuid4().hex
        ws.send(json.dumps({"channel": "shell", "buffers": [], "parent_header": {}, "metadata": {},
                            "header": {"msg_id": msg_id, "msg_type": "execute_request", "session": "s", "username": "u", "version": "5.3", "date": ""},
                            "content": {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}}))
        waits = {"execute_reply", "idle"}  # they come on two channels, in any order
        while waits:
            m = json.loads(ws.recv())
            if m["parent_header"].get("msg_id") != msg_id:
                continue
            if m["msg_type"] == "execute_result":
                shown.append(m["content"]["data"]["text/plain"])
            if m["msg_type"] == "execute_reply":
                assert m["content"]["status"] == "ok", m["content"]
            waits -= {m["msg_type"], m["content"].get("execution_state")}
    ws.close()
    return shown


def gateway(folder):
    """A kernel behind Kernel Gateway runs a notebook's cells over its websocket, as a remote JupyterLab does."""
    port = free_port()
    log = open(folder / "gateway.log", "w+")
    server = subprocess.Popen([sys.executable, "-m", "kernel_gateway", "--KernelGatewayApp.ip=127.0.0.1", "--KernelGatewayApp.port=%d" % port,
                               "--KernelGatewayApp.auth_token=secret", "--KernelGatewayApp.default_kernel_name=gorocm"], stdout=log, stderr=log)
    url, token = "http://127.0.0.1:%d" % port, "token secret"
    try:
        wait_for_server(server, url, token)
        kernel = call(url, token, "POST", "/api/kernels", {"name": "gorocm"})["id"]
        shown = run_over_websocket(url + "/api/kernels/" + kernel, token, ["x := 6", "x * 7"])
        call(url, token, "DELETE", "/api/kernels/" + kernel)
        assert shown == ["42"], shown
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
        log.close()


CHECKS = {nbclient: ["nbclient"], nbconvert: ["nbconvert"], papermill: ["papermill"], jupytext: ["jupytext"], nbval: ["nbval"], gateway: ["kernel_gateway", "websocket"]}


def main():
    failed = 0
    for check, modules in CHECKS.items():
        missing = [m for m in modules if importlib.util.find_spec(m) is None]
        if missing:
            print("SKIP", check.__name__ + ": not installed:", *missing, flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                print("PASS", check.__name__, flush=True)
            except Exception as e:
                failed += 1
                print("FAIL", check.__name__ + ":", type(e).__name__, str(e).replace("\n", " ")[:500], flush=True)
                traceback.print_exc()
                if isinstance(e, subprocess.CalledProcessError):
                    print(e.stderr.decode(errors="replace"), file=sys.stderr)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
