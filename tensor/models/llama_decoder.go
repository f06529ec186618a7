package models

import (
	"fmt"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/decode"
	"github.com/gorocm/gorocm/tensor/models/internal/statespace"
	"github.com/gorocm/gorocm/tensor/nn"
)

// LlamaDecoder reads a text, token by token or many at once, and returns the logits of the next token. It caches the
// keys and values of the text. On a GPU, single tokens are read by a graph, which is captured at the second of them, or
// by one launch for all layers, where that is known to be faster: on NVIDIA's of compute capability 9.0.
type LlamaDecoder struct {
	model  *Llama
	caches []*nn.Cache         // of each layer, [1 2·KVHeads positions HeadDim]: keys, then values; nil without attention
	states []*statespace.State // of each layer, nil where it has none; or nil
	n      int
	step   *step              // nil without a GPU, or if UseGraph is false
	ahead  bool               // may read tokens that the host does not know yet
	rows   func() *llamaRows  // by which the step reads, nil where there are no kernels for it; made by the first token
	token  func() *llamaToken // reads single tokens in place of the step, where there is a kernel that does
	row    *hostRow           // reads single tokens on the host; nil elsewhere
	images []*ImageTokens     // whose tokens texts may have
	grids  imageGrids         // of the images that were read, where the rotary embedding has sections
}

// Decoder returns a decoder with an empty cache. The weights are shared.
func (m *Llama) Decoder() *LlamaDecoder {
	const step = 256 // positions that a cache grows by
	d := &LlamaDecoder{model: m, ahead: decode.WorksApart(m.Device()), rows: sync.OnceValue(func() *llamaRows { return newLlamaRows(m) }),
		token: sync.OnceValue(func() *llamaToken {
			if !decode.PaysOneLaunch(m.Device()) {
				return nil
			}
			return newLlamaToken(m)
		})}
	d.caches = make([]*nn.Cache, len(m.layers))
	if m.Config.StateSpace != nil {
		d.states = make([]*statespace.State, len(m.layers))
	}
	for i, l := range m.layers {
		if l.parts&WithState != 0 {
			d.states[i] = statespace.NewState(m.Config.StateSpace, m.DType(), m.Device())
		}
		if l.parts&WithAttention != 0 {
			d.caches[i] = nn.NewCache(2, min(step, m.Config.Context))
		}
	}
	d.row = newHostRow(m)
	d.UseGraph(true)
	return d
}

// UseGraph says whether single tokens are read by a graph, or by one launch. That is the default on devices that have
// graphs. Without it kernels are launched one by one, which is slower, but a profile shows each of them.
func (d *LlamaDecoder) UseGraph(on bool) {
	d.step = nil
	if on && !d.model.Device().IsCPU() {
		var cache *nn.Cache
		if i := d.model.Config.PartsAt(WithAttention); i >= 0 {
			cache = d.caches[i]
		}
		d.step = newStep(d.model.Device(), cache, d.forward)
	}
}

// UseImages says which images texts may have from now on: Read and ReadAll read their tokens, too (EncodeMessages). The
// tokens of images that were read before stay read.
func (d *LlamaDecoder) UseImages(images ...*ImageTokens) { d.images = images }

// plain is the token of the vocabulary that a token is.
func (d *LlamaDecoder) plain(id int) int { return plainToken(d.images, id) }

// Graph returns how many kernels the graph has that reads a token, 0 as long as there is none, and 1 where one launch
// does without a graph.
func (d *LlamaDecoder) Graph() int {
	switch {
	case d.step == nil:
		return 0
	case d.token() != nil:
		return 1
	}
	return d.step.launches()
}

// Len returns how many tokens were read.
func (d *LlamaDecoder) Len() int { return d.n }

// Context returns how many tokens can be read.
func (d *LlamaDecoder) Context() int { return d.model.Config.Context }

// Ends reports whether a token ends a text.
func (d *LlamaDecoder) Ends(id int) bool { return slices.Contains(d.model.Config.EOS, id) }

// Reset forgets the text. The memory is kept.
func (d *LlamaDecoder) Reset() {
	d.n, d.grids = 0, nil
	for _, c := range d.caches {
		if c != nil {
			c.Reset()
		}
	}
	for _, s := range d.states {
		if s != nil {
			s.Reset()
		}
	}
}

// Read reads further tokens and returns the logits [vocab] for what follows the last. It panics as Llama.Forward does.
func (d *LlamaDecoder) Read(ids []int) *tensor.Tensor {
	n := len(ids)
	single := n == 1 && ids[0] < d.model.Config.Vocab
	if single && d.step != nil && d.grids == nil && d.inFirstChunk() { // which is not for other positions
		d.check(ids)
		var logits *tensor.Tensor
		if t := d.token(); t != nil {
			logits = t.read(t.upload(ids[0]), d.n, d.caches)
		} else {
			logits = d.step.read(ids[0], d.n)
		}
		d.advance()
		return logits
	}
	if single && d.row != nil {
		d.check(ids)
		logits := d.row.logits(ids[0], d.n, d.grids.next(d.n), d.caches)
		d.n++
		return logits.Reshape(d.model.Config.Vocab)
	}
	x := d.run(ids)
	if n > 1 {
		x = x.Narrow(0, n-1, 1)
	}
	return d.logits(x)
}

// inFirstChunk reports whether the next token sees all others: a graph reads no later ones.
func (d *LlamaDecoder) inFirstChunk() bool {
	return d.model.Config.Chunk == 0 || d.n < d.model.Config.Chunk
}

