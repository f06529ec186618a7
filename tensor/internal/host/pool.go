package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// poolLoops are the loops for the maxima of a type of elements.
type poolLoops struct {
	maxima, indices func(in backend.Operand, p kernels.Pool) backend.Storage
}

func poolsOf[T element]() poolLoops { return poolLoops{poolMax[T], poolIndices[T]} }

var pools = map[kernels.DType]poolLoops{
	kernels.U8: poolsOf[uint8](), kernels.I8: poolsOf[int8](), kernels.I16: poolsOf[int16](),
	kernels.U16: poolsOf[uint16](), kernels.I32: poolsOf[int32](), kernels.U32: poolsOf[uint32](),
	kernels.I64: poolsOf[int64](), kernels.U64: poolsOf[uint64](), kernels.F32: poolsOf[float32](),
	kernels.F64: poolsOf[float64](),
}

func (b Backend) Pool(in backend.Operand, p kernels.Pool, what backend.Pooled) (backend.Storage, error) {
	defer timed("pool", in.DType, int(p.Planes*p.OH*p.OW)*in.DType.Size(), in)()
	loops, ok := pools[in.DType]
	switch {
	case !ok:
		return b.viaF32(in.DType, what == backend.Indices, []backend.Operand{in},
			func(ins []backend.Operand) (backend.Storage, error) { return b.Pool(ins[0], p, what) })
	case what == backend.Indices:
		return loops.indices(in, p), nil
	case what == backend.Maxima && in.DType == kernels.F32 && simd.Fast.Maximum != nil:
		return poolMaxRows(in, p, simd.Fast.Maximum), nil
	case what == backend.Maxima:
		return loops.maxima(in, p), nil
	case in.DType == kernels.F32:
		return poolMean[float32](in, p), nil
	}
	return poolMean[float64](in, p), nil
}

// taps are the elements from … to-1 of a window along one dim: those within the image.
type taps struct{ begin, from, to, apart int }

// tapsBelow is how many of n elements, apart from one another, are less than room after the first one.
func tapsBelow(room, apart, n int) int { return min(max((room+apart-1)/apart, 0), n) }

func tapsOf(begin, apart, n, size int) taps {
	return taps{begin, tapsBelow(-begin, apart, n), tapsBelow(size-begin, apart, n), apart}
}

// at is the position of element i in the image.
func (t taps) at(i int) int { return t.begin + i*t.apart }

func rowTaps(p kernels.Pool, oy int) taps {
	return tapsOf(oy*int(p.SH)-int(p.PH), int(p.DH), int(p.KH), int(p.H))
}

func colTaps(p kernels.Pool, ox int) taps {
	return tapsOf(ox*int(p.SW)-int(p.PW), int(p.DW), int(p.KW), int(p.W))
}

// eachWindow calls f for every output with the elements of its window, in a plane of dense images.
func eachWindow[T any](src []T, p kernels.Pool, f func(to int, plane []T, rows, cols taps)) {
	oh, ow, size := int(p.OH), int(p.OW), int(p.H*p.W)
	Parallel(int(p.Planes)*oh, ow*int(p.KH*p.KW), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			plane, rows := src[r/oh*size:][:size], rowTaps(p, r%oh)
			for c := range ow {
				f(r*ow+c, plane, rows, colTaps(p, c))
			}
		}
	})
}

// firstMaximum returns the index of the first maximum of a window in its plane. NaN is above all numbers.
func firstMaximum[T element](plane []T, width int, rows, cols taps) int {
	first := rows.at(rows.from)*width + cols.at(cols.from)
	top := plane[first]
	for j := rows.from; j < rows.to; j++ {
		at := rows.at(j)*width + cols.begin
		for k := cols.from; k < cols.to; k++ {
			if v := plane[at+k*cols.apart]; v > top || v != v && top == top {
				first, top = at+k*cols.apart, v
			}
		}
	}
	return first
}

func poolMax[T element](in backend.Operand, p kernels.Pool) backend.Storage {
	h, out := uninitElems[T](int(p.Planes*p.OH*p.OW), sizeOf[T]())
	width := int(p.W)
	eachWindow(elems[T](in), p, func(to int, plane []T, rows, cols taps) {
		at := rows.at(rows.from)*width + cols.begin
		top := plane[at+cols.from*cols.apart]
		for j := rows.from; j < rows.to; j, at = j+1, at+rows.apart*width {
			for k := cols.from; k < cols.to; k++ {
				top = max(top, plane[at+k*cols.apart]) // NaN wins
			}
		}
		out[to] = top
	})
	return h
}

