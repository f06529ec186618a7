"""The program gorocm, an interactive Go session: it is installed beside this package, and Jupyter starts it as a kernel."""
import pathlib
import sys
import sysconfig


def program():
    """Returns the path of the program, as text."""
    folders = [sysconfig.get_path("scripts")]
    try:
        folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    except (AttributeError, KeyError):  # before Python 3.10, or without a user scheme
        pass
    folders += [str(p / "bin") for p in pathlib.Path(__file__).resolve().parents]  # pip install --target and --prefix
    for folder in folders:
        path = pathlib.Path(folder) / "gorocm"
        if path.is_file():
            return str(path)
    raise FileNotFoundError("the program gorocm is in none of " + ", ".join(folders) + ": install the package again")


def lsp_spec(manager):
    """Tells jupyter-lsp of the language server (entry point jupyter_lsp_spec_v1)."""
    return {"gorocm": {"argv": [program(), "lsp"], "display_name": "gorocm", "languages": ["go"], "mime_types": ["text/x-go"], "version": 2}}


def main():
    """Runs the program in the place of this process: python -m gorocm."""
    import os
    os.execv(program(), ["gorocm"] + sys.argv[1:])
