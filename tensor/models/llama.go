package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Llama is a decoder of the Llama family: RMS norms, a rotary embedding, heads of queries that share keys and values, a
// gated feed-forward part. Its weights are dense or packed (package quant); small and large alike it computes a
// sequence at a time, [positions width].
type Llama struct {
	Config LlamaConfig

	embedding embedding // [vocab dim]
	layers    []llamaLayer
	norm      *tensor.Tensor // [dim]
	output    matrix
	cos, sin  *tensor.Tensor // [context head/2], times ropeScale
}

// ropeScale is the factor of queries and keys, which the rotation applies at no cost. For both it gives attention's
// 1/√size.
func (c *LlamaConfig) ropeScale() float64 { return math.Pow(float64(c.HeadDim), -0.25) }

// llamaLayer is one of the layers. Products that share their input are one.
type llamaLayer struct {
	attentionNorm, ffnNorm *tensor.Tensor
	qkv                    matrix // queries, keys and values
	qNorm, kNorm           *tensor.Tensor
	out                    matrix
	gateUp                 matrix // both halves of Swiglu
	down                   matrix
}

// NewLlama takes the weights of a model from p, under any of the names that Meta, Hugging Face and GGUF give them. With
// nn.NewParams they are random, to time a model of some size; they are copied, so that training does not reach them.
// The error is a *nn.ParamsError when they are not exactly those of the config.
func NewLlama(c LlamaConfig, p *nn.Params) (*Llama, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if !p.DType().IsFloat() {
		return nil, fmt.Errorf("models: a Llama computes in floats, not in %v", p.DType())
	}
	names, err := namesIn(p)
	if err != nil {
		return nil, err
	}
	m := &Llama{Config: c}
	cos, sin := nn.RopeTablesOf(c.Context, c.frequencies(), p.Device())
	m.cos, m.sin = cos.Mul(c.ropeScale()).ToDType(p.DType()), sin.Mul(c.ropeScale()).ToDType(p.DType())
	err = p.Build(func() {
		m.embedding = newEmbedding(p, names.embedding+".weight", c)
		m.norm = p.Get(names.norm+".weight", []int{c.Dim}, nn.Const(1)).Detach()
		for i := range c.Layers {
			m.layers = append(m.layers, names.layer(c, p.At(fmt.Sprintf(names.layers, i))))
		}
		if c.Tied {
			m.output = m.embedding.tied(p, names.embedding+".weight", c)
			p.Ignore(names.output + ".weight")
		} else {
			m.output = newMatrix(p, []int{c.Vocab}, c.Dim, false, names.output)
		}
		p.Ignore(names.ignored...)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// randomWeight is how new weights begin.
var randomWeight = nn.Normal(0, 0.02)

// Pack returns the model with packed weights: those matrices whose rows are whole blocks of t. The embedding stays as
// it is.
func (m *Llama) Pack(t quant.Type) *Llama {
	packed := *m
	pack := func(x matrix) matrix {
		if x.stored != nil {
			return matrix{stored: repacked(x.stored, t), bias: x.bias}
		}
		if x.dense == nil || x.dense.Dim(0)%t.BlockSize() != 0 {
			return x
		}
		return matrix{packed: quant.Quantize(x.dense.T(), t).ToDevice(m.Device()), bias: x.bias}
	}
	packed.layers = slices.Clone(m.layers)
	for i := range packed.layers {
		l := &packed.layers[i]
		l.qkv, l.out, l.gateUp, l.down = pack(l.qkv), pack(l.out), pack(l.gateUp), pack(l.down)
	}
	packed.output = pack(m.output)
	return &packed
}

// repacked are matrices with those packed as t that are floats, where their rows are whole blocks of it.
func repacked(all []*quant.QTensor, t quant.Type) []*quant.QTensor {
	all = slices.Clone(all)
	for i, w := range all {
		if w.Type().BlockSize() == 1 && w.Dims()[1]%t.BlockSize() == 0 {
			all[i] = quant.Quantize(w.Dequantize(w.Device()), t)
		}
	}
	return all
}

// Device returns where the weights are.
func (m *Llama) Device() *tensor.Device { return m.norm.Device() }

// DType returns the dtype that the model computes in.
func (m *Llama) DType() tensor.DType { return m.norm.DType() }

// Forward returns the logits [tokens vocab] for what follows each token of ids. It panics with ErrIndex for numbers
// that are not tokens, and with ErrShape for more of them than the model has positions.
func (m *Llama) Forward(ids []int) *tensor.Tensor {
	d := m.Decoder()
	return m.output.product(d.run(ids))
}

// checkTokens panics with ErrIndex for numbers that are not tokens.
func checkTokens(ids []int, vocab int) {
	for _, id := range ids {
		if id < 0 || id >= vocab {
			panic(&tensor.Error{Op: "embedding", Kind: tensor.ErrIndex,
				Message: fmt.Sprintf("there is no token %d among %d", id, vocab)})
		}
	}
}

// llamaPlaces is the positions of the tokens of a pass through the layers, and how they attend to keys.
type llamaPlaces struct {
	cos, sin *tensor.Tensor // [n head/2], the angles of the positions
	// attend keeps the keys and values of a layer's tokens, side by side [1 2·groups n size], and returns the attention
	// of the queries [1 heads n size] as rows [n heads·size]
	attend func(layer int, q, kv *tensor.Tensor) *tensor.Tensor
}

// addNorm adds the output of a part of the model, nil before the first, to the residual rows x, and normalises the
// sums for the next part.
func addNorm(x, given, alpha *tensor.Tensor, eps float64) (sum, normed *tensor.Tensor) {
	if given == nil {
		return x, x.RmsNorm(alpha, eps)
	}
	return x.AddRmsNorm(given, alpha, eps)
}

// forward computes a layer for x [n dim] and the output of the layer before, which is still to be added to x. It
// returns the same of this layer.
func (l *llamaLayer) forward(
	c *LlamaConfig, layer int, x, given *tensor.Tensor, p *llamaPlaces,
) (sum, gives *tensor.Tensor) {
	n, all := x.Dim(0), c.Heads+2*c.KVHeads
	x, h := addNorm(x, given, l.attentionNorm, c.Eps)
	heads := l.qkv.product(h).Reshape(1, n, all, c.HeadDim).Transpose(1, 2) // [1 all n size]
	q, kv := heads.Narrow(1, 0, c.Heads), heads.Narrow(1, c.Heads, 2*c.KVHeads)
	if l.qNorm != nil {
		q.CopySet(q.RmsNorm(l.qNorm, c.Eps))
		k := kv.Narrow(1, 0, c.KVHeads)
		k.CopySet(k.RmsNorm(l.kNorm, c.Eps))
	}
	rotated := heads.Narrow(1, 0, c.Heads+c.KVHeads)
	if c.Interleaved {
		rotated.RopeISet(p.cos, p.sin)
	} else {
		rotated.RopeSet(p.cos, p.sin)
	}
	x, h = addNorm(x, l.out.product(p.attend(layer, q, kv)), l.ffnNorm, c.Eps)
	return x, l.down.product(nn.Swiglu(l.gateUp.product(h)))
}

// layersOf takes the tokens' rows of the embedding to those of the last norm. On the host what a layer has computed is
// freed at its end.
func (m *Llama) layersOf(x *tensor.Tensor, p *llamaPlaces) *tensor.Tensor {
	var given *tensor.Tensor
	for i := range m.layers {
		layer := &m.layers[i]
		if !m.Device().IsCPU() {
			x, given = layer.forward(&m.Config, i, x, given, p)
			continue
		}
		before, added := x, given
		given = tensor.Scoped(func() (gives *tensor.Tensor) {
			x, gives = layer.forward(&m.Config, i, x, given, p)
			x = x.Kept()
			return gives
		})
		if i > 0 { // the first ones may be a view of the embedding
			before.Free()
			added.Free()
		}
	}
	_, x = addNorm(x, given, m.norm, m.Config.Eps)
	return x
}

// halves are the keys and the values of keys and values side by side, [1 2·groups n size].
func (c *LlamaConfig) halves(kv *tensor.Tensor) (k, v *tensor.Tensor) {
	return kv.Narrow(1, 0, c.KVHeads), kv.Narrow(1, c.KVHeads, c.KVHeads)
}
