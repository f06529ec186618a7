package models

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/statespace"
	"github.com/gorocm/gorocm/tensor/nn"
)

// llamaBatch reads tokens of several texts at once. Their keys and values are in one pool of blocks for each layer,
// and their states in one pool of slots.
type llamaBatch struct {
	model  *Llama
	caches []*nn.PagedCache   // of each layer, nil without attention
	cache  *nn.PagedCache     // one of them, or nil
	states []*statespace.Pool // of each layer, nil without a state
	steps  map[int]*batchStep // by the number of texts, on a GPU
}

// newLlamaBatch returns pools of so many blocks of blockSize positions, and of so many slots.
func newLlamaBatch(m *Llama, blocks, blockSize, slots int) *llamaBatch {
	c, d := &m.Config, &llamaBatch{model: m, steps: map[int]*batchStep{}}
	d.caches, d.states = make([]*nn.PagedCache, len(m.layers)), make([]*statespace.Pool, len(m.layers))
	for i := range m.layers {
		if m.layers[i].parts&WithState != 0 {
			d.states[i] = statespace.NewPool(c.StateSpace, slots, m.DType(), m.Device())
		}
		if m.layers[i].parts&WithAttention == 0 {
			continue
		}
		if l := c.Latent; l != nil { // values are a part of keys
			rows := m.Device().Zeros(m.DType(), blocks, blockSize, 1, c.HeadDim).Kept()
			d.caches[i] = &nn.PagedCache{K: rows, V: rows.Narrow(3, l.Rope, l.Rank)}
		} else {
			d.caches[i] = nn.NewPagedCache(blocks, blockSize, c.KVHeads, c.KeyDim(), m.DType(), m.Device())
		}
		d.cache = d.caches[i]
	}
	return d
}

// free gives the memory of the pools back.
func (d *llamaBatch) free() {
	for _, c := range d.caches {
		if c != nil {
			c.K.Free()
			c.V.Free()
		}
	}
	for _, s := range d.states {
		if s != nil {
			s.Free()
		}
	}
	d.caches, d.cache, d.states, d.steps = nil, nil, nil, nil
}

// begin forgets what a slot has of the text before.
func (d *llamaBatch) begin(slot int) {
	for _, s := range d.states {
		if s != nil {
			s.State(slot).Reset()
		}
	}
}

// textParts are parts of texts that are read in a batch.
type textParts struct {
	ids       []int // valid ones
	images    []*ImageTokens
	sequences []nn.PagedSequence
	slots     []int      // the slot of the state of each sequence
	places    *positions // nil where positions are those of the cache
	rows      []uint32   // the tokens whose logits are wanted; nil is all
}

// read reads the tokens of a batch, and returns the logits [rows vocab], or nil for no rows.
func (d *llamaBatch) read(t textParts) *tensor.Tensor {
	dev := d.model.Device()
	return tensor.Scoped(func() *tensor.Tensor {
		b := pagedTexts{places: t.places, blocks: blocksOf(t.ids, t.images, t.sequences)}
		if d.cache != nil {
			b.PagedBatch = nn.NewPagedBatch(d.cache, t.sequences)
		}
		if d.beyondChunk(t.sequences) {
			b.chunks = nn.NewPagedBatch(d.cache, inChunks(t.sequences, d.model.Config.Chunk, d.cache.BlockSize()))
		}
		if d.model.Config.PartsAt(WithState) >= 0 {
			b.states = d.statesOf(t)
		}
		x := d.forward(d.model.inputs(t.ids, t.images), b)
		if t.rows != nil && len(t.rows) == 0 {
			return nil
		}
		if t.rows != nil {
			x = x.IndexSelect(dev.FromSlice(t.rows, len(t.rows)), 0)
		}
		return d.model.logits(x)
	})
}

