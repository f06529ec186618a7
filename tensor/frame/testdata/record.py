#!/usr/bin/env python3
"""Records results of pandas and polars that the tests of package frame compare with: golden/*.csv.

Recorded with pandas 3.1.1, polars 2.1.0, pyarrow 26.0.1, NumPy 2.4.6 and DuckDB 2.0.1. Usage, in this folder, where -P keeps
random.py from being taken for the module: python3 -P record.py

The tables left.csv and right.csv are random, with a fixed seed: they have missing values, ties, Unicode, empty strings,
groups of which all values are missing, and keys that only one of the tables has. Where both libraries mean the same by an
operation, their results are compared here. The files *.parquet and *.arrow hold the left table as pyarrow writes it.
"""
import datetime
import os
import random
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))
random.seed(26)
CITIES = ["Oslo", "Tromsø", "東京", "São Paulo", "", 'a "quoted", one', "oslo", "line\nbreak", "Zürich"]


def maybe(v, share=0.15):
    return None if random.random() < share else v


def left(n=240):
    rows = []
    for i in range(n):
        city = maybe(random.choice(CITIES), 0.1)
        rows.append({
            "city": city,
            "grade": maybe(random.randint(-3, 3)),
            "x": None if city == "Zürich" else maybe(random.choice([0.0, -0.5, 1.25, random.gauss(0, 100), random.random() * 1e-9])),
            "n": maybe(random.choice([random.randint(-5, 5), random.randint(-2**52, 2**52)])),
            "ok": maybe(random.random() < 0.5),
            "day": maybe(datetime.date(1899, 12, 25) + datetime.timedelta(days=random.randint(0, 70000))),
            "at": maybe(datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=random.randint(0, 86400 * 40))),
            "name": maybe(random.choice("abcdeæøåΩ") * random.randint(1, 4) + str(random.randint(0, 60))),
        })
    return pl.DataFrame(rows, schema={"city": pl.String, "grade": pl.Int64, "x": pl.Float64, "n": pl.Int64, "ok": pl.Boolean,
                                      "day": pl.Date, "at": pl.Datetime("ns"), "name": pl.String})


def right(n=40):
    rows = [{"city": maybe(random.choice(CITIES[:6] + ["Bergen"])), "grade": maybe(random.randint(-4, 2)), "x": i / 4, "zone": f"z{i}"}
            for i in range(n)]
    return pl.DataFrame(rows, schema={"city": pl.String, "grade": pl.Int64, "x": pl.Float64, "zone": pl.String})


def quoted(v, name):
    if v is None or v is pd.NA or v is pd.NaT or (isinstance(v, float) and name != "nan" and v != v):
        return ""
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (float, np.floating)):
        return repr(float(v))
    if isinstance(v, (datetime.datetime, pd.Timestamp)):
        return v.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(v, str):
        return '"' + v.replace('"', '""') + '"'
    return str(v)


def write(name, frame):
    """Writes a table: strings in quotes, missing values as nothing."""
    if isinstance(frame, pd.DataFrame):
        columns, rows = list(frame.columns), frame.astype(object).values.tolist()
    else:
        columns, rows = frame.columns, frame.rows()
    path = name if name.endswith(".csv") else f"golden/{name}.csv"
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(",".join(quoted(str(c), "") for c in columns) + "\n")
        for row in rows:
            f.write(",".join(quoted(v, c) for v, c in zip(row, columns)) + "\n")


def pandas(frame):
    """A frame of polars' as one of pandas' types that have missing values."""
    out = {}
    kinds = {pl.Int64: "Int64", pl.Float64: "Float64", pl.Boolean: "boolean", pl.String: "string", pl.Date: "object",
             pl.Datetime("ns"): "datetime64[ns]"}
    for c in frame.columns:
        out[c] = pd.Series(frame[c].to_list(), dtype=kinds[frame[c].dtype])
    return pd.DataFrame(out)


