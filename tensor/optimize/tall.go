package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/team"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// triangular returns the upper triangular factor of a QR factorisation of [j r], where that has fewer rows: those of
// tall matrices on the host are factored in blocks that fit a core's cache, whose factors are factored once more.
func triangular(j, r *tensor.Tensor) [][]float64 {
	m, n := j.Dim(0), j.Dim(1)
	const widest = 32 // beyond it LAPACK is faster
	if m > tallRows && n <= widest && j.Device().IsCPU() {
		columns := make([][]float64, n+1)
		for i := range n {
			columns[i] = j.Narrow(1, i, 1).FlattenAll().Contiguous().Data().([]float64)
		}
		columns[n] = r.Contiguous().Data().([]float64)
		return tall(columns)
	}
	both := tensor.Cat([]*tensor.Tensor{j, r.Unsqueeze(1)}, 1)
	if m > n+1 {
		_, both = linalg.QR(both)
	}
	return both.ToVec2()
}

// tallRows is how many rows a block has: those of 32 columns fit a core's cache.
const tallRows = 1024

// tall returns the triangular factor of a matrix that is given by its columns. The bits do not depend on the cores.
func tall(columns [][]float64) [][]float64 {
	n, m := len(columns), len(columns[0])
	for m > n {
		rows := max(tallRows, 4*n)
		blocks := (m + rows - 1) / rows
		factors := make([][]float64, n) // the columns of the factors of the blocks, below each other
		for i := range factors {
			factors[i] = make([]float64, blocks*n)
		}
		team.Run(blocks, 1, func(lo, hi int) {
			block := make([][]float64, n)
			for b := lo; b < hi; b++ {
				for i, c := range columns {
					block[i] = append(block[i][:0], c[b*rows:min(m, b*rows+rows)]...)
				}
				reflect(block)
				for i, c := range block {
					copy(factors[i][b*n:b*n+min(i+1, len(c))], c)
				}
			}
		})
		columns, m = factors, blocks*n
	}
	r := make([][]float64, m)
	for k := range r {
		r[k] = make([]float64, n)
		for i, c := range columns {
			r[k][i] = c[k]
		}
	}
	return r
}

// reflect makes columns triangular by Householder reflections. What is left below the diagonal has no meaning.
func reflect(columns [][]float64) {
	for k, c := range columns {
		if k >= len(c) {
			return
		}
		v := c[k:]
		size := length(v)
		if size == 0 {
			continue
		}
		size = math.Copysign(size, v[0])
		for i := range v {
			v[i] /= size
		}
		v[0]++
		for _, other := range columns[k+1:] {
			w := other[k:]
			along := -inner(v, w) / v[0]
			for i, x := range v {
				w[i] += along * x
			}
		}
		v[0] = -size
	}
}

// length is the Euclidean norm, which neither overflows nor vanishes where the elements do not.
func length(v []float64) float64 {
	if s := inner(v, v); s > 0x1p-900 && s < 0x1p900 {
		return math.Sqrt(s)
	}
	m := most(v)
	if m == 0 || !finite(m) {
		return m
	}
	var s float64
	for _, x := range v {
		s += (x / m) * (x / m)
	}
	return m * math.Sqrt(s)
}

// inner is the inner product, by four sums at once.
func inner(v, w []float64) float64 {
	var s [4]float64
	w = w[:len(v)]
	i := 0
	for ; i+4 <= len(v); i += 4 {
		a, b := v[i:i+4:i+4], w[i:i+4:i+4]
		s[0] += a[0] * b[0]
		s[1] += a[1] * b[1]
		s[2] += a[2] * b[2]
		s[3] += a[3] * b[3]
	}
	for ; i < len(v); i++ {
		s[0] += v[i] * w[i]
	}
	return s[0] + s[1] + (s[2] + s[3])
}
