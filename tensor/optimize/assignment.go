package optimize

import (
	"math"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// LinearSumAssignment assigns rows of a matrix of costs to columns, each to one of its own, so that the sum of the
// costs is least, as scipy.optimize.linear_sum_assignment; with maximize, so that it is greatest. It returns the
// indices of the rows, in ascending order, and of their columns, as I64 vectors on the device of cost, of which there
// are as many as the smaller of both dims. An infinite cost forbids a pair. The host computes it, in a time that
// grows with the third power of the size. The error is ErrInfeasible where all assignments are forbidden. It panics
// with ErrShape for a tensor that is not a matrix, and with ErrValue for NaN and for infinities of the sign that is
// sought.
//
//	rows, columns, err := optimize.LinearSumAssignment(cost, false)
//	cost.I(rows, columns).Sum()
func LinearSumAssignment(cost *tensor.Tensor, maximize bool) (rows, columns *tensor.Tensor, err error) {
	const op = "linear sum assignment"
	extend.SameDevice(op, cost)
	if cost.Rank() != 2 {
		extend.Shape(op, []*tensor.Tensor{cost}, "want a matrix of costs, not shape %v", cost.Dims())
	}
	if cost.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{cost}, "cost.Abs() are real numbers", "costs are complex: %v",
			cost.DType())
	}
	m, n := cost.Dim(0), cost.Dim(1)
	values := cost.Detach().Float64s()
	for i, v := range values {
		if maximize {
			v = -v
		}
		if math.IsNaN(v) || math.IsInf(v, -1) {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{cost}, "", "the cost of row %d and column %d is %v",
				i/n, i%n, values[i])
		}
		values[i] = v
	}
	few, many := min(m, n), max(m, n)
	costs := values
	if m > n { // rows are the fewer
		costs = make([]float64, len(values))
		for i, v := range values {
			costs[i%n*m+i/n] = v
		}
	}
	var stopped atomic.Bool
	defer interrupt.Watch(func() { stopped.Store(true) })()
	of, ok := assign(few, many, costs, &stopped)
	if stopped.Load() {
		return nil, nil, failed(ErrNotConverged, "interrupted")
	}
	if !ok {
		return nil, nil, failed(ErrInfeasible, "infinite costs forbid all assignments of %d rows and %d columns", m, n)
	}
	r, c := []int64{}, []int64{}
	for i := range m {
		for j := range n {
			if m <= n && of[j] == i || m > n && of[i] == j {
				r, c = append(r, int64(i)), append(c, int64(j))
			}
		}
	}
	return cost.Device().FromSlice(r, few), cost.Device().FromSlice(c, few), nil
}

// assign returns for each column its row, or -1, by shortest augmenting paths: rows are added one after another, each
// by the path of least reduced cost to a column that has none (Jonker and Volgenant, 1987).
func assign(rows, columns int, cost []float64, stopped *atomic.Bool) (of []int, ok bool) {
	of = make([]int, columns)
	for c := range of {
		of[c] = -1
	}
	u, v := make([]float64, rows), make([]float64, columns)
	for row := range rows {
		if stopped.Load() {
			break
		}
		least := make([]float64, columns) // of paths to each column
		from := make([]int, columns)      // the column before it on the path, -1 for the row itself
		done := make([]bool, columns)
		for c := range least {
			least[c], from[c] = math.Inf(1), -1
		}
		r, last, length := row, -1, 0.0
		for {
			next, nearest := -1, math.Inf(1)
			for c, cost := range cost[r*columns : (r+1)*columns] {
				if done[c] {
					continue
				}
				if d := length + cost - u[r] - v[c]; d < least[c] {
					least[c], from[c] = d, last
				}
				if least[c] < nearest || least[c] == nearest && next >= 0 && of[c] < 0 {
					next, nearest = c, least[c]
				}
			}
			if next < 0 {
				return nil, false
			}
			last, length = next, nearest
			if of[last] < 0 {
				break
			}
			done[last] = true
			r = of[last]
		}
		u[row] += length
		for c := range columns {
			if done[c] {
				u[of[c]] += length - least[c]
				v[c] -= length - least[c]
			}
		}
		for c := last; ; c = from[c] {
			if from[c] < 0 {
				of[c] = row
				break
			}
			of[c] = of[from[c]]
		}
	}
	return of, true
}
