package signal

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/signal/internal/iir"
)

// Sections are filters of order 2, one after another: b[0], b[1], b[2], a[0], a[1] and a[2] of each, with a[0] other
// than 0. Rounding errors of high orders are much smaller than with the coefficients of the whole filter.
type Sections [][6]float64

// SOSFilt returns the output of second-order sections along a dim of x, from a state of zeros, as
// scipy.signal.sosfilt. x may be complex. It panics with ErrValue as LFilter, and when there are no sections.
func SOSFilt(s Sections, x *tensor.Tensor, dim int) *tensor.Tensor {
	const op = "sosfilt"
	s.check(op)
	o := along(op, x, dim)
	y, _ := s.filter(o.x.ToDType(precise(o.x.DType())), nil)
	return o.back(y)
}

// SOSFiltFrom is SOSFilt from a state, and returns the state at the end with it. A state has two numbers for each
// section, in a new first dim of sections and in the place of the elements along dim: for x [… n] it is
// [sections … 2]. State(s) is that of a constant input. That at the end is F64 or C128. It panics with ErrShape for a
// state of another shape.
func SOSFiltFrom(s Sections, x, state *tensor.Tensor, dim int) (y, end *tensor.Tensor) {
	const op = "sosfilt"
	s.check(op)
	o := along(op, x, dim)
	extend.SameDevice(op, x, state)
	want := append(append([]int{len(s)}, o.x.Dims()[:o.rank-1]...), 2)
	z := state
	if dim >= 0 {
		dim -= o.rank
	}
	if state.Rank() == o.rank+1 {
		z = state.Transpose(dim, -1)
	}
	if !slices.Equal(z.Dims(), want) {
		extend.Shape(op, []*tensor.Tensor{x, state}, "want a state of 2 numbers for each of %d sections and each signal, "+
			"not shape %v", len(s), state.Dims())
	}
	dt := precise(o.x.DType())
	states := make([]*tensor.Tensor, len(s))
	for i := range s {
		states[i] = z.Get(i).ToDType(dt)
	}
	y, states = s.filter(o.x.ToDType(dt), states)
	return o.back(y), tensor.Stack(states, 0).Transpose(dim, -1)
}

// check panics when there are no sections, or one of them is no filter.
func (s Sections) check(op string) {
	if len(s) == 0 {
		extend.Fail(op, tensor.ErrValue, nil, "signal.Butter(2, signal.Lowpass, 0.1).SOS() has one", "there are no sections")
	}
	for _, c := range s {
		coefficients(op, c[:3], c[3:])
	}
}

// filter filters the last dim of x from states, which may be nil.
func (s Sections) filter(x *tensor.Tensor, states []*tensor.Tensor) (y *tensor.Tensor, ends []*tensor.Tensor) {
	if direct(x) && x.ElemCount() > 0 && x.Dim(-1) > 1 && !slices.ContainsFunc(states, extend.Tracked) {
		return s.cascade(x, states)
	}
	for i, c := range s {
		b, a := coefficients("sosfilt", c[:3], c[3:])
		var state *tensor.Tensor
		if states != nil {
			state = states[i]
		}
		var end *tensor.Tensor
		x, end = filter(b, a, x, state)
		ends = append(ends, end)
	}
	return x, ends
}

// cascade is filter in one loop on the host.
func (s Sections) cascade(x *tensor.Tensor, states []*tensor.Tensor) (y *tensor.Tensor, ends []*tensor.Tensor) {
	flat, batch := rows(x)
	sections, z := make([]iir.Section, len(s)), make([][]float64, len(s))
	for i, c := range s {
		b, a := coefficients("sosfilt", c[:3], c[3:])
		copy(sections[i][:], append(b, a...))
		end := x.Device().Zeros(tensor.F64, append(slices.Clone(batch), 2)...)
		if states != nil {
			end = states[i].Copy()
		}
		ends, z[i] = append(ends, end), end.Data().([]float64)
	}
	return shaped(iir.Cascade(sections, flat.Contiguous(), z), batch), ends
}

// State returns the state of each section in which the filter gives a constant output for an input of ones, as
// scipy.signal.sosfilt_zi. It panics as LFilterState.
func (s Sections) State() [][2]float64 {
	s.check("sosfilt state")
	states, scale := make([][2]float64, len(s)), 1.0
	for i, c := range s {
		z := LFilterState(c[:3], c[3:])
		states[i] = [2]float64{z[0] * scale, z[1] * scale}
		scale *= (c[0] + c[1] + c[2]) / (c[3] + c[4] + c[5])
	}
	return states
}
