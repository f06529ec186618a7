package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Scan has sums of the types that elements are added in alone: the front converts others.
func (b Backend) Scan(op *kernels.ScanOp, in backend.Operand, rows, cols int) (backend.Storage, error) {
	defer timed(op.Name, in.DType, sizeFor(in, in.DType), in)()
	switch in.DType {
	case kernels.I64:
		return scanInts(op, in, rows, cols,
			sums[int64]{cumulativeSum[int64, int64], fourCumulativeSums[int64, int64]}), nil
	case kernels.F32:
		return scanFloats(op, in, rows, cols,
			sums[float32]{cumulativeSum[float32, float64], fourCumulativeSums[float32, float64]}), nil
	case kernels.F64:
		return scanFloats(op, in, rows, cols, sums[float64]{one: twofoldCumulative}), nil
	case kernels.I32:
		return scanInts(op, in, rows, cols, sums[int32]{}), nil
	case kernels.U32:
		return scanInts(op, in, rows, cols, sums[uint32]{}), nil
	case kernels.U64:
		return scanInts(op, in, rows, cols, sums[uint64]{}), nil
	}
	return b.viaF32(in.DType, false, []backend.Operand{in},
		func(in []backend.Operand) (backend.Storage, error) { return b.Scan(op, in[0], rows, cols) })
}

// sums are the loops of cumsum: for one row, and for four at a time, which may be nil.
type sums[T element] struct {
	one  func(out, x []T)
	four func(out, x []T, cols int)
}

// scanElems scans rows of a type whose products are made by product.
func scanElems[T element](
	op *kernels.ScanOp, in backend.Operand, rows, cols int, product func(out, x []T), sum sums[T],
) backend.Storage {
	switch op.Name {
	case "cummax":
		return scanRows(in, rows, cols, lastMaximum[T], nil)
	case "cummin":
		return scanRows(in, rows, cols, lastMinimum[T], nil)
	case "cumprod":
		return scanRows(in, rows, cols, product, nil)
	}
	return scanRows(in, rows, cols, sum.one, sum.four)
}

func scanInts[T int64 | int32 | uint32 | uint64](
	op *kernels.ScanOp, in backend.Operand, rows, cols int, sum sums[T],
) backend.Storage {
	return scanElems(op, in, rows, cols, cumulativeProduct[T, T], sum)
}

func scanFloats[T float32 | float64](
	op *kernels.ScanOp, in backend.Operand, rows, cols int, sum sums[T],
) backend.Storage {
	if op.Name == "logcumsumexp" {
		return scanRows(in, rows, cols, logCumulativeSum[T], nil)
	}
	return scanElems(op, in, rows, cols, cumulativeProduct[T, float64], sum)
}

// scanRows scans rows one by one, or four at a time where there is such a function.
func scanRows[T, R element](
	in backend.Operand, rows, cols int, one func(out []R, x []T), four func(out []R, x []T, cols int),
) backend.Storage {
	h, out := uninitElems[R](rows*cols, sizeOf[R]())
	src := elems[T](in)
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides)
	last := len(m.Dims) - 1
	dense := m.Strides[0][last] == 1 && m.Dims[last]%cols == 0
	Parallel(rows, 2*cols, func(lo, hi int) {
		if !dense {
			gatherRows(src, m, lo, hi, cols, func(row int, x []T) { one(out[row*cols:(row+1)*cols], x) })
			return
		}
		m.EachRun(lo*cols, hi*cols, func(r backend.Run) {
			out, x := out[r.Index:r.Index+r.Len], src[r.Offsets[0]:]
			for four != nil && len(out) >= 4*cols {
				four(out[:4*cols], x, cols)
				out, x = out[4*cols:], x[4*cols:]
			}
			for ; len(out) > 0; out, x = out[cols:], x[cols:] {
				one(out[:cols], x)
			}
		})
	})
	return h
}

// cumulativeSum adds elements of T in S.
func cumulativeSum[T, S element](out, x []T) {
	var sum S
	for i, v := range x[:len(out)] {
		sum += S(v)
		out[i] = T(sum)
	}
}

// fourCumulativeSums sums four rows at once: each addition of a single sum would wait for the last.
func fourCumulativeSums[T, S element](out, x []T, cols int) {
	var s0, s1, s2, s3 S
	x0, x1, x2, x3 := x[:cols], x[cols:][:cols], x[2*cols:][:cols], x[3*cols:][:cols]
	out0, out1, out2, out3 := out[:cols], out[cols:][:cols], out[2*cols:][:cols], out[3*cols:][:cols]
	for i := range cols {
		s0, s1, s2, s3 = s0+S(x0[i]), s1+S(x1[i]), s2+S(x2[i]), s3+S(x3[i])
		out0[i], out1[i], out2[i], out3[i] = T(s0), T(s1), T(s2), T(s3)
	}
}

// cumulativeProduct multiplies elements of T in S.
func cumulativeProduct[T, S element](out, x []T) {
	product := S(1)
	for i, v := range x[:len(out)] {
		product *= S(v)
		out[i] = T(product)
	}
}

// lastMaximum sets out to the index of the greatest element so far: of equal ones the last, and a NaN before all
// others.
func lastMaximum[T element](out []uint32, x []T) {
	at := 0
	for i, v := range x[:len(out)] {
		if best := x[at]; v != v || best == best && v >= best {
			at = i
		}
		out[i] = uint32(at)
	}
}

// lastMinimum is lastMaximum for the least element.
func lastMinimum[T element](out []uint32, x []T) {
	at := 0
	for i, v := range x[:len(out)] {
		if best := x[at]; v != v || best == best && v <= best {
			at = i
		}
		out[i] = uint32(at)
	}
}

// logCumulativeSum sets out to the logarithms of the cumulative sums of exponentials. The sum is exp(top)·(1 + others),
// where the 1 is that of one greatest element: see scan.hip.
func logCumulativeSum[T float32 | float64](out, x []T) {
	top, others := math.Inf(-1), -1.0
	for i, e := range x[:len(out)] {
		switch v := float64(e); {
		case v != v || top != top:
			top, others = math.NaN(), 0
		case v == top:
			others++
		case v < top:
			others += math.Exp(v - top)
		default:
			top, others = v, (others+1)*math.Exp(top-v)
		}
		out[i] = T(top + math.Log1p(others))
	}
}
