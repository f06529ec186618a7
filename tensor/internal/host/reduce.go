package host

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (b Backend) Reduce(op *kernels.ReduceOp, in backend.Operand, rows, cols int) (backend.Storage, error) {
	defer timed(op.Name, in.DType, rows*op.Out(in.DType).Size(), in)()
	switch in.DType {
	case kernels.U8:
		return reduceInts(op, in, rows, cols, byteSum), nil
	case kernels.U32:
		return reduceInts(op, in, rows, cols, integerSum[uint32]), nil
	case kernels.I16:
		return reduceInts(op, in, rows, cols, integerSum[int16]), nil
	case kernels.I8:
		return reduceInts(op, in, rows, cols, integerSum[int8]), nil
	case kernels.U16:
		return reduceInts(op, in, rows, cols, integerSum[uint16]), nil
	case kernels.U64:
		return reduceInts(op, in, rows, cols, integerSum[uint64]), nil
	case kernels.I32:
		return reduceInts(op, in, rows, cols, integerSum[int32]), nil
	case kernels.I64:
		return reduceInts(op, in, rows, cols, longSum), nil
	case kernels.F32:
		return reduceFloats[float32](op, in, rows, cols), nil
	case kernels.F64:
		return reduceFloats[float64](op, in, rows, cols), nil
	}
	if in.Layout.IsContiguous() {
		switch in.DType {
		case kernels.F16:
			return reduceSmall[backend.Float16](op, in, rows, cols), nil
		case kernels.BF16:
			return reduceSmall[backend.BFloat16](op, in, rows, cols), nil
		}
	}
	return b.viaF32(in.DType, op.Arg, []backend.Operand{in},
		func(w []backend.Operand) (backend.Storage, error) { return b.Reduce(op, w[0], rows, cols) })
}

// reduceSmall widens dense rows one by one.
func reduceSmall[H small](op *kernels.ReduceOp, in backend.Operand, rows, cols int) backend.Storage {
	if f := argRow[float32](op); f != nil {
		return foldRows(in, rows, cols, smallFold[H](f))
	}
	if sum := smallSum[H](); sum != nil && (op.Name == "sum" || op.Name == "mean") && cols <= sumLeaf &&
		cols%simd.Whole == 0 {
		count := 1.0
		if op.Name == "mean" {
			count = float64(cols)
		}
		return foldRows(in, rows, cols, func(row []H) H { return narrowed[H](float32(sum(words(row)) / count)) })
	}
	fold := foldRow[float32](op)
	return foldRows(in, rows, cols, smallFold[H](func(row []float32) H { return narrowed[H](fold(row)) }))
}

func reduceInts[T element](
	op *kernels.ReduceOp, in backend.Operand, rows, cols int, sum func(row []T) int64,
) backend.Storage {
	switch op.Name {
	case "sum":
		return foldRows(in, rows, cols, sum)
	case "max":
		return foldRows(in, rows, cols, maximumOf[T]())
	case "min":
		return foldRows(in, rows, cols, minimumOf[T]())
	case "argmax":
		return foldRows(in, rows, cols, argMax[T])
	case "argmin":
		return foldRows(in, rows, cols, argMin[T])
	case "prod":
		return foldRows(in, rows, cols, product[T, T])
	}
	return foldRows(in, rows, cols, func(row []T) T {
		wide := make([]int64, len(row))
		for i, x := range row {
			wide[i] = int64(x)
		}
		return T(op.IntRef(integerType[T]())(wide))
	})
}

func reduceFloats[T float32 | float64](op *kernels.ReduceOp, in backend.Operand, rows, cols int) backend.Storage {
	if h := sumColumns[T](op, in, rows, cols); h != nil {
		return h
	}
	if h := spacedSums(op, in, rows, cols); h != nil {
		return h
	}
	if f := argRow[T](op); f != nil {
		return foldRows(in, rows, cols, f)
	}
	return foldAll(in, rows, cols, foldRow[T](op), sumEach[T](op, cols))
}

// argRow returns the function that finds a position in a row, nil for ops that return elements.
func argRow[T float32 | float64](op *kernels.ReduceOp) func(row []T) uint32 {
	extreme, plain := simd.Fast.Max, argMax[T]
	switch op.Name {
	case "argmin":
		extreme, plain = simd.Fast.Min, argMin[T]
	case "argmax":
	default:
		return nil
	}
	if f, ok := any(vectorPosition(extreme)).(func([]T) uint32); ok && f != nil {
		return f
	}
	return plain
}

