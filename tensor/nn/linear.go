package nn

import (
	"math"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Linear is a layer that multiplies rows by a matrix and adds a bias: x·Weightᵀ + Bias.
type Linear struct {
	Weight *tensor.Tensor // [outputs inputs]; nil if it is packed
	Packed *quant.QTensor // the weight instead; nil if it is not packed
	Bias   *tensor.Tensor // [outputs]; nil for none

	adapter *adapter // what LoRA adds; nil for none
}

// NewLinear takes weight and bias from p, and the adapter of the LoRA that p has for the layer. They begin as PyTorch's
// do: uniform within 1/√inputs.
func NewLinear(inputs, outputs int, p *Params) *Linear {
	return NewLinearInit(inputs, outputs, within(inputs), within(inputs), p)
}

// NewLinearNoBias takes weight from p.
func NewLinearNoBias(inputs, outputs int, p *Params) *Linear {
	return NewLinearInit(inputs, outputs, within(inputs), nil, p)
}

// NewLinearInit is NewLinear for a weight and a bias that begin otherwise. Without an init for the bias there is none.
func NewLinearInit(inputs, outputs int, weight, bias Init, p *Params) *Linear {
	l := newWeight(inputs, outputs, weight, p)
	if bias != nil {
		l.Bias = p.Get("bias", []int{outputs}, bias)
	}
	return l
}

func newWeight(inputs, outputs int, init Init, p *Params) *Linear {
	l := &Linear{adapter: p.lora.adapter(strings.TrimSuffix(p.prefix, "."), inputs, outputs)}
	if l.adapter != nil {
		if l.Packed = packedUnder(p, inputs, outputs, init); l.Packed != nil {
			return l
		}
	}
	if l.Weight = p.Get("weight", []int{outputs, inputs}, init); l.adapter != nil {
		l.Weight = l.Weight.Detach()
	}
	return l
}

// packedUnder is the weight of a layer with an adapter in the format that LoRAConfig.Pack wants, or nil.
func packedUnder(p *Params, inputs, outputs int, init Init) *quant.QTensor {
	t := p.lora.Config.Pack
	if t == nil {
		return nil
	}
	if q := p.GetPacked("weight", outputs, inputs); q != nil && q.Type().BlockSize() > 1 {
		return q.ToDevice(p.dev)
	}
	if inputs%t.BlockSize() != 0 {
		return nil
	}
	return quant.Quantize(p.Get("weight", []int{outputs, inputs}, init).Detach(), *t).ToDevice(p.dev)
}

// within is how PyTorch's layers begin: uniform within the root of one over the inputs of an output.
func within(inputs int) Init {
	bound := 1 / math.Sqrt(float64(max(inputs, 1)))
	return Uniform(-bound, bound)
}

// Forward takes x [… inputs] to [… outputs].
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	var y *tensor.Tensor
	if l.Packed != nil {
		y = l.Packed.MatMulAs(x, x.DType())
	} else {
		y = x.MatMul(l.Weight.T())
	}
	if l.adapter != nil {
		y = l.adapter.add(y, x)
	}
	if l.Bias == nil {
		return y
	}
	defer extend.Drop(y) // no gradient needs the product
	return y.Add(extend.Cast("linear", l.Bias))
}

// Rows returns the layer that computes so many of the outputs, from one on. It shares the elements of dense weights.
func (l *Linear) Rows(first, count int) *Linear {
	part := &Linear{}
	if l.Packed != nil {
		part.Packed = packedRows(l.Packed, first, count)
	} else {
		part.Weight = l.Weight.Narrow(0, first, count)
	}
	if l.Bias != nil {
		part.Bias = l.Bias.Narrow(0, first, count)
	}
	if a := l.adapter; a != nil {
		part.adapter = &adapter{lora: a.lora, a: a.a, b: a.b.Narrow(0, first, count), plain: a.plain}
	}
	return part
}

// packedRows are rows of a packed matrix.
func packedRows(q *quant.QTensor, first, count int) *quant.QTensor {
	shape := q.Dims()
	if first < 0 || count < 0 || first+count > shape[0] {
		extend.Shape("linear", nil, "rows %d to %d of a weight of shape %v", first, first+count, shape)
	}
	data := q.Data()
	each := len(data) / max(shape[0], 1)
	part, err := quant.New(q.Type(), []int{count, shape[1]}, data[first*each:(first+count)*each])
	extend.Check("linear", q.Device(), err)
	return part.ToDevice(q.Device())
}

// Detach returns the layer as one outside of the gradient graph, which shares its elements: what it computes depends on
// no variable, and its adapter drops nothing.
func (l *Linear) Detach() *Linear {
	d := &Linear{Packed: l.Packed}
	if l.Weight != nil {
		d.Weight = l.Weight.Detach()
	}
	if l.Bias != nil {
		d.Bias = l.Bias.Detach()
	}
	if a := l.adapter; a != nil {
		d.adapter = &adapter{lora: a.lora, a: a.a.Detach(), b: a.b.Detach(), plain: true}
	}
	return d
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
