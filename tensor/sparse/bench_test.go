package sparse_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
	"github.com/gorocm/gorocm/tensor/sparse"
)

// BenchmarkHost computes with two matrices: differences on 1000 × 1000 points (5 elements a row), and 20 random elements
// in each of 100,000 rows. bench/sparse_matrices.py times SciPy with the same.
func BenchmarkHost(b *testing.B) {
	dev, g := tensor.CPU(), random.New(1)
	grid := laplacian(1000, dev).ToDType(tensor.F32)
	const n, each = 100_000, 20
	rows := dev.Arange(tensor.I64, n).Unsqueeze(1).BroadcastAs(n, each).FlattenAll()
	cols := g.Integers(0, n, []int{n * each}, tensor.I64, dev)
	values := g.Normal(0, 1, []int{n * each}, tensor.F32, dev)
	m := sparse.FromCOO(rows, cols, values, n, n)
	shuffled := g.Permutation(n*each, dev)
	r, c, v := rows.IndexSelect(shuffled, 0), cols.IndexSelect(shuffled, 0), values.IndexSelect(shuffled, 0)
	long := g.Normal(0, 1, []int{1_000_000}, tensor.F32, dev)
	x, y := g.Normal(0, 1, []int{n}, tensor.F32, dev), g.Normal(0, 1, []int{n, 32}, tensor.F32, dev)
	for _, s := range []struct {
		name string
		run  func()
	}{
		{"grid matvec", func() { grid.MatMul(long).Free() }},
		{"random matvec", func() { m.MatMul(x).Free() }},
		{"random matmul 32", func() { m.MatMul(y).Free() }},
		{"from coo", func() { sparse.FromCOO(r, c, v, n, n) }},
		{"transpose", func() { sparse.FromCSR(m.Offsets(), second(m), m.Values(), n).T() }},
		{"add transposed", func() { m.Add(m.T()) }},
		{"product", func() { m.Product(m) }},
	} {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				s.run()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/call")
		})
	}
}

func second(m *sparse.Matrix) *tensor.Tensor {
	_, cols := m.Indices()
	return cols
}

// BenchmarkEquations solves for a grid of 150 × 150 points, and finds eigenvalues of it.
func BenchmarkEquations(b *testing.B) {
	a := laplacian(150, tensor.CPU())
	y := tensor.CPU().Ones(tensor.F64, 150*150)
	f := sparse.LU(a)
	for _, s := range []struct {
		name string
		run  func()
	}{
		{"lu", func() { sparse.LU(a) }},
		{"solve", func() { f.Solve(y) }},
		{"eigsh", func() { sparse.EigSH(a, 6, sparse.Largest) }},
	} {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				s.run()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/call")
		})
	}
}
