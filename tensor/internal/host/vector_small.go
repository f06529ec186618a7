package host

import (
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// F16, BF16 and F8E4M3 are computed in F32, a few elements at a time, so that these stay in the cache.

// small are the types that are stored, not computed with.
type small interface {
	backend.Float16 | backend.BFloat16 | backend.Float8
	Float32() float32
}

// words returns small floats of two bytes as integers.
func words[H small](x []H) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// widenRow converts x to float32.
func widenRow[H small](out []float32, x []H) { widenWith(&simd.Fast.Casts, out, x) }

// widenStream is widenRow with stores past the caches, where out is aligned for that.
func widenStream[H small](out []float32, x []H) {
	if aligned(out) {
		widenWith(&simd.Stream.Casts, out, x)
	} else {
		widenRow(out, x)
	}
}

func widenWith[H small](casts *simd.Casts, out []float32, x []H) {
	var f func(out []float32, x []uint16)
	switch any(x).(type) {
	case []backend.Float16:
		f = casts.HalfToFloat
	case []backend.BFloat16:
		f = casts.BfloatToFloat
	}
	n := 0
	if f != nil {
		n = len(out) &^ (simd.Whole - 1)
		f(out[:n], words(x[:n]))
	}
	for i, v := range x[n:len(out)] {
		out[n+i] = v.Float32()
	}
}

// narrowRow rounds x to small floats.
func narrowRow[H small](out []H, x []float32) {
	n := len(out) &^ (simd.Whole - 1)
	switch out := any(out).(type) {
	case []backend.Float16:
		n = narrowWords(simd.Fast.Casts.FloatToHalf, words(out[:n]), x)
		for i, v := range x[n:len(out)] {
			out[n+i] = backend.Float16Of(v)
		}
	case []backend.BFloat16:
		n = narrowWords(simd.Fast.Casts.FloatToBfloat, words(out[:n]), x)
		for i, v := range x[n:len(out)] {
			out[n+i] = backend.BFloat16Of(v)
		}
	case []backend.Float8:
		for i, v := range x[:len(out)] {
			out[i] = backend.Float8Of(v)
		}
	}
}

// narrowed rounds one element.
func narrowed[H small](x float32) H {
	var h H
	switch any(h).(type) {
	case backend.Float16:
		return H(backend.Float16Of(x))
	case backend.BFloat16:
		return H(backend.BFloat16Of(x))
	}
	return H(backend.Float8Of(x))
}

// narrowWords runs f, if there is one, and returns how many elements it has converted.
func narrowWords(f func(out []uint16, x []float32), out []uint16, x []float32) int {
	if f == nil {
		return 0
	}
	f(out, x)
	return len(out)
}

// smallRow turns a loop over float32 into one over small floats.
func smallRow[H small](row func(out, x []float32)) func(out, x []H) {
	return func(out, x []H) {
		b, s := scratchFloats(2 * chunk)
		for at := 0; at < len(out); at += chunk {
			n := min(chunk, len(out)-at)
			widenRow(b[:n], x[at:])
			row(b[chunk:][:n], b[:n])
			narrowRow(out[at:at+n], b[chunk:])
		}
		scratch.Put(s)
	}
}

// smallRow2 is smallRow for two operands.
func smallRow2[H small](row func(out, x, y []float32)) func(out, x, y []H) {
	return func(out, x, y []H) {
		b, s := scratchFloats(3 * chunk)
		for at := 0; at < len(out); at += chunk {
			n := min(chunk, len(out)-at)
			widenRow(b[:n], x[at:])
			widenRow(b[chunk:][:n], y[at:])
			row(b[2*chunk:][:n], b[:n], b[chunk:][:n])
			narrowRow(out[at:at+n], b[2*chunk:])
		}
		scratch.Put(s)
	}
}

// binarySmall is smallRow2 for an operation of the op table, with its own loop where there is one.
func binarySmall[H small](op *kernels.BinaryOp) func(out, x, y []H) {
	plain := smallRow2[H](binaryRow[float32](op, 0))
	fast := halvesOf[H](op.Name)
	if fast == nil {
		return plain
	}
	return func(out, x, y []H) {
		n := len(out) &^ (simd.Whole - 1)
		fast(words(out[:n]), words(x[:n]), words(y[:n]))
		if n < len(out) {
			plain(out[n:], x[n:], y[n:])
		}
	}
}

// halvesOf returns the loop for halves of an operation, or nil.
func halvesOf[H small](op string) func(out, x, y []uint16) {
	var h []H
	if _, ok := any(h).([]backend.Float16); !ok {
		return nil
	}
	switch casts := &simd.Fast.Casts; op {
	case "add":
		return casts.AddHalves
	case "sub":
		return casts.SubHalves
	case "mul":
		return casts.MulHalves
	case "div":
		return casts.DivHalves
	}
	return nil
}

// smallTest is smallRow2 for comparisons.
func smallTest[H small](row func(out []uint8, x, y []float32)) func(out []uint8, x, y []H) {
	return func(out []uint8, x, y []H) {
		b, s := scratchFloats(2 * chunk)
		for at := 0; at < len(out); at += chunk {
			n := min(chunk, len(out)-at)
			widenRow(b[:n], x[at:])
			widenRow(b[chunk:][:n], y[at:])
			row(out[at:at+n], b[:n], b[chunk:][:n])
		}
		scratch.Put(s)
	}
}

// smallFold turns a function of a row of float32 into one of a row of small floats.
func smallFold[H small, R any](fold func(row []float32) R) func(row []H) R {
	return func(row []H) R {
		wide, s := scratchFloats(len(row))
		if len(row) < 2*grain {
			widenRow(wide, row)
		} else {
			Parallel(len(row), 1, func(lo, hi int) { widenRow(wide[lo:hi], row[lo:hi]) })
		}
		r := fold(wide)
		scratch.Put(s)
		return r
	}
}

// smallSum returns a sum of rows whose lengths are multiples of simd.Whole, as Sum of package simd, or nil.
func smallSum[H small]() func(x []uint16) float64 {
	var h H
	switch any(h).(type) {
	case backend.Float16:
		return simd.Fast.Casts.SumHalf
	case backend.BFloat16:
		return simd.Fast.Casts.SumBfloat
	}
	return nil
}

// smallRows turns a function of whole rows of float32 into one of rows of small floats.
func smallRows[H small](row func(out, x []float32)) func(out, x []H) {
	return func(out, x []H) {
		n := len(out)
		b, s := scratchFloats(2 * n)
		widenRow(b[:n], x)
		row(b[n:], b[:n])
		narrowRow(out, b[n:])
		scratch.Put(s)
	}
}

// mapSmall runs a loop over float32 on an operand of small floats.
func mapSmall(in backend.Operand, row func(out, x []float32)) backend.Storage {
	switch in.DType {
	case kernels.F16:
		return mapElems(in, smallRow[backend.Float16](row))
	case kernels.BF16:
		return mapElems(in, smallRow[backend.BFloat16](row))
	}
	return mapElems(in, smallRow[backend.Float8](row))
}

// zipSmall is mapSmall for an operation of two operands.
func zipSmall(op *kernels.BinaryOp, a, b backend.Operand) backend.Storage {
	switch a.DType {
	case kernels.F16:
		return zipElems(a, b, binarySmall[backend.Float16](op))
	case kernels.BF16:
		return zipElems(a, b, binarySmall[backend.BFloat16](op))
	}
	return zipElems(a, b, binarySmall[backend.Float8](op))
}

// compareSmall is zipSmall for comparisons.
func compareSmall(a, b backend.Operand, row func(out []uint8, x, y []float32)) backend.Storage {
	switch a.DType {
	case kernels.F16:
		return zipElems(a, b, smallTest[backend.Float16](row))
	case kernels.BF16:
		return zipElems(a, b, smallTest[backend.BFloat16](row))
	}
	return zipElems(a, b, smallTest[backend.Float8](row))
}
