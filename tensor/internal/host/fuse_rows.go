package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// The loops of deferred operations by type, for a result of n elements that nothing reads soon; n is 0 where something
// does. They are nil for the types that are not deferred.

func tile1[T, R any](row func(out []R, x []T)) tileFunc {
	return func(out []byte, in *[3][]byte) { row(View[R](out), View[T](in[0])) }
}

func tile2[T, R any](row func(out []R, x, y []T)) tileFunc {
	return func(out []byte, in *[3][]byte) { row(View[R](out), View[T](in[0]), View[T](in[1])) }
}

// smallTile is tile1 for small floats, which are computed in F32.
func smallTile(dt kernels.DType, row func(out, x []float32)) tileFunc {
	switch dt {
	case kernels.F16:
		return tile1(smallRow[backend.Float16](row))
	case kernels.BF16:
		return tile1(smallRow[backend.BFloat16](row))
	}
	return nil
}

func unaryTile(op *kernels.UnaryOp, dt kernels.DType, n int) tileFunc {
	switch dt {
	case kernels.F32:
		return tile1(unaryRow[float32](op, n))
	case kernels.F64:
		return tile1(unaryRow[float64](op, n))
	case kernels.F16, kernels.BF16:
		return smallTile(dt, unaryRow[float32](op, 0))
	}
	return nil
}

func paramTile(op *kernels.ParamOp, dt kernels.DType, p float64) tileFunc {
	switch dt {
	case kernels.F32:
		return tile1(paramRow[float32](op, float64(float32(p))))
	case kernels.F64:
		return tile1(paramRow[float64](op, p))
	case kernels.F16, kernels.BF16:
		return smallTile(dt, paramRow[float32](op, float64(float32(p))))
	}
	return nil
}

func affineTile(dt kernels.DType, mul, add backend.Scalar, n int) tileFunc {
	switch dt {
	case kernels.F32:
		return tile1(affineRow(float32(mul.Float), float32(add.Float), n))
	case kernels.F64:
		return tile1(affineRow(mul.Float, add.Float, n))
	case kernels.F16, kernels.BF16:
		return smallTile(dt, affineRow(float32(mul.Float), float32(add.Float), 0))
	}
	return nil
}

func binaryTile(op *kernels.BinaryOp, dt kernels.DType, n int) tileFunc {
	switch dt {
	case kernels.F32:
		return tile2(binaryRow[float32](op, n))
	case kernels.F64:
		return tile2(binaryRow[float64](op, n))
	case kernels.F16:
		return tile2(binarySmall[backend.Float16](op))
	case kernels.BF16:
		return tile2(binarySmall[backend.BFloat16](op))
	}
	return nil
}

func compareTile(op *kernels.CompareOp, dt kernels.DType) tileFunc {
	switch dt {
	case kernels.F32:
		return tile2(compareRow[float32](op))
	case kernels.F64:
		return tile2(compareRow[float64](op))
	}
	return nil
}

// whereTile is for conditions of one byte; the type that is chosen from does not matter.
func whereTile(cond, dt kernels.DType) tileFunc {
	if cond != kernels.U8 {
		return nil
	}
	switch dt {
	case kernels.F32:
		return where3(whereRow[uint8, uint32]())
	case kernels.F64:
		return where3(whereRow[uint8, uint64]())
	case kernels.F16, kernels.BF16:
		return where3(whereRow[uint8, uint16]())
	}
	return nil
}

func where3[B any](row func(out []B, c []uint8, x, y []B)) tileFunc {
	return func(out []byte, in *[3][]byte) { row(View[B](out), in[0], View[B](in[1]), View[B](in[2])) }
}

func castTile(from, to kernels.DType, n int) tileFunc {
	switch [2]kernels.DType{from, to} {
	case [2]kernels.DType{kernels.F16, kernels.F32}:
		return tile1(streaming(n, widenRow[backend.Float16], widenStream[backend.Float16]))
	case [2]kernels.DType{kernels.BF16, kernels.F32}:
		return tile1(streaming(n, widenRow[backend.BFloat16], widenStream[backend.BFloat16]))
	case [2]kernels.DType{kernels.F32, kernels.F16}:
		return tile1(narrowRow[backend.Float16])
	case [2]kernels.DType{kernels.F32, kernels.BF16}:
		return tile1(narrowRow[backend.BFloat16])
	}
	return nil
}
