package decode_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/decode"
	"github.com/gorocm/gorocm/tensor/quant"
)

func eachGPU(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	for _, name := range []string{"rocm", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev, err := tensor.NewDevice(name)
			if err != nil {
				t.Skip(err)
			}
			dev.SetSeed(5)
			f(t, dev)
		})
	}
}

// packed returns blocks of a format: of random elements, or, of a format that is only read, with random codes.
func packed(t *testing.T, f quant.Type, rows, cols int, dev *tensor.Device) *quant.QTensor {
	if f.CanEncode() {
		return quant.Quantize(dev.Randn(tensor.F32, rows, cols), f)
	}
	r := rand.New(rand.NewPCG(1, uint64(f)))
	data := make([]byte, rows*cols/f.BlockSize()*f.BlockBytes())
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for b := 0; b < len(data); b += f.BlockBytes() {
		if f == quant.MXFP4 {
			data[b] = 120 + byte(r.Uint32()%8)
		} else {
			data[b], data[b+1] = byte(r.Uint32()), 0x10
		}
	}
	q, err := quant.New(f, []int{rows, cols}, data)
	if err != nil {
		t.Fatal(err)
	}
	return q.ToDevice(dev)
}

// near compares a result with the expected one, within a part of its largest element.
func near(t *testing.T, got, want *tensor.Tensor, within float64) {
	t.Helper()
	g, w, most := got.Float64s(), want.Float64s(), 0.0
	for _, x := range w {
		most = max(most, math.Abs(x))
	}
	for i := range w {
		if !(math.Abs(g[i]-w[i]) <= within*most) {
			t.Fatalf("element %d of %d is %v, want %v", i, len(w), g[i], w[i])
		}
	}
}

// shapes are results and columns of products: more rows than blocks take at once, an odd row, rows of few parts and of
// many, and rows that are not whole blocks.
var shapes = [][2]int{{3000, 256}, {33, 1024}, {7, 2304}, {1, 512}, {5, 40}, {40, 5000}}

// TestLinear: a row through a layer is what the operations give that the kernel does at once.
func TestLinear(t *testing.T) {
	thorough.Slow(t)
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for n, dt := range []tensor.DType{tensor.F16, tensor.BF16} {
			for _, shape := range thorough.Sample(shapes, 2, n) {
				w := dev.Randn(dt, 2*shape[0], shape[1]).Affine(0.1, 0)
				m := decode.Matrix{Rows: 2 * shape[0], Cols: shape[1], Dense: w}
				forms(t, fmt.Sprintf("%v %v", dt, shape), m, dt, func(h *tensor.Tensor) *tensor.Tensor {
					return h.ToDType(tensor.F32).MatMul(w.ToDType(tensor.F32).T())
				})
			}
		}
	})
}

// TestLinearOfBlocks is the same for every format, beside the products of package quant.
func TestLinearOfBlocks(t *testing.T) {
	thorough.Slow(t)
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for n, f := range thorough.Sample(quant.Types(), 2, 0) {
			if f.BlockSize() == 1 || !f.OnGPU() {
				continue
			}
			for _, i := range thorough.Sample([]int{0, 1, 2}, 3, n) {
				shape, dt := shapes[i], []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}[i]
				q := packed(t, f, 2*shape[0], shape[1], dev)
				m := decode.Matrix{Rows: 2 * shape[0], Cols: shape[1], Packed: q.Blocks(), Format: strings.ToLower(f.String())}
				forms(t, fmt.Sprintf("%v %v", f, shape), m, dt, q.MatMul)
			}
		}
	})
}

