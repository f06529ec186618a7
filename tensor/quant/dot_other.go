//go:build !amd64

package quant

// wholeDot returns nil: blocks are unpacked to floats.
func wholeDot(Type) wholeProduct { return nil }

// floatDot returns nil: elements are unpacked to floats.
func floatDot(Type) floatProducts { return nil }

// tile is nil: there are no products of panels.
var tile func(out *float32, stride int, codes *byte, scales, minima *float32, x, facts *byte, parts, fours int)
