package models

import (
	"context"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/t5"
)

// SubmitAll submits requests at once: no step is between them, so that what the server does with them depends on no
// timing.
func (s *Server) SubmitAll(ctxs []context.Context, rs []Request) (all []*Completion, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range rs {
		c, err := s.newCompletion(ctxs[i], r)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	s.inbox = append(s.inbox, all...)
	s.stats.Requests += len(rs)
	s.wake()
	return all, nil
}

// FailAt makes passes fail for want of memory that read a text with this token.
func (s *Server) FailAt(token int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass = func(parts []part) (*tensor.Tensor, []part) {
		for _, p := range parts {
			if slices.Contains(p.c.tokens, token) {
				panic(&tensor.Error{Op: "test", Kind: tensor.ErrMemory, Message: "no memory"})
			}
		}
		return s.logits(parts)
	}
}

// FailAfter makes passes fail for want of memory that have read a text whose prompt has this token: states have changed
// then.
func (s *Server) FailAfter(token int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass = func(parts []part) (*tensor.Tensor, []part) {
		logits, complete := s.logits(parts)
		for _, p := range parts {
			if slices.Contains(p.c.request.Prompt, token) {
				panic(&tensor.Error{Op: "test", Kind: tensor.ErrMemory, Message: "no memory"})
			}
		}
		return logits, complete
	}
}

// DenseMatrices is how many matrices a model has as tensors, its embedding among them.
func DenseMatrices(m *Llama) (n int) {
	count := func(dense *tensor.Tensor) {
		if dense != nil {
			n++
		}
	}
	count(m.embedding.dense)
	count(m.output.dense)
	for _, l := range m.layers {
		for _, w := range []matrix{l.qkv, l.out, l.gateUp, l.down} {
			count(w.dense)
		}
	}
	return n
}

// DenseExperts is how many matrices of experts are tensors.
func DenseExperts(m *Llama) (n int) {
	for _, l := range m.layers {
		for _, e := range l.expertsOf() {
			for _, w := range []matrix{e.gateUp, e.down} {
				if w.dense != nil {
					n++
				}
			}
		}
	}
	return n
}

// T5Buckets are the buckets of distances from first to last.
func T5Buckets(m *T5, both bool, first, last int) (all []uint32) {
	return t5.Buckets(&m.Config, both, first, last)
}

// KeepImages bounds the bytes of images that a model keeps, and KeptImages is how many it has kept.
func (m *Model) KeepImages(bytes int) { m.images.limit = bytes }

func (m *Model) KeptImages() int { return len(m.images.known) }

// OneLaunch has a decoder read tokens by one launch each, also on an emulated GPU.
func (d *LlamaDecoder) OneLaunch() {
	d.token = sync.OnceValue(func() *llamaToken { return newLlamaToken(d.model) })
}

// ReadAhead has a decoder read tokens that the host does not know yet, also on an emulated GPU.
func (d *LlamaDecoder) ReadAhead() { d.ahead = true }

func (l *llamaLayer) expertsOf() []feedForward {
	if l.mixture == nil {
		return nil
	}
	return l.mixture.experts
}

// Beside is how many matrices have an adapter that is not added to them.
func Beside(m *Llama) (n int) {
	for _, l := range m.layers {
		for _, w := range []matrix{l.qkv, l.out, l.gateUp, l.down} {
			if w.beside != nil {
				n++
			}
		}
	}
	return n
}

var DefaultDTypeOf = defaultDType