// foldRow returns the function that reduces a row to one element.
func foldRow[T float32 | float64](op *kernels.ReduceOp) func(row []T) T {
	sum := rowSum[T]()
	switch op.Name {
	case "sum":
		return func(row []T) T { return T(sum(row)) }
	case "mean":
		return func(row []T) T { return T(sum(row) / float64(len(row))) }
	case "prod":
		return product[T, float64]
	case "max":
		return extremeOf(maximum[T], func(x, y T) T { return max(x, y) }, simd.Fast.Max, simd.Fast.Doubles.Max)
	case "min":
		return extremeOf(minimum[T], func(x, y T) T { return min(x, y) }, simd.Fast.Min, simd.Fast.Doubles.Min)
	}
	return func(row []T) T {
		wide := make([]float64, len(row))
		for i, x := range row {
			wide[i] = float64(x)
		}
		return T(op.Ref(wide))
	}
}

// foldRows calls fold for every row of in: rows of cols elements, in flat order.
func foldRows[T, R any](in backend.Operand, rows, cols int, fold func([]T) R) backend.Storage {
	return foldAll(in, rows, cols, fold, nil)
}

// foldAll is foldRows with an optional function for many rows at once: as many as out has elements, one after another
// in x.
func foldAll[T, R any](
	in backend.Operand, rows, cols int, fold func([]T) R, many func(out []R, x []T, cols int),
) backend.Storage {
	h, out := uninitElems[R](rows, sizeOf[R]())
	src := elems[T](in)
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides)
	last := len(m.Dims) - 1
	inRow := m.Strides[0][last] == 1 && m.Dims[last]%cols == 0
	Parallel(rows, cols, func(lo, hi int) {
		if inRow || cols == 1 {
			m.EachRun(lo*cols, hi*cols, func(r backend.Run) {
				if many != nil && cols > 1 {
					many(out[r.Index/cols:(r.Index+r.Len)/cols], src[r.Offsets[0]:][:r.Len], cols)
					return
				}
				step := 1
				if cols == 1 {
					step = m.Strides[0][last]
				}
				for i := 0; i < r.Len; i += cols {
					at := r.Offsets[0] + i*step
					out[(r.Index+i)/cols] = fold(src[at : at+cols])
				}
			})
			return
		}
		gatherRows(src, m, lo, hi, cols, func(row int, x []T) { out[row] = fold(x) })
	})
	return h
}

// gatherRows copies strided rows to dense ones, a few at a time, so that neighbouring rows share cache lines.
func gatherRows[T any](src []T, m backend.Coalesced, lo, hi, cols int, f func(row int, x []T)) {
	const block = 16
	buffer := make([]T, min(block, hi-lo)*cols)
	last := len(m.Dims) - 1
	// Columns of a matrix, as for a sum over dim 0: row r begins at element r, with one stride for all.
	columns := last == 1 && m.Dims[1] == cols && m.Strides[0][0] == 1
	for r := lo; r < hi; r += block {
		n := min(block, hi-r)
		if columns {
			for c := range cols {
				line := src[r+c*m.Strides[0][1]:]
				for i := range n {
					buffer[i*cols+c] = line[i]
				}
			}
		} else {
			step := m.Strides[0][last]
			Parallel(n*cols, 1, func(first, end int) { // a long row is the work of several cores
				m.EachRun(r*cols+first, r*cols+end, func(p backend.Run) {
					to, from := buffer[p.Index-r*cols:][:p.Len], src[p.Offsets[0]:]
					for i := range to {
						to[i] = from[i*step]
					}
				})
			})
		}
		for i := range n {
			f(r+i, buffer[i*cols:(i+1)*cols])
		}
	}
}

// Sums of float32 are made in float64 along a tree that depends on the sizes only, so that they do not depend on the
// number of cores.

const (
	sumLeaf  = 4096    // elements that are added in lanes, as package simd does
	sumBlock = 1 << 14 // elements whose sum is one unit of work
)