// readAhead implements aheadReader: on a GPU that works apart from the host, while the caches have room.
func (d *LlamaDecoder) readAhead(id *tensor.Tensor) *tensor.Tensor {
	if d.step == nil || !d.ahead || d.states != nil || d.grids != nil || !d.inFirstChunk() || d.n == d.Context() ||
		d.caches[0].Len() == d.caches[0].Capacity() {
		return nil
	}
	var logits *tensor.Tensor
	if t := d.token(); t != nil {
		logits = t.read(id, d.n, d.caches)
	} else {
		logits = d.step.readAhead(id, d.n)
	}
	d.advance()
	return logits
}

// advance counts a token that the caches have.
func (d *LlamaDecoder) advance() {
	d.n++
	for _, c := range d.caches {
		if c != nil {
			c.Advance(1)
		}
	}
}

// ReadAll reads further tokens and returns the logits [tokens vocab] for what follows each. It panics as Read does.
func (d *LlamaDecoder) ReadAll(ids []int) *tensor.Tensor { return d.model.logits(d.run(ids)) }

// Truncate forgets the tokens after the first n; the next ones take their positions. It panics with ErrShape when fewer
// than n were read, and for an n between none and all of a model whose layers have a state, which cannot go back.
func (d *LlamaDecoder) Truncate(n int) {
	if n < 0 || n > d.n {
		panic(&tensor.Error{Op: "llama", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("%d tokens were read, of which the first %d cannot stay", d.n, n)})
	}
	if d.states != nil && n < d.n {
		if n > 0 {
			panic(&tensor.Error{Op: "llama", Kind: tensor.ErrShape, Message: fmt.Sprintf(
				"the state after %d tokens is not that after %d: Reset, and read them again", d.n, n)})
		}
		d.Reset()
	}
	for _, c := range d.caches {
		if c != nil {
			c.Truncate(n)
		}
	}
	d.n = n
	d.grids.truncate(n)
}

// forward launches the kernels that read a token at a position, both in device memory.
func (d *LlamaDecoder) forward(id, place *tensor.Tensor) *tensor.Tensor {
	m := d.model
	if by := d.rows(); by != nil {
		return by.logits(id, place, d.caches)
	}
	p := m.places(func(a angles) angles { return a.at(place) })
	p.states = d.partsOf
	p.attend = func(layer int, q, kv *tensor.Tensor) *tensor.Tensor {
		k, v := halves(&m.Config, d.caches[layer].Put(kv, place))
		see := m.see(layer)
		see.Last = place
		return headRows(nn.Attention(q, k, v, see))
	}
	return d.logits(m.layersOf(m.embedded(m.embedding.of(id)), p))
}

// partsOf is the one part that all rows of a pass are of.
func (d *LlamaDecoder) partsOf(layer int) []statespace.Part {
	return []statespace.Part{{State: d.states[layer]}}
}

// headRows are the rows [n heads·size] of [1 heads n size].
func headRows(y *tensor.Tensor) *tensor.Tensor {
	return y.Transpose(1, 2).Reshape(y.Dim(2), y.Dim(1)*y.Dim(3))
}

// logits are those of a row of the last norm.
func (d *LlamaDecoder) logits(x *tensor.Tensor) *tensor.Tensor {
	return d.model.logits(x).Reshape(d.model.Config.Vocab)
}

// check panics when the tokens cannot be read.
func (d *LlamaDecoder) check(ids []int) {
	c := &d.model.Config
	if n := len(ids); n == 0 || d.n+n > c.Context {
		panic(&tensor.Error{Op: "llama", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("%d tokens were read and %d are to come, of at most %d", d.n, n, c.Context),
			Notes:   []string{"Reset begins a new text"}})
	}
	checkInput(ids, c.Vocab, d.images)
}

// run reads tokens and returns the last norm's rows, [tokens dim].
func (d *LlamaDecoder) run(ids []int) *tensor.Tensor {
	d.check(ids)
	m, n := d.model, len(ids)
	x := m.inputs(ids, d.images)
	type kind struct{ window, chunk int }
	parts, blocks := map[kind][]queryPart{}, imageBlocks(ids, d.images)
	kindOf := func(layer int) kind { return kind{m.Config.WindowOf(layer), m.Config.ChunkOf(layer)} }
	for layer, cache := range d.caches {
		if of := kindOf(layer); cache != nil && parts[of] == nil {
			r := m.reading(layer)
			parts[of] = r.partsWith(blocks, n, d.n)
		}
	}
	of := func(a angles) angles { return a.from(d.n, n) }
	if m.Config.RopeSections != nil {
		if d.grids.see(ids, d.n, d.images); d.grids != nil {
			places := d.grids.of(d.n, n)
			of = func(a angles) angles { return places.angles(a, m.Config.RopeSections) }
		}
	}
	p := m.places(of)
	p.states = d.partsOf
	p.attend = func(layer int, q, kv *tensor.Tensor) *tensor.Tensor {
		k, v := halves(&m.Config, d.caches[layer].Append(kv))
		see := m.see(layer)
		if s := k.Dim(2); n == 1 && see.Window > 0 && s > see.Window {
			k, v = k.Narrow(2, s-see.Window, see.Window), v.Narrow(2, s-see.Window, see.Window)
		}
		return attendParts(parts[kindOf(layer)], see.Sinks, q, k, v)
	}
	x = m.layersOf(x, p)
	d.n += n
	return x
}
