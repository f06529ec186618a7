package quant

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

//go:generate go run -C ../../internal/gen/simd ./blocks -out ../../../tensor/quant/gen_dot_amd64.s -stubs ../../../tensor/quant/gen_dot_amd64.go -pkg quant

const (
	// manyColumns is the number of columns from which a matrix is unpacked, some rows at a time, and multiplied as
	// floats.
	manyColumns = 32
	// tiledColumns is the number of columns from which products are made in tiles, where there are some.
	tiledColumns = 8
	// unpacked is how many elements are unpacked at a time, so that they stay in the caches.
	unpacked = 1 << 20
	// floatSteps divides the lengths that vectors multiply of rows of 16-bit floats.
	floatSteps = 64
)

// wholeProduct sets out to the products of rows of blocks, one after another, and codes q with a scale d for each block
// and, for some formats, sums of sixteen.
type wholeProduct func(out *float32, w *byte, q *int8, d *float32, sums *int16, blocks, rows int)

// floatProducts sets out to the products of rows of n elements of 16 bits and n floats; floatSteps divides n.
type floatProducts func(out *float32, w *byte, x *float32, n, rows int)

// hostProducts is x·wᵀ on the host for matrices with the same number of columns, one beside the other. Few rows of x
// are multiplied with all of them in one region of the team.
func hostProducts(ws []*QTensor, x *tensor.Tensor) *tensor.Tensor {
	const op = "quantized matmul"
	rows, cols := 0, ws[0].shape[1]
	for _, w := range ws {
		defer runtime.KeepAlive(w.owner)
		rows += w.shape[0]
	}
	shape := x.Dims()
	shape[len(shape)-1] = rows
	if x.ElemCount() == 0 || rows == 0 {
		return tensor.CPU().Zeros(tensor.F32, shape...)
	}
	x = x.ToDType(tensor.F32).Contiguous()
	defer runtime.KeepAlive(x)
	xs := extend.Floats(op, x)
	columns := len(xs) / cols
	out := tensor.CPU().Empty(tensor.F32, shape...)
	to := extend.Floats(op, out)
	if columns >= manyColumns || columns >= tiledColumns && slices.ContainsFunc(ws, (*QTensor).tiled) {
		productsOfMany(ws, xs, columns, to)
		return out
	}
	fewProducts(ws, xs, to)
	return out
}

// productsOfMany is hostProducts for many rows of x: each matrix in tiles where there are some, unpacked, or, for not
// so many rows, by rows.
func productsOfMany(ws []*QTensor, xs []float32, columns int, to []float32) {
	rows, cols, first := len(to)/columns, ws[0].shape[1], 0
	var x *columnPanels
	defer func() { x.free() }()
	for _, w := range ws {
		switch {
		case w.tiled():
			if !x.serves(w.format) {
				x.free()
				x = columnsFor(xs, cols, w.format)
			}
			byPanels(w, x, to[first:], rows)
		case columns >= manyColumns:
			byUnpackedRows(w, xs, columns, to[first:], rows)
		default:
			a := round(xs, cols, w.format)
			parallel(w.shape[0], cols*columns/8, func(lo, hi int) { w.multiply(lo, hi, a, to[first:], rows) })
		}
		first += w.shape[0]
	}
}

// tiled reports whether products with q can be made in tiles.
func (q *QTensor) tiled() bool { return tileOf(q.format) != nil }

// fewProducts is hostProducts for few rows of x, in one region of the team.
func fewProducts(ws []*QTensor, xs, to []float32) {
	cols := ws[0].shape[1]
	columns := len(xs) / cols
	rows := len(to) / columns
	operands := make([]*rounded, len(ws))
	for i, w := range ws {
		if k := slices.IndexFunc(ws[:i], func(v *QTensor) bool { return alike(v.format, w.format) }); k >= 0 {
			operands[i] = operands[k]
		} else {
			operands[i] = round(xs, cols, w.format)
			defer operands[i].free()
		}
	}
	parallel(rows, cols*columns/8, func(lo, hi int) {
		first := 0
		for i, w := range ws {
			n := w.shape[0]
			w.multiply(max(lo-first, 0), min(hi-first, n), operands[i], to[first:], rows)
			first += n
		}
	})
}

