package fft

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft/internal/gpu"
	"github.com/gorocm/gorocm/tensor/fft/internal/host"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// The three transforms that all others are made of, with their gradients. A gradient with respect to a complex number
// is that with respect to its parts, as a complex number; so the gradient of a linear function is its adjoint.

// linear is the result y of a linear function of x with the way to its gradient, by the adjoint of the function.
func linear(
	y *tensor.Tensor, op string, x *tensor.Tensor, adjoint func(g *tensor.Tensor) *tensor.Tensor,
) *tensor.Tensor {
	return extend.ByOperations(y, op, []*tensor.Tensor{x},
		func(g, _ *tensor.Tensor, _ []*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{adjoint(g)} })
}

// transform transforms complex numbers along dims, times scale.
func transform(op string, x *tensor.Tensor, dims []int, inverse bool, scale float64) *tensor.Tensor {
	if len(dims) == 0 && scale == 1 {
		return x
	}
	y := extend.New(op, x.Device(), x.DType(), x.Dims(), func() (backend.Storage, error) {
		in := extend.Dense(op, x)
		if x.Device().IsCPU() {
			return host.Complex(in, dims, inverse, scale), nil
		}
		return gpu.Complex(extend.Backend(x.Device()), in, dims, inverse, scale)
	})
	return linear(y, op, x, func(g *tensor.Tensor) *tensor.Tensor {
		return transform(op, g, dims, !inverse, scale)
	})
}

// forward transforms rows of n real numbers to the first n/2 + 1 numbers of their transforms, times scale, and then
// dims before the last one.
func forward(op string, x *tensor.Tensor, dims []int, scale float64) *tensor.Tensor {
	n, shape, dt := x.Dim(-1), x.Dims(), tensor.C64
	if x.DType() == tensor.F64 {
		dt = tensor.C128
	}
	shape[len(shape)-1] = n/2 + 1
	y := extend.New(op, x.Device(), dt, shape, func() (backend.Storage, error) {
		in := extend.Dense(op, x)
		if x.Device().IsCPU() {
			return host.Forward(in, dims, scale), nil
		}
		return gpu.Forward(extend.Backend(x.Device()), in, dims, scale)
	})
	return linear(y, op, x, func(g *tensor.Tensor) *tensor.Tensor {
		return backward(op, g.Mul(shares(n, 0.5, g)), dims, n, scale)
	})
}

// backward transforms dims before the last one by inverse transforms, and then computes rows of n real numbers, times
// scale, from the first n/2 + 1 numbers of their transforms.
func backward(op string, x *tensor.Tensor, dims []int, n int, scale float64) *tensor.Tensor {
	shape := x.Dims()
	shape[len(shape)-1] = n
	y := extend.New(op, x.Device(), x.DType().Real(), shape, func() (backend.Storage, error) {
		in := extend.Dense(op, x)
		if x.Device().IsCPU() {
			return host.Backward(in, dims, n, scale), nil
		}
		return gpu.Backward(extend.Backend(x.Device()), in, dims, n, scale)
	})
	return linear(y, op, x, func(g *tensor.Tensor) *tensor.Tensor {
		f := forward(op, g, dims, scale)
		return f.Mul(shares(n, 2, f))
	})
}

// shares are the factors of numbers 0 to n/2 in a sum over all n numbers, half of which are the conjugates of others:
// 1 for number 0 and, of an even length, number n/2, and `others` for the rest. They have the type of like.
func shares(n int, others float64, like *tensor.Tensor) *tensor.Tensor {
	list := slices.Repeat([]float64{others}, n/2+1)
	list[0] = 1
	if n%2 == 0 {
		list[n/2] = 1
	}
	return like.Device().New(list).ToDType(like.DType())
}
