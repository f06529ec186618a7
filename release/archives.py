#!/usr/bin/env python3
"""Builds release archives of gorocm: the program, completions for bash, zsh and fish, a man page, README and licence.

    python3 release/archives.py [--version 1.2] [--targets linux/amd64,windows/amd64] [--out DIR] [--program FILE]

For Windows it is a zip file, with completions for PowerShell.

Needs Go and Python's standard library. The same sources give the same bytes. SHA256SUMS lists what was built.
"""
import argparse
import gzip
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ("linux/amd64", "linux/arm64", "darwin/arm64", "freebsd/amd64", "windows/amd64", "windows/arm64")


def build(target, version, out):
    goos, goarch = target.split("/")
    env = dict(os.environ, CGO_ENABLED="0", GOOS=goos, GOARCH=goarch)
    flags = "-s -w -X main.version=" + version
    if re.fullmatch(r"\d+\.\d+\.\d+", version):  # it downloads that version of the module to compile other modules into (docs/modules.md)
        source = ["go", "run", "./internal/gen/source", "-version", "v" + version, "-target", target]
        flags += " " + subprocess.run(source, cwd=ROOT, env=dict(os.environ, CGO_ENABLED="0"), capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["go", "build", "-trimpath", "-ldflags", flags, "-o", str(out), "./cmd/gorocm"], cwd=ROOT, env=env, check=True)


def host_target():
    return subprocess.run(["go", "env", "GOOS", "GOARCH"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip().replace("\n", "/")


def told(program, *args):
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    return subprocess.run([str(program), *args], env=env, capture_output=True, text=True, check=True).stdout


def roff(line):
    line = line.replace("\\", "\\\\").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def man(program, version):
    """A man page made of the help texts of the program and of its commands."""
    text = told(program, "--help")
    commands = [c for c in re.findall(r"^  ([a-z]+) +\S", text[text.index("Available Commands:"):].split("\nFlags:")[0], re.M) if c != "help"]
    lines = ['.TH GOROCM 1 "" "gorocm %s" "User Commands"' % version, ".SH NAME", "gorocm \\- an interactive Go session with tensors on AMD GPUs"]
    for title, help_text in [("DESCRIPTION", text)] + [(c.upper(), told(program, c, "--help")) for c in commands]:
        lines += [".SH " + title, ".nf"] + [roff(line) for line in help_text.rstrip().split("\n")] + [".fi"]
    return "\n".join(lines) + "\n"


def shared_files(program, version, windows):
    """What is the same for all targets, or for all of Windows, as (name, bytes)."""
    files = [(name, (ROOT / name).read_bytes()) for name in ("LICENSE", "README.md")]
    if windows:
        return files + [("completions/gorocm.ps1", told(program, "completion", "powershell").encode())]
    for shell, name in (("bash", "bash/gorocm"), ("zsh", "zsh/_gorocm"), ("fish", "fish/gorocm.fish")):
        files.append(("completions/" + name, told(program, "completion", shell).encode()))
    return files + [("man/man1/gorocm.1", man(program, version).encode())]


def write(path, folder, files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text, mode in files:
            entry = tarfile.TarInfo(folder + "/" + name)
            entry.size, entry.mode = len(text), mode
            tar.addfile(entry, io.BytesIO(text))
    with open(path, "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z:
        z.write(packed.getvalue())


def write_zip(path, folder, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, text, mode in files:
            entry = zipfile.ZipInfo(folder + "/" + name)  # of 1980
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, text)


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--version", default="0.0.dev0")
    a.add_argument("--targets", default="linux/amd64,linux/arm64", help="of " + ", ".join(TARGETS))
    a.add_argument("--out", default="dist")
    a.add_argument("--program", help="a program that is built already for this machine, the only target then")
    o = a.parse_args()
    host = host_target()
    targets = [host] if o.program else o.targets.split(",")
    if unknown := [t for t in targets if t not in TARGETS]:
        sys.exit("no target %s: want %s" % (unknown[0], ", ".join(TARGETS)))
    out = pathlib.Path(o.out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        programs = {}
        for target in targets if o.program else dict.fromkeys(targets + [host]):
            programs[target] = pathlib.Path(o.program) if o.program else work / target.replace("/", "-")
            if not o.program:
                build(target, o.version, programs[target])
        sums = ""
        for target in targets:
            folder = "gorocm-%s-%s" % (o.version, target.replace("/", "-"))
            windows = target.startswith("windows/")
            archive = out / (folder + (".zip" if windows else ".tar.gz"))
            shared = [(name, text, 0o644) for name, text in shared_files(programs[host], o.version, windows)]
            program = ("gorocm.exe" if windows else "gorocm", programs[target].read_bytes(), 0o755)
            (write_zip if windows else write)(archive, folder, [program] + shared)
            sums += "%s  %s\n" % (hashlib.sha256(archive.read_bytes()).hexdigest(), archive.name)
            print(archive)
        (out / "SHA256SUMS").write_text(sums)


if __name__ == "__main__":
    main()
