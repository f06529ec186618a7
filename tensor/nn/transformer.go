package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// MultiheadAttention is attention of several heads between linear layers (Vaswani et al., "Attention Is All You Need",
// 2017).
type MultiheadAttention struct {
	Heads   int
	Dropout Dropout // of the weights of keys, in training
	InProj  *Linear // to queries, keys and values, one after the other: [3·size size]
	OutProj *Linear // [size size]
}

// NewMultiheadAttention takes in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias from p, which begin as
// PyTorch's do. It panics with ErrShape when heads do not divide size.
func NewMultiheadAttention(size, heads int, p *Params) *MultiheadAttention {
	if heads < 1 || size%heads != 0 {
		extend.Shape("multihead attention", nil, "%d heads do not divide rows of %d elements", heads, size)
	}
	bound := math.Sqrt(6 / float64(max(4*size, 1))) // Xavier's, of size inputs and 3·size outputs
	out := p.At("out_proj")
	return &MultiheadAttention{
		Heads: heads,
		InProj: &Linear{Weight: p.Get("in_proj_weight", []int{3 * size, size}, Uniform(-bound, bound)),
			Bias: p.Get("in_proj_bias", []int{3 * size}, Const(0))},
		OutProj: NewLinearInit(size, size, within(size), Const(0), out),
	}
}

// Forward attends from queries [batch steps size] to keys and values [batch keys size], and gives [batch steps size].
// The mask of a broadcasts to [batch heads steps keys]: that of padded keys has the shape [batch 1 1 keys]. It panics
// as Attention does.
func (m *MultiheadAttention) Forward(q, k, v *tensor.Tensor, a Attend) *tensor.Tensor {
	return m.ForwardT(q, k, v, a, false)
}

// ForwardT is Forward, in training with weights of keys dropped.
func (m *MultiheadAttention) ForwardT(q, k, v *tensor.Tensor, a Attend, train bool) *tensor.Tensor {
	size := m.InProj.Weight.Dim(1)
	project := func(x *tensor.Tensor, i int) *tensor.Tensor {
		if x.Rank() != 3 || x.Dim(2) != size {
			extend.Shape("multihead attention", []*tensor.Tensor{x}, "want [batch steps %d], not shape %v", size,
				x.Dims())
		}
		return m.InProj.Rows(i*size, size).Forward(x).Reshape(x.Dim(0), x.Dim(1), m.Heads, size/m.Heads).Transpose(1, 2)
	}
	y := m.attention(project(q, 0), project(k, 1), project(v, 2), a, train)
	return m.OutProj.Forward(y.Transpose(1, 2).Reshape(q.Dims()...))
}

// attention keeps the scores only to drop some.
func (m *MultiheadAttention) attention(q, k, v *tensor.Tensor, a Attend, train bool) *tensor.Tensor {
	if !train || m.Dropout == 0 {
		return Attention(q, k, v, a)
	}
	checkAttend(a, q, k, v)
	scores := extend.Wide(q).MatMul(extend.Wide(k).T()).Mul(a.scale(q.Dim(-1)))
	if a.Softcap != 0 {
		scores = scores.Div(a.Softcap).Tanh().Mul(a.Softcap)
	}
	weights := m.Dropout.ForwardT(hide(scores, a).Softmax(-1), true)
	return weights.MatMul(extend.Wide(v)).ToDType(q.DType())
}

// TransformerConfig describes layers of a transformer's encoder. Start from DefaultTransformer.
type TransformerConfig struct {
	Size, Heads int
	Hidden      int         // of the layer between two linear ones
	Dropout     Dropout     // of weights, of the hidden layer and of what is added to the input, in training
	Activation  tensor.Func // of the hidden layer; nil is Relu
	NormFirst   bool        // inputs are normalised, not sums
	Eps         float64     // of the norms
}

// DefaultTransformer returns PyTorch's defaults: 2,048 hidden elements, a dropout of 0.1, Relu, and an Eps of 1e-5.
func DefaultTransformer(size, heads int) TransformerConfig {
	return TransformerConfig{Size: size, Heads: heads, Hidden: 2048, Dropout: 0.1, Eps: 1e-5}
}

