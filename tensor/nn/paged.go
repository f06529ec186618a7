package nn

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/attention"
)

// PagedCache is a pool of blocks for the keys and values of a layer of attention: each block has those of as many
// positions of one sequence (Kwon et al., "Efficient Memory Management for Large Language Model Serving with
// PagedAttention", 2023). Sequences of all lengths share the pool, and a finished one leaves no gaps.
type PagedCache struct {
	K, V *tensor.Tensor // [blocks positions groups size]
}

// NewPagedCache returns a pool of so many blocks of blockSize positions, a power of two, for as many groups of heads.
// It panics with ErrShape for sizes below 1, and with ErrMemory when there is no memory for them.
func NewPagedCache(blocks, blockSize, groups, size int, dt tensor.DType, dev *tensor.Device) *PagedCache {
	if min(blocks, blockSize, groups, size) < 1 || bits.OnesCount(uint(blockSize)) != 1 {
		extend.Shape("paged cache", nil, "want sizes of at least 1, and blocks of a power of two of positions, "+
			"not %d blocks of %d positions with %d groups of size %d", blocks, blockSize, groups, size)
	}
	if uint64(blocks) > math.MaxUint32/uint64(blockSize) { // slots are U32
		extend.Shape("paged cache", nil, "%d blocks of %d positions are more positions than %d", blocks, blockSize,
			uint32(math.MaxUint32))
	}
	pool := func() *tensor.Tensor { return dev.Zeros(dt, blocks, blockSize, groups, size).Kept() }
	return &PagedCache{pool(), pool()}
}

// Blocks returns the number of blocks, BlockSize the positions of each.
func (c *PagedCache) Blocks() int    { return c.K.Dim(0) }
func (c *PagedCache) BlockSize() int { return c.K.Dim(1) }

// PagedSequence says where the keys and values of a sequence are, and how many of its tokens are in a batch.
type PagedSequence struct {
	BlockTable []int // blocks of the cache: position p is in BlockTable[p/BlockSize]; there may be more than needed
	SeqLen     int   // positions, with those of the batch
	Queries    int   // tokens in the batch, the last of SeqLen
}

// PagedBatch says where the tokens of several sequences are, for all layers of a model: those of the first sequence
// come first. The tensors, of type U32, have the names of vLLM.
type PagedBatch struct {
	Positions   *tensor.Tensor // [tokens], in their sequences
	SlotMapping *tensor.Tensor // [tokens], a block times its positions plus the position in it
	CuSeqlens   *tensor.Tensor // [sequences+1], the sums of queries before each sequence
	SeqLens     *tensor.Tensor // [sequences], positions
	BlockTables *tensor.Tensor // [sequences blocks]

	data      *tensor.Tensor // all of them
	sequences []PagedSequence
	cu        []int
	width     int // of BlockTables
	blockSize int
	blocks    int
}

// NewPagedBatch returns the batch of these sequences, whose blocks are in c and in other caches of that size, on the
// device of c. It panics with ErrShape for no sequences, for lengths that do not fit and block tables that are too
// short, and with ErrIndex for blocks that do not exist.
func NewPagedBatch(c *PagedCache, sequences []PagedSequence) *PagedBatch {
	b := &PagedBatch{blockSize: c.BlockSize(), blocks: c.Blocks(), cu: []int{0}}
	for i, s := range sequences {
		b.width = max(b.width, len(s.BlockTable))
		b.cu = append(b.cu, b.cu[i]+s.Queries)
	}
	list := b.fill(sequences)
	b.data = c.K.Device().FromSlice(list, len(list)).Kept()
	at := 0
	next := func(n int) *tensor.Tensor {
		at += n
		return b.data.Narrow(0, at-n, n)
	}
	n, tokens := len(sequences), b.Tokens()
	b.Positions, b.SlotMapping, b.CuSeqlens, b.SeqLens = next(tokens), next(tokens), next(n+1), next(n)
	b.BlockTables = next(n*b.width).Reshape(n, b.width)
	return b
}

// Tokens returns how many tokens the batch has.
func (b *PagedBatch) Tokens() int { return b.cu[len(b.cu)-1] }

// Set replaces the sequences by others with as many tokens each, in the same memory: what a captured graph reads. It
// panics as NewPagedBatch does, and with ErrShape for other numbers of tokens, and block tables that are longer than
// the longest so far.
func (b *PagedBatch) Set(sequences []PagedSequence) {
	same := len(sequences) == len(b.sequences)
	for i := 0; same && i < len(sequences); i++ {
		same = sequences[i].Queries == b.sequences[i].Queries && len(sequences[i].BlockTable) <= b.width
	}
	if !same {
		extend.Shape("paged batch", nil, "want %d sequences with the numbers of tokens that they had, "+
			"and block tables of at most %d", len(b.sequences), b.width)
	}
	list := b.fill(sequences)
	b.data.CopySet(b.data.Device().FromSlice(list, len(list)))
}