// statesOf are the states of texts in a layer: the first texts that have a single token each are one part.
func (d *llamaBatch) statesOf(t textParts) func(layer int) []statespace.Part {
	single := slices.IndexFunc(t.sequences, func(s nn.PagedSequence) bool { return s.Queries > 1 })
	if single < 0 {
		single = len(t.sequences)
	}
	var slots *tensor.Tensor
	if single > 0 {
		slots = d.model.Device().FromSlice(numbers(t.slots[:single]), single)
	}
	return func(layer int) (parts []statespace.Part) {
		if single > 0 {
			parts = append(parts, statespace.Part{Rows: single, Pool: d.states[layer], Slots: slots})
		}
		for i := single; i < len(t.slots); i++ {
			state := d.states[layer].State(t.slots[i])
			parts = append(parts, statespace.Part{Rows: t.sequences[i].Queries, State: state})
		}
		return parts
	}
}

// pagedTexts are the tokens of a pass.
type pagedTexts struct {
	*nn.PagedBatch // nil without attention
	states         func(layer int) []statespace.Part
	places         *positions     // nil where positions are those of the cache
	blocks         []pagedBlock   // whose tokens see each other
	chunks         *nn.PagedBatch // the same tokens as those of chunks, nil where texts have one each
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
	p.states = b.states
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
	ids, slots *tensor.Tensor // U32
	batch      *nn.PagedBatch // nil without attention
	width      int            // blocks of the longest block table
	replay
}

// scrap is the block in which the texts are that fill up a batchStep, and the slot of their states.
const scrap = 0

// step reads a token of each text, and returns the logits [texts vocab]. On a GPU the batch is filled up to a power of
// two of texts and of blocks, so that few graphs are captured; the first row of logits is that of the first text.
func (d *llamaBatch) step(t textParts) *tensor.Tensor {
	dev := d.model.Device()
	if !d.model.pagedByKernel() || d.beyondChunk(t.sequences) {
		return d.read(t)
	}
	ids, slots, sequences := numbers(t.ids), numbers(t.slots), t.sequences
	n := powerOfTwo(len(ids))
	for len(ids) < n {
		ids, slots = append(ids, 0), append(slots, scrap)
		sequences = append(sequences, nn.PagedSequence{BlockTable: []int{scrap}, SeqLen: 1, Queries: 1})
	}
	s, width := d.steps[n], longest(sequences)
	if s == nil || width > s.width && d.cache != nil {
		s = d.newStep(ids, slots, sequences, powerOfTwo(width))
		d.steps[n] = s
	} else {
		s.ids.CopySet(dev.FromSlice(ids, n))
		s.slots.CopySet(dev.FromSlice(slots, n))
		if s.batch != nil {
			s.batch.Set(sequences)
		}
	}
	buffer, _ := s.ids.Buffer()
	return s.replay.run(buffer.Device())
}

// pagedByKernel reports whether kernels read the blocks of all texts: other operations depend on their lengths, and no
// graph can repeat them.
func (m *Llama) pagedByKernel() bool {
	return !m.Device().IsCPU() && m.DType() != tensor.F64 && m.Config.KeyDim() <= 256 && !m.Config.Sinks
}

func (d *llamaBatch) newStep(ids, slots []uint32, sequences []nn.PagedSequence, width int) *batchStep {
	wide := append([]nn.PagedSequence{}, sequences...)
	table := append(make([]int, 0, width), wide[0].BlockTable...)
	for len(table) < width {
		table = append(table, scrap)
	}
	wide[0].BlockTable = table
	m, n := d.model, len(ids)
	s := &batchStep{ids: m.Device().FromSlice(ids, n).Kept(), width: width,
		slots: m.Device().FromSlice(slots, n).Kept()}
	b := pagedTexts{states: func(layer int) []statespace.Part {
		return []statespace.Part{{Rows: n, Pool: d.states[layer], Slots: s.slots}}
	}}
	if d.cache != nil {
		s.batch = nn.NewPagedBatch(d.cache, wide)
		b.PagedBatch = s.batch
	}
	s.replay.f = func() *tensor.Tensor { return m.logits(d.forward(m.embedded(m.embedding.of(s.ids)), b)) }
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
