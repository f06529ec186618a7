package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/decode"
	"github.com/gorocm/gorocm/tensor/nn"
)

// llamaRows reads a token alone on a GPU by six launches a layer: each product is one with the norm before it and the
// residual or the gate after it, and queries and keys are rotated on their way to the cache.
type llamaRows struct {
	model  *Llama
	layers []llamaRowLayer
	output decode.Linear
	rope   decode.RopePut
}

type llamaRowLayer struct{ qkv, out, gateUp, down decode.Linear }

// newLlamaRows returns nil where there are no kernels for a model.
func newLlamaRows(m *Llama) *llamaRows {
	c, ok := &m.Config, m.Config.IsLlama()
	if !ok {
		return nil
	}
	linear := func(w *matrix, alpha *tensor.Tensor) (l decode.Linear) {
		l = w.linear(alpha, c.Eps)
		ok = ok && w.beside == nil && l.Takes(m.Device(), m.DType())
		return l
	}
	r := &llamaRows{model: m, output: linear(&m.output, m.norm.alpha)}
	r.rope = decode.RopePut{Queries: c.Heads, Groups: c.KVHeads, Size: c.HeadDim, Cos: m.rope.cos, Sin: m.rope.sin,
		Interleaved: c.Interleaved}
	ok = ok && r.rope.Takes(m.DType())
	for i := range m.layers {
		l := &m.layers[i]
		row := llamaRowLayer{qkv: linear(&l.qkv, l.attentionNorm.alpha), out: linear(&l.out, nil),
			gateUp: linear(&l.gateUp, l.ffnNorm.alpha), down: linear(&l.down, nil)}
		row.gateUp.Gated = true
		ok = ok && row.out.Plus == nil && row.gateUp.Plus == nil && row.down.Plus == nil // which have no biases
		r.layers = append(r.layers, row)
	}
	if !ok {
		return nil
	}
	return r
}

// logits launches the kernels that read a token at a position, both in device memory, and put its keys and values into
// caches.
func (r *llamaRows) logits(id, place *tensor.Tensor, caches []*nn.Cache) *tensor.Tensor {
	m := r.model
	x := m.embedding.of(id)
	for i := range m.layers {
		x = r.layer(i, x, place, caches[i])
	}
	return r.output.Of(x, nil).Reshape(m.Config.Vocab)
}

// layer takes the row x [1 dim] through a layer.
func (r *llamaRows) layer(layer int, x, place *tensor.Tensor, cache *nn.Cache) *tensor.Tensor {
	c, by, l := &r.model.Config, &r.layers[layer], &r.model.layers[layer]
	heads := by.qkv.Of(x, nil)
	rows := heads.Reshape(1, c.Heads+2*c.KVHeads, 1, c.HeadDim)
	q, kv := rows.Narrow(1, 0, c.Heads), rows.Narrow(1, c.Heads, 2*c.KVHeads)
	if l.qNorm != nil {
		q.CopySet(q.RmsNorm(l.qNorm, c.Eps))
		k := kv.Narrow(1, 0, c.KVHeads)
		k.CopySet(k.RmsNorm(l.kNorm, c.Eps))
	}
	all := cache.Reserve(kv)
	r.rope.Put(heads, all, place)
	k, v := halves(c, all)
	seen := nn.Attention(q, k, v, nn.Attend{Scale: 1, Causal: true, Window: c.Window, Last: place})
	x = by.out.Of(seen.Reshape(1, c.Heads*c.HeadDim), x)
	return by.down.Of(by.gateUp.Of(x, nil), x)
}
