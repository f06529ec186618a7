"""Writes random tables and what pandas makes of them into a folder: joins, groups, sorts and pivots, with missing values and ties.

    pip install pandas pyarrow && python3 random.py FOLDER [COUNT] && GOROCM_FRAMES=FOLDER go test ./tensor/frame -run TestRandomFrames
"""
import datetime
import json
import os
import random
import sys

import pandas as pd
import pyarrow as pa

folder, count = sys.argv[1], int((sys.argv + ["600"])[2])
os.makedirs(folder, exist_ok=True)
KINDS = {"i": pa.int64(), "s": pa.string(), "f": pa.float64(), "b": pa.bool_(), "d": pa.date32()}


def column(r, kind, n, missing):
    make = {"i": lambda: r.randrange(-3, 6), "s": lambda: r.choice(["a", "b", "é", "", "B", "ab", "10"]), "f": lambda: r.choice([r.randrange(4) * 0.5, 0.0, 1e300, round(r.gauss(0, 1), 3)]),
            "b": lambda: r.random() < 0.5, "d": lambda: datetime.date(2020, 1, 1) + datetime.timedelta(r.randrange(10))}[kind]
    return pd.array([None if r.random() < missing else make() for _ in range(n)], dtype=pd.ArrowDtype(KINDS[kind]))


def table(r, n):
    missing = r.choice([0, 0.1, 0.5])
    return pd.DataFrame({f"{k}{j}": column(r, k, n, missing) for k in KINDS for j in range(2)})


def join(r, a):
    keys, how = r.sample(["i0", "s0", "b0", "d0", "f0"], r.choice([1, 1, 2])), r.choice(["inner", "left", "right", "outer"])
    a, b = a[keys + ["i1", "f1"]], table(r, r.choice([0, 1, 5, 20]))[keys + ["s1", "f1"]]
    x, y = a.assign(_l=range(len(a))), b.assign(_r=range(len(b)))
    there = lambda t: t[~t[keys].isna().any(axis=1)]  # pandas lets missing keys match
    both = there(x).merge(there(y), on=keys, suffixes=("", "_right"))
    parts = [both]
    if how in ("left", "outer"):
        parts.append(x[~x._l.isin(both._l)])
    if how in ("right", "outer"):
        parts.append(y[~y._r.isin(both._r)].rename(columns={"f1": "f1_right"}))
    return dict(keys=keys, how=how), a, b, pd.concat(parts, ignore_index=True).reindex(columns=list(a.columns) + ["s1", "f1_right"])


def group(r, a):
    keys = r.sample(["i0", "s0", "b0", "d0", "f0"], r.choice([1, 2]))
    g = a.groupby(keys, dropna=False, sort=False)
    out = pd.DataFrame({"len": g.size()})
    for c in ["i1", "f1"]:
        for name in ["sum", "mean", "min", "max", "count", "nunique", "median", "first", "last"]:
            out[f"{c}_{name}"] = getattr(g[c], name)()
    out["i1_std"], out["s1_max"], out["d1_min"], out["s1_nunique"] = g["i1"].std(), g["s1"].max(), g["d1"].min(), g["s1"].nunique()
    return dict(keys=keys), a, None, out.reset_index()


def sort(r, a):
    by = r.sample(["i0", "s0", "f0", "b0", "d0"], r.choice([1, 2, 3]))
    down, out = [r.random() < 0.5 for _ in by], a
    for c, falls in list(zip(by, down))[::-1]:  # stable sorts, the last key first; strings by their bytes
        values = [None if pd.isna(v) else v.encode() if isinstance(v, str) else v for v in out[c]]
        there = sorted((i for i, v in enumerate(values) if v is not None), key=lambda i: values[i], reverse=falls)
        out = out.iloc[there + [i for i, v in enumerate(values) if v is None]]
    return dict(keys=by, down=down), a, None, out


def pivot(r, a):
    agg, value = r.choice(["sum", "mean", "max", "count", "first"]), r.choice(["f1", "i1"])
    a = a[["i0", "s0", "f1", "i1"]]
    a = a[~a["s0"].isna() & (a["s0"] != "")]
    if len(a) == 0:
        return None
    out = a.groupby(["i0", "s0"], dropna=False, sort=False)[value].agg(agg).unstack("s0")
    out.columns = [str(c) for c in out.columns]
    return dict(agg=agg, value=value), a, None, out.reset_index()


cases = []
for k in range(count):
    r, do = random.Random(k), [join, group, sort, pivot][k % 4]
    made = do(r, table(r, r.choice([0, 1, 2, 10, 40])))
    if made is None:
        continue
    for name, t in zip("abw", made[1:]):
        if t is not None:
            t.reset_index(drop=True).to_parquet(f"{folder}/{k}.{name}.parquet")
    cases.append(dict(made[0], number=k, does=do.__name__))
json.dump(cases, open(f"{folder}/cases.json", "w"))
print(len(cases), "cases")
