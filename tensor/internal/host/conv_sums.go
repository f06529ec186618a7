package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// sumsAtOnce is how many outputs of a row have their sums in a cache while the taps are added one after another.
const sumsAtOnce = 2048

// depthwiseSums adds in S; integers wrap. The taps of an output are added in their order, whatever their number at a
// time.
func depthwiseSums[T element, S int64 | float64](in, weight backend.Operand, p kernels.Conv) backend.Storage {
	ty, tx, oy, ox, many := int(p.Y.Taps), int(p.X.Taps), int(p.Y.Out), int(p.X.Out), int(p.Multiplier)
	rows, parts := int(p.Planes)*many*oy, (ox+sumsAtOnce-1)/sumsAtOnce
	h, out := uninitElems[T](rows*ox, sizeOf[T]())
	src, w := elems[T](in), elems[T](weight)
	Parallel(rows*parts, min(ox, sumsAtOnce)*ty*tx, func(lo, hi int) {
		sums := make([]S, min(ox, sumsAtOnce))
		for i := lo; i < hi; i++ {
			r, first := i/parts, i%parts*sumsAtOnce
			plane := r / oy
			image := src[plane/many*int(p.Y.In*p.X.In):]
			taps := w[plane%(int(p.Channels)*many)*ty*tx:]
			sums := sums[:min(sumsAtOnce, ox-first)]
			clear(sums)
			for j := range ty {
				if y := inputIndex(p.Y, r%oy, j); y >= 0 {
					addTaps(sums, image[y*int(p.X.In):][:p.X.In], taps[j*tx:(j+1)*tx], p.X, first)
				}
			}
			to := out[r*ox+first:]
			for c, s := range sums {
				to[c] = T(s)
			}
		}
	})
	return h
}

// addTaps adds the products of a row of taps with a row of the input to the sums of outputs from first on.
func addTaps[T element, S int64 | float64](sums []S, row, taps []T, w kernels.Window, first int) {
	if w.InStep != 1 {
		for c := range sums {
			for k, tap := range taps {
				if x := inputIndex(w, first+c, k); x >= 0 {
					sums[c] += S(S(row[x]) * S(tap))
				}
			}
		}
		return
	}
	step := int(w.OutStep)
	// the outputs whose tap k is in the row
	span := func(k int) (lo, hi, from int) {
		from = first*step + int(w.Offset) + k*int(w.TapStep) // of output first
		lo = min(len(sums), max(0, (-from+step-1)/step))
		hi = max(lo, min(len(sums), (len(row)-from+step-1)/step))
		if from >= len(row) {
			hi = lo
		}
		return lo, hi, from
	}
	const together = 4
	for k := 0; k < len(taps); k += together {
		n := min(together, len(taps)-k)
		lo, hi := 0, len(sums)
		for t := range n {
			l, h, _ := span(k + t)
			lo, hi = max(lo, l), min(hi, h)
		}
		hi = max(lo, hi)
		if n < together || step != 1 || w.TapStep != 1 {
			lo, hi = len(sums), len(sums) // every tap by itself
		}
		for t := range n {
			l, h, from := span(k + t)
			tap := S(taps[k+t])
			for _, part := range [2][2]int{{l, min(h, lo)}, {max(l, hi), h}} {
				for c := part[0]; c < part[1]; c++ {
					sums[c] += S(S(row[from+c*step]) * tap)
				}
			}
		}
		if lo < hi {
			_, _, from := span(k)
			addFour(sums[lo:hi], row[from+lo:], (*[together]T)(taps[k:]))
		}
	}
}

// addFour adds four adjacent taps.
func addFour[T element, S int64 | float64](sums []S, row []T, taps *[4]T) {
	a, b, c, d := S(taps[0]), S(taps[1]), S(taps[2]), S(taps[3])
	r0, r1, r2, r3 := row[:len(sums)], row[1:][:len(sums)], row[2:][:len(sums)], row[3:][:len(sums)]
	for i, s := range sums {
		s += S(S(r0[i]) * a)
		s += S(S(r1[i]) * b)
		s += S(S(r2[i]) * c)
		s += S(S(r3[i]) * d)
		sums[i] = s
	}
}