def agree(name, a, b):
    """Checks that both libraries have the same rows, in any order."""
    key = lambda row: [(v is None or v is pd.NA or v is pd.NaT or v != v, str(v)) for v in row[:2]]
    ra, rb = sorted(a.astype(object).values.tolist(), key=key), sorted(b.rows(), key=key)
    assert len(ra) == len(rb), name
    for x, y in zip(ra, rb):
        for v, w in zip(x, y):
            none_v, none_w = v is None or v is pd.NA or v is pd.NaT or v != v, w is None or w != w
            assert none_v == none_w, (name, x, y)
            if not none_v and isinstance(w, float):
                assert abs(v - w) <= 1e-9 * max(1, abs(w)), (name, x, y)
            elif not none_v:
                assert v == w, (name, x, y)


L, R = left(), right()
write("left.csv", L)
write("right.csv", R)
P, Q = pandas(L), pandas(R)

AGGS = ["sum", "mean", "min", "max", "count", "std", "var", "median", "first", "last", "nunique"]


for keys in (["city"], ["grade"], ["city", "grade"], ["ok"], ["day"]):
    for column in ("x", "n"):
        g = P.groupby(keys, dropna=False, sort=False)
        want = g[column].agg(AGGS).reset_index()
        want.columns = keys + AGGS
        polars = L.group_by(keys, maintain_order=True).agg(
            sum=pl.col(column).sum(), mean=pl.col(column).mean(), min=pl.col(column).min(), max=pl.col(column).max(),
            count=pl.col(column).count(), std=pl.col(column).std(), var=pl.col(column).var(), median=pl.col(column).median(),
            first=pl.col(column).drop_nulls().first(), last=pl.col(column).drop_nulls().last(),
            nunique=pl.col(column).drop_nulls().n_unique())
        agree("group", want, polars)
        polars = polars.with_columns(
            L.group_by(keys, maintain_order=True).agg(
                q10=pl.col(column).quantile(0.1, "linear"), q90=pl.col(column).quantile(0.9, "linear"), len=pl.len()
            ).select("q10", "q90", "len"))
        write(f"group_{'_'.join(keys)}_{column}", polars)

write("group_text", L.group_by("grade", maintain_order=True).agg(
    low=pl.col("name").min(), high=pl.col("name").max(), early=pl.col("at").min(), late=pl.col("day").max(), yes=pl.col("ok").sum(),
    share=pl.col("ok").mean(), names=pl.col("name").drop_nulls().n_unique()))
write("all", L.select(pl.col("x").sum().alias("sum"), pl.col("x").mean().alias("mean"), pl.col("n").median().alias("median"),
                      pl.col("n").std().alias("std"), pl.col("city").drop_nulls().n_unique().alias("cities")))

for name, by, descending in [("sort_x", ["x"], [False]), ("sort_x_desc", ["x"], [True]), ("sort_city_n", ["city", "n"], [False, True]),
                             ("sort_grade_ok_day", ["grade", "ok", "day"], [True, False, False]), ("sort_at", ["at"], [False]),
                             ("sort_name", ["name"], [False])]:
    want = L.sort(by, descending=descending, nulls_last=True, maintain_order=True)
    if len(by) == 1:
        agree(name, P.sort_values(by, ascending=not descending[0], kind="stable", na_position="last"), want)
        p = P.sort_values(by, ascending=not descending[0], kind="stable", na_position="last").index.tolist()
        w = L.with_row_index().sort(by, descending=descending, nulls_last=True, maintain_order=True)["index"].to_list()
        assert p == w, name
    write(name, want)

for keys in (["city"], ["city", "grade"]):
    for how in ("inner", "left", "semi", "anti"):
        want = L.join(R, on=keys, how=how, maintain_order="left_right")
        write(f"join_{how}_{len(keys)}", want)
    write(f"join_right_{len(keys)}", R.join(L, on=keys, how="left", maintain_order="left_right").select(
        *[pl.col(c) if c in keys else pl.col(c + "_right" if c in R.columns else c).alias(c) for c in L.columns],
        *[pl.col(c).alias(c + "_right" if c in L.columns else c) for c in R.columns if c not in keys]))
    write(f"join_outer_{len(keys)}", L.join(R, on=keys, how="full", coalesce=True, maintain_order="left_right"))

