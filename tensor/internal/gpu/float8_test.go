package gpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu/gputest"
)

// TestFloat8Products multiplies through the stand-in of hipBLASLt.
func TestFloat8Products(t *testing.T) {
	gputest.StandIns(t, "../../..", "TestFloat8ProductsChild", "FAKEHIP_ARCH=gfx1201")
}

func TestFloat8ProductsChild(t *testing.T) {
	dev, launched := onStandIns(t)
	for _, c := range []struct {
		name   string
		a, b   []int // b has rows where the product has columns
		va, vb func(*tensor.Tensor) *tensor.Tensor
	}{
		{"plain", []int{5, 32}, []int{48, 32}, asIs, asIs},
		{"vector", []int{32}, []int{48, 32}, asIs, asIs},
		{"narrowed", []int{7, 64}, []int{48, 64},
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 16, 32).Narrow(0, 1, 5) },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 32, 32).Narrow(0, 16, 16) }},
		{"batch", []int{3, 5, 32}, []int{3, 16, 32}, asIs, asIs},
		{"one right matrix", []int{3, 5, 32}, []int{16, 32}, asIs, asIs},
		{"one left matrix", []int{5, 32}, []int{3, 16, 32}, asIs, asIs},
		{"heads", []int{2, 5, 3, 16}, []int{2, 16, 3, 16}, heads, heads},
		{"broadcast batch", []int{2, 1, 5, 16}, []int{3, 16, 16}, asIs, asIs},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := smallNumbers(c.a, 3, tensor.F8E4M3), smallNumbers(c.b, 7, tensor.F8E4M3)
			*launched = nil
			got := c.va(a.ToDevice(dev)).MatMul(c.vb(b.ToDevice(dev)).T())
			if want := "[gemm_f8e4m3]"; fmt.Sprint(*launched) != want {
				t.Errorf("launched %v, want %s", *launched, want)
			}
			want := c.va(a).MatMul(c.vb(b).T())
			if g, w := fmt.Sprint(got.Dims(), got.Float64s()), fmt.Sprint(want.Dims(), want.Float64s()); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		})
	}
}

func asIs(x *tensor.Tensor) *tensor.Tensor  { return x }
func heads(x *tensor.Tensor) *tensor.Tensor { return x.Transpose(1, 2) }

// TestFloat8Forms brings operands into the form that libraries take, on the emulated device: the product of the copies
// is that of the operands.
func TestFloat8Forms(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	a := backendOf(dev)
	swap := func(x *tensor.Tensor) *tensor.Tensor { return x.T() }
	for _, c := range []struct {
		name   string
		x, y   []int
		vx, vy func(*tensor.Tensor) *tensor.Tensor
		ok     bool
		copies int
	}{
		{"as it should be", []int{16, 32}, []int{48, 32}, asIs, swap, true, 0},
		{"right matrix transposed", []int{16, 32}, []int{32, 48}, asIs, asIs, true, 1},
		{"both transposed", []int{32, 16}, []int{32, 48}, swap, asIs, true, 2},
		{"crooked rows", []int{16, 40}, []int{16, 48},
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 3, 32) },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 16, 32).T() }, true, 1},
		{"crooked batch", []int{3, 17, 16}, []int{3, 16, 16},
			func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(1, 0, 16) }, swap, true, 0},
		{"batch transposed", []int{3, 16, 32}, []int{3, 32, 16}, asIs, asIs, true, 1},
		{"too few rows for a copy", []int{3, 32}, []int{32, 48}, asIs, asIs, false, 0},
		{"broadcast", []int{16, 32}, []int{32, 1}, asIs,
			func(x *tensor.Tensor) *tensor.Tensor { return x.BroadcastAs(32, 48) }, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := c.vx(smallNumbers(c.x, 3, tensor.F8E4M3).ToDevice(dev))
			y := c.vy(smallNumbers(c.y, 7, tensor.F8E4M3).ToDevice(dev))
			m, k, n := x.Dim(-2), x.Dim(-1), y.Dim(-1)
			p := kernels.MatMul{M: int64(m), N: int64(n), K: int64(k)}
			xo, yo := operandOf(t, x), operandOf(t, y)
			var launched int
			a.OnLaunch = func(string) { launched++ }
			left, right, ok, err := a.Float8Forms(xo, yo, &p)
			a.OnLaunch = nil
			if err != nil || ok != c.ok || launched != c.copies {
				t.Fatalf("%v, %v, with %d copies, want %v with %d", ok, err, launched, c.ok, c.copies)
			}
			if !ok {
				return
			}
			if p.ACol != 1 || p.BRow != 1 || p.ARow%16 != 0 || p.BCol%16 != 0 {
				t.Errorf("steps %d, %d and %d, %d", p.ARow, p.ACol, p.BRow, p.BCol)
			}
			as := func(o backend.Operand) *tensor.Tensor {
				return access.Tensor(dev, o).(*tensor.Tensor)
			}
			if g, w := fmt.Sprint(as(left).MatMul(as(right)).Float64s()), fmt.Sprint(x.MatMul(y).Float64s()); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		})
	}
}

// TestFloat8ProductsOnGPU compares products with those of F64 on the host, by the library there is or by the kernels
// with GOROCM_BLAS=go. Sums beyond the type are its largest number, and NaN stays NaN.
func TestFloat8ProductsOnGPU(t *testing.T) {
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := tensor.NewDevice(spec)
			if err != nil || dev.Emulated() {
				t.Skipf("no GPU: %v", err)
			}
			t.Logf("%+v", backendOf(dev).Device().BLASLt())
			const m, k, n = 513, 1040, 272
			a := tensor.CPU().Randn(tensor.F64, 2, m, k).ToDType(tensor.F8E4M3)
			b := tensor.CPU().Randn(tensor.F64, 2, n, k).ToDType(tensor.F8E4M3)
			for name, forms := range map[string][2]*tensor.Tensor{
				"as libraries want it": {a.ToDevice(dev), b.ToDevice(dev).T()},
				"transposed":           {a.ToDevice(dev), b.T().Contiguous().ToDevice(dev)},
			} {
				got := forms[0].MatMul(forms[1]).Float64s()
				want := a.ToDType(tensor.F64).MatMul(b.ToDType(tensor.F64).T()).Float64s()
				// Sums of k products of about 1 lie about √k from 0. NVIDIA's matrix cores keep 13 bits behind the
				// point of the largest one that they add at a time.
				for i, w := range want {
					if limit := math.Max(0x1p-10, 0x1.04p-4*math.Abs(w)) + 0.25; !(math.Abs(got[i]-w) <= limit) {
						t.Fatalf("%s: element %d is %v, want %v, off by %.3g of %.3g", name, i, got[i], w,
							math.Abs(got[i]-w), limit)
					}
				}
				for range 3 {
					if !slices.Equal(forms[0].MatMul(forms[1]).Float64s(), got) {
						t.Fatalf("%s: another product of the same matrices has other bits", name)
					}
				}
			}
			values := make([]float64, 32*32)
			for i := range values {
				values[i] = 32
			}
			large := tensor.FromSlice(values, 32, 32).ToDType(tensor.F8E4M3).ToDevice(dev)
			values[0] = math.NaN()
			spoilt := tensor.FromSlice(values, 32, 32).ToDType(tensor.F8E4M3).ToDevice(dev)
			for i, v := range spoilt.MatMul(large.Neg().T()).Float64s() {
				if nan := i < 32; nan != math.IsNaN(v) || !nan && v != -448 {
					t.Fatalf("element %d of large sums is %v", i, v)
				}
			}
		})
	}
}