// alike reports whether products with two formats take the other operand in the same form.
func alike(a, b Type) bool {
	return formats[a].with == formats[b].with && (wholeDot(a) == nil) == (wholeDot(b) == nil)
}

// multiply sets the results of rows lo to hi, which are stride apart from one row of the other operand to the next.
func (q *QTensor) multiply(lo, hi int, a *rounded, to []float32, stride int) {
	if lo >= hi {
		return
	}
	cols := q.shape[1]
	rowBytes := cols / q.format.BlockSize() * q.format.BlockBytes()
	if dot := wholeDot(q.format); dot != nil && a.count() == 1 {
		dot(&to[lo], &q.data[lo*rowBytes], &a.codes[0], &a.scales[0], a.sumsOf(0), cols/a.block, hi-lo)
		return
	}
	if dot := floatDot(q.format); dot != nil && a.count() == 1 && cols%floatSteps == 0 && cols > 0 {
		dot(&to[lo], &q.data[lo*rowBytes], &a.floats[0], cols, hi-lo)
		return
	}
	dot := dotOf(q.format, cols)
	for r := lo; r < hi; r++ {
		row := q.data[r*rowBytes : (r+1)*rowBytes]
		for c := range a.count() {
			to[c*stride+r] = dot(row, a, c)
		}
	}
}

// byUnpackedRows is x·wᵀ with rows of w unpacked, some at a time. Results of the rows of x are stride floats apart.
func byUnpackedRows(q *QTensor, xs []float32, columns int, to []float32, stride int) {
	const op = "quantized matmul"
	rows, cols := q.shape[0], q.shape[1]
	f := formats[q.format]
	if q.format.isBlocks() {
		xs = roundedFloats(xs, f.with)
	}
	x := q.dev.FromSlice(xs, columns, cols)
	for lo, step := 0, max(1, unpacked/cols); lo < rows; lo += step {
		n := min(step, rows-lo)
		w := q.dev.Empty(tensor.F32, n, cols)
		wide, from := extend.Floats(op, w), q.data[lo*cols/f.block*f.bytes:]
		parallel(n*cols/f.block, f.block, func(lo, hi int) { f.unpack(wide[lo*f.block:hi*f.block], from[lo*f.bytes:]) })
		y := x.MatMul(w.T())
		part := extend.Floats(op, y)
		parallel(columns, n, func(first, end int) {
			for c := first; c < end; c++ {
				copy(to[c*stride+lo:][:n], part[c*n:(c+1)*n])
			}
		})
		y.Free()
		w.Free()
	}
	x.Free()
}

// rounded are rows of the other operand of a product: whole numbers of eight bits that are to be multiplied by scales,
// one for each block, and their sums by 16 where blocks have 256; the floats that those stand for, for formats that are
// multiplied as floats.
type rounded struct {
	cols   int
	block  int
	codes  []int8
	scales []float32
	sums   []int16
	floats []float32

	spareSums []int16 // sums, or their memory
}

// sumsOf are the sums of a row, or nil.
func (a *rounded) sumsOf(c int) *int16 {
	if a.sums == nil {
		return nil
	}
	return &a.sums[c*a.cols/16]
}

// count is the number of rows.
func (a *rounded) count() int { return max(len(a.codes), len(a.floats)) / a.cols }

// round prepares the other operand of products with blocks of a format.
func round(xs []float32, cols int, t Type) *rounded {
	with := formats[t].with
	if !t.isBlocks() {
		return &rounded{cols: cols, floats: xs}
	}
	if wholeDot(t) == nil {
		return &rounded{cols: cols, floats: roundedFloats(xs, with)}
	}
	return roundedCodes(xs, cols, with)
}

