package ndimage

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// direct reports whether loops on the host compute filters, faster than tensor operations: of F32 and F64 without
// gradients.
func direct(x *tensor.Tensor) bool {
	return x.Device().IsCPU() && !extend.Tracked(x) && x.ElemCount() > 0 &&
		(x.DType() == tensor.F32 || x.DType() == tensor.F64)
}

// lines is an image seen as [outer n inner], where n is the dim that is filtered.
type lines struct{ outer, n, inner int }

func linesOf(dims []int, dim int) lines {
	l := lines{1, dims[dim], 1}
	for d, n := range dims {
		switch {
		case d < dim:
			l.outer *= n
		case d > dim:
			l.inner *= n
		}
	}
	return l
}

// extendedAlong returns x with elements before and after a dim, dense.
func extendedAlong(x *tensor.Tensor, dim, before, after int, b Border) *tensor.Tensor {
	left, right := make([]int, x.Rank()), make([]int, x.Rank())
	left[dim], right[dim] = before, after
	return b.extended(x, left, right).Contiguous()
}

// alongOnHost is along for images that are direct.
func alongOnHost(x *tensor.Tensor, weights []float64, dim int, b Border) *tensor.Tensor {
	size := len(weights)
	wide := extendedAlong(x, dim, size/2, size-1-size/2, b)
	out := x.Device().Empty(x.DType(), x.Dims()...)
	l := linesOf(x.Dims(), dim)
	switch from := wide.Data().(type) {
	case []float32:
		factors := make([]float32, size)
		for i, w := range weights {
			factors[i] = float32(w)
		}
		correlate(l, factors, from, out.Data().([]float32))
	case []float64:
		correlate(l, weights, from, out.Data().([]float64))
	}
	return out
}

// correlate computes lines in blocks that stay in the cache: all elements of [n inner] take those that are inner, twice
// inner, … after them.
func correlate[T float32 | float64](l lines, w, from, to []T) {
	const block = 2048
	length, wide := l.n*l.inner, (l.n+len(w)-1)*l.inner
	blocks := (length + block - 1) / block
	team.Run(l.outer*blocks, block*(1+len(w)/2), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			first := i % blocks * block
			size := min(block, length-first)
			slide(to[i/blocks*length+first:][:size], from[i/blocks*wide+first:], w, l.inner)
		}
	})
}

// slide sets y to the sum of the weights times elements of x, which are step apart, four at a time.
func slide[T float32 | float64](y, x, w []T, step int) {
	clear(y)
	k := 0
	for ; k+4 <= len(w); k += 4 {
		w0, w1, w2, w3 := w[k], w[k+1], w[k+2], w[k+3]
		x0, x1 := x[k*step:][:len(y)], x[(k+1)*step:][:len(y)]
		x2, x3 := x[(k+2)*step:][:len(y)], x[(k+3)*step:][:len(y)]
		for i := range y {
			y[i] += (w0*x0[i] + w1*x1[i]) + (w2*x2[i] + w3*x3[i])
		}
	}
	for ; k < len(w); k++ {
		factor := w[k]
		for i, v := range x[k*step:][:len(y)] {
			y[i] += factor * v
		}
	}
}

// prefilteredOnHost is along with the weights of inverse for images that are direct: the powers of the pole come from a
// recursion forwards and one backwards, which begin reach elements before the image.
func prefilteredOnHost(x *tensor.Tensor, pole, gain float64, dim int, b Border) *tensor.Tensor {
	wide := extendedAlong(x, dim, reach, reach, b)
	if extend.Operand(wide).Store == extend.Operand(x).Store {
		wide = wide.Copy()
	}
	out := x.Device().Empty(x.DType(), x.Dims()...)
	l := linesOf(x.Dims(), dim)
	switch from := wide.Data().(type) {
	case []float32:
		recur(l, float32(pole), float32(-gain*pole), from, out.Data().([]float32))
	case []float64:
		recur(l, pole, -gain*pole, from, out.Data().([]float64))
	}
	return out
}

// recur changes from, whose lines have reach elements more at both ends. Of more lines than one beside each other some
// are computed together.
func recur[T float32 | float64](l lines, pole, factor T, from, to []T) {
	const beside = 64
	wide := l.n + 2*reach
	groups := (l.inner + beside - 1) / beside
	team.Run(l.outer*groups, 4*wide*min(l.inner, beside), func(lo, hi int) {
		for g := lo; g < hi; g++ {
			first := g % groups * beside
			size := min(beside, l.inner-first)
			row := func(i int) []T { return from[(g/groups*wide+i)*l.inner+first:][:size] }
			if l.inner == 1 {
				recurLine(from[g*wide:][:wide], to[g*l.n:][:l.n], pole, factor)
				continue
			}
			for i := 1; i < wide; i++ {
				before, y := row(i-1), row(i)
				for j, v := range before {
					y[j] += pole * v
				}
			}
			for i := wide - 2; i >= reach; i-- {
				after, y := row(i+1), row(i)
				for j, v := range after {
					y[j] += pole * v
				}
				if i < reach+l.n {
					out := to[(g/groups*l.n+i-reach)*l.inner+first:][:size]
					for j, v := range y {
						out[j] = factor * v
					}
				}
			}
		}
	})
}

func recurLine[T float32 | float64](line, to []T, pole, factor T) {
	var last T
	for i, v := range line {
		last = v + pole*last
		line[i] = last
	}
	last = 0
	for i := len(line) - 1; i >= reach; i-- {
		last = line[i] + pole*last
		if i-reach < len(to) {
			to[i-reach] = factor * last
		}
	}
}
