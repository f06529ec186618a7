package signal

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/signal/internal/iir"
)

// LFilter returns the output of the filter with the numerator b and the denominator a along a dim of x, as
// scipy.signal.lfilter: a[0]·y[t] is Σ_k b[k]·x[t-k] - Σ_k>0 a[k]·y[t-k], from a state of zeros. x may be complex.
// High orders are more accurate as SOSFilt. It panics with ErrValue when b or a is empty or has numbers that are not
// finite, and when a[0] is 0.
//
//	signal.LFilter([]float64{1}, []float64{1, -0.5}, tensor.Of(1, 0, 0), -1) // [1, 0.5, 0.25] f32
func LFilter(b, a []float64, x *tensor.Tensor, dim int) *tensor.Tensor {
	const op = "lfilter"
	b, a = coefficients(op, b, a)
	o := along(op, x, dim)
	y, _ := filter(b, a, o.x, nil)
	return o.back(y)
}

// LFilterFrom is LFilter from a state, and returns the state at the end with it, from which a filter of the next part
// of a signal goes on. A state has max(len(a), len(b)) - 1 numbers in the place of those along dim, those of the
// transposed direct form II, as LFilterState and SciPy have it. Those at the end are F64, or C128 of complex signals:
// rounded ones may change the next part by much more than the rounding. It panics with ErrShape for a state of
// another shape.
func LFilterFrom(b, a []float64, x, state *tensor.Tensor, dim int) (y, end *tensor.Tensor) {
	const op = "lfilter"
	b, a = coefficients(op, b, a)
	o := along(op, x, dim)
	extend.SameDevice(op, x, state)
	want := append(o.x.Dims()[:o.rank-1:o.rank-1], len(a)-1)
	s := state
	if state.Rank() == o.rank {
		s = state.Transpose(dim, -1)
	}
	if !slices.Equal(s.Dims(), want) {
		extend.ShapeNoting(op, []*tensor.Tensor{x, state}, "", "want a state of %d numbers for each signal, not shape %v",
			len(a)-1, state.Dims())
	}
	y, end = filter(b, a, o.x, s.ToDType(precise(o.x.DType())))
	return o.back(y), end.ToDType(precise(o.x.DType())).Transpose(dim, -1)
}

// LFilterState returns the state in which a filter gives a constant output for an input of ones, as
// scipy.signal.lfilter_zi. Times the first element of a signal it is a state for LFilterFrom. It panics with ErrValue
// for a filter that has none: with a pole at 1.
func LFilterState(b, a []float64) []float64 {
	const op = "lfilter state"
	b, a = coefficients(op, b, a)
	var sumA, sumB float64
	for i := range a {
		sumA += a[i]
		sumB += b[i]
	}
	gain := sumB / sumA // of a constant
	if math.IsInf(gain, 0) || math.IsNaN(gain) {
		extend.Fail(op, tensor.ErrValue, nil, "", "the denominator sums to 0: its output for a constant grows without end")
	}
	n := len(a) - 1
	state := make([]float64, n)
	for i := n - 1; i >= 0; i-- { // the state i is what is left of the sums from i+1 on
		state[i] = b[i+1] - a[i+1]*gain
		if i+1 < n {
			state[i] += state[i+1]
		}
	}
	return state
}

// coefficients returns b and a of the same length with a[0] = 1. Zeros at their ends are cut off.
func coefficients(op string, b, a []float64) (numerator, denominator []float64) {
	for _, list := range [][]float64{b, a} {
		for _, c := range list {
			if math.IsNaN(c) || math.IsInf(c, 0) {
				extend.Fail(op, tensor.ErrValue, nil, "", "the coefficients are not finite: b %v, a %v", b, a)
			}
		}
	}
	if len(b) == 0 || len(a) == 0 || a[0] == 0 {
		extend.Fail(op, tensor.ErrValue, nil, "[]float64{1} is the denominator of a filter without feedback",
			"want numerators, and denominators whose first one is not 0: b %v, a %v", b, a)
	}
	n := max(len(b), len(a))
	numerator, denominator = make([]float64, n), make([]float64, n)
	for i, c := range b {
		numerator[i] = c / a[0]
	}
	for i, c := range a {
		denominator[i] = c / a[0]
	}
	return numerator, denominator
}

// feedback is a without the zeros at its end.
func feedback(a []float64) []float64 {
	n := len(a)
	for n > 1 && a[n-1] == 0 {
		n--
	}
	return a[:n]
}

// filter filters the last dim of x from a state, or from zeros if it is nil; end is the state at the end if there was
// one at the start. b and a have the same length and a[0] is 1.
//
// The state of the transposed direct form II is what the past adds to the next inputs of the recursive part, so it
// is added to the output of the numerator, of which it has the same number of elements after the end.
func filter(b, a []float64, x, state *tensor.Tensor) (y, end *tensor.Tensor) {
	dt, recursive := x.DType(), feedback(a)
	if x.ElemCount() == 0 {
		return x, state
	}
	if len(recursive) > 1 { // the recursive part amplifies rounding errors
		x = x.ToDType(precise(dt))
	}
	n, order := x.Dim(-1), len(a)-1
	if state == nil && direct(x) && len(recursive) > 1 {
		flat, batch := rows(x)
		y = iir.Filter(b, recursive, flat.Contiguous())
		return shaped(y, batch).ToDType(dt), nil
	}
	if state == nil {
		y = recurse(recursive, causal(b, x, n))
		return y.ToDType(dt), nil
	}
	v := causal(b, x, n+order)
	v = v.Add(state.ToDType(v.DType()).Pad(-1, 0, n, 0))
	y = recurse(recursive, v.Narrow(-1, 0, n))
	end = v.Narrow(-1, n, order)
	if len(recursive) > 1 {
		tail := y.Pad(-1, max(0, order-n), 0, 0) // the last outputs, of which each order elements count
		tail = tail.Narrow(-1, tail.Dim(-1)-order, order)
		m := make([]float64, order*order) // what output order-n+j takes from state i
		for i := range order {
			for j := i; j < order; j++ {
				m[j*order+i] = -a[order+i-j]
			}
		}
		flat, batch := rows(tail)
		table := vector(m, tail).Reshape(order, order).ToDType(tail.DType())
		end = end.Add(shaped(flat.MatMul(table), batch))
	}
	return y.ToDType(dt), end
}

// direct reports whether one loop over the signal computes a filter: on the host, of numbers that are not complex and
// have no gradient.
func direct(x *tensor.Tensor) bool {
	return x.Device().IsCPU() && x.DType() == tensor.F64 && !extend.Tracked(x)
}

// precise is the type of F64 or C128.
func precise(dt tensor.DType) tensor.DType {
	if dt.IsComplex() {
		return tensor.C128
	}
	return tensor.F64
}

// causal returns the first n elements of the convolution of x with b along the last dim.
func causal(b []float64, x *tensor.Tensor, n int) *tensor.Tensor {
	for len(b) > 1 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	x = x.Pad(-1, 0, n-x.Dim(-1), 0)
	if len(b) == 1 {
		return x.Mul(b[0])
	}
	return convolved(x.Pad(-1, len(b)-1, 0, 0), vector(b, x), fft.Valid)
}