// rowSum returns the function that adds a row.
func rowSum[T float32 | float64]() func(row []T) float64 {
	if f, ok := any(twofoldSum).(func([]T) float64); ok {
		return f
	}
	leaf := laneSum[T]
	if f, ok := any(simd.Fast.Sum).(func([]T) float64); ok && f != nil {
		leaf = f
	}
	return func(row []T) float64 {
		if len(row) <= sumLeaf {
			return leaf(row)
		}
		return pairwise(row, leaf)
	}
}

// sumEach returns the function that adds several short rows in one call, nil for other ops and where there is none.
func sumEach[T float32 | float64](op *kernels.ReduceOp, cols int) func(out []T, x []T, cols int) {
	if op.Name == "sum" || op.Name == "mean" {
		count := 1.0
		if op.Name == "mean" {
			count = float64(cols)
		}
		twofold := func(out, x []float64, cols int) { twofoldEach(out, x, cols, count) }
		if f, ok := any(twofold).(func(out, x []T, cols int)); ok && cols <= shortRow {
			return f
		}
	}
	f, ok := any(simd.Fast.SumEach).(func([]float64, []T, int))
	if !ok || f == nil || cols > sumLeaf || op.Name != "sum" && op.Name != "mean" {
		return nil
	}
	return func(out, x []T, cols int) {
		var sums [64]float64
		for i := range out {
			if i%len(sums) == 0 {
				f(sums[:min(len(sums), len(out)-i)], x[i*cols:], cols)
			}
			s := sums[i%len(sums)]
			if op.Name == "mean" {
				s /= float64(cols)
			}
			out[i] = T(s)
		}
	}
}

// pairwise adds a row along a tree. leaf adds its leaves.
func pairwise[T float32 | float64](x []T, leaf func([]T) float64) float64 {
	n := (len(x) + sumBlock - 1) / sumBlock
	if n <= 1 {
		return sumTree(x, leaf)
	}
	sums := make([]float64, n)
	Parallel(n, sumBlock, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			sums[i] = sumTree(x[i*sumBlock:min((i+1)*sumBlock, len(x))], leaf)
		}
	})
	return sumTree(sums, laneSum[float64])
}

func sumTree[T float32 | float64](x []T, leaf func([]T) float64) float64 {
	n := len(x)
	if n <= sumLeaf {
		return leaf(x)
	}
	half := max((n/2)&^(sumLeaf-1), sumLeaf)
	return sumTree(x[:half], leaf) + sumTree(x[half:], leaf)
}

// laneSum adds a row in lanes.
func laneSum[T float32 | float64](x []T) float64 {
	var sums [simd.SumLanes]float64
	for ; len(x) >= len(sums); x = x[len(sums):] {
		for i, v := range x[:len(sums)] {
			sums[i] += float64(v)
		}
	}
	for i, v := range x {
		sums[i] += float64(v)
	}
	return foldLanes(&sums)
}

func foldLanes(sums *[simd.SumLanes]float64) float64 {
	for n := len(sums) / 2; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}

// sumColumns adds the columns of a matrix, as for a sum over dim 0, a few rows at a time: one column after another
// would use little of each cache line. It returns nil for other ops and other layouts.
func sumColumns[T float32 | float64](op *kernels.ReduceOp, in backend.Operand, rows, cols int) backend.Storage {
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides)
	if op.Name != "sum" && op.Name != "mean" || len(m.Dims) != 2 || m.Dims[1] != cols || m.Strides[0][0] != 1 {
		return nil
	}
	count := 1.0
	if op.Name == "mean" {
		count = float64(cols)
	}
	stride, src := m.Strides[0][1], elems[T](in)
	h, out := uninitElems[T](rows, sizeOf[T]())
	if x, ok := any(src).([]float64); ok {
		twofoldColumns(any(out[:rows]).([]float64), x, cols, stride, count)
		return h
	}
	const height = 512
	width, down := 512, (cols+height-1)/height
	for width > 256 && down*((rows+width-1)/width) < 4*runtime.GOMAXPROCS(0) {
		width /= 2 // so that cores that begin late have less to do; each column is added as before
	}
	addRows := addFourRows[T]
	if f, ok := any(simd.Fast.AddRows).(func([]float64, []T, int)); ok && f != nil {
		addRows = f
	}
	across := (rows + width - 1) / width
	sums := make([]float64, down*rows)
	Parallel(across*down, width*min(cols, height), func(lo, hi int) {
		for part := lo; part < hi; part++ {
			first, top := part%across*width, part/across*height
			out := sums[part/across*rows+first:][:min(width, rows-first)]
			c, bottom := top, min(top+height, cols)
			for ; c+4 <= bottom; c += 4 {
				addRows(out, src[first+c*stride:], stride)
			}
			for ; c < bottom; c++ {
				for i, v := range src[first+c*stride:][:len(out)] {
					out[i] += float64(v)
				}
			}
		}
	})
	all := sums[:rows]
	for d := 1; d < down; d++ {
		for r, v := range sums[d*rows:][:rows] {
			all[r] += v
		}
	}
	for r, v := range all {
		out[r] = T(v / count)
	}
	return h
}

