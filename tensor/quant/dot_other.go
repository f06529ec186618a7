//go:build !amd64

package quant

// wholeDot returns nil: blocks are unpacked to floats.
func wholeDot(Type) func(w *byte, q *int8, d *float32, sums *int16, blocks int) float32 { return nil }

// floatDot returns nil: elements are unpacked to floats.
func floatDot(Type) func(w *byte, x *float32, n int) float32 { return nil }

// tile is nil: there are no products of panels.
var tile func(out *float32, stride int, codes *byte, scales, minima *float32, x, facts *byte, parts, fours int)
