package models

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// llamaStep reads one token on a GPU. Which token it is and where it stands are in device memory, so that the launches are the same for every token: they
// are captured as a graph, and replayed as long as the caches have room.
type llamaStep struct {
	d        *LlamaDecoder
	now      *tensor.Tensor // U32 [2]: the token, and its place
	buffer   *rocm.Buffer   // the memory of now
	offset   int
	places   *tensor.Tensor // U32 [capacity]: 0, 1, 2, …, which the places that can be seen are told by
	capacity int            // of the caches, when the graph was captured
	replay
}

func newLlamaStep(d *LlamaDecoder) *llamaStep {
	s := &llamaStep{d: d, now: tensor.Zeros([]int{2}, tensor.U32, d.model.Device())}
	s.buffer, s.offset = s.now.Buffer()
	s.replay.f = s.forward
	return s
}

// read returns the logits for what follows a token.
func (s *llamaStep) read(id int) *tensor.Tensor {
	cache := s.d.caches[0]
	if full := s.d.n == cache.Capacity(); full || cache.Capacity() != s.capacity {
		s.replay.forget() // the caches are to be, or were, other memory
	}
	var now [8]byte
	binary.LittleEndian.PutUint32(now[0:], uint32(id))
	binary.LittleEndian.PutUint32(now[4:], uint32(s.d.n))
	if err := s.buffer.Upload(s.offset, now[:]); err != nil {
		panic(&tensor.Error{Op: "llama", Kind: tensor.ErrDriver, Message: err.Error(), Err: err})
	}
	logits := s.replay.run(s.buffer.Device())
	s.capacity = cache.Capacity()
	return logits
}

// forward launches what reads the token that now says.
func (s *llamaStep) forward() *tensor.Tensor {
	m := s.d.model
	id, place := s.now.Narrow(0, 0, 1), s.now.Narrow(0, 1, 1)
	p := llamaPlaces{cos: m.cos.IndexSelect(place, 0), sin: m.sin.IndexSelect(place, 0), one: place, mask: s.mask(place)}
	return s.d.logits(s.d.layers(m.embedding.IndexSelect(id, 0), &p))
}

// mask hides the places of the caches after the token's own, and those before its window.
func (s *llamaStep) mask(place *tensor.Tensor) *tensor.Tensor {
	c, cache := &s.d.model.Config, s.d.caches[0]
	n := cache.Capacity()
	if s.d.n == n { // they grow in this step
		n += min(cacheStep, c.Context)
	}
	if s.places == nil || s.places.Dim(0) != n {
		s.places = tensor.Arange(0, float64(n), tensor.U32, s.now.Device())
	}
	mask := s.places.Gt(place)
	if c.Window > 0 {
		mask = mask.Add(s.places.Add(c.Window).Le(place))
	}
	return mask.Reshape([]int{1, n})
}
