package repl

import (
	"weak"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// holding tells what a tensor keeps in memory, for the results of cells: those that are small are kept, of others the
// variables of cells decide.
func holding(v any) (h golang.Holding, ok bool) {
	switch v := v.(type) {
	case *tensor.Tensor:
		h.Weak = weakly(v)
		switch {
		case v.Device() == nil || v.IsFreed(): // it has no elements
		case v.TrackOp() && !v.IsVariable():
			h.Why = "it refers to all that its gradients need"
		default:
			h.Bytes = int64(v.StorageBytes())
		}
	case *quant.QTensor:
		h = golang.Holding{Bytes: int64(v.Bytes()), Weak: weakly(v)}
	case *tensor.Device:
		h = golang.Holding{} // lives as long as the process
	default:
		return h, false
	}
	return h, true
}

// input is the text of a cell of this session, as it was typed.
func (s *Local) input(n int) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.history.Values() {
		if p.Number == n {
			text, ok = p.Code, true
		}
	}
	return text, ok
}

// weakly returns v for as long as something else refers to it.
func weakly[T any](v *T) func() any {
	p := weak.Make(v)
	return func() any {
		if v := p.Value(); v != nil {
			return v
		}
		return nil
	}
}
