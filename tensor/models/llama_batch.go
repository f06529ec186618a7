package models

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// llamaBatch reads tokens of several texts at once. Their keys and values are in one pool of blocks for each layer.
type llamaBatch struct {
	model  *Llama
	caches []*nn.PagedCache   // of each layer
	steps  map[int]*batchStep // by the number of texts, on a GPU
}

// newLlamaBatch returns a pool of so many blocks of blockSize positions.
func newLlamaBatch(m *Llama, blocks, blockSize int) *llamaBatch {
	c, d := &m.Config, &llamaBatch{model: m, steps: map[int]*batchStep{}}
	for range m.layers {
		if l := c.Latent; l != nil { // values are a part of keys
			rows := m.Device().Zeros(m.DType(), blocks, blockSize, 1, c.HeadDim).Kept()
			d.caches = append(d.caches, &nn.PagedCache{K: rows, V: rows.Narrow(3, l.Rope, l.Rank)})
			continue
		}
		d.caches = append(d.caches, nn.NewPagedCache(blocks, blockSize, c.KVHeads, c.KeyDim(), m.DType(), m.Device()))
	}
	return d
}

// free gives the memory of the pool back.
func (d *llamaBatch) free() {
	for _, c := range d.caches {
		c.K.Free()
		c.V.Free()
	}
	d.caches, d.steps = nil, nil
}

// read reads the tokens of a batch, whose numbers are valid, and returns the logits [rows vocab] after those that rows
// lists, after all if it is nil, or nil for no rows. places are nil where positions are those of the cache.
func (d *llamaBatch) read(
	ids []int, images []*ImageTokens, sequences []nn.PagedSequence, places *positions, rows []uint32,
) *tensor.Tensor {
	dev := d.model.Device()
	return tensor.Scoped(func() *tensor.Tensor {
		b := pagedTexts{PagedBatch: nn.NewPagedBatch(d.caches[0], sequences), places: places,
			blocks: blocksOf(ids, images, sequences)}
		if d.beyondChunk(sequences) {
			b.chunks = nn.NewPagedBatch(d.caches[0], inChunks(sequences, d.model.Config.Chunk, d.caches[0].BlockSize()))
		}
		x := d.forward(d.model.inputs(ids, images), b)
		if rows != nil && len(rows) == 0 {
			return nil
		}
		if rows != nil {
			x = x.IndexSelect(dev.FromSlice(rows, len(rows)), 0)
		}
		return d.model.logits(x)
	})
}

// pagedTexts are the tokens of a pass.
type pagedTexts struct {
	*nn.PagedBatch
	places *positions     // nil where positions are those of the cache
	blocks []pagedBlock   // whose tokens see each other
	chunks *nn.PagedBatch // the same tokens as those of chunks, nil where texts have one each
}

// beyondChunk reports whether a text has tokens that do not see its first ones, in some layers.
func (d *llamaBatch) beyondChunk(sequences []nn.PagedSequence) bool {
	chunk := d.model.Config.Chunk
	return chunk > 0 && slices.ContainsFunc(sequences, func(s nn.PagedSequence) bool { return s.SeqLen > chunk })
}

// inChunks are sequences as those of their chunks that have queries, whose blocks begin with blocks of their sequence.
func inChunks(sequences []nn.PagedSequence, chunk, blockSize int) (all []nn.PagedSequence) {
	for _, s := range sequences {
		for first := s.SeqLen - s.Queries; first < s.SeqLen; {
			start := first / chunk * chunk
			end := min(start+chunk, s.SeqLen)
			all = append(all, nn.PagedSequence{BlockTable: s.BlockTable[start/blockSize:], SeqLen: end - start,
				Queries: end - first})
			first = end
		}
	}
	return all
}

