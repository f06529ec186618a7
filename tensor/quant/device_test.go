package quant_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// eachGPU runs a test on the devices beside the host.
func eachGPU(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	for _, name := range []string{"rocm", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev, err := tensor.NewDevice(name)
			if err != nil {
				t.Skip(err)
			}
			f(t, dev)
		})
	}
}

// noise is blocks of any bytes, but for scales, which are small numbers: every code and every scale of a format comes
// up.
func noise(t quant.Type, rows, cols int, seed uint64) *quant.QTensor {
	r := rand.New(rand.NewPCG(seed, uint64(t)))
	return filled(t, rows, cols, r, func() byte { return byte(r.Uint32()) })
}

// filled returns blocks of some bytes, of which only the scales are random.
func filled(t quant.Type, rows, cols int, r *rand.Rand, next func() byte) *quant.QTensor {
	data := make([]byte, rows*cols/t.BlockSize()*t.BlockBytes())
	for i := range data {
		data[i] = next()
	}
	half := func(b []byte) { b[0], b[1] = byte(r.Uint32()), 0x20|byte(r.Uint32()&0x8c) } // ±2^-7 to 2^-5 or so
	scales := map[quant.Type][]int{
		quant.Q4_0: {0}, quant.Q4_1: {0, 2}, quant.Q5_0: {0}, quant.Q5_1: {0, 2}, quant.Q8_0: {0}, quant.Q8_1: {0, 2},
		quant.Q2K: {80, 82}, quant.Q3K: {108},
		quant.Q4K: {0, 2}, quant.Q5K: {0, 2}, quant.Q6K: {208}, quant.IQ4_NL: {0}, quant.IQ4_XS: {0},
		quant.IQ2_XXS: {0}, quant.IQ2_XS: {0}, quant.IQ2_S: {0}, quant.IQ3_XXS: {0}, quant.IQ3_S: {0}, quant.IQ1_S: {0},
		quant.TQ1_0: {52}, quant.TQ2_0: {64},
	}
	for b := 0; b < len(data); b += t.BlockBytes() {
		for _, at := range scales[t] {
			half(data[b+at:])
		}
		switch t {
		case quant.Q8K:
			data[b+2], data[b+3] = 0x80, 0x3c
		case quant.IQ1_M: // four bits of the scale in each of four words
			data[b+55] = 0x20 | data[b+55]&15
		case quant.MXFP4:
			data[b] = 120 + byte(r.Uint32()%8)
		}
	}
	q, err := quant.New(t, []int{rows, cols}, data)
	if err != nil {
		panic(err)
	}
	return q
}

func blocks() (list []quant.Type) {
	for _, t := range quant.Types() {
		if t.BlockSize() > 1 {
			list = append(list, t)
		}
	}
	return list
}

func TestDequantizeIsTheSameOnEveryDevice(t *testing.T) {
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for _, format := range quant.Types() {
			if !format.OnGPU() {
				continue
			}
			q := noise(format, 3, 512, 1)
			if format.BlockSize() == 1 {
				q = quant.Quantize(tensor.Randn(3, 512), format)
			}
			there := q.To(dev)
			for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64} {
				want, got := q.DequantizeAs(dt, tensor.CPU()).Float64s(), there.DequantizeAs(dt, dev).Float64s()
				for i := range want {
					if got[i] != want[i] { // but for the sign of zeros, which a fused product and conversion loses
						t.Errorf("%v as %v: element %d is %v, want %v", format, dt, i, got[i], want[i])
						break
					}
				}
			}
			if back := there.To("cpu").Data(); string(back) != string(q.Data()) {
				t.Errorf("%v: there and back, the blocks are others", format)
			}
		}
	})
}

// exact is x·wᵀ in float64, of the elements that w's blocks stand for and x as products round it.
func exact(q *quant.QTensor, x *tensor.Tensor, with quant.Type) *tensor.Tensor {
	rounded := quant.Quantize(x, with).DequantizeAs(tensor.F64, tensor.CPU())
	return rounded.MatMul(q.DequantizeAs(tensor.F64, tensor.CPU()).T())
}

// with is how ggml packs the other operand.
func with(t quant.Type) quant.Type {
	if t.BlockSize() == 256 {
		return quant.Q8K
	}
	return quant.Q8_0
}

