package models

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/internal/statespace"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Llama is a decoder of the Llama family: RMS norms, a rotary embedding, heads of queries that share keys and values, a
// gated feed-forward part. Its weights are dense or packed (package quant); small and large alike it computes a
// sequence at a time, [positions width].
type Llama struct {
	Config LlamaConfig

	embedding embedding      // [vocab dim]
	rowNorm   *norm          // of its rows, or nil
	positions *tensor.Tensor // [context dim], or nil
	layers    []llamaLayer
	temper    *tensor.Tensor // of LlamaConfig.temperatures, or nil
	alibi     *alibi
	norm      *norm
	output    matrix
	rope      angles      // times the scale of LlamaConfig.scales
	local     angles      // of layers with a window, the same but with LocalRopeBase
	scale     float64     // of the products of queries and keys
	activate  tensor.Func // of the feed-forward part; nil for silu with a gate, which is one operation
}

// angles are the cosines and sines of a rotary embedding, [positions pairs].
type angles struct{ cos, sin *tensor.Tensor }

// anglesOf are those with a base, in the dtype that the model computes in.
func anglesOf(c *LlamaConfig, p *nn.Params, base float64, scaled bool) angles {
	factor, _ := c.Scales()
	if scaled {
		factor *= cmp.Or(c.RopeGain, 1)
	}
	cos, sin := nn.RopeTablesOf(c.Context, c.Frequencies(base, scaled), p.Device())
	return angles{cos.Mul(factor).ToDType(p.DType()), sin.Mul(factor).ToDType(p.DType())}
}

// at are the angles of positions in device memory.
func (a angles) at(positions *tensor.Tensor) angles {
	return angles{a.cos.IndexSelect(positions, 0), a.sin.IndexSelect(positions, 0)}
}

// from are the angles of n positions.
func (a angles) from(first, n int) angles {
	return angles{a.cos.Narrow(0, first, n), a.sin.Narrow(0, first, n)}
}

// llamaLayer is one of the layers. Products that share their input are one.
type llamaLayer struct {
	attentionNorm, ffnNorm   *norm
	attentionAfter, ffnAfter *norm  // of what attention and the feed-forward part give, or nil
	qkv                      matrix // queries, keys and values
	qNorm, kNorm             *tensor.Tensor
	sinks                    *tensor.Tensor // [heads], or nil
	out                      matrix
	latent                   *latent // in place of qkv, or nil
	feedForward
	mixture *mixture // instead of feedForward, or nil
	space   statespace.Layer
	parts   LayerParts
}

// NewLlama takes the weights of a model from p, under any of the names that Meta, Hugging Face and GGUF give them. With
// nn.NewParams they are random, to time a model of some size; they are copied, so that training does not reach them.
// The error is a *nn.ParamsError when they are not exactly those of the config.
func NewLlama(c LlamaConfig, p *nn.Params) (*Llama, error) { return newLlama(c, p, func() {}) }

