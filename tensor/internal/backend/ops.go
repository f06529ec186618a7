package backend

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// The rows of the op table by name.
var (
	UnaryOps   = index(kernels.Unary, func(r *kernels.UnaryOp) string { return r.Name })
	ParamOps   = index(kernels.Params, func(r *kernels.ParamOp) string { return r.Name })
	BinaryOps  = index(kernels.Binary, func(r *kernels.BinaryOp) string { return r.Name })
	CompareOps = index(kernels.Compare, func(r *kernels.CompareOp) string { return r.Name })
	ComplexOps = index(kernels.ComplexOps, func(r *kernels.ComplexOp) string { return r.Name })
	ReduceOps  = index(kernels.Reduce, func(r *kernels.ReduceOp) string { return r.Name })
	ScanOps    = index(kernels.Scans, func(r *kernels.ScanOp) string { return r.Name })
)

func index[R any](rows []R, name func(*R) string) map[string]*R {
	m := make(map[string]*R, len(rows))
	for i := range rows {
		m[name(&rows[i])] = &rows[i]
	}
	return m
}

// GivesNoIntegers reports whether an operation on integers of a type is a comparison, or computes floats.
func GivesNoIntegers(op string, dt kernels.DType) bool {
	_, compares := CompareOps[op]
	b, binary := BinaryOps[op]
	return compares || binary && !slices.Contains(b.On, dt)
}
