package cluster

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// seeds returns k points that are far from one another: each is one of several that are drawn with probabilities
// proportional to the squares of their distances from those before, the one that leaves the least sum of squares.
func (l lloyd) seeds() *tensor.Tensor {
	n, dev := l.x.Dim(0), l.x.Device()
	trials := 2 + int(math.Log(float64(l.k)))
	first := l.o.Generator.Integers(0, int64(n), []int{1}, tensor.I64, dev)
	chosen := l.x.IndexSelect(first, 0)
	squares := l.squares(chosen).FlattenAll() // from the nearest of those chosen
	for chosen.Dim(0) < l.k {
		sums := squares.CumSum(0)
		total := sums.Get(n - 1)
		u := l.o.Generator.Uniform(0, 1, []int{trials}, tensor.F64, dev)
		ids := sums.SearchSorted(u.Mul(total), true).Clamp(0, n-1)
		with := l.squares(l.x.IndexSelect(ids, 0)).Minimum(squares) // [trials n]
		best := with.Sum(1).ArgMin(0).Reshape(1)
		squares = with.IndexSelect(best, 0).FlattenAll()
		chosen = tensor.Cat([]*tensor.Tensor{chosen, l.x.IndexSelect(ids.IndexSelect(best, 0), 0)}, 0)
	}
	return chosen
}

// squares returns those of the distances of some points [m d] from all, [m n] in F64.
func (l lloyd) squares(some *tensor.Tensor) *tensor.Tensor {
	rows := []*tensor.Tensor{}
	for i := range some.Dim(0) {
		rows = append(rows, l.x.Sub(some.Get(i)).ToDType(tensor.F64).Sqr().Sum(1))
	}
	return tensor.Stack(rows, 0)
}