// roundedCodes rounds rows to the codes of Q8K, Q8_0 or Q8_1, whose codes are those of Q8_0.
func roundedCodes(xs []float32, cols int, with Type) *rounded {
	f := formats[with]
	a, _ := spares.Get().(*rounded)
	if a == nil {
		a = new(rounded)
	}
	a.cols, a.block, a.codes, a.scales = cols, f.block, sized(a.codes, len(xs)), sized(a.scales, len(xs)/f.block)
	if a.sums = nil; with == Q8K {
		a.sums = sized(a.spareSums, len(xs)/16)
		a.spareSums = a.sums
	}
	parallel(len(a.scales), 4*f.block, func(lo, hi int) {
		v, _ := roundings.Get().(*rounding)
		if v == nil {
			v = new(rounding)
		}
		defer roundings.Put(v)
		for i := lo; i < hi; i++ {
			if x := xs[i*f.block : (i+1)*f.block]; !v.round(a, i, x) {
				packed := v.packed[:f.bytes]
				f.encode(packed, x)
				a.unpack(i, packed)
			}
		}
	})
	return a
}

// Memory that is in the caches already: that of a token would come from all over the heap.
var (
	spares    sync.Pool // of *rounded
	roundings sync.Pool // of *rounding
)

// free gives a back when its products are made.
func (a *rounded) free() {
	if a.floats == nil {
		spares.Put(a)
	}
}

// sized returns n elements, those of s where it has so many.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// unpack sets a block from one of Q8K, Q8_0 or Q8_1.
func (a *rounded) unpack(i int, packed []byte) {
	codes := packed[2:]
	if len(packed) != formats[Q8_0].bytes {
		codes = packed[4:]
	}
	if a.sums != nil {
		a.scales[i] = math.Float32frombits(le.Uint32(packed))
		for k := range 16 {
			a.sums[16*i+k] = int16(le.Uint16(packed[4+block+2*k:]))
		}
	} else {
		a.scales[i] = half(packed)
	}
	for k, c := range codes[:a.block] {
		a.codes[i*a.block+k] = int8(c)
	}
}

// roundedFloats returns elements after packing and unpacking.
func roundedFloats(xs []float32, with Type) []float32 {
	packed, err := with.Encode(xs)
	if err == nil {
		xs, err = with.Decode(packed)
	}
	if err != nil {
		panic(err) // rows of both operands are whole blocks
	}
	return xs
}

// dotOf returns the function that multiplies a row of packed blocks with row c of the other operand.
func dotOf(t Type, cols int) func(row []byte, a *rounded, c int) float32 {
	if dot := wholeDot(t); dot != nil {
		return func(row []byte, a *rounded, c int) float32 {
			var y float32
			dot(&y, &row[0], &a.codes[c*cols], &a.scales[c*cols/a.block], a.sumsOf(c), cols/a.block, 1)
			return y
		}
	}
	if dot := floatDot(t); dot != nil {
		whole := cols &^ (floatSteps - 1)
		return func(row []byte, a *rounded, c int) (sum float32) {
			x := a.floats[c*cols : (c+1)*cols]
			if whole > 0 {
				dot(&sum, &row[0], &x[0], whole, 1)
			}
			var w [1]float32
			for i := whole; i < cols; i++ {
				formats[t].decode(w[:], row[2*i:2*i+2])
				sum += w[0] * x[i]
			}
			return sum
		}
	}
	f, buffer, last := formats[t], make([]float32, cols), (*byte)(nil)
	return func(row []byte, a *rounded, c int) float32 {
		if last != &row[0] {
			f.unpack(buffer, row)
			last = &row[0]
		}
		x := a.floats[c*cols : (c+1)*cols]
		if simd.Fast.Dot != nil {
			return simd.Fast.Dot(x, buffer)
		}
		var sum float32
		for i, v := range x {
			sum += v * buffer[i]
		}
		return sum
	}
}
