package models

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// llamaStep reads one token on a GPU. Which token it is and where it stands are in device memory, so that the launches are the same for every token: they
// are captured as a graph, and replayed as long as the caches have room.
type llamaStep struct {
	d        *LlamaDecoder
	now      *tensor.Tensor // U32 [2]: the token, and its place
	buffer   *rocm.Buffer   // the memory of now
	offset   int
	capacity int // of the caches, when the graph was captured
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
	see := nn.Attend{Scale: 1, Causal: true, Window: m.Config.Window, Last: place}
	p := llamaPlaces{cos: m.cos.IndexSelect(place, 0), sin: m.sin.IndexSelect(place, 0), one: place, see: see}
	return s.d.logits(s.d.layers(m.embedding.IndexSelect(id, 0), &p))
}
