package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// Init sets a new parameter for training.
type Init func(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor

// Const fills with one number.
func Const(value float64) Init {
	return func(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
		return dev.Full(dtype, value, shape...)
	}
}

// Normal draws from a normal distribution.
func Normal(mean, std float64) Init {
	return func(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
		return dev.Randn(tensor.F32, shape...).Affine(std, mean).ToDType(dtype)
	}
}

// Uniform draws evenly from lo to hi.
func Uniform(lo, hi float64) Init {
	return func(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
		return dev.Rand(tensor.F32, shape...).Affine(hi-lo, lo).ToDType(dtype)
	}
}

// KaimingNormal draws from a normal distribution with variance 2/inputs, where the inputs of an output are the product
// of all dims but the first: it keeps the size of signals through layers with Relu.
func KaimingNormal(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return Normal(0, math.Sqrt(2/float64(fanIn(shape))))(shape, dtype, dev)
}

// KaimingUniform is KaimingNormal with a uniform distribution of the same variance.
func KaimingUniform(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	bound := math.Sqrt(6 / float64(fanIn(shape)))
	return Uniform(-bound, bound)(shape, dtype, dev)
}

// fanIn counts the inputs of each output.
func fanIn(shape []int) int {
	n := 1
	for _, d := range shape[min(1, len(shape)):] {
		n *= d
	}
	return max(n, 1)
}
