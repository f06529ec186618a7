package host

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// elements are those of a dense operand.
func elements[T number](in backend.Operand) []T {
	return host.View[T](in.Store.(*host.Storage).Data[in.Layout.Offset*in.DType.Size():])
}

// Complex transforms dense complex numbers along dims, forward or inverse, times scale.
func Complex(in backend.Operand, dims []int, inverse bool, scale float64) backend.Storage {
	if in.DType == kernels.C64 {
		return complexDims[float32](in, dims, inverse, scale)
	}
	return complexDims[float64](in, dims, inverse, scale)
}

func complexDims[T number](in backend.Operand, dims []int, inverse bool, scale float64) backend.Storage {
	shape := in.Layout.Shape
	out := host.NewUninitialized(backend.Product(shape) * in.DType.Size())
	alongDims(host.View[T](out.Data), elements[T](in), shape, dims, form[T]{inverse, T(scale)})
	return out
}

// alongDims transforms src along dims to dst, which may be src.
func alongDims[T number](dst, src []T, shape, dims []int, f form[T]) {
	for i, d := range dims {
		one := f
		if i < len(dims)-1 {
			one.scale = 1 // multiplied in the last pass
		}
		outer, inner := backend.Product(shape[:d]), backend.Product(shape[d+1:])
		if inner == 1 {
			transformRows(dst, src, shape[d], outer, shape[d], shape[d], one)
		} else {
			transformColumns(dst, src, outer, shape[d], inner, one)
		}
		src = dst
	}
}

// Forward transforms dense rows of n real numbers to the first n/2 + 1 numbers of their transforms, times scale, and
// then other dims, which are before the last one.
func Forward(in backend.Operand, dims []int, scale float64) backend.Storage {
	if in.DType == kernels.F32 {
		return forwardDims[float32](in, dims, scale)
	}
	return forwardDims[float64](in, dims, scale)
}

func forwardDims[T number](in backend.Operand, dims []int, scale float64) backend.Storage {
	shape := slices.Clone(in.Layout.Shape)
	last := len(shape) - 1
	n := shape[last]
	shape[last] = n/2 + 1
	out := host.NewUninitialized(backend.Product(shape) * 2 * in.DType.Size())
	y := host.View[T](out.Data)
	forward(y, elements[T](in), n, backend.Product(shape[:last]), T(scale))
	alongDims(y, y, shape, dims, form[T]{scale: 1})
	return out
}

// Backward transforms dims before the last one by inverse transforms, and then computes dense rows of n real numbers,
// times scale, from the first n/2 + 1 numbers of their transforms.
func Backward(in backend.Operand, dims []int, n int, scale float64) backend.Storage {
	if in.DType == kernels.C64 {
		return backwardDims[float32](in, dims, n, scale)
	}
	return backwardDims[float64](in, dims, n, scale)
}

func backwardDims[T number](in backend.Operand, dims []int, n int, scale float64) backend.Storage {
	x := elements[T](in)
	if len(dims) > 0 {
		x = host.View[T](complexDims[T](in, dims, true, 1).(*host.Storage).Data)
	}
	count := in.Layout.ElemCount() / (n/2 + 1)
	out := host.NewUninitialized(count * n * in.DType.Size() / 2)
	backward(host.View[T](out.Data), x, n, count, T(scale))
	return out
}
