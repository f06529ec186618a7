package iir

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Section is a filter of order 2: b[0], b[1], b[2], a[0], which is 1, a[1] and a[2].
type Section = [6]float64

// Cascade returns the output of sections, one after another, for each row of x [count n] on the host, F64 and dense,
// where n is at least 2. The states of a section are [count 2], those of the transposed direct form II; Cascade changes
// them to those at the end. Two sections are computed in one loop: the second one does not wait for the first one's
// recurrence, whose latency is what a section takes.
func Cascade(sections []Section, x *tensor.Tensor, states [][]float64) *tensor.Tensor {
	count, n := x.Dim(0), x.Dim(1)
	out := x.Device().Empty(tensor.F64, count, n)
	from, to := x.Data().([]float64), out.Data().([]float64)
	host.Parallel(count, n*8*len(sections), func(lo, hi int) {
		for row := lo; row < hi; row++ {
			in, y := from[row*n:(row+1)*n], to[row*n:(row+1)*n]
			for i := 0; i < len(sections); i += 2 {
				second, rest := Section{1, 0, 0, 1, 0, 0}, make([]float64, 2)
				if i+1 < len(sections) {
					second, rest = sections[i+1], states[i+1][2*row:2*row+2]
				}
				pair(&sections[i], &second, in, y, states[i][2*row:2*row+2], rest)
				in = y
			}
		}
	})
	return out
}

// delays are the last two inputs and outputs of a section, the latest first.
type delays struct{ x1, x2, y1, y2 float64 }

// step is one element of a section. add is the part of the state at the start that is still to come.
func (d *delays) step(c *Section, x, add float64) float64 {
	y := (c[0]*x + c[1]*d.x1 + c[2]*d.x2 + add - c[5]*d.y2) - c[4]*d.y1
	d.x1, d.x2, d.y1, d.y2 = x, d.x1, y, d.y1
	return y
}

// state is that after the delays.
func (d *delays) state(c *Section) (z0, z1 float64) {
	return c[1]*d.x1 + c[2]*d.x2 - c[4]*d.y1 - c[5]*d.y2, c[2]*d.x1 - c[5]*d.y1
}

// pair computes two sections for x, of at least two elements, which may be y.
func pair(c, d *Section, x, y, z, w []float64) {
	var first, second delays
	for t := range 2 {
		y[t] = second.step(d, first.step(c, x[t], z[t]), w[t])
	}
	c0, c1, c2, a1, a2 := c[0], c[1], c[2], c[4], c[5]
	d0, d1, d2, e1, e2 := d[0], d[1], d[2], d[4], d[5]
	x1, x2, u1, u2, y1, y2 := first.x1, first.x2, first.y1, first.y2, second.y1, second.y2
	y = y[:len(x)]
	for t := 2; t < len(x); t++ {
		v := x[t]
		u := (c0*v + c1*x1 + c2*x2 - a2*u2) - a1*u1
		o := (d0*u + d1*u1 + d2*u2 - e2*y2) - e1*y1
		x2, x1, u2, u1, y2, y1 = x1, v, u1, u, y1, o
		y[t] = o
	}
	first, second = delays{x1, x2, u1, u2}, delays{u1, u2, y1, y2}
	z[0], z[1] = first.state(c)
	w[0], w[1] = second.state(d)
}

// Filter returns the output of a filter with the numerator b and the denominator a, whose first number is 1, for each
// row of x [count n] on the host, F64 and dense, from a state of zeros: by blocks of which the numerator's part stays
// in the cache.
func Filter(b, a []float64, x *tensor.Tensor) *tensor.Tensor {
	count, n := x.Dim(0), x.Dim(1)
	out := x.Device().Empty(tensor.F64, count, n)
	from, to := x.Data().([]float64), out.Data().([]float64)
	kernel := make([]float64, len(b)) // as slide takes it
	for i, v := range b {
		kernel[len(b)-1-i] = v
	}
	before := len(b) - 1
	const block = 2048
	host.Parallel(count, n*(2+len(a)+len(b)/2), func(lo, hi int) {
		padded := make([]float64, min(n, block+before)+before)
		for row := lo; row < hi; row++ {
			in, y := from[row*n:(row+1)*n], to[row*n:(row+1)*n]
			for t := 0; t < n; {
				size := min(block, n-t)
				if t >= before {
					slide(y[t:t+size], in[t-before:t+size], kernel)
				} else {
					size = min(n, block+before) // so that the next block has inputs before it
					clear(padded[:before])
					copy(padded[before:], in[:size])
					slide(y[:size], padded[:before+size], kernel)
				}
				recurrence(a, y, t, t+size)
				t += size
			}
		}
	})
	return out
}

// Reflected returns the rows of x [count n] continued at both ends by edge elements of their point reflection, F64 and
// dense on the host. n is greater than edge.
func Reflected(x *tensor.Tensor, edge int) *tensor.Tensor {
	count, n := x.Dim(0), x.Dim(1)
	length := n + 2*edge
	out := x.Device().Empty(tensor.F64, count, length)
	from, to := x.Data().([]float64), out.Data().([]float64)
	host.Parallel(count, length, func(lo, hi int) {
		for row := lo; row < hi; row++ {
			in, y := from[row*n:(row+1)*n], to[row*length:(row+1)*length]
			copy(y[edge:], in)
			for i := 1; i <= edge; i++ {
				y[edge-i] = 2*in[0] - in[i]
				y[edge+n-1+i] = 2*in[n-1] - in[n-1-i]
			}
		}
	})
	return out
}

// Reversed returns elements from edge to n-edge-1 of the rows of x [count n] in reverse order, F64 and dense on the
// host.
func Reversed(x *tensor.Tensor, edge int) *tensor.Tensor {
	count, n := x.Dim(0), x.Dim(1)
	length := n - 2*edge
	out := x.Device().Empty(tensor.F64, count, length)
	from, to := x.Data().([]float64), out.Data().([]float64)
	host.Parallel(count, length, func(lo, hi int) {
		for row := lo; row < hi; row++ {
			in, y := from[row*n+edge:][:length], to[row*length:][:length]
			for i, v := range in {
				y[length-1-i] = v
			}
		}
	})
	return out
}
