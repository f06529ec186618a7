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

// Get returns the options in force.
func Get() Options {
	if o := current.Load(); o != nil {
		return *o
	}
	return Default
}

// Set replaces them. Fields that are zero stay as they are; all are kept between sensible limits. It returns those
// before.
func Set(o Options) Options {
	before := Get()
	after := before
	for _, f := range []struct {
		field     *int
		value     int
		low, high int
	}{
		{&after.Precision, o.Precision, 0, 17},
		{&after.Threshold, o.Threshold, 1, 1 << 20},
		{&after.EdgeItems, o.EdgeItems, 1, 1 << 10},
		{&after.LineWidth, o.LineWidth, 20, 1 << 12},
	} {
		if f.value != 0 {
			*f.field = max(f.low, min(f.high, f.value))
		}
	}
	current.Store(&after)
	return before
}
