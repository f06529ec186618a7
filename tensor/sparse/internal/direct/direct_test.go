package direct

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sparseOf returns a dense matrix [row][column] by columns.
func sparseOf(a [][]float64) Columns[float64] {
	c := Columns[float64]{Offsets: []int64{0}}
	for j := range a {
		for i := range a {
			if a[i][j] != 0 {
				c.Rows, c.Values = append(c.Rows, uint32(i)), append(c.Values, a[i][j])
			}
		}
		c.Offsets = append(c.Offsets, int64(len(c.Rows)))
	}
	return c
}

// TestFactor compares solutions with what they were made from, for random matrices of all densities.
func TestFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(30)
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
		}
		shift := r.IntN(n)
		for i := range a {
			a[i][(i+shift)%n] = 20 + r.Float64()
		}
		for range r.IntN(4 * n) {
			a[r.IntN(n)][r.IntN(n)] += r.NormFloat64()
		}
		c := sparseOf(a)
		order := Order(n, c.Offsets, c.Rows)
		for i, col := range slices.Sorted(slices.Values(order)) {
			if int(col) != i {
				t.Fatalf("the order %v is no permutation", order)
			}
		}
		f, singular := Factor(n, c)
		if singular >= 0 {
			t.Fatalf("%v has no pivot %d", a, singular)
		}
		for _, adjoint := range []bool{false, true} {
			x, b := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			for i := range n {
				for j := range n {
					if adjoint {
						b[j] += a[i][j] * x[i]
					} else {
						b[i] += a[i][j] * x[j]
					}
				}
			}
			f.Solve(b, make([]float64, n), adjoint)
			for i := range x {
				if math.Abs(x[i]-b[i]) > 1e-9 {
					t.Fatalf("%d, %v: the solution is %v, want %v", n, adjoint, b, x)
				}
			}
		}
	}
}