// poolMaxRows computes a row of results at a time: the maxima of the columns of its windows, then of neighbours among
// these, of which it keeps every stride-th one. What is beside the image is -Inf.
func poolMaxRows(in backend.Operand, p kernels.Pool, maximum func(out, a, b []float32)) backend.Storage {
	h, out := uninitElems[float32](int(p.Planes*p.OH*p.OW), sizeOf[float32]())
	src, oh, ow, w := elems[float32](in), int(p.OH), int(p.OW), int(p.W)
	length := (ow-1)*int(p.SW) + 1 // from the first window to the last
	wide := max(length+int(p.DW*(p.KW-1)), int(p.PW)+w)
	Parallel(int(p.Planes)*oh, wide*int(p.KH+p.KW), func(lo, hi int) {
		columns, found := make([]float32, wide), make([]float32, length)
		for i := range columns {
			columns[i] = float32(math.Inf(-1))
		}
		inside := columns[p.PW:][:w]
		for r := lo; r < hi; r++ {
			plane, rows := src[r/oh*int(p.H)*w:], rowTaps(p, r%oh)
			copy(inside, plane[rows.at(rows.from)*w:])
			for j := rows.from + 1; j < rows.to; j++ {
				maximum(inside, inside, plane[rows.at(j)*w:])
			}
			copy(found, columns)
			for k := 1; k < int(p.KW); k++ {
				maximum(found, found, columns[k*int(p.DW):])
			}
			for c := range ow {
				out[r*ow+c] = found[c*int(p.SW)]
			}
		}
	})
	return h
}

// poolMean computes a row of results at a time: the sums of the columns of its windows, in F64, then those of
// neighbours among these. What is beside the image is zero.
func poolMean[T float32 | float64](in backend.Operand, p kernels.Pool) backend.Storage {
	h, out := uninitElems[T](int(p.Planes*p.OH*p.OW), sizeOf[T]())
	src, oh, ow, w := elems[T](in), int(p.OH), int(p.OW), int(p.W)
	wide := max((ow-1)*int(p.SW)+int(p.DW*(p.KW-1))+1, int(p.PW)+w)
	across := make([]int, ow) // how many columns of each window count
	for c := range across {
		across[c] = countedAlong(colTaps(p, c), p.KW, p.CountW)
	}
	Parallel(int(p.Planes)*oh, wide*int(p.KH)+ow*int(p.KW), func(lo, hi int) {
		columns := make([]float64, wide)
		inside := columns[p.PW:][:w]
		for r := lo; r < hi; r++ {
			plane, rows := src[r/oh*int(p.H)*w:], rowTaps(p, r%oh)
			clear(inside)
			for j := rows.from; j < rows.to; j++ {
				for i, v := range plane[rows.at(j)*w:][:w] {
					inside[i] += float64(v)
				}
			}
			down, to := countedAlong(rows, p.KH, p.CountH), out[r*ow:(r+1)*ow]
			for c := range to {
				sum, at := 0.0, c*int(p.SW)
				for range p.KW {
					sum += columns[at]
					at += int(p.DW)
				}
				to[c] = T(sum / float64(down*across[c]))
			}
		}
	})
	return h
}

// counted is what the mean of a window is divided by.
func counted(p kernels.Pool, rows, cols taps) float64 {
	return float64(countedAlong(rows, p.KH, p.CountH) * countedAlong(cols, p.KW, p.CountW))
}

// countedAlong is how many of n elements along a dim are at count[0] … count[1]-1.
func countedAlong(t taps, n int64, count [2]int64) int {
	return tapsBelow(int(count[1])-t.begin, t.apart, int(n)) - tapsBelow(int(count[0])-t.begin, t.apart, int(n))
}

func poolIndices[T element](in backend.Operand, p kernels.Pool) backend.Storage {
	h, out := uninitElems[int64](int(p.Planes*p.OH*p.OW), sizeOf[int64]())
	eachWindow(elems[T](in), p, func(to int, plane []T, rows, cols taps) {
		out[to] = int64(firstMaximum(plane, int(p.W), rows, cols))
	})
	return h
}

func (b Backend) PoolGradient(g backend.Operand, indices *backend.Operand, p kernels.Pool) (backend.Storage, error) {
	defer timed("pool gradient", g.DType, int(p.Planes*p.H*p.W)*g.DType.Size(), g)()
	switch g.DType {
	case kernels.F32:
		return poolGradient[float32](g, indices, p), nil
	case kernels.F64:
		return poolGradient[float64](g, indices, p), nil
	}
	return b.viaF32(g.DType, false, []backend.Operand{g},
		func(gs []backend.Operand) (backend.Storage, error) { return b.PoolGradient(gs[0], indices, p) })
}

// poolGradient adds the gradients of a plane's windows to those of its elements, in F64.
func poolGradient[T float32 | float64](g backend.Operand, indices *backend.Operand, p kernels.Pool) backend.Storage {
	windows, size, width := int(p.OH*p.OW), int(p.H*p.W), int(p.W)
	h, out := uninitElems[T](int(p.Planes)*size, sizeOf[T]())
	src := elems[T](g)
	var first []int64
	if indices != nil {
		first = elems[int64](*indices)
	}
	Parallel(int(p.Planes), size+windows*int(p.KH*p.KW), func(lo, hi int) {
		sums := make([]float64, size)
		for plane := lo; plane < hi; plane++ {
			clear(sums)
			for i, v := range src[plane*windows:][:windows] {
				if first != nil {
					sums[first[plane*windows+i]] += float64(v)
					continue
				}
				rows, cols := rowTaps(p, i/int(p.OW)), colTaps(p, i%int(p.OW))
				part := float64(v) / counted(p, rows, cols)
				for j := rows.from; j < rows.to; j++ {
					for k := cols.from; k < cols.to; k++ {
						sums[rows.at(j)*width+cols.at(k)] += part
					}
				}
			}
			for i, sum := range sums {
				out[plane*size+i] = T(sum)
			}
		}
	})
	return h
}
