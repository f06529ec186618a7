package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// latentEps is that of the norms of rows: in the files of all models it is that of transformers, whatever that of other
// norms is.
const latentEps = 1e-6

// latent computes the queries of latent attention, and what caches have.
type latent struct {
	*Latent
	heads         int
	queryRow      matrix         // to the row of queries, without which query reads what this would
	queryNorm     *tensor.Tensor // of that row
	query, row    matrix
	rowNorm       *tensor.Tensor
	keys, results *tensor.Tensor // [heads plain rank], [heads rank value]: products with the row
}

// latentNames are the names of its weights in one kind of file.
type latentNames struct{ queryRow, queryNorm, queryOfRow, query, row, rowNorm, both string }

var latentFiles = map[bool]*latentNames{ // by whether it is GGUF
	false: {"self_attn.q_a_proj", "self_attn.q_a_layernorm", "self_attn.q_b_proj", "self_attn.q_proj",
		"self_attn.kv_a_proj_with_mqa", "self_attn.kv_a_layernorm", "self_attn.kv_b_proj.weight"},
	true: {"attn_q_a", "attn_q_a_norm", "attn_q_b", "attn_q", "attn_kv_a_mqa", "attn_kv_a_norm", "attn_kv_b.weight"},
}

// newLatent takes the weights of a layer. Newer GGUF files have the products with the row in two parts.
func newLatent(c *LlamaConfig, p *nn.Params, gguf bool) *latent {
	n := latentFiles[gguf]
	l := &latent{Latent: c.Latent, heads: c.Heads}
	inputs := c.Dim
	alpha := func(name string, n int) *tensor.Tensor { return p.Get(name+".weight", []int{n}, nn.Const(1)).Detach() }
	name := n.query
	if l.QueryRank > 0 {
		l.queryRow = newMatrix(p, []int{l.QueryRank}, c.Dim, c.OutBias, n.queryRow)
		l.queryNorm = alpha(n.queryNorm, l.QueryRank)
		name, inputs = n.queryOfRow, l.QueryRank
	}
	l.query = newMatrix(p, []int{c.Heads * (l.Plain + l.Rope)}, inputs, false, name)
	l.row = newMatrix(p, []int{l.Rank + l.Rope}, c.Dim, c.OutBias, n.row)
	l.rowNorm = alpha(n.rowNorm, l.Rank)
	if gguf && !p.Has(n.both) {
		l.keys = p.Get("attn_k_b.weight", []int{c.Heads, l.Rank, l.Plain}, nil).Detach().Transpose(1, 2)
		l.results = p.Get("attn_v_b.weight", []int{c.Heads, l.Value, l.Rank}, nil).Detach().Transpose(1, 2)
		return l
	}
	both := p.Get(n.both, []int{c.Heads * (l.Plain + l.Value), l.Rank}, randomWeight).Detach().
		Reshape(c.Heads, l.Plain+l.Value, l.Rank)
	l.keys, l.results = both.Narrow(1, 0, l.Plain), both.Narrow(1, l.Plain, l.Value).Transpose(1, 2)
	return l
}

// of are the queries [1 heads n rope+rank] and the rows [1 1 n rope+rank] of normalised rows h, before their rotation.
func (l *latent) of(h *tensor.Tensor) (q, kv *tensor.Tensor) {
	n, from := h.Dim(0), h
	if l.QueryRank > 0 {
		from = l.queryRow.product(h).RmsNorm(l.queryNorm, latentEps)
	}
	heads := l.query.product(from).Reshape(n, l.heads, l.Plain+l.Rope).Transpose(0, 1)
	q = tensor.Cat([]*tensor.Tensor{heads.Narrow(2, l.Plain, l.Rope), heads.Narrow(2, 0, l.Plain).MatMul(l.keys)}, 2)
	row := l.row.product(h)
	kv = tensor.Cat([]*tensor.Tensor{row.Narrow(1, l.Rank, l.Rope),
		row.Narrow(1, 0, l.Rank).RmsNorm(l.rowNorm, latentEps)}, 1)
	return q.Unsqueeze(0), kv.Reshape(1, 1, n, l.Rope+l.Rank)
}

// values are those of all heads [n heads·value] of attention to rows [n heads·rank].
func (l *latent) values(seen *tensor.Tensor) *tensor.Tensor {
	n := seen.Dim(0)
	y := seen.Reshape(n, l.heads, l.Rank).Transpose(0, 1).MatMul(l.results) // [heads n value]
	return y.Transpose(0, 1).Reshape(n, l.heads*l.Value)
}

// packed is the same with other matrices.
func (l *latent) packed(pack func(matrix) matrix) *latent {
	if l == nil {
		return nil
	}
	y := *l
	y.queryRow, y.query, y.row = pack(l.queryRow), pack(l.query), pack(l.row)
	return &y
}
