package host

import (
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// No type is wider than float64: sums of float64 carry their rounding errors along.

// twofold is a sum and its accumulated rounding error, by Knuth's two-sum. Together they are as good as a sum that
// rounds once, unless the terms cancel each other to the last 2^-50 of their size.
type twofold struct{ sum, lost float64 }

func (t *twofold) add(x float64) {
	next := t.sum + x
	back := next - t.sum
	t.lost += (t.sum - (next - back)) + (x - back)
	t.sum = next
}

func (t *twofold) merge(u twofold) {
	t.add(u.sum)
	t.lost += u.lost
}

// value rounds. The error of an infinite sum is not added.
func (t twofold) value() float64 {
	if t.lost-t.lost != 0 {
		return t.sum
	}
	return t.sum + t.lost
}

// twofoldSum adds a row along a tree that depends on its length only.
func twofoldSum(x []float64) float64 {
	if len(x) <= sumBlock {
		return laneSums(x).value()
	}
	return twofoldBlocks(len(x), 0, func(lo, hi int, _ []float64) []float64 { return x[lo:hi] })
}

// spacedSum is the twofoldSum of n elements of x that are step apart, without a copy of the whole row.
func spacedSum(x []float64, n, step int) float64 {
	return twofoldBlocks(n, sumBlock, func(lo, hi int, buffer []float64) []float64 {
		buffer = buffer[:hi-lo]
		at := lo * step
		for i := range buffer {
			buffer[i] = x[at]
			at += step
		}
		return buffer
	})
}

// twofoldBlocks adds blocks of n elements, which a function returns, perhaps in the buffer of a size that it is given.
func twofoldBlocks(n, size int, block func(lo, hi int, buffer []float64) []float64) float64 {
	parts := make([]twofold, (n+sumBlock-1)/sumBlock)
	Parallel(len(parts), sumBlock, func(lo, hi int) {
		buffer := make([]float64, size)
		for i := lo; i < hi; i++ {
			parts[i] = laneSums(block(i*sumBlock, min((i+1)*sumBlock, n), buffer))
		}
	})
	var all twofold
	for _, p := range parts {
		all.merge(p)
	}
	return all.value()
}

// lanes are independent sums, one per lane of a vector.
type lanes struct{ sums, lost [simd.TwofoldLanes]float64 }

// lanePool saves an allocation per row: arguments of functions of package simd escape to the heap.
var lanePool = sync.Pool{New: func() any { return new(lanes) }}

// shortRow is the longest row that is added without lanes.
const shortRow = 48

// laneSums adds element i to lane i modulo simd.TwofoldLanes, and then the lanes in halves. It adds short rows in
// order.
func laneSums(x []float64) (t twofold) {
	if len(x) <= shortRow {
		for _, v := range x {
			t.add(v)
		}
		return t
	}
	l := lanePool.Get().(*lanes)
	defer lanePool.Put(l)
	*l = lanes{}
	if f := simd.Fast.Doubles.Sum; f != nil {
		n := len(x) &^ (simd.TwofoldLanes - 1)
		f(&l.sums, &l.lost, x[:n])
		x = x[n:]
	}
	l.add(x)
	return l.fold()
}

// add is the reference of simd.Doubles.Sum, for any length.
func (l *lanes) add(x []float64) {
	for i, v := range x {
		k := i % simd.TwofoldLanes
		t := twofold{l.sums[k], l.lost[k]}
		t.add(v)
		l.sums[k], l.lost[k] = t.sum, t.lost
	}
}

// fold adds the lanes in halves.
func (l *lanes) fold() twofold {
	for n := len(l.sums) / 2; n > 0; n /= 2 {
		for i := range n {
			t := twofold{l.sums[i], l.lost[i]}
			t.merge(twofold{l.sums[i+n], l.lost[i+n]})
			l.sums[i], l.lost[i] = t.sum, t.lost
		}
	}
	return twofold{l.sums[0], l.lost[0]}
}

// twofoldCumulative sets out to the cumulative sums of a row.
func twofoldCumulative(out, x []float64) {
	var t twofold
	for i, v := range x[:len(out)] {
		t.add(v)
		out[i] = t.value()
	}
}

// twofoldColumns adds the columns of a matrix whose rows are stride apart, in parts that depend on the sizes only,
// and divides by count.
func twofoldColumns(out, src []float64, rows, stride int, count float64) {
	const width, height = 512, 512
	n := len(out)
	across, down := (n+width-1)/width, (rows+height-1)/height
	sums, lost := make([]float64, down*n), make([]float64, down*n)
	Parallel(across*down, width*min(rows, height), func(lo, hi int) {
		for part := lo; part < hi; part++ {
			first, top := part%across*width, part/across*height
			to := part/across*n + first
			wide := min(width, n-first)
			bottom := min(top+height, rows)
			if wide < simd.TwofoldLanes {
				for c := range wide {
					var t twofold
					for r := top; r < bottom; r++ {
						t.add(src[first+c+r*stride])
					}
					sums[to+c], lost[to+c] = t.sum, t.lost
				}
				continue
			}
			for r := top; r < bottom; r++ {
				addTwofold(sums[to:to+wide], lost[to:to+wide], src[first+r*stride:])
			}
		}
	})
	for i := range out {
		t := twofold{sums[i], lost[i]}
		for d := 1; d < down; d++ {
			t.merge(twofold{sums[d*n+i], lost[d*n+i]})
		}
		out[i] = t.value() / count
	}
}

// addTwofold adds the elements of x to sums, and the rounding errors of that to lost.
func addTwofold(sums, lost, x []float64) {
	x = x[:len(sums)]
	whole := 0
	if f := simd.Fast.Doubles.AddTwofold; f != nil {
		whole = len(x) &^ (simd.TwofoldLanes - 1)
		f(sums, lost, x[:whole])
	}
	for i := whole; i < len(x); i++ {
		t := twofold{sums[i], lost[i]}
		t.add(x[i])
		sums[i], lost[i] = t.sum, t.lost
	}
}

// spacedSums returns the sums or means of long rows of float64 whose elements are apart, nil for others.
func spacedSums(op *kernels.ReduceOp, in backend.Operand, rows, cols int) backend.Storage {
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides)
	last := len(m.Dims) - 1
	step := m.Strides[0][last]
	if op.Name != "sum" && op.Name != "mean" || in.DType != kernels.F64 || cols <= sumBlock || step == 1 ||
		m.Dims[last]%cols != 0 {
		return nil
	}
	count := 1.0
	if op.Name == "mean" {
		count = float64(cols)
	}
	src := elems[float64](in)
	h, out := uninitElems[float64](rows, 8)
	Parallel(rows, cols, func(lo, hi int) {
		m.EachRun(lo*cols, hi*cols, func(r backend.Run) {
			for i := 0; i < r.Len; i += cols {
				out[(r.Index+i)/cols] = spacedSum(src[r.Offsets[0]+i*step:], cols, step) / count
			}
		})
	})
	return h
}
