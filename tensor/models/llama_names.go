package models

import (
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/decode"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/statespace"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// weights takes the weights of a model by their names.
type weights struct{ *config.Names }

// layer takes the weights of a layer.
func (n weights) layer(c LlamaConfig, layer int, p *nn.Params) llamaLayer {
	norm := func(wanted bool, name string) *norm {
		if !wanted {
			return nil
		}
		return newNorm(&c, p, name, c.Dim)
	}
	l := llamaLayer{
		attentionNorm:  norm(!c.NoPreNorm, n.AttentionNorm),
		attentionAfter: norm(c.PostNorm, n.AttentionAfter),
		parts:          c.PartsOf(layer),
	}
	if l.parts&WithState != 0 {
		l.space = n.state(&c, p)
	}
	if l.parts&WithAttention != 0 {
		n.attention(&c, layer, p, &l)
	}
	if l.parts&WithFeedForward == 0 {
		return l
	}
	two := l.parts != WithFeedForward // else the norm before is the first one
	l.ffnNorm, l.ffnAfter = norm(two && !c.NoPreNorm && !c.SharedNorm, n.FFNNorm), norm(c.PostNorm, n.FFNAfter)
	if c.Mixes(layer) {
		l.mixture = n.mixture(&c, p)
	} else {
		l.feedForward = n.feedForward(&c, layer, p)
	}
	return l
}

// state takes the weights of what keeps a state in a layer.
func (n weights) state(c *LlamaConfig, p *nn.Params) statespace.Layer {
	if n.Mixer != "" {
		p = p.At(n.Mixer)
	}
	return statespace.NewLayer(c.StateSpace, p, n.GGUF)
}

// attention takes the weights of a layer's attention.
func (n weights) attention(c *LlamaConfig, layer int, p *nn.Params, l *llamaLayer) {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	rows, queries := q, q // of what attention gives, and of queries
	if c.Gated {
		queries = 2 * q
	}
	switch {
	case c.Latent != nil:
		l.latent, rows = newLatent(c, p, n.GGUF), c.Heads*c.Latent.Value
	case n.ByHead:
		l.qkv = headMatrix(p, *c, n.QKV)
	case n.QKV != "":
		l.qkv = n.matrix(p, queries+2*kv, c.Dim, c.QKVBias, n.QKV)
	default:
		l.qkv = newMatrix(p, []int{queries, kv, kv}, c.Dim, c.QKVBias, n.Q, n.K, n.V)
	}
	l.out = n.matrix(p, c.Dim, rows, c.OutBias, n.Out)
	if plain := c.QKNormPlain; plain && !(c.NoRope != nil && c.NoRope[layer]) {
		l.qNorm = p.Device().Ones(p.DType(), c.HeadDim)
		l.kNorm = l.qNorm
	} else if c.QKNorm && !plain {
		qSize, kSize := c.HeadDim, c.HeadDim
		if c.QKNormAll {
			qSize, kSize = q, kv
		}
		l.qNorm, l.kNorm = newNorm(c, p, n.QNorm, qSize).alpha, newNorm(c, p, n.KNorm, kSize).alpha
	}
	if c.Sinks {
		l.sinks = p.Get(n.Sinks, []int{c.Heads}, nn.Const(0)).Detach()
	}
	p.Ignore("attention.inner_attention.rope.freqs", "self_attn.rotary_emb.inv_freq", "attention.rotary_emb.inv_freq",
		"attention.bias", "attention.masked_bias", "attn.bias", "attn.masked_bias")
}

// feedForward takes the weights of a feed-forward part.
func (n weights) feedForward(c *LlamaConfig, layer int, p *nn.Params) (f feedForward) {
	switch {
	case c.Ungated:
		f.gateUp = n.matrix(p, c.Hidden, c.Dim, c.FeedForwardBias, n.Up)
	case n.GateUp != "":
		f.gateUp = newMatrix(p, []int{2 * c.Hidden}, c.Dim, c.FeedForwardBias, n.GateUp)
	default:
		f.gateUp = newMatrix(p, []int{c.Hidden, c.Hidden}, c.Dim, c.FeedForwardBias, n.Gate, n.Up)
	}
	f.down = n.matrix(p, c.Dim, c.Hidden, c.FeedForwardBias, n.Down)
	if c.XIELU {
		f.xielu = newXIELU(p.At("mlp.act_fn"), c.XIELUOf(layer))
	}
	return f
}

// matrix takes weights in the order of dims that the file has.
func (n weights) matrix(p *nn.Params, outputs, inputs int, bias bool, name string) matrix {
	if !n.InputsFirst {
		return newMatrix(p, []int{outputs}, inputs, bias, name)
	}
	m := matrix{dense: p.Get(name+".weight", []int{inputs, outputs}, randomWeight).Detach()}
	if bias {
		m.bias = p.Get(name+".bias", []int{outputs}, nil).Detach()
	}
	return m
}

// headMatrix takes the queries, the key and the value of a group of heads side by side, and puts all queries first,
// then all keys.
func headMatrix(p *nn.Params, c LlamaConfig, name string) matrix {
	each := c.Heads / c.KVHeads
	rows := (c.Heads + 2*c.KVHeads) * c.HeadDim
	byKind := func(x *tensor.Tensor, width int) *tensor.Tensor {
		x = x.Detach().Reshape(c.KVHeads, each+2, c.HeadDim*width)
		var kinds []*tensor.Tensor
		for _, k := range []struct{ first, n int }{{0, each}, {each, 1}, {each + 1, 1}} {
			kinds = append(kinds, x.Narrow(1, k.first, k.n).Reshape(c.KVHeads*k.n*c.HeadDim, width))
		}
		return tensor.Cat(kinds, 0)
	}
	m := matrix{dense: byKind(p.Get(name+".weight", []int{rows, c.Dim}, randomWeight), c.Dim).T()}
	if c.QKVBias {
		m.bias = byKind(p.Get(name+".bias", []int{rows}, nn.Const(0)), 1).Reshape(rows)
	}
	return m
}

// matrix is the weights of a linear layer.
type matrix struct {
	dense  *tensor.Tensor // [inputs outputs], a transposed view
	packed *quant.QTensor // [outputs inputs], instead
	// stored are the matrices [outputs inputs] as they are in the file, one below the other, instead: on the host
	stored []*quant.QTensor
	beside *beside        // an adapter of packed or stored ones, or nil
	bias   *tensor.Tensor // [outputs], or nil
}

// newMatrix takes weights that have the same inputs, and stacks them.
func newMatrix(p *nn.Params, outputs []int, inputs int, bias bool, names ...string) matrix {
	var m matrix
	packed, beside := packedIn(p, outputs, inputs, names)
	switch {
	case packed != nil && p.Device().IsCPU():
		m.stored, m.beside = packed, beside
	case packed != nil && alike(packed):
		m.packed, m.beside = joined(p, packed, rowsOf(outputs), inputs), beside
	}
	if m.stored == nil && m.packed == nil {
		var all []*tensor.Tensor
		for i, name := range names {
			all = append(all, p.Get(name+".weight", []int{outputs[i], inputs}, randomWeight).Detach())
		}
		m.dense = stacked(all).T()
	}
	if bias {
		var all []*tensor.Tensor
		for i, name := range names {
			all = append(all, p.Get(name+".bias", []int{outputs[i]}, nil).Detach())
		}
		m.bias = stacked(all)
	}
	return m
}

func stacked(all []*tensor.Tensor) *tensor.Tensor {
	if len(all) == 1 {
		return all[0]
	}
	return tensor.Cat(all, 0)
}

// packedIn are weights as their file has them, or nil when one is not packed, and the adapters of those that have any.
// Formats may differ: a block never spans two rows.
func packedIn(p *nn.Params, outputs []int, inputs int, names []string) (all []*quant.QTensor, b *beside) {
	for i, name := range names {
		q, down, up := p.GetBeside(name+".weight", outputs[i], inputs)
		if q == nil {
			return nil, nil
		}
		all = append(all, q)
		if down != nil {
			b = b.and(down, up, rowsOf(outputs[:i]), rowsOf(outputs))
		}
	}
	return all, b
}

func rowsOf(outputs []int) (rows int) {
	for _, n := range outputs {
		rows += n
	}
	return rows
}

func alike(all []*quant.QTensor) bool {
	return !slices.ContainsFunc(all, func(q *quant.QTensor) bool { return q.Type() != all[0].Type() })
}

// joined are packed matrices of one format, one below the other.
func joined(p *nn.Params, all []*quant.QTensor, rows, inputs int) *quant.QTensor {
	q := all[0]
	if len(all) > 1 {
		var data []byte
		for _, part := range all {
			data = append(data, part.Data()...)
		}
		var err error
		if q, err = quant.New(q.Type(), []int{rows, inputs}, data); err != nil {
			return nil
		}
	}
	return q.ToDevice(p.Device())
}

// product takes x [n inputs] to [n outputs].
func (m *matrix) product(x *tensor.Tensor) *tensor.Tensor {
	var y *tensor.Tensor
	if m.stored != nil {
		y = quant.MatMulCat(x, m.stored...).ToDType(x.DType())
	} else if m.packed != nil {
		y = m.packed.MatMulAs(x, x.DType())
	} else {
		y = x.MatMul(m.dense)
	}
	if m.beside != nil {
		y = y.Add(x.MatMul(m.beside.down).MatMul(m.beside.up))
	}
	if m.bias != nil {
		y = y.Add(m.bias)
	}
	return y
}

// linear is the matrix for a row that is normalised with alpha first, which may be nil; the bias is added.
func (m *matrix) linear(alpha *tensor.Tensor, eps float64) decode.Linear {
	l := decode.Linear{Norm: alpha, Eps: eps, Plus: m.bias}
	if m.packed != nil {
		shape := m.packed.Dims()
		l.M = decode.Matrix{Rows: shape[0], Cols: shape[1], Packed: m.packed.Blocks(),
			Format: strings.ToLower(m.packed.Type().String())}
		return l
	}
	w := m.dense.T()
	l.M = decode.Matrix{Rows: w.Dim(0), Cols: w.Dim(1), Dense: w}
	return l
}

func cpu() *tensor.Device { return tensor.CPU() }
