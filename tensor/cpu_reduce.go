package tensor

import (
	"math"
	"sync"

	"github.com/gorocm/gorocm/kernels"
)

func (b hostBackend) reduce(op *kernels.ReduceOp, in operand, rows, cols int) (storage, error) {
	switch in.dtype {
	case U8:
		return reduceInts[uint8](op, in, rows, cols), nil
	case U32:
		return reduceInts[uint32](op, in, rows, cols), nil
	case I16:
		return reduceInts[int16](op, in, rows, cols), nil
	case I32:
		return reduceInts[int32](op, in, rows, cols), nil
	case I64:
		return reduceInts[int64](op, in, rows, cols), nil
	case F32:
		return reduceFloats[float32](op, in, rows, cols), nil
	case F64:
		return reduceFloats[float64](op, in, rows, cols), nil
	}
	return b.viaF32(in.dtype, op.Arg, []operand{in}, func(w []operand) (storage, error) { return b.reduce(op, w[0], rows, cols) })
}

func reduceInts[T element](op *kernels.ReduceOp, in operand, rows, cols int) storage {
	switch op.Name {
	case "sum":
		return foldRows(in, rows, cols, func(row []T) T {
			var sum T
			for _, x := range row {
				sum += x
			}
			return sum
		})
	case "max":
		return foldRows(in, rows, cols, greatest[T])
	case "min":
		return foldRows(in, rows, cols, least[T])
	case "argmax":
		return foldRows(in, rows, cols, argGreatest[T])
	case "argmin":
		return foldRows(in, rows, cols, argLeast[T])
	}
	return foldRows(in, rows, cols, func(row []T) T {
		wide := make([]int64, len(row))
		for i, x := range row {
			wide[i] = int64(x)
		}
		return T(op.Int(wide))
	})
}

func reduceFloats[T float32 | float64](op *kernels.ReduceOp, in operand, rows, cols int) storage {
	switch op.Name {
	case "sum":
		return foldRows(in, rows, cols, func(row []T) T { return T(pairwise(row)) })
	case "mean":
		return foldRows(in, rows, cols, func(row []T) T { return T(pairwise(row) / float64(len(row))) })
	case "max":
		return foldRows(in, rows, cols, greatest[T])
	case "min":
		return foldRows(in, rows, cols, least[T])
	case "argmax":
		return foldRows(in, rows, cols, argGreatest[T])
	case "argmin":
		return foldRows(in, rows, cols, argLeast[T])
	}
	return foldRows(in, rows, cols, func(row []T) T {
		wide := make([]float64, len(row))
		for i, x := range row {
			wide[i] = float64(x)
		}
		return T(op.Ref(wide))
	})
}

// foldRows calls fold for every row of in: rows of cols elements, in flat order.
func foldRows[T element, R any](in operand, rows, cols int, fold func([]T) R) storage {
	h, out := unclearedElems[R](rows, kernelSize[R]())
	src := elems[T](in)
	m := merge(in.layout.shape, in.layout.strides)
	last := len(m.dims) - 1
	inRow := m.strides[0][last] == 1 && m.dims[last]%cols == 0
	parallel(rows, cols, func(lo, hi int) {
		if inRow || cols == 1 {
			m.each(lo*cols, hi*cols, func(r run) {
				step := 1
				if cols == 1 {
					step = m.strides[0][last]
				}
				for i := 0; i < r.n; i += cols {
					at := r.off[0] + i*step
					out[(r.at+i)/cols] = fold(src[at : at+cols])
				}
			})
			return
		}
		gatherRows(src, m, lo, hi, cols, func(row int, x []T) { out[row] = fold(x) })
	})
	return h
}

