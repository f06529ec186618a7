// Package frame has tables whose columns have names and types (data frames): read from files, filtered, sorted,
// grouped, joined and reshaped, shown as tables, and turned into tensors. In a cell, which an error ends:
//
//	trips := frame.ReadCSV("trips.csv")
//	long := trips.Filter(frame.Col("km").Gt(5))
//	long.GroupBy("city").Agg(frame.Len(), frame.Mean("fare"))
//
// # Values
//
// A column has one Type. Its elements lie in memory as in Apache Arrow: numbers one after another, strings as offsets
// and bytes, categories as codes and a dictionary, and a bit for each row that says whether there is a value. Frames
// and columns never change: operations return new ones, which share what they have in common.
//
// # Missing values
//
// Any column may have missing values. A missing value is not NaN, which is a number of float columns like any other.
//
//   - Arithmetic and comparisons with a missing value give a missing value; And, Or and Not follow the logic of three
//     values (false and missing is false). Filter keeps rows for which the condition is true.
//   - Aggregates skip missing values. The sum of none is 0; their mean, minimum and other aggregates are missing.
//   - Missing keys of GroupBy form a group. In Join they match nothing, as in SQL.
//   - Sort puts missing values last, in ascending and in descending order. NaN is greater than every number.
//
// # Errors
//
// Mistakes in a program (a wrong name, types that do not fit) panic with a *tensor.Error, as in package tensor;
// reading and writing of files return errors. Integers do not wrap around: a sum beyond int64 is an error.
//
// # Files of this package
//
//	type.go, column.go, bitmap.go, values.go   columns, and how they are made of Go values
//	frame.go, errors.go, text.go               frames, and how they are shown
//	csv_*.go, jsonl.go, arrow.go, ipc*.go, parquet_*.go, decimals.go, npy.go   files
//	structs.go, sql.go, tensors.go             other sources
//	expr*.go, arithmetic.go, compare.go        expressions
//	codes.go, table.go                         keys as integers, the basis of group, join, unique and pivot
//	group.go, aggregate*.go, join.go, sort.go, radix.go, reshape.go, describe.go, window.go, resample.go   operations
//
// # Invariants
//
// The slices of a column are never written after it was made. Bits of a bitmap beyond the length are 0. A column
// without missing values has no bitmap. Results do not depend on the number of cores.
package frame
