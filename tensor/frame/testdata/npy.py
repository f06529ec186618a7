"""Writes arrays of NumPy with texts, times and fields, and what they hold as CSV, into npy beside this file.

    pip install numpy && python3 npy.py
"""
import os

import numpy as np

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npy")
os.makedirs(here, exist_ok=True)
r = np.random.default_rng(4)
n = 7
names = np.array(["Ada", "", "Zoë", "日本語", "a,b", 'quo"te', "\U0001f600!"])
structured = np.zeros(n, dtype=np.dtype([
    ("name", "<U6"), ("raw", "S4"), ("ok", "?"), ("i1", "i1"), ("u1", "u1"), ("i2", ">i2"), ("u4", "<u4"), ("i8", "i8"), ("u8", ">u8"),
    ("f2", "f2"), ("f4", ">f4"), ("f8", "f8"), ("day", "M8[D]"), ("week", "M8[W]"), ("month", ">M8[M]"), ("year", "M8[Y]"),
    ("s", "M8[s]"), ("ms", "M8[ms]"), ("half", "M8[30m]"), ("ns", "M8[ns]"), ("xy", "f4", (2,)), ("grid", "i4", (1, 2)),
    ("in", [("a", "U2"), ("deep", [("b", "i2")])]), (("a title", "titled"), "i4")], align=True))
structured["name"], structured["raw"], structured["ok"] = names, [b"x", b"", b"\x01\x00z", "Zoë".encode(), b"abcd", b"e", b" f"], np.arange(n) % 2
for k in ("i1", "u1", "i2", "u4", "i8"):
    info = np.iinfo(structured.dtype[k])
    structured[k] = [info.min, info.max, 0, 1, 2, 3, 4]
structured["u8"] = [0, 2**63 - 1, 1, 2, 3, 4, 5]
structured["f2"] = [0, -0.0, 65504, 6e-8, -1.5, np.inf, np.nan]
structured["f4"], structured["f8"] = r.normal(size=n), [1e300, -5e-324, np.nan, -np.inf, 0.1, 2, 3]
for k in ("day", "week", "month", "year", "s", "ms", "half", "ns"):
    structured[k] = np.array(["1970-01-01", "NaT", "1969-12-31T23:59:59", "2024-02-29T12:30:00", "1700-03-04", "2260-01-01", "2000-12-31T01:02:03"], dtype=structured.dtype[k])
structured["xy"], structured["grid"] = r.normal(size=(n, 2)), r.integers(-9, 9, (n, 1, 2))
structured["in"]["a"], structured["in"]["deep"]["b"], structured["titled"] = [c[:2] for c in names], range(n), range(n)
arrays = {"structured": structured, "packed": structured[["name", "u1"]].copy(), "texts": names, "bytes": structured["raw"], "big": names.astype(">U6"),
          "pairs": np.array([["a", "b"], ["cc", "d"], ["", "é"]]), "fortran": np.asfortranarray(np.array([["a", "b"], ["cc", "d"], ["", "é"]])),
          "times": structured["ms"], "numbers": np.arange(6, dtype="i4").reshape(3, 2), "empty": np.zeros(0, dtype=[("a", "U3"), ("b", "i4")]),
          "latin": np.zeros(1, dtype=[("größe", "f8")]), "greek": np.zeros(1, dtype=[("μ", "f8")])}


def leaves(prefix, a):
    """The columns of an array of rows: name, values."""
    if a.dtype.names:
        for f in a.dtype.names:
            yield from leaves(f"{prefix}.{f}" if prefix else f, a[f])
    elif a.ndim > 1:
        for i in range(a.shape[1]):
            yield from leaves(f"{prefix}.{i}" if prefix else str(i), a[:, i])
    else:
        yield prefix or "values", a


def spelled(v, kind):
    if kind == "M":
        return "null" if np.isnat(v) else str(v.astype("M8[ns]"))
    if kind == "S":
        return v.decode()
    return str(bool(v)) if kind == "b" else repr(float(v)) if kind == "f" else str(v)


with open(f"{here}/golden.txt", "w") as f:
    for name, a in arrays.items():
        np.save(f"{here}/{name}.npy", a)
        for column, values in leaves("", a):
            f.write("\t".join([name, column, values.dtype.kind] + [spelled(v, values.dtype.kind) for v in values]) + "\n")
