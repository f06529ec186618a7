package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Linear is a layer that multiplies rows by a matrix and adds a bias: x·Weightᵀ + Bias.
type Linear struct {
	Weight *tensor.Tensor // [outputs inputs]
	Bias   *tensor.Tensor // [outputs]; nil for none
}

// NewLinear takes weight and bias from p. They begin as PyTorch's do: uniform within 1/√inputs.
func NewLinear(inputs, outputs int, p *Params) *Linear {
	l := NewLinearNoBias(inputs, outputs, p)
	l.Bias = p.Get("bias", []int{outputs}, within(inputs))
	return l
}

// NewLinearNoBias takes weight from p.
func NewLinearNoBias(inputs, outputs int, p *Params) *Linear {
	return &Linear{Weight: p.Get("weight", []int{outputs, inputs}, within(inputs))}
}

// within is how PyTorch's layers begin: uniform within the root of one over the inputs of an output.
func within(inputs int) Init {
	bound := 1 / math.Sqrt(float64(max(inputs, 1)))
	return Uniform(-bound, bound)
}

// Forward takes x [… inputs] to [… outputs].
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := x.MatMul(l.Weight.T())
	if l.Bias == nil {
		return y
	}
	defer extend.Drop(y) // no gradient needs the product
	return y.Add(l.Bias)
}

// Embedding is a layer that looks up rows of a table.
type Embedding struct{ Weight *tensor.Tensor } // [count size]

// NewEmbedding takes weight from p. It begins with normal numbers of variance 1.
func NewEmbedding(count, size int, p *Params) *Embedding {
	return &Embedding{p.Get("weight", []int{count, size}, Normal(0, 1))}
}

// Forward takes ids, integers of any shape, to that shape with the size of a row appended.
func (e *Embedding) Forward(ids *tensor.Tensor) *tensor.Tensor {
	flat := e.Weight.IndexSelect(ids.FlattenAll(), 0)
	return flat.Reshape(append(ids.Dims(), e.Weight.Dim(1))...)
}

// Sequential is a layer that runs others one after the other.
type Sequential []tensor.Module

// Forward runs the layers.
func (s Sequential) Forward(x *tensor.Tensor) *tensor.Tensor { return s.ForwardT(x, false) }

// ForwardT runs the layers. Those that are a ModuleT, such as Dropout, get train.
func (s Sequential) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	for _, m := range s {
		if t, ok := m.(tensor.ModuleT); ok {
			x = t.ForwardT(x, train)
		} else {
			x = m.Forward(x)
		}
	}
	return x
}

// Identity is a layer that returns its input.
type Identity struct{}

// Forward returns x.
func (Identity) Forward(x *tensor.Tensor) *tensor.Tensor { return x }
