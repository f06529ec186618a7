package signal

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/signal/internal/iir"
)

// FiltFilt returns the output of LFilter forwards and then backwards along a dim of x, which has no delay, as
// scipy.signal.filtfilt: the signal is continued at both ends by 3·max(len(a), len(b)) elements of its point
// reflection, and the filter begins in the state of a constant. It panics with ErrShape for a signal that is not
// longer than that.
func FiltFilt(b, a []float64, x *tensor.Tensor, dim int) *tensor.Tensor {
	const op = "filtfilt"
	edge := 3 * max(len(a), len(b))
	b, a = coefficients(op, b, a)
	state := LFilterState(b, a)
	o := along(op, x, dim)
	y := bothWays(op, o, edge, func(x, first *tensor.Tensor) *tensor.Tensor {
		if len(state) == 0 {
			return x.Mul(b[0])
		}
		y, _ := filter(b, a, x, first.Mul(vector(state, first)))
		return y
	})
	return o.back(y)
}

// SOSFiltFilt is FiltFilt of second-order sections, as scipy.signal.sosfiltfilt. The signal is continued by
// 3·(2·s+1-z) elements for s sections, of which z have order 1.
func SOSFiltFilt(s Sections, x *tensor.Tensor, dim int) *tensor.Tensor {
	const op = "sosfiltfilt"
	s.check(op)
	var zeros, poles int // of sections of order 1
	for _, c := range s {
		if c[2] == 0 {
			zeros++
		}
		if c[5] == 0 {
			poles++
		}
	}
	o := along(op, x, dim)
	state := s.State()
	y := bothWays(op, o, 3*(2*len(s)+1-min(zeros, poles)), func(x, first *tensor.Tensor) *tensor.Tensor {
		states := make([]*tensor.Tensor, len(s))
		for i := range s {
			states[i] = first.Mul(vector(state[i][:], first))
		}
		y, _ := s.filter(x, states)
		return y
	})
	return o.back(y)
}

// bothWays continues a signal by edge elements, runs a filter over it in both directions, and cuts the edges off. The
// filter takes the first element of each signal, [… 1].
func bothWays(op string, o operand, edge int, run func(x, first *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	n := o.n()
	if n <= edge {
		extend.ShapeNoting(op, []*tensor.Tensor{o.x}, fmt.Sprintf("x.Pad(-1, %d, %d, tensor.Replicate) is long enough",
			edge+1-n, edge+1-n), "want signals of more than %d elements, which is the length of their continuation, not %d",
			edge, n)
	}
	if o.x.ElemCount() == 0 {
		return o.x
	}
	x := o.x.ToDType(precise(o.x.DType()))
	if direct(x) {
		flat, batch := rows(x)
		y := iir.Reflected(flat.Contiguous(), edge)
		y = iir.Reversed(run(y, y.Narrow(1, 0, 1)), 0)
		y = iir.Reversed(run(y, y.Narrow(1, 0, 1)), edge)
		return shaped(y, batch)
	}
	first, last := x.Narrow(-1, 0, 1), x.Narrow(-1, n-1, 1)
	x = tensor.Cat([]*tensor.Tensor{
		first.Mul(2).Sub(x.Narrow(-1, 1, edge).Flip(-1)), x, last.Mul(2).Sub(x.Narrow(-1, n-1-edge, edge).Flip(-1)),
	}, -1)
	for range 2 {
		x = run(x, x.Narrow(-1, 0, 1)).Flip(-1)
	}
	return x.Narrow(-1, edge, n)
}
