"""The wheel in a fresh environment: papermill -p, jupyter run, jupyter-lsp and nbclient find what it has installed.

    wheel.py GOROCM      the program to pack

Prints "PASS name", "FAIL name: why" or "SKIP name: what is not installed" for each.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def shown_by(done):
    """What a run has printed, without the times that %time tells."""
    return [line for line in done.stdout.splitlines() if not line.startswith(("CPU times:", "Wall time:"))]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run([sys.executable, ROOT / "jupyter/wheel/build.py", "--version", "0.1", "--arch", os.uname().machine, "--program", sys.argv[1],
                        "--out", work / "dist"], check=True, stdout=subprocess.DEVNULL)
        again = subprocess.run([sys.executable, ROOT / "jupyter/wheel/build.py", "--version", "0.1", "--arch", os.uname().machine, "--program", sys.argv[1],
                                "--out", work / "again"], check=True, capture_output=True, text=True).stdout.strip()
        wheel = next((work / "dist").iterdir())
        assert wheel.read_bytes() == pathlib.Path(again).read_bytes(), "two builds differ"
        venv = work / "venv"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        requirements = [line for line in (ROOT / ".ci/jupyter/requirements.txt").read_text().split() if line.startswith(("papermill==", "nbclient==", "jupytext=="))]
        if subprocess.run([venv / "bin/pip", "install", "-q", "--disable-pip-version-check", wheel, "jupyter-lsp", "jupyter_client", "nbconvert"] + requirements,
                          capture_output=True).returncode:
            print("SKIP wheel: what it is tested with cannot be installed here")
            return
        home = work / "home"
        home.mkdir()
        env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

        def run(*args, **kw):
            return subprocess.run([str(venv / "bin" / args[0])] + [str(a) for a in args[1:]], cwd=work, env=env, capture_output=True, text=True, timeout=120, **kw)

        def check(name, ok, done):
            nonlocal failed
            print("PASS" if ok else "FAIL", "wheel: " + name, flush=True)
            if not ok:
                failed += 1
                print(done.stdout, done.stderr)

        done = run("gorocm", "-e", "6 * 7")
        check("gorocm", done.stdout == "42\n", done)
        done = run("python", "-m", "gorocm", "-e", "6 * 7")
        check("python -m gorocm", done.stdout == "42\n", done)
        (work / "cells.go").write_text('fmt.Println("x is", 6 * 7)\n')
        done = run("jupyter", "run", "--kernel", "gorocm", "cells.go")
        check("jupyter run", done.stdout == "x is 42\n", done)
        nb = {"cells": [{"cell_type": "code", "id": "a", "execution_count": None, "outputs": [], "metadata": {"tags": ["parameters"]}, "source": "alpha := 0.5"},
                        {"cell_type": "code", "id": "b", "execution_count": None, "outputs": [], "metadata": {}, "source": "alpha * 2"}],
              "metadata": {"kernelspec": {"name": "gorocm", "display_name": "Go (gorocm)", "language": "go"}}, "nbformat": 4, "nbformat_minor": 5}
        (work / "in.ipynb").write_text(json.dumps(nb))
        for engine in ([], ["--engine", "gorocm"]):
            done = run("papermill", *engine, "-p", "alpha", "3.5", "in.ipynb", "out.ipynb")
            out = json.loads((work / "out.ipynb").read_text()) if done.returncode == 0 else {"cells": [{"outputs": []}]}
            shown = [o["data"]["text/plain"] for o in out["cells"][-1]["outputs"] if "data" in o]
            check(" ".join(["papermill"] + engine), [s if isinstance(s, str) else "".join(s) for s in shown] == ["7"], done)
        done = run("python", "-c", "from jupyter_lsp import LanguageServerManager as M\nm = M()\nm.initialize()\nprint(m.language_servers['gorocm']['argv'])")
        check("jupyter-lsp", done.stdout.strip() == str([str(venv / "bin/gorocm"), "lsp"]), done)
        cells = ["x := 1", "!echo hi", "%time y := x + 1\ny", "%%writefile a.txt\nline", "files := !ls a.txt\nfiles", "// !no command\nx := \"a\"\nx",
                 "%%sh\necho from sh\n# a comment", "func f() int {\n\treturn 7\n}\n// %% a comment\nf()", "package main\n\nfunc main() { fmt.Println(1) }"]
        nb["cells"] = [{"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# Text\n!no command"}] + [
            dict(nb["cells"][1], id="c%d" % i, source=source) for i, source in enumerate(cells)]
        nb["metadata"]["language_info"] = {"name": "go", "file_extension": ".go", "mimetype": "text/x-go", "nbconvert_exporter": "script"}
        (work / "book.ipynb").write_text(json.dumps(nb))
        direct = run("gorocm", "run", "book.ipynb")
        done = run("jupyter", "nbconvert", "--to", "script", "book.ipynb", "--output", "book")
        check("nbconvert --to script", done.returncode == 0 and "// %%" in (work / "book.go").read_text(), done)
        done = run("gorocm", "run", "book.go")
        check("what nbconvert writes runs", done.returncode == 0 and shown_by(done) == shown_by(direct), done)
        done = run("jupytext", "--to", "go:percent", "book.ipynb", "-o", "percent.go")
        done = run("gorocm", "run", "percent.go") if done.returncode == 0 else done
        check("what jupytext writes runs", done.returncode == 0 and shown_by(done) == shown_by(direct), done)
        subprocess.run([venv / "bin/gorocm", "install", "--prefix", work / "own"], env=env, check=True, capture_output=True)
        own = json.loads((work / "own/share/jupyter/kernels/gorocm/kernel.json").read_text())
        packed = json.loads((venv / "share/jupyter/kernels/gorocm/kernel.json").read_text())
        check("kernelspec", own["argv"][1:] == packed["argv"][1:] and dict(own, argv=0) == dict(packed, argv=0), done)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
