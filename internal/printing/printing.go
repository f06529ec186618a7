// Package printing holds how numbers are printed. Packages display and tensor, of which neither may import the other,
// read it.
package printing

import "sync/atomic"

// Options say how numbers are printed. Package display documents the fields.
type Options struct {
	Precision, Threshold, EdgeItems, LineWidth int
}

// Default is in force until Set is called.
var Default = Options{Precision: 4, Threshold: 1000, EdgeItems: 3, LineWidth: 80}

var current atomic.Pointer[Options]

// columns are those of the front end's terminal.
var columns atomic.Int32

// Columns is the width of the terminal that shows what is printed, 0 where there is none.
func Columns() int { return int(columns.Load()) }

// SetColumns says how wide that terminal is, 0 for none.
func SetColumns(n int) { columns.Store(int32(max(0, min(n, 1<<12)))) }

// Get returns the options in force. Lines are no longer than a terminal that is narrower than the default.
func Get() Options {
	o := stored()
	if n := Columns(); n > 0 && o.LineWidth == Default.LineWidth {
		o.LineWidth = max(lowestWidth, min(o.LineWidth, n))
	}
	return o
}

// stored are the options as they were set, whatever the terminal.
func stored() Options {
	if set := current.Load(); set != nil {
		return *set
	}
	return Default
}

// lowestWidth is the least that LineWidth can be.
const lowestWidth = 20

// Set replaces them. Fields that are zero stay as they are; all are kept between sensible limits. It returns those
// before.
func Set(o Options) Options {
	before := stored()
	after := before
	for _, f := range []struct {
		field     *int
		value     int
		low, high int
	}{
		{&after.Precision, o.Precision, 0, 17},
		{&after.Threshold, o.Threshold, 1, 1 << 20},
		{&after.EdgeItems, o.EdgeItems, 1, 1 << 10},
		{&after.LineWidth, o.LineWidth, lowestWidth, 1 << 12},
	} {
		if f.value != 0 {
			*f.field = max(f.low, min(f.high, f.value))
		}
	}
	current.Store(&after)
	return before
}
