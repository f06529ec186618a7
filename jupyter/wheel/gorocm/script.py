"""Go in cells as nbconvert --to script writes it (entry point nbconvert.exporters.script): gorocm run executes the file."""
from nbconvert.exporters import Exporter

MARK = "// %%"


class GoExporter(Exporter):
    """Writes a notebook as Go with // %% lines between the cells. Commands stay as they are."""

    file_extension = ".go"
    output_mimetype = "text/x-go"
    export_from_notebook = "Go"

    def from_notebook_node(self, nb, resources=None, **kw):
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        resources["output_extension"] = self.file_extension
        return "\n".join(cell_text(i, c) for i, c in enumerate(nb.cells, 1) if c.source.strip()), resources


def cell_text(number, cell):
    lines = cell.source.split("\n")
    if cell.cell_type != "code":
        return "\n".join([MARK + " [markdown]"] + [("// " + line).rstrip() for line in lines]) + "\n"
    for i, line in enumerate(lines):
        if not line.startswith(MARK):
            continue
        if "\n".join(lines[:i]).count("`") % 2:
            raise ValueError("line %d of cell %d, inside a string, begins with %s: as a script it would begin another cell" % (i + 1, number, MARK))
        lines[i] = " " + line  # a comment
    return "\n".join([MARK] + lines) + "\n"