// forms computes a row in all ways that a matrix [2n cols] can be used in. product is the matrix's.
func forms(t *testing.T, name string, m decode.Matrix, dt tensor.DType, product func(h *tensor.Tensor) *tensor.Tensor) {
	of := m.Dense
	if of == nil {
		of = m.Packed
	}
	dev := of.Device()
	x, norm, plus := dev.Randn(dt, 1, m.Cols), dev.Randn(dt, m.Cols), dev.Randn(dt, 1, m.Rows)
	within := 1e-5
	if dt != tensor.F32 {
		within = 0.02
	}
	for _, normed := range []bool{false, true} {
		l := decode.Linear{M: m, Eps: 1e-5}
		h := x
		if normed {
			l.Norm, h = norm, x.RmsNorm(norm, 1e-5)
		}
		if !l.Takes(dev, dt) {
			t.Fatalf("%s: no kernel", name)
		}
		want := product(h)
		t.Run(fmt.Sprintf("%s normed %v", name, normed), func(t *testing.T) {
			near(t, l.Of(x, nil), want, within)
			near(t, l.Of(x, plus), want.Add(plus.ToDType(tensor.F32)), within)
			l.Gated = true
			gate := want.Narrow(1, 0, m.Rows/2)
			near(t, l.Of(x, nil), gate.Silu().Mul(want.Narrow(1, m.Rows/2, m.Rows/2)), within)
		})
	}
}

// TestLinearTakes: what there is no kernel for is left to others.
func TestLinearTakes(t *testing.T) {
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		w := dev.Zeros(tensor.F16, 4, 64)
		l := decode.Linear{M: decode.Matrix{Rows: 4, Cols: 64, Dense: w}}
		if !l.Takes(dev, tensor.F16) {
			t.Error("F16 is not taken")
		}
		if l.Takes(dev, tensor.BF16) || l.Takes(dev, tensor.I64) || l.Takes(tensor.CPU(), tensor.F16) {
			t.Error("another type or device is taken")
		}
		l.M.Dense = w.T().Contiguous().T()
		if l.Takes(dev, tensor.F16) {
			t.Error("a transposed matrix is taken")
		}
		q := quant.Quantize(dev.Zeros(tensor.F32, 1, kernels.LinearLongest+32), quant.Q8_0)
		long := decode.Linear{M: decode.Matrix{Rows: 1, Cols: kernels.LinearLongest + 32, Packed: q.Blocks(), Format: "q8_0"}}
		if long.Takes(dev, tensor.F16) {
			t.Error("a row of blocks that is too long is taken")
		}
		l.M.Dense, l.M.Cols, l.Norm = w, 64, dev.Zeros(tensor.F32, 64)
		if l.Takes(dev, tensor.F16) {
			t.Error("a norm of another type is taken")
		}
	})
}

// TestRopePut: heads are turned as by Rope, and keys and values are in the cache, at their position alone.
func TestRopePut(t *testing.T) {
	const queries, groups, size, capacity = 6, 2, 8, 5
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
			for _, interleaved := range []bool{false, true} {
				heads := dev.Randn(dt, queries+2*groups, size)
				cos, sin := dev.Rand(dt, 9, size/2), dev.Rand(dt, 9, size/2)
				cache := dev.Zeros(dt, 1, 2*groups, capacity, size)
				p := decode.RopePut{Queries: queries, Groups: groups, Size: size, Cos: cos, Sin: sin, Interleaved: interleaved}
				if !p.Takes(dt) {
					t.Fatalf("no kernel for %v", dt)
				}
				rows := heads.Copy().Reshape(1, queries+2*groups, 1, size)
				c, s := cos.Narrow(0, 3, 1), sin.Narrow(0, 3, 1)
				turned := rows.Rope(c, s)
				if interleaved {
					turned = rows.RopeI(c, s)
				}
				p.Put(heads, cache, dev.New([]uint32{3}))
				near(t, heads.Narrow(0, 0, queries), turned.Reshape(queries+2*groups, size).Narrow(0, 0, queries), 0)
				want := dev.Zeros(dt, 1, 2*groups, capacity, size)
				want.SliceSet(tensor.Cat([]*tensor.Tensor{turned.Narrow(1, queries, groups),
					rows.Narrow(1, queries+groups, groups)}, 1), 2, 3)
				near(t, cache, want, 0)
				p.Put(heads, cache, dev.New([]uint32{7})) // beyond the cache: nothing is written
				near(t, cache, want, 0)
			}
		}
	})
}
