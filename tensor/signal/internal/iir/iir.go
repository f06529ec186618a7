// Package iir computes filters: their recursive part by a loop on the host and by products of matrices on GPUs
// (iir.go), and on the host the other part alone (slide.go), and both in one loop (cascade.go).
package iir

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Recurse returns y [count n] with y[t] = v[t] - Σ_k>0 a[k]·y[t-k] in each row of v, F64 and dense. a has at least
// two numbers.
func Recurse(a []float64, v *tensor.Tensor) *tensor.Tensor {
	if v.Device().IsCPU() {
		return looped(a, v)
	}
	return blocked(a, v)
}

// looped computes the rows of v [count n] one element after another.
func looped(a []float64, v *tensor.Tensor) *tensor.Tensor {
	count, n := v.Dim(0), v.Dim(1)
	out := v.Device().Empty(tensor.F64, count, n)
	from, to := v.Data().([]float64), out.Data().([]float64)
	host.Parallel(count, n*(2+len(a)), func(lo, hi int) {
		for row := lo; row < hi; row++ {
			y := to[row*n : (row+1)*n]
			copy(y, from[row*n:])
			recurrence(a, y, 0, n)
		}
	})
	return out
}

// recurrence computes the elements from to end of one row in place, after those before them. Low orders are loops whose
// only dependence from element to element is one product and one difference.
func recurrence(a, y []float64, from, end int) {
	order := len(a) - 1
	if order > 4 || from < order {
		head := end
		if order <= 4 {
			head = min(end, order)
		}
		for t := from; t < head; t++ {
			past, x := y[max(0, t-order):t], y[t]
			for k := len(past); k > 0; k-- {
				x -= a[k] * past[len(past)-k]
			}
			y[t] = x
		}
		from = head
	}
	if from >= end {
		return
	}
	rest := y[from:end]
	switch order {
	case 1:
		a1, y1 := a[1], y[from-1]
		for t, v := range rest {
			y1 = v - a1*y1
			rest[t] = y1
		}
	case 2:
		a1, a2, y1, y2 := a[1], a[2], y[from-1], y[from-2]
		for t, v := range rest {
			y1, y2 = (v-a2*y2)-a1*y1, y1
			rest[t] = y1
		}
	case 3:
		a1, a2, a3, y1, y2, y3 := a[1], a[2], a[3], y[from-1], y[from-2], y[from-3]
		for t, v := range rest {
			y1, y2, y3 = (v-(a3*y3+a2*y2))-a1*y1, y1, y2
			rest[t] = y1
		}
	case 4:
		a1, a2, a3, a4, y1, y2, y3, y4 := a[1], a[2], a[3], a[4], y[from-1], y[from-2], y[from-3], y[from-4]
		for t, v := range rest {
			y1, y2, y3, y4 = (v-(a4*y4+a3*y3+a2*y2))-a1*y1, y1, y2, y3
			rest[t] = y1
		}
	}
}

// The sizes of products of blocked.
const (
	blockSize = 128 // elements of a block
	groupSize = 128 // numbers of a group of states
)

// blocked computes the rows of v [count n] by blocks, in a number of products that grows with the logarithm of n: the
// outputs of each block that follow from its inputs, then the last outputs of all blocks by a recurrence of vectors,
// and what the last outputs of a block add to the next one.
func blocked(a []float64, v *tensor.Tensor) *tensor.Tensor {
	order := len(a) - 1
	size := max(blockSize, 2*order)
	count, n := v.Dim(0), v.Dim(1)
	blocks := (n + size - 1) / size
	impulse := unit(size, 0) // becomes the response
	recurrence(a, impulse, 0, size)
	h := make([]float64, size*size) // what input t adds to output s, as [t s]
	for t := range size {
		copy(h[t*size+t:(t+1)*size], impulse)
	}
	p := make([]float64, order*size) // what output -order+i of the block before adds to output s, as [i s]
	for i := range order {
		line := make([]float64, order+size)
		line[i] = 1
		free(a, line, order)
		copy(p[i*size:], line[order:])
	}
	dev := v.Device()
	table := func(list []float64, rows int) *tensor.Tensor { return dev.FromSlice(list, rows, len(list)/rows) }
	y := v.Pad(1, 0, blocks*size-n, 0).Reshape(count*blocks, size).MatMul(table(h, size)).Reshape(count, blocks, size)
	if blocks > 1 {
		step := make([]float64, order*order) // what the last outputs of a block add to those of the next
		for i := range order {
			copy(step[i*order:(i+1)*order], p[(i+1)*size-order:(i+1)*size])
		}
		ends := scan(step, order, y.Narrow(2, size-order, order).Narrow(1, 0, blocks-1))
		add := ends.Reshape(count*(blocks-1), order).MatMul(table(p, order)).Reshape(count, blocks-1, size)
		y = y.Add(add.Pad(1, 1, 0, 0))
	}
	return y.Reshape(count, blocks*size).Narrow(1, 0, n).Contiguous()
}

// unit is a vector of n numbers of which number i is 1.
func unit(n, i int) []float64 {
	v := make([]float64, n)
	v[i] = 1
	return v
}

// free continues a line of outputs from number `from` on without inputs.
func free(a, line []float64, from int) {
	for t := from; t < len(line); t++ {
		for k := 1; k < len(a) && k <= t; k++ {
			line[t] -= a[k] * line[t-k]
		}
	}
}

// scan returns s [count n order] with s[j] = u[j] + s[j-1]·step, where step is an order × order matrix: by groups of
// vectors, as blocked.
func scan(step []float64, order int, u *tensor.Tensor) *tensor.Tensor {
	count, n := u.Dim(0), u.Dim(1)
	size := min(max(groupSize/order, 2), n)
	groups := (n + size - 1) / size
	powers := make([][]float64, size+1) // of step
	powers[0] = make([]float64, order*order)
	for i := range order {
		powers[0][i*order+i] = 1
	}
	for i := range size {
		powers[i+1] = times(powers[i], step, order)
	}
	width := size * order
	h, p := make([]float64, width*width), make([]float64, order*width)
	for to := range size {
		for i := range order {
			for from := range to + 1 {
				copy(h[(from*order+i)*width+to*order:], powers[to-from][i*order:(i+1)*order])
			}
			copy(p[i*width+to*order:], powers[to+1][i*order:(i+1)*order])
		}
	}
	dev := u.Device()
	s := u.Pad(1, 0, groups*size-n, 0).Reshape(count*groups, width).MatMul(dev.FromSlice(h, width, width)).
		Reshape(count, groups, width)
	if groups > 1 {
		ends := scan(powers[size], order, s.Narrow(2, width-order, order).Narrow(1, 0, groups-1))
		add := ends.Reshape(count*(groups-1), order).MatMul(dev.FromSlice(p, order, width))
		s = s.Add(add.Reshape(count, groups-1, width).Pad(1, 1, 0, 0))
	}
	return s.Reshape(count, groups*size, order).Narrow(1, 0, n)
}

// times is the product of two n × n matrices.
func times(a, b []float64, n int) []float64 {
	c := make([]float64, n*n)
	for i := range n {
		for k := range n {
			for j := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}
