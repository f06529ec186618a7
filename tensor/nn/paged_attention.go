package nn

import (
	"math/bits"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/attention"
)

// PagedAttention is Attention of the queries of several sequences, [tokens heads size] in the order of the batch, to
// the keys and values of their sequences in a cache, which Append has written. The result is [tokens heads size'].
// Heads are a multiple of the cache's groups. With Causal, the last query of a sequence is at its last position.
//
// On GPUs one kernel computes the sequences with few queries, for F32, F16 and BF16, and sizes of up to 256. It reads
// keys and values through the block tables, and its launch depends only on the shapes of the batch. Sequences with many
// queries, as in a prompt, get their keys and values in order first, and then Attention; so do all with sinks.
//
// It panics with ErrShape for shapes that do not fit, and for a Mask or Last, with ErrDType for another dtype than the
// cache's, and with ErrGradient for queries that were computed from variables.
func PagedAttention(q *tensor.Tensor, c *PagedCache, b *PagedBatch, a Attend) *tensor.Tensor {
	const op = "paged attention"
	c.checkBatch(op, b, q)
	groups, size := c.K.Dim(2), c.K.Dim(3)
	if d := q.Dims(); len(d) != 3 || d[0] != b.Tokens() || d[1] == 0 || d[1]%groups != 0 || d[2] != size {
		extend.Shape(op, []*tensor.Tensor{q}, "want queries [%d heads %d] with a multiple of %d heads, not %v",
			b.Tokens(), size, groups, d)
	}
	if a.Mask != nil || a.Last != nil {
		extend.Shape(op, nil, "want no mask and no last key: sequences have lengths")
	}
	checkAttend(a, q, c.K, c.V)
	few, many := b.split(q.Dim(1), groups)
	p := a.paged(q, c, b, few)
	r, ok := attention.On(extend.Backend(q.Device()))
	if !ok || a.Sinks != nil || !attention.TakesPaged(q.DType(), &p) {
		few, many = nil, append(few, many...)
	}
	if len(few) == 0 && len(many) == 1 {
		return c.attend(q, b, 0, a)
	}
	out := q.Device().Empty(q.DType(), b.Tokens(), q.Dim(1), c.V.Dim(3))
	if len(few) > 0 {
		p.Of.Out = pagedRows(out)
		in := func(t *tensor.Tensor) backend.Operand { return extend.InMemory(op, t) }
		on := attention.Paged{Q: in(q), K: in(c.K), V: in(c.V), Out: in(out), Tables: in(b.BlockTables),
			CuSeqlens: in(b.CuSeqlens), SeqLens: in(b.SeqLens)}
		extend.Check(op, q.Device(), r.Paged(on, p))
	}
	for _, s := range many {
		from, n := b.cu[s], b.sequences[s].Queries
		out.SliceSet(c.attend(q.Narrow(0, from, n), b, s, a), 0, from)
	}
	return out
}

// split returns the numbers of the sequences that have few queries, and of the others.
func (b *PagedBatch) split(heads, groups int) (few, many []int) {
	for i, s := range b.sequences {
		if attention.Few(heads, groups, s.Queries) {
			few = append(few, i)
		} else {
			many = append(many, i)
		}
	}
	return few, many
}

// paged is what the kernel is told of the attention of the sequences with few queries.
func (a Attend) paged(q *tensor.Tensor, c *PagedCache, b *PagedBatch, few []int) kernels.PagedAttention {
	k, v := extend.Operand(c.K).Layout, extend.Operand(c.V).Layout
	p := kernels.PagedAttention{TableStep: int64(b.width), BlockShift: int32(bits.TrailingZeros(uint(b.blockSize)))}
	p.Of = a.scaled(q.Dim(2))
	p.Of.Batch, p.Of.Heads, p.Of.Groups = int64(len(b.sequences)), int64(q.Dim(1)), int64(c.K.Dim(2))
	p.Of.Keys, p.Of.Size, p.Of.ValueSize = int64(b.width*b.blockSize), int64(q.Dim(2)), int64(c.V.Dim(3))
	p.Of.Q, p.Of.K, p.Of.V = pagedRows(q), attention.BlockStrides(k.Strides), attention.BlockStrides(v.Strides)
	p.Of.Sharing = p.Of.Heads / p.Of.Groups
	for _, i := range few {
		p.Of.Queries = max(p.Of.Queries, int64(b.sequences[i].Queries))
	}
	return p
}

// pagedRows are the strides of rows of heads, in the order of kernels: batch, head, query, element.
func pagedRows(t *tensor.Tensor) [4]int64 {
	s := attention.ThreeStrides(extend.Operand(t).Layout.Strides)
	return [4]int64{0, s[1], s[0], s[2]}
}

// attend is the attention of one sequence, by Attention: its keys and values are gathered.
func (c *PagedCache) attend(q *tensor.Tensor, b *PagedBatch, sequence int, a Attend) *tensor.Tensor {
	s, first := b.sequences[sequence], 0
	if a.Window > 0 { // the first block that a query sees
		first = max(0, s.SeqLen-s.Queries+1-a.Window) / b.blockSize
	}
	blocks := (s.SeqLen+b.blockSize-1)/b.blockSize - first
	ids := b.BlockTables.Get(sequence).Narrow(0, first, blocks)
	gather := func(pool *tensor.Tensor) *tensor.Tensor {
		x := pool.IndexSelect(ids, 0).Reshape(1, blocks*b.blockSize, pool.Dim(2), pool.Dim(3))
		return x.Narrow(1, 0, s.SeqLen-first*b.blockSize).Transpose(1, 2)
	}
	y := Attention(q.Unsqueeze(0).Transpose(1, 2), gather(c.K), gather(c.V), a)
	return y.Transpose(1, 2).Squeeze(0)
}
