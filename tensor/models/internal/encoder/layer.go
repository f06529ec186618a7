package encoder

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// encoderBatch are texts that are read at once.
type encoderBatch struct {
	ids, types [][]int // types may be nil: zeros
}

// encoderPass is what the layers need to know of a batch.
type encoderPass struct {
	ids, types *tensor.Tensor // U32 [texts n]; types may be nil
	keep       *tensor.Tensor // F32 [texts n 1]: 1 for tokens, 0 for what fills a text up
	texts, n   int
	padded     bool
	masks      map[int]*tensor.Tensor // by the window, Bool, where true hides a key; nil for none
}

// pass fills texts up to the length of the longest.
func (b *encoderBatch) pass(e *Encoder) *encoderPass {
	p := &encoderPass{texts: len(b.ids), masks: map[int]*tensor.Tensor{}}
	typed := false
	for i, ids := range b.ids {
		p.n = max(p.n, len(ids))
		typed = typed || b.types[i] != nil
	}
	ids, types := make([]uint32, p.texts*p.n), make([]uint32, p.texts*p.n)
	keep := make([]float32, p.texts*p.n)
	for i := range b.ids {
		for k, id := range b.ids[i] {
			ids[i*p.n+k], keep[i*p.n+k] = uint32(id), 1
			if b.types[i] != nil {
				types[i*p.n+k] = uint32(b.types[i][k])
			}
		}
		p.padded = p.padded || len(b.ids[i]) < p.n
	}
	dev := e.Device()
	p.ids, p.keep = dev.FromSlice(ids, p.texts, p.n), dev.FromSlice(keep, p.texts, p.n, 1)
	if typed {
		p.types = dev.FromSlice(types, p.texts, p.n)
	}
	return p
}

// mask hides what fills texts up, and with a window the keys that are farther away than that.
func (p *encoderPass) mask(window int) *tensor.Tensor {
	if m, ok := p.masks[window]; ok {
		return m
	}
	var m *tensor.Tensor
	if p.padded {
		m = p.keep.Eq(0).Reshape(p.texts, 1, 1, p.n)
	}
	if window > 0 && p.n > window+1 {
		far := make([]bool, p.n*p.n)
		for i := range p.n {
			for j := range p.n {
				far[i*p.n+j] = i-j > window || j-i > window
			}
		}
		w := p.keep.Device().FromSlice(far, 1, 1, p.n, p.n)
		if m == nil {
			m = w
		} else {
			m = m.Or(w)
		}
	}
	p.masks[window] = m
	return m
}

// encoderEmbedding are the rows that layers read: of words, and in some models of positions and types, normalised.
type encoderEmbedding struct {
	words, places, types *nn.Embedding // the last two may be nil
	first                int           // the first position in places
	norm                 *nn.LayerNormLayer
}

func (b *encoderEmbedding) of(p *encoderPass) *tensor.Tensor {
	x := b.words.Forward(p.ids)
	if b.types != nil && p.types != nil {
		x = x.Add(b.types.Forward(p.types))
	} else if b.types != nil {
		x = x.Add(b.types.Weight.Narrow(0, 0, 1))
	}
	if b.places != nil {
		x = x.Add(b.places.Weight.Narrow(0, b.first, p.n))
	}
	return b.norm.Forward(x)
}

// encoderLayer is attention in both directions, and a feed-forward part.
type encoderLayer struct {
	parts.Layer
	window int // how far a query sees in each direction; 0 is everything
}

// hidden are the rows [texts n dim] after the last layer.
func (e *Encoder) hidden(p *encoderPass) *tensor.Tensor {
	x := e.embed.of(p)
	for _, l := range e.layers {
		x = l.Forward(x, nn.Attend{Mask: p.mask(l.window)})
	}
	if e.final != nil {
		x = e.final.Forward(x)
	}
	return x
}
