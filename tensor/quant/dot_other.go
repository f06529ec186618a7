//go:build !amd64

package quant

// wholeDot returns nil: blocks are unpacked to floats.
func wholeDot(Type) func(w *byte, q *int8, d *float32, sums *int16, blocks int) float32 { return nil }

// floatDot returns nil: elements are unpacked to floats.
func floatDot(Type) func(w *byte, x *float32, n int) float32 { return nil }
