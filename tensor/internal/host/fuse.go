package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Fusing is Backend with deferred elementwise operations (fuse_defer.go): chains of them, and reductions of rows at
// their ends, run tile by tile in the caches (fuse_run.go). The elements of results have the same bits, because the
// same loops compute them.
type Fusing struct{ Backend }

func (f Fusing) Unary(op *kernels.UnaryOp, in backend.Operand) (backend.Storage, error) {
	run := func(a []backend.Operand) (backend.Storage, error) { return f.Backend.Unary(op, a[0]) }
	return fusing.elementwise(in.DType, func(n int) tileFunc { return unaryTile(op, in.DType, n) }, run, in)
}

func (f Fusing) Param(op *kernels.ParamOp, in backend.Operand, p float64) (backend.Storage, error) {
	run := func(a []backend.Operand) (backend.Storage, error) { return f.Backend.Param(op, a[0], p) }
	return fusing.elementwise(in.DType, func(int) tileFunc { return paramTile(op, in.DType, p) }, run, in)
}

func (f Fusing) Affine(in backend.Operand, mul, add backend.Scalar) (backend.Storage, error) {
	run := func(a []backend.Operand) (backend.Storage, error) { return f.Backend.Affine(a[0], mul, add) }
	return fusing.elementwise(in.DType, func(n int) tileFunc { return affineTile(in.DType, mul, add, n) }, run, in)
}

func (f Fusing) Binary(op *kernels.BinaryOp, a, b backend.Operand) (backend.Storage, error) {
	run := func(x []backend.Operand) (backend.Storage, error) { return f.Backend.Binary(op, x[0], x[1]) }
	tile := func(n int) tileFunc { return binaryTile(op.For(a.DType), a.DType, n) }
	return fusing.elementwise(a.DType, tile, run, a, b)
}

func (f Fusing) Compare(op *kernels.CompareOp, a, b backend.Operand) (backend.Storage, error) {
	run := func(x []backend.Operand) (backend.Storage, error) { return f.Backend.Compare(op, x[0], x[1]) }
	return fusing.elementwise(kernels.U8, func(int) tileFunc { return compareTile(op, a.DType) }, run, a, b)
}

func (f Fusing) Where(cond, t, e backend.Operand) (backend.Storage, error) {
	run := func(x []backend.Operand) (backend.Storage, error) { return f.Backend.Where(x[0], x[1], x[2]) }
	return fusing.elementwise(t.DType, func(int) tileFunc { return whereTile(cond.DType, t.DType) }, run, cond, t, e)
}

func (f Fusing) Cast(in backend.Operand, to kernels.DType) (backend.Storage, error) {
	run := func(a []backend.Operand) (backend.Storage, error) { return f.Backend.Cast(a[0], to) }
	return fusing.elementwise(to, func(n int) tileFunc { return castTile(in.DType, to, n) }, run, in)
}

// Reduce computes deferred rows and reduces them a few at a time, where a row is short enough for that.
func (f Fusing) Reduce(op *kernels.ReduceOp, in backend.Operand, rows, cols int) (backend.Storage, error) {
	if s := fusing.closeChain(f.Backend, op, in, rows, cols); s != nil {
		return s, nil
	}
	if err := in.Store.Materialize(); err != nil {
		return nil, err
	}
	return f.Backend.Reduce(op, in, rows, cols)
}

// Synchronize computes what is deferred.
func (f Fusing) Synchronize() error {
	fusing.computeAll()
	return nil
}
