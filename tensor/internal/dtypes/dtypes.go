// Package dtypes says which element types hold the values of others, and which the results of two have. It is one file.
//
// Invariants: nothing here depends on the order of its arguments, but for Holds, and nothing panics.
package dtypes

import (
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Promote returns the type of results of a and b: see tensor.Promote. ok is false where there is none.
func Promote(a, b kernels.DType) (dt kernels.DType, ok bool) {
	if a.Kind() > b.Kind() || a.Kind() == b.Kind() && a.Size() > b.Size() {
		a, b = b, a // b is of the later kind, or the larger one
	}
	switch {
	case a == b || a == kernels.Bool:
		return b, true
	case a == kernels.F8E4M3 || b == kernels.F8E4M3:
		return 0, false
	case a == kernels.BF16 && b == kernels.F16 || a == kernels.F16 && b == kernels.BF16:
		return kernels.F32, true
	case a == kernels.F64 && b == kernels.C64:
		return kernels.C128, true
	case b.IsFloat() || b.IsComplex() || Holds(b, a):
		return b, true
	}
	// One is unsigned, and not smaller than the other.
	for _, dt := range []kernels.DType{kernels.I16, kernels.I32, kernels.I64} {
		if Holds(dt, a) && Holds(dt, b) {
			return dt, true
		}
	}
	return 0, false
}

// byRange lists the element types so that the first one that holds the values of two is the smallest.
var byRange = []kernels.DType{
	kernels.Bool, kernels.U8, kernels.I8, kernels.U16, kernels.I16, kernels.U32, kernels.I32, kernels.U64, kernels.I64,
	kernels.F8E4M3, kernels.BF16, kernels.F16, kernels.F32, kernels.F64, kernels.C64, kernels.C128,
}

// Common is the smallest element type that holds all values of both. Where there is none, it is F64, or C128 if one of
// them is complex.
func Common(a, b kernels.DType) kernels.DType {
	for _, dt := range byRange {
		if Holds(dt, a) && Holds(dt, b) {
			return dt
		}
	}
	if a.IsComplex() || b.IsComplex() {
		return kernels.C128
	}
	return kernels.F64
}

// Holds reports whether every value of small is one of wide.
func Holds(wide, small kernels.DType) bool {
	switch {
	case wide == small:
		return true
	case wide.IsComplex():
		return Holds(wide.Real(), small.Real())
	case small.IsComplex():
		return false
	case !wide.IsFloat():
		if small.IsFloat() {
			return false
		}
		low, high := backend.IntRange(small)
		least, most := backend.IntRange(wide)
		return least <= low && high <= most
	case !small.IsFloat():
		low, high := backend.IntRange(small)
		return kernels.Round(wide, float64(low)) == float64(low) &&
			kernels.Round(wide, float64(high)) == float64(high) && small != kernels.I64 && small != kernels.U64
	}
	return wide == kernels.F64 || wide == kernels.F32 && small != kernels.F64 ||
		wide != kernels.F8E4M3 && small == kernels.F8E4M3
}

// BelowZero is the type of results of an operation on elements of dt: I64 for differences and negatives of U32, the
// type of indices, which would wrap below zero.
func BelowZero(op string, dt kernels.DType) kernels.DType {
	if dt == kernels.U32 && (op == "sub" || op == "neg") {
		return kernels.I64
	}
	return dt
}

// IsSigned reports whether dt has integers below zero.
func IsSigned(dt kernels.DType) bool {
	least, _ := backend.IntRange(dt)
	return dt.IsInt() && least < 0
}

// GoName is how a dtype is spelled in Go names: F32, Bool.
func GoName(dt kernels.DType) string {
	if dt == kernels.Bool {
		return "Bool"
	}
	return strings.ToUpper(dt.String())
}

// ComplexOf is the complex type whose parts hold the values of a float type.
func ComplexOf(dt kernels.DType) kernels.DType {
	if dt == kernels.F64 || dt == kernels.C128 {
		return kernels.C128
	}
	return kernels.C64
}