// gatherRows copies strided rows to dense ones, a few at a time, so that neighbouring rows share the cache lines they are read from.
func gatherRows[T element](src []T, m merged, lo, hi, cols int, f func(row int, x []T)) {
	const block = 16
	buffer := make([]T, block*cols)
	last := len(m.dims) - 1
	// Columns of a matrix, as when a sum is over dim 0: row r begins at r and goes down by a stride.
	columns := last == 1 && m.dims[1] == cols && m.strides[0][0] == 1
	for r := lo; r < hi; r += block {
		n := min(block, hi-r)
		if columns {
			for c := range cols {
				line := src[r+c*m.strides[0][1]:]
				for i := range n {
					buffer[i*cols+c] = line[i]
				}
			}
		} else {
			step := m.strides[0][last]
			m.each(r*cols, (r+n)*cols, func(p run) {
				to, from := buffer[p.at-r*cols:][:p.n], src[p.off[0]:]
				for i := range to {
					to[i] = from[i*step]
				}
			})
		}
		for i := range n {
			f(r+i, buffer[i*cols:(i+1)*cols])
		}
	}
}

// pairwise adds in float64 along a tree that depends on the length only, so the sum does not depend on the cores.
func pairwise[T float32 | float64](x []T) float64 {
	const leaf = 256
	n := len(x)
	if n <= leaf {
		var a, b, c, d float64
		i := 0
		for ; i+4 <= n; i += 4 {
			a += float64(x[i])
			b += float64(x[i+1])
			c += float64(x[i+2])
			d += float64(x[i+3])
		}
		for ; i < n; i++ {
			a += float64(x[i])
		}
		return (a + b) + (c + d)
	}
	half := (n / 2) &^ (leaf - 1)
	if half == 0 {
		half = leaf
	}
	if n < 4*grain {
		return pairwise(x[:half]) + pairwise(x[half:])
	}
	var left float64
	var wg sync.WaitGroup
	wg.Go(func() { left = pairwise(x[:half]) })
	right := pairwise(x[half:])
	wg.Wait()
	return left + right
}

func greatest[T element](row []T) T {
	best := row[0]
	for _, x := range row[1:] {
		best = max(best, x) // NaN wins
	}
	return best
}

func least[T element](row []T) T {
	best := row[0]
	for _, x := range row[1:] {
		best = min(best, x)
	}
	return best
}

func argGreatest[T element](row []T) uint32 {
	at, best := 0, row[0]
	for i, x := range row {
		if best != best {
			break // the first NaN
		}
		if x > best || x != x {
			at, best = i, x
		}
	}
	return uint32(at)
}

func argLeast[T element](row []T) uint32 {
	at, best := 0, row[0]
	for i, x := range row {
		if best != best {
			break
		}
		if x < best || x != x {
			at, best = i, x
		}
	}
	return uint32(at)
}

func (b hostBackend) softmax(in operand, rows, cols int, log bool) (storage, error) {
	switch in.dtype {
	case F32:
		return softmaxRows[float32](in, rows, cols, log), nil
	case F64:
		return softmaxRows[float64](in, rows, cols, log), nil
	}
	return b.viaF32(in.dtype, false, []operand{in}, func(w []operand) (storage, error) { return b.softmax(w[0], rows, cols, log) })
}

func softmaxRows[T float32 | float64](in operand, rows, cols int, log bool) storage {
	h, out := unclearedElems[T](rows*cols, kernelSize[T]())
	src := elems[T](in)
	parallel(rows, 8*cols, func(lo, hi int) {
		powers := make([]float64, cols)
		for r := lo; r < hi; r++ {
			x, y := src[r*cols:(r+1)*cols], out[r*cols:(r+1)*cols]
			top := float64(greatest(x))
			for i, v := range x {
				powers[i] = math.Exp(float64(v) - top)
			}
			sum := pairwise(powers)
			if log {
				sum = math.Log(sum)
				for i, v := range x {
					y[i] = T(float64(v) - top - sum)
				}
				continue
			}
			for i, p := range powers {
				y[i] = T(p / sum)
			}
		}
	})
	return h
}
