package quant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestManyRows: products of many rows, in tiles where the processor has them, are those in float64, for every format,
// with rows and columns that do not fill tiles.
func TestManyRows(t *testing.T) {
	for _, format := range blocks() {
		for _, c := range []struct{ rows, cols, columns int }{{16, 256, 8}, {35, 768, 13}, {16, 512, 40}} {
			q, x := noise(format, c.rows, c.cols, 5), tensor.Randn(c.columns, c.cols)
			want := exact(q, x, with(format))
			size := want.Abs().Max().ToScalar()
			if off := q.MatMul(x).ToDType(tensor.F64).Sub(want).Abs().Max().ToScalar(); !(off < 1e-4*size) {
				t.Errorf("%v, %v: off by %g of %g", format, c, off, size)
			}
		}
	}
}

// TestExtremeCodes: tiles add products of the largest and the smallest codes exactly.
func TestExtremeCodes(t *testing.T) {
	const rows, cols, columns = 16, 512, 9
	r := rand.New(rand.NewPCG(1, 2))
	for _, format := range blocks() {
		for _, b := range []byte{0, 0x7f, 0x80, 0xff} {
			q := filled(format, rows, cols, r, func() byte { return b })
			for _, x := range []float32{1, -1, 0} { // 0 for both by turns
				xs := make([]float32, columns*cols)
				for i := range xs {
					if xs[i] = x; x == 0 {
						xs[i] = float32(1 - i/2%2*2)
					}
				}
				in := tensor.FromSlice(xs, columns, cols)
				want := exact(q, in, with(format))
				size := q.DequantizeAs(tensor.F64, tensor.CPU()).Abs().Sum(-1).Max().ToScalar()
				if off := q.MatMul(in).ToDType(tensor.F64).Sub(want).Abs().Max().ToScalar(); !(off <= 1e-5*size) {
					t.Errorf("%v of bytes %#x by %v: off by %g of %g", format, b, x, off, size)
				}
			}
		}
	}
}

// TestMatMulCat: the products of several matrices at once are those of each.
func TestMatMulCat(t *testing.T) {
	check := func(t *testing.T, dev *tensor.Device) {
		for _, list := range [][]quant.Type{{quant.Q4K, quant.Q4K, quant.Q6K}, {quant.Q8_0, quant.F16, quant.Q4_1},
			{quant.BF16}, {quant.F32, quant.Q4_0}} {
			for _, columns := range []int{1, 3, 9} {
				x := dev.Randn(tensor.F32, 2, columns, 256)
				var ws []*quant.QTensor
				var each []*tensor.Tensor
				for i, format := range list {
					w := quant.Quantize(tensor.Randn(5+i, 256), format).ToDevice(dev)
					ws, each = append(ws, w), append(each, w.MatMul(x))
				}
				got, want := quant.MatMulCat(x, ws...), tensor.Cat(each, -1)
				if off := got.Sub(want).Abs().Max().ToScalar(); off != 0 {
					t.Errorf("%v, %d columns: off by %g", list, columns, off)
				}
			}
		}
	}
	t.Run("cpu", func(t *testing.T) { check(t, tensor.CPU()) })
	eachGPU(t, check)
	if _, err := tensor.Try(func() *tensor.Tensor { return quant.MatMulCat(tensor.Randn(2, 32)) }); err == nil {
		t.Error("a product with no matrix")
	}
	v := tensor.NewVar(tensor.Randn(1, 32))
	w := quant.Quantize(tensor.Randn(4, 32), quant.Q8_0)
	grads := quant.MatMulCat(v, w, w).Sum(0, 1).Backward()
	want := w.Dequantize(tensor.CPU()).Sum(0).Mul(2)
	if off := grads.Get(v).Sub(want).Abs().Max().ToScalar(); !(off < 1e-5) {
		t.Errorf("the gradient is off by %g", off)
	}
}

// TestFloatsOnTheHost: x is not rounded for elements of 16 bits.
func TestFloatsOnTheHost(t *testing.T) {
	for _, format := range []quant.Type{quant.F16, quant.BF16} {
		for _, c := range []struct{ rows, cols, columns int }{{5, 64, 1}, {70, 264, 1}, {9, 40, 3}, {33, 1000, 40}} {
			q, x := quant.Quantize(tensor.Randn(c.rows, c.cols), format), tensor.Randn(c.columns, c.cols).Mul(1e5)
			want := exact(q, x, quant.F32)
			if off := q.MatMul(x).ToDType(tensor.F64).Sub(want).Abs().Max().ToScalar(); !(off < 1e5*1e-5*math.Sqrt(float64(c.cols))) {
				t.Errorf("%v, %v: off by %g", format, c, off)
			}
		}
	}
}
