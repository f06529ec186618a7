//go:build !amd64

package quant

// wholeDot returns nil: blocks are unpacked to floats.
func wholeDot(Type) wholeProduct { return nil }

// floatDot returns nil: elements are unpacked to floats.
func floatDot(Type) floatProducts { return nil }

// fastTile returns nil: there are no products of panels.
func fastTile(Type) tileProduct { return nil }