// forward returns the last norm's rows, [tokens dim], of those of the embedding.
func (d *llamaBatch) forward(x *tensor.Tensor, b pagedTexts) *tensor.Tensor {
	m := d.model
	of := func(a angles) angles { return a.at(b.Positions) }
	if b.places != nil {
		of = func(a angles) angles { return b.places.angles(a, m.Config.RopeSections) }
	}
	p := m.places(of)
	p.attend = func(layer int, q, kv *tensor.Tensor) *tensor.Tensor {
		k, v := halves(&m.Config, kv)
		d.caches[layer].Append(tokenRows(k), tokenRows(v), b.PagedBatch)
		see, seen := m.see(layer), b.PagedBatch
		if b.chunks != nil && m.Config.ChunkOf(layer) > 0 {
			seen = b.chunks
		}
		y := nn.PagedAttention(tokenRows(q), d.caches[layer], seen, see)
		y = y.Reshape(b.Tokens(), m.Config.Heads*y.Dim(2))
		for _, block := range b.blocks {
			y.SliceSet(block.attend(tokenRows(q), d.caches[layer], see), 0, block.first)
		}
		return y
	}
	return m.layersOf(x, p)
}

// tokenRows is [n heads size] of [1 heads n size].
func tokenRows(x *tensor.Tensor) *tensor.Tensor { return x.Squeeze(0).Transpose(0, 1) }

// batchStep reads a token of each of several texts on a GPU. What changes from token to token is in device memory, so
// that a graph repeats the launches.
type batchStep struct {
	ids   *tensor.Tensor
	batch *nn.PagedBatch
	width int // blocks of the longest block table
	replay
}

// scrap is the block in which the texts are that fill up a batchStep.
const scrap = 0

// step reads a token of each text, and returns the logits [texts vocab]. On a GPU the batch is filled up to a power of
// two of texts and of blocks, so that few graphs are captured; the first row of logits is that of the first text.
func (d *llamaBatch) step(tokens []int, sequences []nn.PagedSequence) *tensor.Tensor {
	dev := d.model.Device()
	if !d.model.pagedByKernel() || d.beyondChunk(sequences) {
		return d.read(tokens, nil, sequences, nil, nil)
	}
	ids := numbers(tokens)
	n := powerOfTwo(len(ids))
	for len(ids) < n {
		ids = append(ids, 0)
		sequences = append(sequences, nn.PagedSequence{BlockTable: []int{scrap}, SeqLen: 1, Queries: 1})
	}
	s, width := d.steps[n], longest(sequences)
	if s == nil || width > s.width {
		s = d.newStep(ids, sequences, powerOfTwo(width))
		d.steps[n] = s
	} else {
		s.ids.CopySet(dev.FromSlice(ids, n))
		s.batch.Set(sequences)
	}
	buffer, _ := s.ids.Buffer()
	return s.replay.run(buffer.Device())
}

// pagedByKernel reports whether one kernel reads the blocks of all texts: other operations depend on their lengths, and
// no graph can repeat them.
func (m *Llama) pagedByKernel() bool {
	return !m.Device().IsCPU() && m.DType() != tensor.F64 && m.Config.KeyDim() <= 256 && !m.Config.Sinks
}

func (d *llamaBatch) newStep(ids []uint32, sequences []nn.PagedSequence, width int) *batchStep {
	wide := append([]nn.PagedSequence{}, sequences...)
	table := append(make([]int, 0, width), wide[0].BlockTable...)
	for len(table) < width {
		table = append(table, scrap)
	}
	wide[0].BlockTable = table
	s := &batchStep{ids: d.model.Device().FromSlice(ids, len(ids)).Kept(), width: width,
		batch: nn.NewPagedBatch(d.caches[0], wide)}
	m := d.model
	s.replay.f = func() *tensor.Tensor {
		return m.logits(d.forward(m.embedded(m.embedding.of(s.ids)), pagedTexts{PagedBatch: s.batch}))
	}
	return s
}

func longest(sequences []nn.PagedSequence) (blocks int) {
	for _, s := range sequences {
		blocks = max(blocks, len(s.BlockTable))
	}
	return blocks
}

// powerOfTwo is the least that is at least n.
func powerOfTwo(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}