pivot = L.filter(pl.col("city") != "").pivot("city", index="grade", values="n", aggregate_function="max", sort_columns=True)
write("pivot", pivot)
write("melt", L.select("city", "grade", "n").unpivot(["grade", "n"], index="city"))
write("unique", L.unique(["city", "grade"], keep="first", maintain_order=True))
write("counts", L.group_by("city", maintain_order=True).agg(count=pl.len()).sort("count", descending=True, maintain_order=True))
write("filter", L.filter((pl.col("x") > 0) & (pl.col("city") != "Oslo") | pl.col("ok")))
write("filter_not", L.filter(~(pl.col("grade") <= 0) | ((pl.col("n") == 3) & pl.col("ok"))))
write("compute", L.select(
    (pl.col("x") * 2 + pl.col("grade")).alias("a"), (pl.col("n") // 7).alias("b"), (pl.col("n") % 7).alias("c"),
    (pl.col("grade") / 2).alias("d"), pl.col("x").abs().alias("e"), (pl.col("grade") ** 2).cast(pl.Float64).alias("f"),
    pl.col("city").str.to_uppercase().alias("g"), pl.col("name").str.len_chars().cast(pl.Int64).alias("h"),
    pl.col("name").str.contains("æ").alias("i"), pl.col("at").dt.hour().cast(pl.Int64).alias("j"),
    pl.col("day").dt.year().cast(pl.Int64).alias("k"), (pl.col("day").dt.weekday() - 1).cast(pl.Int64).alias("l"),
    pl.col("at").dt.truncate("1w").alias("m"), pl.col("day").dt.truncate("1q").alias("o"), pl.col("grade").fill_null(9).alias("p"),
    pl.when(pl.col("ok")).then(pl.col("grade")).otherwise(-pl.col("grade")).alias("q"), pl.col("x").shift(2).alias("r"),
    pl.col("n").diff(1).alias("s"), pl.col("grade").cum_sum().alias("t"), pl.col("grade").rank("average").alias("u"),
    pl.col("grade").is_in([1, 2]).alias("v"), pl.col("grade").is_null().alias("w"), pl.col("x").round(1).alias("y"),
    pl.col("name").fill_null(strategy="forward").alias("z")))
for n, least in ((3, 3), (5, 1)):
    roll = P["x"].astype("float64").rolling(n, min_periods=least)
    # pandas updates sums from window to window, which loses digits: here each window is added up by itself
    exact = {name: roll.apply(f, raw=True) for name, f in (("sum", np.nansum), ("mean", np.nanmean),
                                                            ("std", lambda w: pd.Series(w).std()))}
    write(f"rolling_{n}", pd.DataFrame({**exact, "min": roll.min(),
                                        "max": roll.max(), "median": roll.median()}))
for column, period, rule in (("day", "year", "YS"), ("day", "quarter", "QS"), ("at", "month", "MS"), ("at", "week", "W-MON"), ("at", "day", "D"),
                             ("at", "hour", "h")):
    days = P.assign(**{column: pd.to_datetime(P[column])}).dropna(subset=[column])
    g = days.resample(rule, on=column, closed="left", label="left")
    want = pd.DataFrame({"len": g.size(), "sum": g["x"].sum(), "mean": g["x"].mean(), "max": g["x"].max(), "median": g["x"].median(),
                         "total": g["n"].sum(), "count": g["n"].count(), "first": g["name"].first()})
    want.insert(0, column, want.index.date if column == "day" else want.index)
    write(f"resample_{period}", want)
counts = pd.DataFrame({f"{c}_{n}": P[c].rolling(n, min_periods=0).count() if c == "x" else P[c].notna().rolling(n, min_periods=0).sum()
                       for c in ("x", "name") for n in (1, 4, 300)})
write("rolling_count", counts.astype("int64"))
d = P[["grade", "x", "n"]].astype("float64").describe()
d.insert(0, "statistic", d.index)
write("describe", d)

table = pa.Table.from_pylist(L.to_dicts(), schema=pa.schema([
    ("city", pa.dictionary(pa.int8(), pa.string())), ("grade", pa.int8()), ("x", pa.float64()), ("n", pa.int64()), ("ok", pa.bool_()),
    ("day", pa.date32()), ("at", pa.timestamp("us")), ("name", pa.large_string())]))
for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
    pq.write_table(table, f"left_{codec}.parquet", compression=codec, row_group_size=100, data_page_size=512)
pq.write_table(table, "left_plain.parquet", use_dictionary=False, data_page_version="2.0", version="1.0", use_deprecated_int96_timestamps=True)
pa.feather.write_feather(table, "left_lz4.arrow", compression="lz4", chunksize=100)
pa.feather.write_feather(table, "left_plain.arrow", compression="uncompressed")
with pa.OSFile("left_stream.arrow", "wb") as sink, pa.ipc.new_stream(sink, table.schema) as w:
    w.write_table(table, max_chunksize=64)
nested = pa.table({"id": [1, 2, 3], "place": [{"lat": 1.5, "name": "a"}, None, {"lat": None, "name": "c"}], "tags": [["x"], [], None]})
pq.write_table(nested, "nested.parquet")
os.makedirs("parquet", exist_ok=True)
expands = pa.DictionaryArray.from_arrays(pa.array([0] * 4_000_000, pa.int32()), pa.array(["x" * 1_000_000]))
pq.write_table(pa.table({"a": expands}), "parquet/expands.parquet", compression="zstd", store_schema=False, write_statistics=False)
pq.write_table(pa.table({"price": pa.array([Decimal("1.25"), Decimal("-0.01"), None, Decimal("99999999.99")], pa.decimal128(12, 2)),
    "long": pa.array([Decimal("12345678901234567890.123456789"), Decimal("-1"), None, Decimal("0")], pa.decimal128(38, 9)),
    "half": pa.array(np.array([1, -0.5, 65504, 2**-24], np.float16)), "none": pa.nulls(4)}), "parquet/types.parquet", compression="none")
rows = [i * 2654435761 % 2**32 for i in range(700)]  # which LZ4 does not compress to a third
missing = lambda v: [None if i % 11 == 5 else x for i, x in enumerate(v)]
pages = {"long": pa.array(rows, pa.int64()), "some": pa.array(missing(rows), pa.int64()), "run": pa.array([i // 100 % 2 == 1 for i in range(700)]),
    "mixed": pa.array(missing([x // 7 % 3 == 1 for x in rows])), "text": pa.array(missing([str(x % 50) for x in rows]))}
for name, version, codec in [("lz4_1", "1.0", "lz4"), ("lz4_2", "2.0", "lz4"), ("plain_1", "1.0", "snappy"), ("runs_2", "2.0", "zstd")]:
    pq.write_table(pa.table(pages), f"parquet/{name}.parquet", compression=codec, data_page_version=version, row_group_size=500, store_schema=False,
        write_statistics=False, use_dictionary=["text"], column_encoding={"run": "RLE", "mixed": "RLE"} if codec != "snappy" else {})
decimals = {}
for name, kind, digits, scale in [("money", pa.decimal128, 15, 2), ("whole", pa.decimal128, 18, 0), ("long", pa.decimal128, 38, 9), ("large", pa.decimal256, 76, 30),
                                  ("short", pa.decimal64, 16, 16), ("small", pa.decimal32, 7, 3)]:
    ends = [0, 1, -1, 10**digits - 1, 1 - 10**digits, None, 10**scale, -(10**scale) - 1, 123, 5 * 10**(digits - 1)]
    ends = [None if x is None else Decimal(f"{x}e-{scale}") for x in ends if x is None or abs(x) < 10**digits]
    ends = (ends * 10)[:60]
    decimals[name] = pa.array(ends, kind(digits, scale))
    decimals[name + "_text"] = pa.array([None if x is None else f"{x:f}" for x in ends])
decimals = pa.table(decimals)
pq.write_table(decimals, "parquet/decimals.parquet", row_group_size=25, store_schema=False)
pq.write_table(decimals, "parquet/decimals_int.parquet", store_decimal_as_integer=True, use_dictionary=False, store_schema=False)
pa.feather.write_feather(decimals, "decimals.arrow")
duckdb.sql("""copy (select (3509359142 + (range * 2654435761) % 700000000)::uinteger large,
    case when range % 11 = 5 then null else ((range * 2654435761) % 4294967296)::uinteger end as "some", (range * 65521 % 65536)::usmallint as short,
    (range % 7 - 3)::int signed from range(700)) to 'parquet/u32_deltas.parquet' (format parquet, parquet_version v2, compression zstd)""")
print("recorded", len(os.listdir("golden")), "results")
