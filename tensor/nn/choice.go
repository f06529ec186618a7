package nn

import (
	"encoding/binary"
	"unsafe"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/choose"
)

// Choice is a token that a GPU chooses while the host goes on: see Sampler.Begin.
type Choice struct {
	sampler *Sampler
	token   *tensor.Tensor
	draws   *draws // nil for the maximum
	back    *rocm.Readback
}

// Begin begins to choose a token from logits, as Sample does, and does not wait for it: Token is the token in the
// memory of the GPU, for a model to read, and Wait brings it to the host. It returns nil where a GPU cannot choose
// alone: on the host, with penalties, Typical or Mirostat, and for a TopK above 256. Choices end in the order in which
// they began, one at a time. It panics as Sample does.
func (s *Sampler) Begin(logits *tensor.Tensor) *Choice {
	n := checkLogits(logits)
	l, ok := choose.On(extend.Backend(logits.Device()))
	c := s.config
	if penalties := s.counts() || s.repeats(); !ok || penalties || s.onHost() || c.TopK > choose.Most {
		return nil
	}
	choice := &Choice{sampler: s}
	words := 1
	if s.Greedy() {
		choice.token = logits.FlattenAll().ArgMax(0).Reshape(1)
	} else {
		words = 2
		choice.token = tensor.Scoped(func() *tensor.Tensor {
			d := drawRows(l, logits.Reshape(1, n), []*Sampler{s})
			d.x, choice.draws = d.x.Kept(), d
			return d.out.FlattenAll()
		})
	}
	memory, at := choice.token.Buffer()
	if s.back == nil || s.backOf != memory.Device() {
		var err error
		s.back, err = rocm.NewReadback(memory.Device(), words*int(unsafe.Sizeof(uint32(0))))
		extend.Check("sampler", logits.Device(), err)
		s.backOf = memory.Device()
	}
	choice.back = s.back
	extend.Check("sampler", logits.Device(), choice.back.Start(memory, at))
	return choice
}

// Token is what the GPU chooses, U32 [1].
func (c *Choice) Token() *tensor.Tensor { return c.token.Narrow(0, 0, 1) }

// Wait waits for the choice, not for later work on the GPU, and returns the token. It reports whether Token is the
// same: where a TopP needs more than 256 tokens the host chooses another one. It panics as Sample does.
func (c *Choice) Wait() (id int, same bool) {
	b, err := c.back.Wait()
	extend.Check("sampler", c.token.Device(), err)
	first := int(binary.LittleEndian.Uint32(b))
	if c.draws == nil {
		return first, true
	}
	errs := make([]error, 1)
	id = c.draws.tokens([]uint32{uint32(first), binary.LittleEndian.Uint32(b[4:])}, errs)[0]
	if errs[0] != nil {
		panic(errs[0])
	}
	return id, id == first
}
