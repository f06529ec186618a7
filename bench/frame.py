#!/usr/bin/env python3
"""Times package tensor/frame beside polars, on the same tables and cores.

    python3 bench/frame.py [--rows 5000000] [--rounds 5] [--keep FOLDER] [OPERATION…]

Needs Go and polars (pip install polars). The table has 8 columns: int64 keys (all different, and of 1 M users), strings (of
100 cities and of 100,000 items), two float64, a bool and a date; one value in 20 is missing in a float and in the cities.
Both take turns, a process each; of each round the least counts. Printed are the medians of the rounds: seconds by the
clock, seconds of all cores, and gorocm's by polars' time.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = ["csv", "parquet", "group low", "group high", "group text", "group two", "join", "sort", "sort two", "filter", "compute", "write csv", "write parquet"]


def make(folder, rows):
    import datetime
    import numpy as np
    import polars as pl
    r = np.random.default_rng(26)
    users = max(1, rows // 5)
    missing = lambda s: pl.when(pl.Series(r.random(rows) < 0.05)).then(None).otherwise(s)
    table = pl.DataFrame({
        "id": r.permutation(rows), "city": np.array([f"city {i}" for i in range(100)])[r.integers(0, 100, rows)],
        "user": r.integers(0, users, rows) * 7919, "item": np.array([f"item-{i:06d}" for i in range(100_000)])[r.integers(0, 100_000, rows)],
        "x": np.round(r.random(rows), 4), "y": r.normal(size=rows), "ok": r.random(rows) < 0.5,
        "day": np.datetime64("2020-01-01") + r.integers(0, 1500, rows).astype("timedelta64[D]"),
    }).with_columns(pl.col("day").cast(pl.Date)).with_columns(missing(pl.col("x")).alias("x"), missing(pl.col("city")).alias("city"))
    table.write_csv(os.path.join(folder, "table.csv"))
    table.write_parquet(os.path.join(folder, "table.parquet"), compression="snappy", row_group_size=1 << 19)
    pl.DataFrame({"user": r.permutation(users) * 7919, "age": r.integers(0, 99, users)}).write_parquet(
        os.path.join(folder, "users.parquet"), compression="snappy")


def operations(folder):
    import polars as pl
    path = lambda name: os.path.join(folder, name)
    table = lambda: tables.setdefault("t", pl.read_parquet(path("table.parquet")))
    users = lambda: tables.setdefault("u", pl.read_parquet(path("users.parquet")))
    tables = {}
    c = pl.col
    return {
        "csv": lambda: pl.read_csv(path("table.csv"), try_parse_dates=True, infer_schema_length=10000),
        "parquet": lambda: pl.read_parquet(path("table.parquet")),
        "group low": lambda: table().group_by("city").agg(pl.len(), c("x").sum(), c("y").mean(), c("user").max()),
        "group high": lambda: table().group_by("user").agg(c("x").sum(), c("y").mean()),
        "group text": lambda: table().group_by("item").agg(c("x").sum(), c("y").mean()),
        "group two": lambda: table().group_by("city", "day").agg(c("x").sum(), pl.len()),
        "join": lambda: table().join(users(), on="user", how="inner"),
        "sort": lambda: table().sort("x", nulls_last=True, maintain_order=True),
        "sort two": lambda: table().sort("city", "user", nulls_last=True, maintain_order=True),
        "filter": lambda: table().filter((c("x") > 0.5) & (c("city") != "city 7")),
        "write csv": lambda: table().write_csv(path("out.csv")),
        "write parquet": lambda: table().write_parquet(path("out.parquet"), compression="zstd"),
        "compute": lambda: table().with_columns(z=(c("x") * 2 + c("y")) / (c("user") + 1)),
    }


def worker(folder, runs, names):
    cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    for name in names:
        f = operations(folder)[name]
        f()
        for _ in range(runs):
            start, used = time.perf_counter(), cpu()
            f()
            print(name, time.perf_counter() - start, cpu() - used, flush=True)


def best(command):
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    times = {}
    for line in out.splitlines():
        name, wall, cpu = line.rsplit(" ", 2)
        old = times.get(name, (1e9, 1e9))
        times[name] = (min(old[0], float(wall)), min(old[1], float(cpu)))
    return times


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=5_000_000)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--keep")
    p.add_argument("--worker")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    if a.worker:
        return worker(a.worker, a.runs, a.names)
    folder = a.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "users.parquet")):
        make(folder, a.rows)
    program = os.path.join(folder, "frame")
    subprocess.run(["go", "build", "-o", program, "./bench/frame"], cwd=ROOT, check=True)
    print("%-12s %8s %8s %6s   %8s %8s %6s" % ("", "polars", "gorocm", "ratio", "cpu s", "cpu s", "ratio"))
    for name in a.names or NAMES:
        ours, theirs = [], []
        for _ in range(a.rounds):
            theirs.append(best([sys.executable, os.path.abspath(__file__), "--worker", folder, "--runs", str(a.runs), name])[name])
            ours.append(best([program, folder, str(a.runs), name])[name])
        median = lambda of, i: statistics.median(t[i] for t in of)
        p, g, pc, gc = median(theirs, 0), median(ours, 0), median(theirs, 1), median(ours, 1)
        print("%-12s %8.3f %8.3f %6.2f   %8.3f %8.3f %6.2f" % (name, p, g, g / p, pc, gc, gc / pc), flush=True)


if __name__ == "__main__":
    main()