// newLlama is NewLlama for a file that has more weights, which other takes.
func newLlama(c LlamaConfig, p *nn.Params, other func()) (*Llama, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if !p.DType().IsFloat() {
		return nil, fmt.Errorf("models: a Llama computes in floats, not in %v", p.DType())
	}
	names, err := config.NamesIn(&c, p)
	if err != nil {
		return nil, err
	}
	m := &Llama{Config: c}
	if c.PartsAt(WithAttention) >= 0 {
		m.rope, m.alibi = anglesOf(&c, p, c.RopeBase, true), newALiBi(&c, p)
	}
	if m.local = m.rope; c.LocalRopeBase != 0 {
		m.local = anglesOf(&c, p, c.LocalRopeBase, false)
	}
	_, m.scale = c.Scales()
	if c.TemperEvery > 0 {
		m.temper = temperatures(&c, p)
	}
	if c.Ungated || c.ActivationName() != "silu" {
		m.activate, _ = nn.ParseActivation(c.ActivationName()) // check has parsed it
	}
	err = p.Build(func() {
		m.embedding = newEmbedding(p, names.Embedding+".weight", c)
		if c.Positions {
			rows := p.Get(names.Positions+".weight", []int{c.PositionsFrom + c.Context, c.Dim}, randomWeight).Detach()
			m.positions = rows.Narrow(0, c.PositionsFrom, c.Context)
		}
		if c.EmbeddingNorm {
			m.rowNorm = newNorm(&c, p, names.EmbeddingNorm, c.Dim)
		}
		m.norm = newNorm(&c, p, names.Norm, c.Dim)
		for i := range c.Layers {
			m.layers = append(m.layers, weights{names}.layer(c, i, p.At(fmt.Sprintf(names.Layers, i))))
		}
		if c.Tied {
			m.output = m.embedding.tied(p, names.Embedding+".weight", c)
			p.Ignore(names.Output + ".weight")
		} else {
			m.output = newMatrix(p, []int{c.Vocab}, c.Dim, c.OutputBias, names.Output)
		}
		p.Ignore(names.Ignored...)
		parts.IgnoreUnder(p, names.IgnoredUnder...)
		other()
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
			return matrix{stored: repacked(x.stored, t), beside: x.beside, bias: x.bias}
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
		l.mixture, l.latent = l.mixture.packed(pack), l.latent.packed(pack)
		if l.space != nil {
			l.space = l.space.Packed(func(x *nn.Linear) *nn.Linear {
				if x.Weight == nil || x.Weight.Dim(1)%t.BlockSize() != 0 {
					return x
				}
				return &nn.Linear{Packed: quant.Quantize(x.Weight, t).ToDevice(m.Device()), Bias: x.Bias}
			})
		}
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
func (m *Llama) Device() *tensor.Device { return m.norm.alpha.Device() }

// DType returns the dtype that the model computes in.
func (m *Llama) DType() tensor.DType { return m.norm.alpha.DType() }

// Forward returns the logits [tokens vocab] for what follows each token of ids. It panics with ErrIndex for numbers
// that are not tokens, and with ErrShape for more of them than the model has positions.
func (m *Llama) Forward(ids []int) *tensor.Tensor {
	d := m.Decoder()
	return m.logits(d.run(ids))
}

// logits are those after rows of the last norm.
func (m *Llama) logits(x *tensor.Tensor) *tensor.Tensor {
	y := m.output.product(x)
	if s := cmp.Or(m.Config.LogitScale, 1); s != 1 {
		y = y.Mul(s)
	}
	if limit := m.Config.LogitCap; limit != 0 {
		y = y.Mul(1 / limit).Tanh().Mul(limit)
	}
	return y
}

// embedded are rows of the embedding as the first layer reads them.
func (m *Llama) embedded(x *tensor.Tensor) *tensor.Tensor {
	if s := cmp.Or(m.Config.EmbeddingScale, 1); s != 1 {
		x = x.Mul(s)
	}
	return m.rowNorm.of(x)
}

// llamaPlaces is the positions of the tokens of a pass through the layers, and how they attend to keys.
type llamaPlaces struct {
	rope, local angles         // of the positions
	learned     *tensor.Tensor // their rows [n dim], or nil
	temper      *tensor.Tensor // their factors [n 1] of queries, or nil
	counted     *tensor.Tensor // their numbers, as alibi has them, or nil
	// states are those of a layer that has them, with the rows of the pass that they are for
	states func(layer int) []statespace.Part
	// attend keeps the keys and values of a layer's tokens, side by side [1 2·groups n size], and returns the attention
	// of the queries [1 heads n size] as rows [n heads·size]
	attend func(layer int, q, kv *tensor.Tensor) *tensor.Tensor
}

// places begins a pass: of chooses the angles of its positions.
func (m *Llama) places(of func(angles) angles) *llamaPlaces {
	if m.rope.cos == nil { // no layer has attention
		return &llamaPlaces{}
	}
	p := &llamaPlaces{rope: of(m.rope)}
	if p.local = p.rope; m.Config.LocalRopeBase != 0 {
		p.local = of(m.local)
	}
	if m.positions != nil {
		p.learned = of(angles{m.positions, m.positions}).cos
	}
	if m.temper != nil {
		p.temper = of(angles{m.temper, m.temper}).cos
	}
	if m.alibi != nil {
		p.counted = of(angles{m.alibi.places, m.alibi.places}).cos
	}
	return p
}

// see is how queries attend to keys in a layer.
func (m *Llama) see(layer int) nn.Attend {
	return nn.Attend{Scale: m.scale, Softcap: m.Config.AttentionCap, Causal: true, Window: m.Config.WindowOf(layer),
		Sinks: m.layers[layer].sinks}
}

// forward computes a layer for x [n dim] and the output of the layer before, which is still to be added to x. It
// returns the same of this layer.
func (l *llamaLayer) forward(m *Llama, layer int, x, given *tensor.Tensor, p *llamaPlaces) (sum, gives *tensor.Tensor) {
	x, h := l.attentionNorm.add(x, given)
	var seen *tensor.Tensor
	switch {
	case l.parts&WithAttention != 0:
		if seen = l.attention(m, layer, h, p); l.parts&WithState != 0 {
			seen = seen.Add(l.space.Of(h, p.states(layer)))
		}
	case l.parts&WithState != 0:
		seen = l.space.Of(h, p.states(layer))
	default:
		return x, m.given(l.second(m, h), nil)
	}
	if seen = m.given(seen, l.attentionAfter); l.parts&WithFeedForward == 0 {
		return x, seen
	}
	if m.Config.Parallel {
		if !m.Config.SharedNorm {
			h = l.ffnNorm.of(x)
		}
		return x, seen.Add(m.given(l.second(m, h), l.ffnAfter))
	}
	x, h = l.ffnNorm.add(x, seen)
	return x, m.given(l.second(m, h), l.ffnAfter)
}

// attention is what the heads of a layer give for normalised rows h.
func (l *llamaLayer) attention(m *Llama, layer int, h *tensor.Tensor, p *llamaPlaces) *tensor.Tensor {
	c := &m.Config
	q, kv, gate := l.heads(m, layer, h, p)
	rows := p.attend(layer, q, kv)
	if l.latent != nil {
		rows = l.latent.values(rows)
	}
	if rows = m.alibi.values(rows, c.HeadDim); gate != nil {
		rows = rows.Mul(gate.Sigmoid())
	}
	y := l.out.product(rows)
	if s := cmp.Or(c.AttentionGain, 1); s != 1 {
		y = y.Mul(s)
	}
	return y
}

// heads are the queries [1 heads n size], and the keys and values [1 2·groups n size], of normalised rows h; and the
// gates [n heads·size] of LlamaConfig.Gated, or nil.
func (l *llamaLayer) heads(m *Llama, layer int, h *tensor.Tensor, p *llamaPlaces) (q, kv, gate *tensor.Tensor) {
	c, n := &m.Config, h.Dim(0)
	if l.latent != nil {
		q, kv = l.latent.of(h)
		rotate(c, q.Narrow(3, 0, c.RopeDim), p.rope)
		rotate(c, kv.Narrow(3, 0, c.RopeDim), p.rope)
		return q, kv, nil
	}
	rows := l.qkv.product(h)
	if c.Gated {
		rows, gate = ungated(c, rows)
	}
	if c.ClipQKV > 0 {
		rows = rows.Clamp(-c.ClipQKV, c.ClipQKV)
	}
	if c.QKNormAll {
		normalizeSet(rows.Narrow(1, 0, c.Heads*c.HeadDim), l.qNorm, c.Eps)
		normalizeSet(rows.Narrow(1, c.Heads*c.HeadDim, c.KVHeads*c.HeadDim), l.kNorm, c.Eps)
	}
	heads := rows.Reshape(1, n, c.Heads+2*c.KVHeads, c.HeadDim).Transpose(1, 2)
	q, kv = heads.Narrow(1, 0, c.Heads), heads.Narrow(1, c.Heads, 2*c.KVHeads)
	normalize := func() {
		normalizeSet(q, l.qNorm, c.Eps)
		normalizeSet(kv.Narrow(1, 0, c.KVHeads), l.kNorm, c.Eps)
	}
	if l.qNorm != nil && !c.QKNormAll && !c.QKNormLast {
		normalize()
	}
	if c.NoRope != nil && c.NoRope[layer] {
		if p.temper != nil {
			q = q.Mul(p.temper)
		}
		q, kv = m.alibi.joined(q, kv, p.counted)
		return q, kv, gate
	}
	rotated := heads.Narrow(1, 0, c.Heads+c.KVHeads)
	if c.RopeDim != 0 {
		rotated = rotated.Narrow(3, 0, c.RopeDim)
	}
	by := p.rope
	if c.WindowOf(layer) > 0 {
		by = p.local
	}
	if rotate(c, rotated, by); c.QKNormLast {
		normalize()
	}
	if c.TemperAll && p.temper != nil {
		q = q.Mul(p.temper)
	}
	return q, kv, gate
}

// rotate rotates heads in place.
func rotate(c *LlamaConfig, heads *tensor.Tensor, by angles) {
	if c.Interleaved {
		heads.RopeISet(by.cos, by.sin)
	} else {
		heads.RopeSet(by.cos, by.sin)
	}
}

// normalizeSet normalises rows in place.
func normalizeSet(x, alpha *tensor.Tensor, eps float64) { x.CopySet(x.RmsNorm(alpha, eps)) }

// second is the second part of a layer, for rows h.
func (l *llamaLayer) second(m *Llama, h *tensor.Tensor) *tensor.Tensor {
	if l.mixture != nil {
		return l.mixture.of(m, h)
	}
	return l.feedForward.of(m, h)
}

// given is the output of a part of a layer as it is added to the residual rows.
func (m *Llama) given(y *tensor.Tensor, after *norm) *tensor.Tensor {
	y = after.of(y)
	if s := cmp.Or(m.Config.ResidualScale, 1); s != 1 {
		y = y.Mul(s)
	}
	return y
}

// layersOf takes the tokens' rows of the embedding to those of the last norm. On the host what a layer has computed is
// freed at its end.
func (m *Llama) layersOf(x *tensor.Tensor, p *llamaPlaces) *tensor.Tensor {
	if p.learned != nil {
		x = x.Add(p.learned)
	}
	var given *tensor.Tensor
	first := x
	for i := range m.layers {
		layer := &m.layers[i]
		if !m.Device().IsCPU() {
			x, given = layer.forward(m, i, x, given, p)
			continue
		}
		before, added := x, given
		given = tensor.Scoped(func() (gives *tensor.Tensor) {
			x, gives = layer.forward(m, i, x, given, p)
			x = x.Kept()
			return gives
		})
		if before != first { // which may be a view of the embedding
			before.Free()
		}
		if added != nil {
			added.Free()
		}
	}
	_, x = m.norm.add(x, given)
	return x
}

// halves are the keys and the values of keys and values side by side, [1 2·groups n size], or of rows of latent
// attention, [1 1 n size], of which the values are a part of the keys.
func halves(c *LlamaConfig, kv *tensor.Tensor) (k, v *tensor.Tensor) {
	if l := c.Latent; l != nil {
		return kv, kv.Narrow(3, l.Rope, l.Rank)
	}
	return kv.Narrow(1, 0, c.KVHeads), kv.Narrow(1, c.KVHeads, c.KVHeads)
}
