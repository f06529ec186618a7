package tensor

import "github.com/gorocm/gorocm/tensor/internal/simd"

// No type is wider than float64: sums of those go along with what rounding took from them.

// twofold is a sum and what rounding took from it, by Knuth's two-sum. Together they are as good as a sum that rounds once, unless the terms cancel
// each other to the last 2^-50 of their size.
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

// value rounds. Of an infinity nothing is lost.
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
	parts := make([]twofold, (len(x)+sumBlock-1)/sumBlock)
	parallel(len(parts), sumBlock, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			parts[i] = laneSums(x[i*sumBlock : min((i+1)*sumBlock, len(x))])
		}
	})
	var all twofold
	for _, p := range parts {
		all.merge(p)
	}
	return all.value()
}

// laneSums adds element i to lane i modulo simd.TwofoldLanes, and then the lanes in halves.
func laneSums(x []float64) twofold {
	var sums, lost [simd.TwofoldLanes]float64
	if f := simd.Fast.Doubles.Sum; f != nil {
		n := len(x) &^ (simd.TwofoldLanes - 1)
		f(&sums, &lost, x[:n])
		x = x[n:]
	}
	addLanes(&sums, &lost, x)
	for n := len(sums) / 2; n > 0; n /= 2 {
		for i := range n {
			t := twofold{sums[i], lost[i]}
			t.merge(twofold{sums[i+n], lost[i+n]})
			sums[i], lost[i] = t.sum, t.lost
		}
	}
	return twofold{sums[0], lost[0]}
}

// addLanes is the reference of simd.Doubles.Sum, for any length.
func addLanes(sums, lost *[simd.TwofoldLanes]float64, x []float64) {
	for i, v := range x {
		k := i % simd.TwofoldLanes
		t := twofold{sums[k], lost[k]}
		t.add(v)
		sums[k], lost[k] = t.sum, t.lost
	}
}

// twofoldRunning makes the running sums of a row.
func twofoldRunning(out, x []float64) {
	var t twofold
	for i, v := range x[:len(out)] {
		t.add(v)
		out[i] = t.value()
	}
}

// twofoldColumns adds the columns of a matrix whose rows are stride apart, in parts that depend on the sizes only, and divides by count.
func twofoldColumns(out, src []float64, rows, stride int, count float64) {
	const width, height = 512, 512
	across, down := (len(out)+width-1)/width, (rows+height-1)/height
	parts := make([]twofold, down*len(out))
	parallel(across*down, width*min(rows, height), func(lo, hi int) {
		for part := lo; part < hi; part++ {
			first, top := part%across*width, part/across*height
			sums := parts[part/across*len(out)+first:][:min(width, len(out)-first)]
			for r := top; r < min(top+height, rows); r++ {
				for i, v := range src[first+r*stride:][:len(sums)] {
					sums[i].add(v)
				}
			}
		}
	})
	for i := range out {
		sum := parts[i]
		for d := 1; d < down; d++ {
			sum.merge(parts[d*len(out)+i])
		}
		out[i] = sum.value() / count
	}
}