// TransformerEncoderLayer is attention to oneself and a network of two linear layers, each added to its input.
type TransformerEncoderLayer struct {
	Config           TransformerConfig
	SelfAttention    *MultiheadAttention
	Linear1, Linear2 *Linear
	Norm1, Norm2     *LayerNormLayer
}

// NewTransformerEncoderLayer takes its parameters from p, under PyTorch's names: self_attn, linear1, linear2, norm1 and
// norm2.
func NewTransformerEncoderLayer(c TransformerConfig, p *Params) *TransformerEncoderLayer {
	l := &TransformerEncoderLayer{c, NewMultiheadAttention(c.Size, c.Heads, p.At("self_attn")),
		NewLinear(c.Size, c.Hidden, p.At("linear1")), NewLinear(c.Hidden, c.Size, p.At("linear2")),
		NewLayerNorm(c.Size, c.Eps, p.At("norm1")), NewLayerNorm(c.Size, c.Eps, p.At("norm2"))}
	l.SelfAttention.Dropout = c.Dropout
	return l
}

// Forward takes x [batch steps size] to the same shape.
func (l *TransformerEncoderLayer) Forward(x *tensor.Tensor) *tensor.Tensor {
	return l.ForwardT(x, false)
}

// ForwardT is Forward, in training with dropout.
func (l *TransformerEncoderLayer) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	return l.Attending(x, Attend{}, train)
}

// Attending is ForwardT with attention of another kind: causal, or with a mask.
func (l *TransformerEncoderLayer) Attending(x *tensor.Tensor, a Attend, train bool) *tensor.Tensor {
	drop := l.Config.Dropout
	attend := func(x *tensor.Tensor) *tensor.Tensor {
		return drop.ForwardT(l.SelfAttention.ForwardT(x, x, x, a, train), train)
	}
	feed := func(x *tensor.Tensor) *tensor.Tensor {
		h := l.Linear1.Forward(x)
		if f := l.Config.Activation; f != nil {
			h = f(h)
		} else {
			h = h.Relu()
		}
		return drop.ForwardT(l.Linear2.Forward(drop.ForwardT(h, train)), train)
	}
	if l.Config.NormFirst {
		x = x.Add(attend(l.Norm1.Forward(x)))
		return x.Add(feed(l.Norm2.Forward(x)))
	}
	x = l.Norm1.Forward(x.Add(attend(x)))
	return l.Norm2.Forward(x.Add(feed(x)))
}

// TransformerEncoder is layers one after the other.
type TransformerEncoder struct {
	Layers []*TransformerEncoderLayer
	Norm   *LayerNormLayer // of the result; nil for none
}

// NewTransformerEncoder takes the parameters of so many layers from p, under PyTorch's names: layers.0, layers.1, …,
// and norm if p has one, or if its parameters are new and NormFirst is set, which leaves sums as they are.
func NewTransformerEncoder(layers int, c TransformerConfig, p *Params) *TransformerEncoder {
	e := &TransformerEncoder{}
	for i := range layers {
		e.Layers = append(e.Layers, NewTransformerEncoderLayer(c, p.At("layers", i)))
	}
	if p.New() && c.NormFirst || p.Has("norm.weight") {
		e.Norm = NewLayerNorm(c.Size, c.Eps, p.At("norm"))
	}
	return e
}

// Forward takes x [batch steps size] to the same shape.
func (e *TransformerEncoder) Forward(x *tensor.Tensor) *tensor.Tensor { return e.ForwardT(x, false) }

// ForwardT is Forward, in training with dropout.
func (e *TransformerEncoder) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	return e.Attending(x, Attend{}, train)
}

// Attending is ForwardT with attention of another kind: causal, or with a mask.
func (e *TransformerEncoder) Attending(x *tensor.Tensor, a Attend, train bool) *tensor.Tensor {
	for _, l := range e.Layers {
		x = l.Attending(x, a, train)
	}
	if e.Norm != nil {
		x = e.Norm.Forward(x)
	}
	return x
}