func addFourRows[T float32 | float64](out []float64, src []T, stride int) {
	x, y, z, w := src[:len(out)], src[stride:][:len(out)], src[2*stride:][:len(out)], src[3*stride:][:len(out)]
	for i := range out {
		out[i] += (float64(x[i]) + float64(y[i])) + (float64(z[i]) + float64(w[i]))
	}
}

func (Backend) Softmax(in backend.Operand, dim int, log bool) (backend.Storage, error) {
	defer timed("softmax", in.DType, sizeFor(in, in.DType), in)()
	cols := in.Layout.Shape[dim]
	rows := in.Layout.ElemCount() / cols
	switch in.DType {
	case kernels.F32:
		return softmaxRows[float32](in, rows, cols, log), nil
	case kernels.F64:
		return softmaxRows[float64](in, rows, cols, log), nil
	}
	row := softmaxOf[float32]()
	wide := func(y, x []float32) { row(y, x, log) }
	switch in.DType {
	case kernels.F16:
		return eachRow(in, rows, cols, 8, smallRows[backend.Float16](wide)), nil
	case kernels.BF16:
		return eachRow(in, rows, cols, 8, smallRows[backend.BFloat16](wide)), nil
	}
	return eachRow(in, rows, cols, 8, smallRows[backend.Float8](wide)), nil
}

// eachRow sets the rows of a new storage to the results of row for those of a dense operand. work is per element, in
// the unit of Parallel.
func eachRow[T any](in backend.Operand, rows, cols, work int, row func(y, x []T)) backend.Storage {
	h, out := uninitElems[T](rows*cols, sizeOf[T]())
	src := elems[T](in)
	Parallel(rows, work*cols, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			row(out[r*cols:(r+1)*cols], src[r*cols:(r+1)*cols])
		}
	})
	return h
}

func softmaxRows[T float32 | float64](in backend.Operand, rows, cols int, log bool) backend.Storage {
	row := softmaxOf[T]()
	return eachRow(in, rows, cols, 8, func(y, x []T) { row(y, x, log) })
}

func softmaxOf[T float32 | float64]() func(y, x []T, log bool) {
	for _, fast := range [...]func() any{func() any { return vectorSoftmax() }, func() any { return doubleSoftmax() }} {
		if f, ok := fast().(func(y, x []T, log bool)); ok && f != nil {
			return f
		}
	}
	return softmaxRow[T]
}

func softmaxRow[T float32 | float64](y, x []T, log bool) {
	top := float64(maximum(x))
	powers := make([]float64, len(x))
	if sizeOf[T]() == 4 {
		expDistances(powers, x, top)
	} else {
		for i, v := range x {
			powers[i] = math.Exp(float64(v) - top)
		}
	}
	sum := twofoldSum(powers)
	if log {
		logDistances(y, x, top, math.Log(sum))
		return
	}
	for i, p := range powers {
		y[i] = T(p / sum)
	}
}

func logDistances[T float32 | float64](y, x []T, top, log float64) {
	for i, v := range x {
		y[i] = T(float64(v) - top - log)
	}
}

// expDistances sets out to exp(x - top), accurate enough for float32.
func expDistances[T float32 | float64](out []float64, x []T, top float64) {
	out = out[:len(x)]
	for i, v := range x {
		if d := float64(v) - top; d > -expLimit {
			out[i] = expCore(d)
		} else {
			out[i] = math.Exp(d)
		}
	}
}
