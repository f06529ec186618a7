#!/usr/bin/env python3
"""Builds Python wheels of gorocm, with Go and Python's standard library only.

    python3 jupyter/wheel/build.py [--version 1.2] [--arch x86_64,aarch64] [--out DIR] [--program FILE]

A wheel has the program, its Jupyter kernel, what tells jupyter-lsp of the language server, and papermill's translator and engine.
The program is linked statically, so one wheel serves every Linux of an architecture. The same sources give the same bytes.
"""
import argparse
import base64
import hashlib
import json
import pathlib
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOARCH = {"x86_64": "amd64", "aarch64": "arm64"}

# The kernel's program is found from the kernelspec's own folder, PREFIX/share/jupyter/kernels/gorocm: with PREFIX/bin on no PATH, and from
# the Jupyter of another environment.
ARGV = ["{resource_dir}/../../../../bin/gorocm", "kernel", "--connection-file", "{connection_file}"]
KERNEL = {"argv": ARGV, "display_name": "Go (gorocm)", "language": "go", "interrupt_mode": "message", "kernel_protocol_version": "5.5",
          "metadata": {"debugger": True, "supported_encryption": ["curve"]}}
ENTRY_POINTS = """[papermill.engine]
gorocm = gorocm_papermill:Engine

[nbconvert.exporters.script]
go = gorocm.script:GoExporter

[jupyter_lsp_spec_v1]
gorocm = gorocm:lsp_spec
"""
METADATA = """Metadata-Version: 2.1
Name: gorocm
Version: %s
Summary: An interactive Go session and Jupyter kernel, with tensors on AMD GPUs or the CPU
Home-page: https://github.com/gorocm/gorocm
License: Apache-2.0
Classifier: Framework :: Jupyter
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Go
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""


def build_program(arch, version, out):
    sys.path.insert(0, str(ROOT / "release"))
    sys.dont_write_bytecode = True
    import archives  # the program is that of the release archives
    archives.build("linux/" + GOARCH[arch], version, out)


def contents(version, arch, program):
    """The files of a wheel, as (name, bytes, mode)."""
    tags = ["manylinux_2_17_" + arch, "manylinux2014_" + arch, "musllinux_1_1_" + arch]
    data, info = "gorocm-%s.data" % version, "gorocm-%s.dist-info" % version
    kernel = data + "/data/share/jupyter/kernels/gorocm/"
    files = [(p, (HERE / p).read_bytes(), 0o644) for p in ("gorocm/__init__.py", "gorocm/__main__.py", "gorocm/script.py")]
    files.append(("gorocm_papermill.py", (ROOT / "jupyter/papermill/gorocm_papermill.py").read_bytes(), 0o644))
    files.append((data + "/scripts/gorocm", pathlib.Path(program).read_bytes(), 0o755))
    files.append((kernel + "kernel.json", (json.dumps(KERNEL, indent=2) + "\n").encode(), 0o644))
    for logo in ("logo-32x32.png", "logo-64x64.png", "logo-svg.svg"):
        files.append((kernel + logo, (ROOT / "jupyter/kernelspec" / logo).read_bytes(), 0o644))
    readme = (ROOT / "README.md").read_text().replace("](docs/", "](https://github.com/gorocm/gorocm/blob/main/docs/")
    files.append((info + "/METADATA", (METADATA % version + readme).encode(), 0o644))
    files.append((info + "/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644))
    files.append((info + "/entry_points.txt", ENTRY_POINTS.encode(), 0o644))
    wheel = "Wheel-Version: 1.0\nGenerator: gorocm\nRoot-Is-Purelib: false\n" + "".join("Tag: py3-none-%s\n" % t for t in tags)
    files.append((info + "/WHEEL", wheel.encode(), 0o644))
    record = "".join("%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode(), len(text))
                     for name, text, _ in files)
    files.append((info + "/RECORD", (record + info + "/RECORD,,\n").encode(), 0o644))
    return "gorocm-%s-py3-none-%s.whl" % (version, ".".join(tags)), files


def write(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as z:
        for name, text, mode in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, text)


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--version", default="0.0.dev0", help="as PEP 440 has it")
    a.add_argument("--arch", default="x86_64,aarch64", help="architectures, separated by commas")
    a.add_argument("--out", default="dist", help="the folder of the wheels")
    a.add_argument("--program", help="a program that is built already, for one architecture")
    o = a.parse_args()
    archs = o.arch.split(",")
    if unknown := [x for x in archs if x not in GOARCH]:
        sys.exit("no architecture %s: want %s" % (unknown[0], " or ".join(GOARCH)))
    if o.program and len(archs) > 1:
        sys.exit("--program is for one --arch")
    out = pathlib.Path(o.out)
    out.mkdir(parents=True, exist_ok=True)
    for arch in archs:
        with tempfile.TemporaryDirectory() as work:
            program = o.program or work + "/gorocm"
            if not o.program:
                build_program(arch, o.version, program)
            name, files = contents(o.version, arch, program)
            write(out / name, files)
        print(out / name)


if __name__ == "__main__":
    main()