// fill checks the sequences and returns the elements of all tensors.
func (b *PagedBatch) fill(sequences []PagedSequence) []uint32 {
	b.check(sequences)
	var positions, slots, cu, lens, tables []uint32
	for i, s := range sequences {
		for p := s.SeqLen - s.Queries; p < s.SeqLen; p++ {
			positions = append(positions, uint32(p))
			slots = append(slots, uint32(s.BlockTable[p/b.blockSize]*b.blockSize+p%b.blockSize))
		}
		cu, lens = append(cu, uint32(b.cu[i])), append(lens, uint32(s.SeqLen))
		for j := range b.width {
			block := 0
			if j < len(s.BlockTable) {
				block = s.BlockTable[j]
			}
			tables = append(tables, uint32(block))
		}
	}
	b.sequences = append(b.sequences[:0], sequences...)
	list := append(append(positions, slots...), append(cu, uint32(b.Tokens()))...)
	return append(append(list, lens...), tables...)
}

func (b *PagedBatch) check(sequences []PagedSequence) {
	const op = "paged batch"
	if len(sequences) == 0 {
		extend.Shape(op, nil, "want at least one sequence")
	}
	for i, s := range sequences {
		if s.Queries < 1 || s.SeqLen < s.Queries || len(s.BlockTable)*b.blockSize < s.SeqLen {
			extend.Shape(op, nil, "sequence %d has %d tokens of %d positions in %d blocks of %d: want at least one token, "+
				"no more than positions, and blocks for all positions", i, s.Queries, s.SeqLen, len(s.BlockTable),
				b.blockSize)
		}
		for _, block := range s.BlockTable {
			if block < 0 || block >= b.blocks {
				extend.Fail(op, tensor.ErrIndex, nil, "", "sequence %d has block %d of %d", i, block, b.blocks)
			}
		}
	}
}

// Append writes the keys and values of the batch's tokens, [tokens groups size] each, to their slots.
//
// It panics with ErrShape for other shapes, with ErrDType for another dtype than the cache's, and with ErrGradient for
// tensors that were computed from variables, whose gradients would be lost.
func (c *PagedCache) Append(k, v *tensor.Tensor, b *PagedBatch) {
	const op = "paged append"
	c.checkBatch(op, b, k, v)
	for _, x := range []struct{ rows, pool *tensor.Tensor }{{k, c.K}, {v, c.V}} {
		want := []int{b.Tokens(), x.pool.Dim(2), x.pool.Dim(3)}
		if !slices.Equal(x.rows.Dims(), want) {
			extend.Shape(op, []*tensor.Tensor{k, v}, "want keys and values of shape %v, not %v", want, x.rows.Dims())
		}
	}
	r, ok := attention.On(extend.Backend(k.Device()))
	if !ok {
		scatterRows(c.K, k, b)
		scatterRows(c.V, v, b)
		return
	}
	keys, values := extend.Written(op, c.K), extend.Written(op, c.V)
	p := kernels.PagedAppend{Tokens: int64(b.Tokens()), Groups: int64(k.Dim(1)), Size: int64(k.Dim(2)),
		ValueSize: int64(v.Dim(2)), BlockShift: int64(bits.TrailingZeros(uint(b.blockSize))),
		Keys: attention.BlockStrides(keys.Layout.Strides), Values: attention.BlockStrides(values.Layout.Strides)}
	kr, vr := extend.InMemory(op, k), extend.InMemory(op, v)
	p.K, p.V = attention.ThreeStrides(kr.Layout.Strides), attention.ThreeStrides(vr.Layout.Strides)
	extend.Check(op, k.Device(), r.Append(kr, vr, extend.InMemory(op, b.SlotMapping), keys, values, p))
}

// scatterRows is Append by an operation of tensors.
func scatterRows(pool, rows *tensor.Tensor, b *PagedBatch) {
	slots := pool.Reshape(pool.Dim(0)*pool.Dim(1), pool.Dim(2), pool.Dim(3))
	slots.ScatterSet(b.SlotMapping.Reshape(b.Tokens(), 1, 1).BroadcastAs(rows.Dims()...), rows, 0)
}

// checkBatch panics when tensors and the batch are not for the cache.
func (c *PagedCache) checkBatch(op string, b *PagedBatch, ts ...*tensor.Tensor) {
	extend.SameDevice(op, append(ts, c.K, c.V, b.data)...)
	if c.BlockSize() != b.blockSize || c.Blocks() != b.blocks {
		extend.Shape(op, nil, "the batch is for %d blocks of %d positions, the cache has %d of %d", b.blocks,
			b.blockSize, c.Blocks(), c.BlockSize())
	}
	for _, t := range ts {
		if t.DType() != c.K.DType() {
			extend.DType(op, ts, "want the cache's type %v, not %v", c.K.DType(), t.DType())
		}
		if extend.Tracked(t) {
			extend.Fail(op, tensor.ErrGradient, ts, "", "a paged cache has no gradients, but an operand was computed "+
				"from variables: use nn.Attention to train, or tensor.NoGrad")
		}
	}
}
