package nn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Change is what Changed does to a parameter.
type Change struct {
	Of string // the name of the parameter that is changed, if not that of the result
	// Apply returns the result, of the parameter in F32, or F64. It may panic with a *tensor.Error.
	Apply func(w *tensor.Tensor) *tensor.Tensor
	// Apply adds B [outputs rank] times A [rank inputs] to the parameter, and does nothing else: a layer may multiply
	// rows by these, in the place of Apply. They are nil for other changes.
	A, B *tensor.Tensor
}

// Changed returns the parameters of p, which are not new ones, with changes to those of some full names: adapters that
// are added to weights, for example. A name that p does not have needs Of. What is changed is not packed; p stays as it
// is, and closing the result closes it.
func (p *Params) Changed(changes map[string]Change) *Params {
	q := newParams(&changedSource{p.source, maps.Clone(changes)}, p.dtype, p.dev)
	q.prefix = p.prefix
	return q
}

// GetBeside is GetPacked for a parameter that Changed has changed by a product: the parameter without the change, and
// what is added to it, B [outputs rank] times A [rank inputs]. They are nil for a parameter without such a change.
func (p *Params) GetBeside(name string, shape ...int) (q *quant.QTensor, a, b *tensor.Tensor) {
	s, ok := p.source.(*changedSource)
	if !ok || s.changes[p.prefix+name].A == nil || s.changes[p.prefix+name].Of != "" {
		return p.GetPacked(name, shape...), nil, nil
	}
	before := &Params{p.prefix, &paramStore{dtype: p.dtype, dev: p.dev, source: s.paramSource, there: p.there,
		seen: p.seen}}
	c := s.changes[p.prefix+name]
	if q = before.GetPacked(name, shape...); q == nil || c.A.Dim(1) != shape[1] || c.B.Dim(0) != shape[0] {
		return nil, nil, nil
	}
	return q, c.A, c.B
}

// changedSource is parameters some of which are changed.
type changedSource struct {
	paramSource
	changes map[string]Change
}

func (s *changedSource) list() []string {
	names := s.paramSource.list()
	for _, name := range slices.Sorted(maps.Keys(s.changes)) {
		if s.changes[name].Of != "" && !slices.Contains(names, name) {
			names = append(names[:len(names):len(names)], name)
		}
	}
	return names
}

func (s *changedSource) tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error) {
	c, ok := s.changes[name]
	if !ok {
		return s.paramSource.tensor(name, dtype, dev)
	}
	if c.Of != "" {
		name = c.Of
	}
	w, err := s.paramSource.tensor(name, computed(dtype), dev)
	if err != nil {
		return nil, err
	}
	return tensor.Try(func() *tensor.Tensor { return c.Apply(w).ToDType(dtype) })
}

func (s *changedSource) stored(name string) (*tensor.Tensor, error) {
	if _, ok := s.changes[name]; ok {
		return nil, fmt.Errorf("it is changed, for an adapter: ScaleFloat8 comes before Merged and Changed")
	}
	return s.paramSource.stored(name)
}

func (s *changedSource) packed(name string) (*quant.QTensor, error) {
	if _, ok := s.changes[name]; ok {
		return nil, nil
	}
	return s.paramSource.packed(name)
}

func (s *changedSource) Close() error { return closed(s.paramSource) }
