package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Reductions of sorted elements.

// overSorted runs f on rows of the elements along dims, sorted, with NaN last. f returns one element of each.
func (t *Tensor) overSorted(op string, dims []int, keep bool, f func(sorted *Tensor) *Tensor) (*Tensor, error) {
	return t.overDims(op, dims, keep, func(axes []int) *Tensor {
		n := t.count(axes)
		if n == 0 {
			check(fault(op, ErrShape, []*Tensor{t}, "no elements to choose from in shape %v", t.layout.Shape))
		}
		var order []int
		var kept []int
		shape := t.Dims()
		for d, size := range t.layout.Shape {
			if slices.Contains(axes, d) {
				shape[d] = 1
				continue
			}
			order, kept = append(order, d), append(kept, size)
		}
		rows := t.Permute(append(order, axes...)...).Reshape(append(kept, n)...)
		if backend.Product(kept) == 0 {
			return rows.Narrow(-1, 0, 1).Reshape(shape...)
		}
		sorted, _ := rows.SortLastDim(true)
		return f(sorted).Reshape(shape...)
	})
}

func (t *Tensor) median(dims []int, keep bool) (*Tensor, error) {
	return t.overSorted("median", dims, keep, func(sorted *Tensor) *Tensor {
		return sorted.orNaN(sorted.Narrow(-1, (sorted.Dim(-1)-1)/2, 1))
	})
}

// orNaN returns y, or NaN for sorted rows that have one.
func (t *Tensor) orNaN(y *Tensor) *Tensor {
	if !t.dtype.IsFloat() {
		return y
	}
	last := t.Narrow(-1, t.Dim(-1)-1, 1)
	return last.IsNaN().WhereCond(last, y)
}

func (t *Tensor) checkFraction(op string, q float64) error {
	if q >= 0 && q <= 1 {
		return nil
	}
	e := fault(op, ErrShape, []*Tensor{t}, "%v: want a number from 0 to 1", q)
	if q > 1 && q <= 100 {
		e.note("x.Quantile(%v) is that percentile", q/100)
	}
	return e
}

func (t *Tensor) quantile(q float64, dims []int, keep bool) (*Tensor, error) {
	const op = "quantile"
	if err := t.checkFraction(op, q); err != nil {
		return nil, err
	}
	return t.quantiles(op, dims, keep, func(sorted *Tensor) *Tensor {
		n := sorted.Dim(-1)
		low, part := math.Modf(q * float64(n-1))
		below := sorted.Narrow(-1, int(low), 1)
		if part == 0 {
			return sorted.orNaN(below)
		}
		return sorted.orNaN(between(below, sorted.Narrow(-1, int(low)+1, 1), part))
	})
}

// quantiles is overSorted for results between elements.
func (t *Tensor) quantiles(op string, dims []int, keep bool, f func(sorted *Tensor) *Tensor) (*Tensor, error) {
	x, dt := t.precise()
	y, err := x.overSorted(op, dims, keep, f)
	if err != nil {
		return nil, err
	}
	return y.toDType(op, dt)
}

// between interpolates. An infinite end is the result; there is none between two of them that differ.
func between(low, high *Tensor, part any) *Tensor {
	return low.IsInf().Or(high.IsInf()).WhereCond(low.Add(high), low.Lerp(high, part))
}

func (t *Tensor) mode(dims []int, keep bool) (*Tensor, error) {
	return t.overSorted("mode", dims, keep, func(sorted *Tensor) *Tensor {
		plain := sorted.plain()
		positions := t.dev.Arange(I64, float64(sorted.Dim(-1)))
		begin, _ := plain.startsRun().WhereCond(positions, 0).CumMax(-1)
		return sorted.Gather(positions.Sub(begin).ArgMaxKeepDim(-1), -1) // where the first of the longest runs ends
	})
}
