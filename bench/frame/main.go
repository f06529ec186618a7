// Command frame times operations of package tensor/frame on the tables that bench/frame.py makes. It prints a line for
// each run: the operation, seconds by the clock, and seconds of all cores.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/gorocm/gorocm/tensor/frame"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: frame FOLDER RUNS OPERATION…")
		os.Exit(2)
	}
	runs, err := strconv.Atoi(os.Args[2])
	check(err)
	for _, name := range os.Args[3:] {
		f := operations(os.Args[1])[name]
		if f == nil {
			check(fmt.Errorf("no operation %q", name))
		}
		f() // warm, and with the tables read
		for range runs {
			runtime.GC()
			start, cpu := time.Now(), cpuTime()
			f()
			fmt.Println(name, time.Since(start).Seconds(), (cpuTime() - cpu).Seconds())
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "frame:", err)
		os.Exit(1)
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Kept is the last result, so that none is optimised away.
var Kept any

func operations(dir string) map[string]func() {
	col := frame.Col
	var table, users *frame.Frame
	read := func() *frame.Frame {
		if table == nil {
			var err error
			table, err = frame.ReadParquet(filepath.Join(dir, "table.parquet"))
			check(err)
			users, err = frame.ReadParquet(filepath.Join(dir, "users.parquet"))
			check(err)
		}
		return table
	}
	with := func(f func(t *frame.Frame) *frame.Frame) func() {
		return func() { Kept = f(read()) }
	}
	return map[string]func(){
		"csv": func() {
			f, err := frame.ReadCSV(filepath.Join(dir, "table.csv"))
			check(err)
			Kept = f
		},
		"parquet": func() {
			f, err := frame.ReadParquet(filepath.Join(dir, "table.parquet"))
			check(err)
			Kept = f
		},
		"group low": with(func(t *frame.Frame) *frame.Frame {
			return t.GroupBy("city").Agg(frame.Len(), frame.Sum("x"), frame.Mean("y"), frame.Max("user"))
		}),
		"group high": with(func(t *frame.Frame) *frame.Frame {
			return t.GroupBy("user").Agg(frame.Sum("x"), frame.Mean("y"))
		}),
		"group text": with(func(t *frame.Frame) *frame.Frame {
			return t.GroupBy("item").Agg(frame.Sum("x"), frame.Mean("y"))
		}),
		"group two": with(func(t *frame.Frame) *frame.Frame {
			return t.GroupBy("city", "day").Agg(frame.Sum("x"), frame.Len())
		}),
		"join":     with(func(t *frame.Frame) *frame.Frame { return t.Join(users, frame.Inner, "user") }),
		"sort":     with(func(t *frame.Frame) *frame.Frame { return t.Sort("x") }),
		"sort two": with(func(t *frame.Frame) *frame.Frame { return t.Sort("city", "user") }),
		"filter": with(func(t *frame.Frame) *frame.Frame {
			return t.Filter(col("x").Gt(0.5).And(col("city").Ne("city 7")))
		}),
		"write csv":     func() { check(read().WriteCSV(filepath.Join(dir, "out.csv"))) },
		"write parquet": func() { check(read().WriteParquet(filepath.Join(dir, "out.parquet"))) },
		"compute": with(func(t *frame.Frame) *frame.Frame {
			return t.With("z", col("x").Mul(2).Add(col("y")).Div(col("user").Add(1)))
		}),
	}
}
