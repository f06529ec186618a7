package host

import (
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
	src, dst := elements[T](in), host.View[T](out.Data)
	for i, d := range dims {
		f := form[T]{inverse: inverse, scale: 1}
		if i == len(dims)-1 {
			f.scale = T(scale)
		}
		outer, inner := backend.Product(shape[:d]), backend.Product(shape[d+1:])
		if inner == 1 {
			transformRows(dst, src, shape[d], outer, shape[d], shape[d], f)
		} else {
			transformColumns(dst, src, outer, shape[d], inner, f)
		}
		src = dst
	}
	return out
}

// Forward transforms dense rows of n real numbers to the first n/2 + 1 numbers of their transforms, times scale.
func Forward(in backend.Operand, n int, scale float64) backend.Storage {
	count := in.Layout.ElemCount() / n
	out := host.NewUninitialized(count * (n/2 + 1) * 2 * in.DType.Size())
	if in.DType == kernels.F32 {
		forward(host.View[float32](out.Data), elements[float32](in), n, count, float32(scale))
	} else {
		forward(host.View[float64](out.Data), elements[float64](in), n, count, scale)
	}
	return out
}

// Backward computes dense rows of n real numbers, times scale, from the first n/2 + 1 numbers of their transforms.
func Backward(in backend.Operand, n int, scale float64) backend.Storage {
	count := in.Layout.ElemCount() / (n/2 + 1)
	out := host.NewUninitialized(count * n * in.DType.Size() / 2)
	if in.DType == kernels.C64 {
		backward(host.View[float32](out.Data), elements[float32](in), n, count, float32(scale))
	} else {
		backward(host.View[float64](out.Data), elements[float64](in), n, count, scale)
	}
	return out
}
