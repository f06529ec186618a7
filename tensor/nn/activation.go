package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// inWide computes f in F32 for small floats and rounds the result once.
func inWide(x *tensor.Tensor, f func(x *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	return f(extend.Wide(x)).ToDType(x.DType())
}

// Relu2 returns the square of Relu for every element.
func Relu2(x *tensor.Tensor) *tensor.Tensor {
	return inWide(x, func(x *tensor.Tensor) *tensor.Tensor { return x.Relu().Sqr() })
}

// QuickGelu returns x·Sigmoid(1.702·x) for every element: Gelu as OpenAI's CLIP approximates it.
func QuickGelu(x *tensor.Tensor) *tensor.Tensor {
	return inWide(x, func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(x.Mul(1.702).Sigmoid()) })
}

// Relu6 returns every element held between 0 and 6.
func Relu6(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(0, 6) }

// HardSigmoid returns x/6 + 1/2 held between 0 and 1, for every element.
func HardSigmoid(x *tensor.Tensor) *tensor.Tensor {
	return inWide(x, func(x *tensor.Tensor) *tensor.Tensor { return x.Affine(1.0/6, 0.5).Clamp(0, 1) })
}

// HardSwish returns x·HardSigmoid(x) for every element.
func HardSwish(x *tensor.Tensor) *tensor.Tensor {
	return inWide(x, func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(HardSigmoid(x)) })
}

// Softplus returns log(1 + exp(x)) for every element, without overflow and with all digits far below 0.
func Softplus(x *tensor.Tensor) *tensor.Tensor { return x.Softplus() }

// Mish returns x·tanh(Softplus(x)) for every element.
func Mish(x *tensor.Tensor) *tensor.Tensor {
	return inWide(x, func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(x.Softplus().Tanh()) })
}

// LeakyRelu returns every element, multiplied by slope where it is not above zero.
func LeakyRelu(x *tensor.Tensor, slope float64) *tensor.Tensor {
	return x.Gt(0).WhereCond(x, x.Mul(slope))
}

// Elu returns every element that is above zero, and alpha·(exp(x) - 1) for the others.
func Elu(x *tensor.Tensor, alpha float64) *tensor.Tensor { return x.Elu(alpha) }

// Selu returns gamma·Elu(x, alpha). The numbers that keep mean and variance of a deep net are those of
// ParseActivation("selu").
func Selu(x *tensor.Tensor, alpha, gamma float64) *tensor.Tensor {
	return inWide(x, func(x *tensor.Tensor) *tensor.Tensor { return x.Elu(alpha).Mul(gamma) })
}

// Of Klambauer et al., "Self-Normalizing Neural Networks".
const (
	seluAlpha = 1.6732632423543772
	seluGamma = 1.0507009873554805
)

// activations are what ParseActivation knows, by the names in the configuration files of models. gelu is the exact form
// there.
var activations = []struct {
	name string
	f    tensor.Func
}{
	{"gelu", (*tensor.Tensor).GeluErf},
	{"gelu_new", (*tensor.Tensor).Gelu},
	{"gelu_pytorch_tanh", (*tensor.Tensor).Gelu},
	{"quick_gelu", QuickGelu},
	{"relu", (*tensor.Tensor).Relu},
	{"relu2", Relu2},
	{"relu6", Relu6},
	{"silu", (*tensor.Tensor).Silu},
	{"swish", (*tensor.Tensor).Silu},
	{"swiglu", Swiglu},
	{"sigmoid", (*tensor.Tensor).Sigmoid},
	{"hard_sigmoid", HardSigmoid},
	{"hard_swish", HardSwish},
	{"mish", Mish},
	{"elu", func(x *tensor.Tensor) *tensor.Tensor { return x.Elu(1) }},
	{"leaky_relu", func(x *tensor.Tensor) *tensor.Tensor { return LeakyRelu(x, 0.01) }},
	{"selu", func(x *tensor.Tensor) *tensor.Tensor { return Selu(x, seluAlpha, seluGamma) }},
	{"softplus", Softplus},
	{"tanh", (*tensor.Tensor).Tanh},
}

// Activations lists the names that ParseActivation knows.
func Activations() []string {
	var names []string
	for _, a := range activations {
		names = append(names, a.name)
	}
	return names
}

// ParseActivation returns the activation function that the configuration of a model names, such as silu or
// gelu_pytorch_tanh. elu has alpha 1, leaky_relu slope 0.01. The error lists the names.
func ParseActivation(name string) (tensor.Func, error) {
	key := strings.ToLower(name)
	i := slices.IndexFunc(activations, func(a struct {
		name string
		f    tensor.Func
	}) bool {
		return a.name == key || strings.ReplaceAll(a.name, "_", "") == key
	})
	if i < 0 {
		return nil, fmt.Errorf("nn: no activation %q: there are %s", name, strings.Join(Activations(), ", "))
	}
	return activations[i].f, nil
}

// PRelu is LeakyRelu with slopes that are learned: Weight has one, or one for each channel, dim 1.
type PRelu struct{ Weight *tensor.Tensor }

// NewPRelu takes weight from p; it begins with 0.25. One slope serves all channels when there is 1.
func NewPRelu(channels int, p *Params) *PRelu {
	return &PRelu{p.Get("weight", []int{channels}, Const(0.25))}
}

// Forward multiplies the negative elements of x by their slopes.
func (p *PRelu) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := p.Weight
	if n := w.ElemCount(); n > 1 {
		if x.Rank() < 2 || x.Dim(1) != n {
			extend.Shape("prelu", []*tensor.Tensor{x, w}, "want [batch %d …], not shape %v", n, x.Dims())
		}
		w = w.Reshape(channelShape(x, n)...)
	}
	return x.Gt(0).WhereCond(x, x.Mul(w))
}

// channelShape is the shape of a vector of n along dim 1 of x.
func channelShape(x *tensor.Tensor, n int) []int {
	line := make([]int, x.Rank())
	for i := range line {
		line[i] = 1
	}
	line[1] = n
	return line
}

// Dropout is a layer that, in training, sets elements to 0 with this probability, and multiplies the others by 1/(1-p).
// The numbers come from the generator of the device: Device.SetSeed repeats them.
type Dropout float64

// Forward returns x.
func (p Dropout) Forward(x *tensor.Tensor) *tensor.Tensor { return x }

// ForwardT returns x, or, to train, x with elements dropped. It panics with ErrShape when p is not in [0, 1].
func (p Dropout) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	if !(p >= 0 && p <= 1) {
		extend.Shape("dropout", []*tensor.Tensor{x}, "the probability %v is not in [0, 1]", float64(p))
	}
	if !train || p == 0 {
		return x
	}
	noise := x.Device().Rand(tensor.F32, x.Dims()...)
	if p < 1 { // otherwise all elements are dropped
		x = x.Mul(1 / (1 - float64(p)))
	}
	return noise.Ge(float64(p)).WhereCond(x, 0)
}