// TestMatMulOfWholeNumbers compares products with those of the same numbers in float64: only the sums in single
// precision may differ.
func TestMatMulOfWholeNumbers(t *testing.T) {
	thorough.Slow(t)
	quant.ProductsAsFloats(t, true) // concerns halves only
	t.Run("cpu", func(t *testing.T) { checkProducts(t, tensor.CPU()) })
	eachGPU(t, checkProducts)
	t.Run("unpacked", func(t *testing.T) { // by kernels/codes.hip, whatever the sizes and the GPU are
		quant.UnpackProducts(t, true)
		eachGPU(t, checkProducts)
	})
}

func checkProducts(t *testing.T, dev *tensor.Device) {
	for n, format := range blocks() {
		if !dev.IsCPU() && !format.OnGPU() {
			continue
		}
		cases := []struct{ rows, cols, columns int }{{1, 256, 1}, {70, 512, 1}, {9, 1280, 3}, {33, 512, 4},
			{67, 256, 9}, {67, 2304, 35}, {130, 768, 65}, {260, 256, 150}}
		if dev.Emulated() { // other formats have other sizes
			cases = slices.Concat(thorough.Sample(cases[:5], 2, n), thorough.Sample(cases[5:], 2, n))
		}
		for _, c := range cases {
			if c.columns > 35 && format != quant.Q4_0 && format != quant.Q6K && format != quant.Q4K {
				continue
			}
			q := noise(format, c.rows, c.cols, 2)
			host := tensor.Randn(c.columns, c.cols)
			want := exact(q, host, with(format))
			got := q.To(dev).MatMul(host.To(dev)).To("cpu").ToDType(tensor.F64)
			// What results are like: one alone may be near 0 by chance.
			typical := host.Norm().ToScalar() * q.Dequantize(tensor.CPU()).Norm().ToScalar() /
				math.Sqrt(float64(c.rows*c.cols*c.columns))
			size := max(want.Abs().Max().ToScalar(), typical) + 1e-30
			if off := got.Sub(want).Abs().Max().ToScalar() / size; !(off < 2e-6*math.Sqrt(float64(c.cols))) {
				t.Errorf("%v, %v: off by %.3g of the greatest", format, c, off)
			}
		}
	}
}

// TestMatMulOfViews: narrow rows, views, other types of x, and results without elements.
func TestMatMulOfViews(t *testing.T) {
	check := func(t *testing.T, dev *tensor.Device) {
		w := quant.Quantize(dev.Randn(tensor.F32, 12, 64), quant.Q8_0)
		x := dev.Randn(tensor.F32, 64, 5, 2).Permute(2, 1, 0)
		want := x.MatMul(w.Dequantize(dev).T())
		for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64} {
			got := w.MatMul(x.ToDType(dt))
			if off := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(off < 0.02) ||
				got.DType() != tensor.F32 || got.Dim(0) != 2 || got.Dim(2) != 12 {
				t.Errorf("%v: off by %g, shape %v, type %v", dt, off, got.Dims(), got.DType())
			}
		}
		none := w.MatMul(dev.Zeros(tensor.F32, 0, 64))
		if none.Dim(0) != 0 || none.Dim(1) != 12 {
			t.Errorf("the product with nothing has shape %v", none.Dims())
		}
		one := w.MatMul(dev.Ones(tensor.F32, 64))
		if one.Rank() != 1 || one.Dim(0) != 12 {
			t.Errorf("the product with a vector has shape %v", one.Dims())
		}
	}
	t.Run("cpu", func(t *testing.T) { check(t, tensor.CPU()) })
	eachGPU(t, check)
}

// TestMatMulAsFloats: products of many rows as floats are those in float64 of x and of w rounded to the type.
func TestMatMulAsFloats(t *testing.T) {
	thorough.Slow(t)
	quant.ProductsAsFloats(t, true)
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for _, format := range []quant.Type{quant.Q4K, quant.Q8_0} {
			for _, dt := range []tensor.DType{tensor.F16, tensor.BF16} {
				q, x := noise(format, 70, 512, 6), tensor.Randn(2, 33, 512).ToDType(dt)
				want := x.ToDType(tensor.F64).MatMul(q.DequantizeAs(dt, tensor.CPU()).ToDType(tensor.F64).T())
				got := q.To(dev).MatMulAs(x.To(dev), dt)
				step := map[tensor.DType]float64{tensor.F16: 1.0 / 1024, tensor.BF16: 1.0 / 128}[dt]
				if off := got.To("cpu").ToDType(tensor.F64).Sub(want).Abs().Max().ToScalar() /
					want.Abs().Max().ToScalar(); !(off <= step) || got.DType() != dt {
					t.Errorf("%v, %v: off by %.3g of the greatest, of type %v", format, dt, off, got.DType())
				}
				v := tensor.NewVar(x.To(dev))
				grads := q.To(dev).MatMulAs(v, dt).Sum().Backward()
				ones := tensor.CPU().Ones(tensor.F64, 2, 33, 70)
				slope := ones.MatMul(q.DequantizeAs(dt, tensor.CPU()).ToDType(tensor.F64))
				if off := grads.Get(v).To("cpu").ToDType(tensor.F64).Sub(slope).Abs().Max().ToScalar() /
					slope.Abs().Max().ToScalar(); !(off <= step) {
					t.Errorf("%v, %v: the gradient is off by %.3g of the greatest", format, dt, off)
				}
			}
		}
	})
}

