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
	return twofoldBlocks(len(x), func(lo, hi int) twofold { return laneSums(x[lo:hi]) })
}

// spacedSum is the twofoldSum of n elements of x that are step apart, without a copy of the whole row.
func spacedSum(x []float64, n, step int) float64 {
	return twofoldBlocks(n, func(lo, hi int) twofold {
		const part = 1024 // elements that are copied at a time
		buffer := partPool.Get().(*[part]float64)
		defer partPool.Put(buffer)
		if hi-lo <= shortRow {
			return laneSums(spaced(buffer[:hi-lo], x[lo*step:], step))
		}
		l := lanePool.Get().(*lanes)
		defer lanePool.Put(l)
		*l = lanes{}
		for ; lo < hi; lo += part {
			l.addRow(spaced(buffer[:min(part, hi-lo)], x[lo*step:], step))
		}
		return l.fold()
	})
}

var partPool = sync.Pool{New: func() any { return new([1024]float64) }}

// spaced fills to with elements of x that are step apart, and returns it.
func spaced(to, x []float64, step int) []float64 {
	if step != 2 {
		at := 0
		for i := range to {
			to[i] = x[at]
			at += step
		}
		return to
	}
	rest := to
	for ; len(rest) >= 4 && len(x) >= 8; rest, x = rest[4:], x[8:] {
		rest[0], rest[1], rest[2], rest[3] = x[0], x[2], x[4], x[6]
	}
	for i := range rest {
		rest[i] = x[2*i]
	}
	return to
}

// twofoldBlocks adds the sums of blocks of n elements.
func twofoldBlocks(n int, block func(lo, hi int) twofold) float64 {
	parts := make([]twofold, (n+sumBlock-1)/sumBlock)
	Parallel(len(parts), sumBlock, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			parts[i] = block(i*sumBlock, min((i+1)*sumBlock, n))
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
	l.addRow(x)
	return l.fold()
}

// addRow adds element i to lane i modulo simd.TwofoldLanes.
func (l *lanes) addRow(x []float64) {
	if f := simd.Fast.Doubles.Sum; f != nil {
		n := len(x) &^ (simd.TwofoldLanes - 1)
		f(&l.sums, &l.lost, x[:n])
		x = x[n:]
	}
	l.add(x)
}

// twofoldEach sets out to the sums of rows, divided by count. Four short rows at a time keep the processor busy, each
// in its order.
func twofoldEach(out, x []float64, cols int, count float64) {
	i := 0
	if cols <= shortRow {
		for ; i+4 <= len(out); i += 4 {
			var p, q, r, s twofold
			a, b, c, d := x[i*cols:][:cols], x[(i+1)*cols:][:cols], x[(i+2)*cols:][:cols], x[(i+3)*cols:][:cols]
			for k := range a {
				p.add(a[k])
				q.add(b[k])
				r.add(c[k])
				s.add(d[k])
			}
			out[i], out[i+1], out[i+2], out[i+3] = p.value(), q.value(), r.value(), s.value()
			for k := i; k < i+4; k++ {
				out[k] /= count
			}
		}
	}
	for ; i < len(out); i++ {
		out[i] = twofoldSum(x[i*cols:(i+1)*cols]) / count
	}
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

// columnSums are those of adjacent columns.
type columnSums struct{ sums, lost [512]float64 }

var columnPool = sync.Pool{New: func() any { return new(columnSums) }}

// add sets out to the sums of columns, divided by count.
func (t *columnSums) add(out, src []float64, rows, stride int, count float64) {
	n := len(out)
	clear(t.sums[:n])
	clear(t.lost[:n])
	for r := range rows {
		addTwofold(t.sums[:n], t.lost[:n], src[r*stride:])
	}
	for i := range out {
		out[i] = twofold{t.sums[i], t.lost[i]}.value() / count
	}
}

// twofoldColumns adds the columns of a matrix whose rows are stride apart, in parts that depend on the sizes only,
// and divides by count.
func twofoldColumns(out, src []float64, rows, stride int, count float64) {
	const width, height = 512, 512
	n := len(out)
	across, down := (n+width-1)/width, (rows+height-1)/height
	if down == 1 && n >= simd.TwofoldLanes {
		Parallel(across, width*rows, func(lo, hi int) {
			t := columnPool.Get().(*columnSums)
			defer columnPool.Put(t)
			for part := lo; part < hi; part++ {
				t.add(out[part*width:min((part+1)*width, n)], src[part*width:], rows, stride, count)
			}
		})
		return
	}
	sums, lost := make([]float64, down*n), make([]float64, down*n)
	Parallel(across*down, width*min(rows, height), func(lo, hi int) {
		for part := lo; part < hi; part++ {
			first, top := part%across*width, part/across*height
			to := part/across*n + first
			wide := min(width, n-first)
			bottom := min(top+height, rows)
			if wide < simd.TwofoldLanes {
				addFewColumns(sums[to:to+wide], lost[to:to+wide], src[first:], top, bottom, stride)
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

// addFewColumns is addTwofold of the rows from top to before bottom, four columns at a time.
func addFewColumns(sums, lost, src []float64, top, bottom, stride int) {
	c := 0
	for ; c+4 <= len(sums); c += 4 {
		var p, q, r, s twofold
		for at := top; at < bottom; at++ {
			x := src[c+at*stride:][:4]
			p.add(x[0])
			q.add(x[1])
			r.add(x[2])
			s.add(x[3])
		}
		for i, t := range [4]twofold{p, q, r, s} {
			sums[c+i], lost[c+i] = t.sum, t.lost
		}
	}
	for ; c < len(sums); c++ {
		var t twofold
		for at := top; at < bottom; at++ {
			t.add(src[c+at*stride])
		}
		sums[c], lost[c] = t.sum, t.lost
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
