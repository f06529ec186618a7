package tensor

import "github.com/gorocm/gorocm/kernels"

// The rows of the op table by name. The generated methods look them up here.
var (
	unaryOps   = index(kernels.Unary, func(r *kernels.UnaryOp) string { return r.Name })
	paramOps   = index(kernels.Params, func(r *kernels.ParamOp) string { return r.Name })
	binaryOps  = index(kernels.Binary, func(r *kernels.BinaryOp) string { return r.Name })
	compareOps = index(kernels.Compare, func(r *kernels.CompareOp) string { return r.Name })
	reduceOps  = index(kernels.Reduce, func(r *kernels.ReduceOp) string { return r.Name })
)

func index[R any](rows []R, name func(*R) string) map[string]*R {
	m := make(map[string]*R, len(rows))
	for i := range rows {
		m[name(&rows[i])] = &rows[i]
	}
	return m
}