// TestMatMulOfFloats: formats without blocks, with whole eights in a row and without.
func TestMatMulOfFloats(t *testing.T) {
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for _, format := range []quant.Type{quant.F32, quant.F16, quant.BF16} {
			for _, c := range []struct{ rows, cols, columns int }{{5, 8, 1}, {70, 264, 1}, {9, 40, 3}, {33, 24, 7},
				{6, 13, 2}, {6, 16, 9}} {
				q := quant.Quantize(tensor.Randn(c.rows, c.cols), format)
				x := tensor.Randn(c.columns, c.cols)
				want := exact(q, x, format)
				shifted := tensor.Cat([]*tensor.Tensor{dev.Ones(tensor.F32, 1, c.cols).Mul(7),
					x.To(dev)}, 0).FlattenAll()
				x = shifted.Narrow(0, c.cols, c.columns*c.cols).Reshape(c.columns, c.cols)
				got := q.To(dev).MatMul(x).To("cpu").ToDType(tensor.F64)
				if off := got.Sub(want).Abs().Max().ToScalar(); !(off < 2e-6*math.Sqrt(float64(c.cols))*8) {
					t.Errorf("%v, %v: off by %g", format, c, off)
				}
			}
		}
	})
}

func TestEmbedding(t *testing.T) {
	check := func(t *testing.T, dev *tensor.Device) {
		for _, format := range quant.Types() {
			if !format.CanEncode() {
				continue
			}
			w := quant.Quantize(dev.Randn(tensor.F32, 5, 256), format)
			ids := dev.FromSlice([]uint32{4, 0, 4, 2}, 2, 2)
			got, want := w.Embedding(ids), w.Dequantize(dev).Embedding(ids)
			if off := got.Sub(want).Abs().Max().ToScalar(); off != 0 || got.Rank() != 3 {
				t.Errorf("%v: off by %g, shape %v", format, off, got.Dims())
			}
		}
		w := quant.Quantize(dev.Ones(tensor.F32, 5, 32), quant.Q4_0)
		_, err := tensor.Try(func() *tensor.Tensor {
			x := w.Embedding(dev.FromSlice([]uint32{1, 5}, 2))
			dev.Synchronize()
			return x
		})
		if err == nil {
			t.Error("an id out of range was looked up")
		}
	}
	t.Run("cpu", func(t *testing.T) { check(t, tensor.CPU()) })
	eachGPU(t, check)
}

// TestMatMulAs: a product of another type is that of F32, rounded once.
func TestMatMulAs(t *testing.T) {
	thorough.Slow(t)
	check := func(t *testing.T, dev *tensor.Device) {
		for _, format := range []quant.Type{quant.Q4_0, quant.Q4K, quant.F16, quant.F32} {
			w := quant.Quantize(tensor.Randn(70, 512), format).To(dev)
			for _, columns := range []int{0, 1, 3, 66} { // each has a kernel of its own
				x := tensor.Randn(columns, 512).ToDevice(dev)
				sums := w.MatMul(x)
				for _, dt := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F32, tensor.F64} {
					got, want := w.MatMulAs(x, dt), sums.ToDType(dt)
					if got.DType() != dt || !slices.Equal(got.Dims(), want.Dims()) ||
						!slices.Equal(got.Float64s(), want.Float64s()) {
						t.Errorf("%v × %d columns as %v: got %v, want %v", format, columns, dt, got, want)
					}
				}
			}
		}
	}
	t.Run("cpu", func(t *testing.T) { check(t, tensor.CPU()) })
	eachGPU(t, check)
}
