"""Executes a notebook with nbclient on the kernel named gorocm. The cells are those of the fake session (see fake_test.go)."""
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def execute(*cells, **options):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nb.metadata.kernelspec = {"name": "gorocm", "display_name": "Go (gorocm)"}
    NotebookClient(nb, kernel_name="gorocm", timeout=120, **options).execute()
    return nb


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


nb = execute("print hello\nvalue 42", "display a", "update a\nwarn x\nnote hey", "print gone\nclear\nprint here", "raw 3")
want = [
    [stream("hello\n"), {"output_type": "execute_result", "metadata": {}, "execution_count": 1,
                         "data": {"text/plain": "42", "application/json": "42"}}],
    [{"output_type": "display_data", "metadata": {}, "data": {"text/plain": "second"}}],
    [stream("x\n", "stderr"), {"output_type": "display_data", "metadata": {}, "data": {
        "text/plain": "hey", "text/html": '<small style="opacity: 0.6; white-space: pre-wrap">hey</small>'}}],
    [stream("here\n")],
    [stream("line 0\nline 1\nline 2\n")],
]
for cell, outputs in zip(nb.cells, want):
    assert cell.outputs == outputs, (cell.source, cell.outputs, outputs)
assert nb.metadata.language_info.file_extension == ".go", nb.metadata

try:
    execute("print a", "nonsense", "print b")
    raise AssertionError("a cell that fails does not stop the notebook")
except CellExecutionError as e:
    assert e.ename == "TypeError" and "undefined: nonsense" in str(e), e

nb = execute("nonsense", "print b", allow_errors=True)
assert nb.cells[0].outputs[0].ename == "TypeError", nb.cells[0].outputs
assert nb.cells[1].outputs == [stream("b\n")], nb.cells[1].outputs
