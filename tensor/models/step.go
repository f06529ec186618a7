package models

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// step reads one token on a GPU. The token and its position are in device memory, so that the launches are the same
// for every token: they are captured as a graph and replayed as long as the caches have room.
type step struct {
	now       *tensor.Tensor // U32 [2]: the token, and its position
	buffer    *rocm.Buffer   // the results of the current replay
	offset    int
	cache     *nn.Cache // one of the caches, which all have the same capacity, or nil
	capacity  int       // capacity of the caches when the graph was captured
	id, place *tensor.Tensor
	replay
}

// newStep returns a step for forward, which launches the kernels from a token, U32 [1], at a position, U32 [1], to
// the logits of the next. It puts keys and values into caches like the given one.
func newStep(dev *tensor.Device, cache *nn.Cache, forward func(id, place *tensor.Tensor) *tensor.Tensor) *step {
	s := &step{now: dev.Zeros(tensor.U32, 2).Kept(), cache: cache}
	s.buffer, s.offset = s.now.Buffer()
	s.id, s.place = s.now.Narrow(0, 0, 1), s.now.Narrow(0, 1, 1)
	s.replay.f = func() *tensor.Tensor { return forward(s.id, s.place) }
	return s
}

// read returns the logits after a token. The caches do not count it.
func (s *step) read(id, place int) *tensor.Tensor {
	var now [8]byte
	binary.LittleEndian.PutUint32(now[0:], uint32(id))
	binary.LittleEndian.PutUint32(now[4:], uint32(place))
	checkDriver("decoder", s.buffer.Upload(s.offset, now[:]))
	return s.next()
}

// readAhead is read of a token in the memory of the device, U32 [1].
func (s *step) readAhead(id *tensor.Tensor, place int) *tensor.Tensor {
	memory, at := id.Buffer()
	checkDriver("decoder", s.buffer.CopyFrom(s.offset, memory, at, 4))
	checkDriver("decoder", s.buffer.Upload(s.offset+4, binary.LittleEndian.AppendUint32(nil, uint32(place))))
	return s.next()
}

// next returns the logits after the token in now.
func (s *step) next() *tensor.Tensor {
	if s.cache == nil {
		return s.replay.run(s.buffer.Device())
	}
	if full := s.cache.Len() == s.cache.Capacity(); full || s.cache.Capacity() != s.capacity {
		s.replay.forget() // the caches grow, or have grown: the graph's memory was replaced
	}
	logits := s.replay.run(s.buffer.Device())
	s.capacity = s.cache.Capacity()
	return logits
}

// checkDriver panics with the error of a driver.
func checkDriver(op string, err error) {
	if err != nil {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrDriver, Message: err.Error(), Err: err})
	}
}
