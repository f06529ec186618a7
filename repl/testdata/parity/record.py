"""Records what NumPy and SciPy compute for the first column of docs/parity.md, in results.txt beside this file.

    pip install "numpy>=2" "scipy>=1.14"
    python3 repl/testdata/parity/record.py

A line is an expression, a tab, the shape, a tab, and the elements; complex ones are two numbers each.
"""

import pathlib
import re

import numpy as np
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
import scipy.stats
import scipy.stats.qmc

here = pathlib.Path(__file__).parent
page = (here.parents[2] / "docs" / "parity.md").read_text()
names = {"np": np, "scipy": scipy}
lines = []
for row in re.findall(r"^\|( .*)\|$", page, re.M):
    cells = [c.strip().strip("`").replace("\\|", "|") for c in re.split(r"(?<!\\)\|", row)]
    if len(cells) == 3 and cells[0] != "name":  # an input
        names[cells[0]] = eval(cells[1], names)
        expression, value = cells[0], names[cells[0]]
    elif len(cells) == 4 and cells[0] != "NumPy, SciPy" and cells[2] != "missing" and (
        not cells[3] or cells[3][0].isdigit()
    ):
        expression, value = cells[0], eval(cells[0], names)
    else:
        continue
    value = np.asarray(value)
    shape = " ".join(map(str, value.shape))
    if np.iscomplexobj(value):
        value = np.stack([value.real, value.imag], -1)
    lines.append(f"{expression}\t{shape}\t{' '.join(repr(float(e)) for e in value.ravel())}\n")
(here / "results.txt").write_text("".join(dict.fromkeys(lines)))
