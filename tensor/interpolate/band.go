package interpolate

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// band is a square matrix with zeros but near its diagonal, and its factors L·U. Matrices of interpolations need no
// pivoting: those of splines by their slopes are diagonally dominant but for their ends, those of B-splines are totally
// positive, those of smoothing positive definite.
type band struct {
	n, width int         // elements on each side of the diagonal
	rows     [][]float64 // rows[i][width+j-i] is element (i, j)
}

func newBand(n, width int) *band {
	b := &band{n: n, width: width, rows: make([][]float64, n)}
	for i := range b.rows {
		b.rows[i] = make([]float64, 2*width+1)
	}
	return b
}

func (b *band) add(i, j int, v float64) { b.rows[i][b.width+j-i] += v }

func (b *band) get(i, j int) float64 {
	if j < max(0, i-b.width) || j > min(b.n-1, i+b.width) {
		return 0
	}
	return b.rows[i][b.width+j-i]
}

// factor replaces the matrix by L, whose diagonal is 1, below the diagonal, and U.
func (b *band) factor() *band {
	for k, pivot := range b.rows {
		right := pivot[b.width+1:]
		for i := k + 1; i <= min(b.n-1, k+b.width); i++ {
			row := b.rows[i][b.width+k-i:]
			f := row[0] / pivot[b.width]
			row[0] = f
			for j, v := range right {
				row[1+j] -= f * v
			}
		}
	}
	return b
}

// solve solves for columns v [n][columns], in their place, or with the transposed matrix.
func (b *band) solve(v []float64, columns int, transposed bool) {
	row := func(i int) []float64 { return v[i*columns : (i+1)*columns] }
	subtract := func(to []float64, i, j int) { // element (i, j) times row j; of the transposed matrix (j, i)
		f := 0.0
		if transposed {
			f = b.rows[j][b.width+i-j]
		} else {
			f = b.rows[i][b.width+j-i]
		}
		for c, x := range row(j) {
			to[c] -= f * x
		}
	}
	divide := func(to []float64, i int) {
		for c := range to {
			to[c] /= b.rows[i][b.width]
		}
	}
	for i := range b.n {
		to := row(i)
		for j := max(0, i-b.width); j < i; j++ {
			subtract(to, i, j)
		}
		if transposed {
			divide(to, i)
		}
	}
	for i := b.n - 1; i >= 0; i-- {
		to := row(i)
		for j := i + 1; j <= min(b.n-1, i+b.width); j++ {
			subtract(to, i, j)
		}
		if !transposed {
			divide(to, i)
		}
	}
}

// solver solves linear equations for columns on the host, in F64: those of a band, or of one with corners.
type solver interface {
	solve(v []float64, columns int, transposed bool)
}

// solved returns the solution for the right side y [n, columns], with gradients: those of solutions of the transposed
// equations.
func solved(op string, s solver, y *tensor.Tensor, transposed bool) *tensor.Tensor {
	v := y.Detach().Float64s()
	s.solve(v, y.Dim(1), transposed)
	x := y.Device().FromSlice(v, y.Dims()...).ToDType(y.DType())
	back := func(g, _ *tensor.Tensor, _ []*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{solved(op, s, g, !transposed)}
	}
	return extend.ByOperations(x, op, []*tensor.Tensor{y}, back)
}

// cyclic is a band plus u·vᵀ: a matrix with corners (Sherman and Morrison).
type cyclic struct {
	*band
	u, v []float64
}

func (c cyclic) solve(x []float64, columns int, transposed bool) {
	u, v := c.u, c.v
	if transposed {
		u, v = v, u
	}
	z := append([]float64{}, u...)
	c.band.solve(z, 1, transposed)
	c.band.solve(x, columns, transposed)
	denominator := 1.0
	for i := range z {
		denominator += v[i] * z[i]
	}
	for k := range columns {
		var sum float64
		for i, w := range v {
			sum += w * x[i*columns+k]
		}
		for i := range z {
			x[i*columns+k] -= sum / denominator * z[i]
		}
	}
}
