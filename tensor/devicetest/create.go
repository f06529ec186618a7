package devicetest

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// transfer copies every dtype to the device and back, and copies every form.
func (k kit) transfer(t T) {
	each(t, kernels.Numbers, func(t T, dt tensor.DType, fm form) {
		host, dev := k.input(dt, fm.shape, 20, 50, true)
		host, dev = fm.view(host), fm.view(dev)
		for name, got := range map[string]*tensor.Tensor{"back": dev.ToDevice(tensor.CPU()), "copy": dev.Copy(),
			"contiguous": dev.Contiguous()} {
			if !expect(t, got, host.Dims(), dt) {
				continue
			}
			if dt.IsInt() {
				sameInts(t, got, ints(host), func(int) string { return name })
			} else {
				closeTo(t, got, host.Float64s(), 0, nil, func(int) string { return name })
			}
		}
	})
}

func (k kit) create(t T) {
	for _, dt := range kernels.Numbers {
		run(t, dt.String(), func(t T) {
			for _, c := range []struct {
				name string
				got  *tensor.Tensor
				want []float64
			}{
				{"zeros", k.dev.Zeros(dt, 3, 5), slices.Repeat([]float64{0}, 15)},
				{"ones", k.dev.Ones(dt, 7), slices.Repeat([]float64{1}, 7)},
				{"full", k.dev.Full(dt, 44, 1031), slices.Repeat([]float64{44}, 1031)},
				{"arange", k.dev.Arange(dt, 3, 8), []float64{3, 4, 5, 6, 7}},
				{"arange step", k.dev.Arange(tensor.I32, 10, 0, -4).ToDType(dt), []float64{10, 6, 2}},
				{"eye", k.dev.Eye(dt, 2), []float64{1, 0, 0, 1}},
				{"linspace", k.dev.Linspace(dt, 0, 8, 3), []float64{0, 4, 8}},
				{"ones like", k.dev.Zeros(dt, 2).OnesLike(), []float64{1, 1}},
				{"full like", k.dev.Zeros(dt, 2).FullLike(3), []float64{3, 3}},
				{"tril", k.dev.Ones(dt, 2, 2).Tril(0), []float64{1, 0, 1, 1}},
				{"pad", k.dev.Ones(dt, 2).Pad(0, 1, 2, 0), []float64{0, 1, 1, 0, 0}},
				{"pad with same", k.dev.Arange(dt, 1, 3).Pad(0, 2, 1, tensor.Replicate), []float64{1, 1, 1, 2, 2}},
				{"roll", k.dev.Arange(dt, 5).Roll(2, 0), []float64{3, 4, 0, 1, 2}},
				{"flip", k.dev.Arange(dt, 3).Flip(0), []float64{2, 1, 0}},
				{"empty range", k.dev.Arange(dt, 5, 5), nil},
			} {
				if got := c.got.Float64s(); !slices.Equal(got, c.want) || c.got.DType() != dt {
					t.Errorf("%s: got %v of %v, want %v", c.name, got, c.got.DType(), c.want)
				}
			}
		})
	}
}

// random compares with the host's numbers: the same seed gives the same ones everywhere.
func (k kit) random(t T) {
	for _, dt := range kernels.Floats {
		run(t, dt.String(), func(t T) {
			shape := []int{5, 7, 11}
			for _, dev := range []*tensor.Device{tensor.CPU(), k.dev} {
				dev.SetSeed(7)
			}
			for range 2 { // the second draw continues the sequence of the first
				want := tensor.CPU().Rand(dt, shape...)
				got := k.dev.Rand(dt, shape...)
				if k.dev.IsCPU() { // there is one generator: draw again from its start
					want = got
				}
				expect(t, got, shape, dt)
				closeTo(t, got, want.Float64s(), 1, nil, func(int) string { return "uniform" })
				for _, v := range got.Float64s() {
					if v < 0 || v >= 1 {
						t.Fatalf("%v is not in [0, 1)", v)
					}
				}
				if !k.dev.IsCPU() {
					want := tensor.CPU().Randn(dt, shape...).Float64s()
					got := k.dev.Randn(dt, shape...)
					closeTo(t, got, want, 8, func(int) float64 { return 8 * ulp(dt, 8) },
						func(int) string { return "normal" })
				}
			}
		})
	}
	k.dev.SetSeed(2)
	parts := k.dev.Randn(tensor.F64, 5, 3, 2).Mul(math.Sqrt2 / 2)
	uniform := k.dev.Rand(tensor.F32, 4, 2)
	k.dev.SetSeed(2)
	if z := k.dev.Randn(tensor.C128, 5, 3); !z.ViewAsReal().Equal(parts) {
		t.Errorf("complex normal numbers are %v, want parts of variance 1/2: %v", z, parts)
	}
	if z := k.dev.Rand(tensor.C64, 4); !z.ViewAsReal().Equal(uniform) {
		t.Errorf("complex uniform numbers are %v, want parts %v", z, uniform)
	}
	k.dev.SetSeed(1)
	n := 100_000
	x := k.dev.Randn(tensor.F32, n).Affine(2, 1)
	mean, variance := x.Mean().ToScalar(), x.Var(0).ToScalar()
	if math.Abs(mean-1) > 0.05 || math.Abs(variance-4) > 0.1 { // eight standard errors and more
		t.Errorf("mean %v and variance %v of %d draws, want 1 and 4", mean, variance, n)
	}
}

func (k kit) join(t T) {
	for _, dt := range kernels.Numbers {
		run(t, dt.String(), func(t T) {
			a, da := k.input(dt, []int{3, 5}, 30, 20, false)
			b, db := k.input(dt, []int{5, 3}, 31, 20, false)
			empty := k.dev.Zeros(dt, 3, 0)
			got := tensor.Cat([]*tensor.Tensor{da, empty, db.T(), da.Narrow(1, 1, 2)}, 1)
			var want []float64
			x, y := a.ToVec2(), b.ToVec2()
			for i := range 3 {
				want = append(append(want, x[i]...), y[0][i], y[1][i], y[2][i], y[3][i], y[4][i], x[i][1], x[i][2])
			}
			expect(t, got, []int{3, 12}, dt)
			if !slices.Equal(got.Float64s(), want) {
				t.Errorf("cat: got %v, want %v", got.Float64s(), want)
			}
			stack := tensor.Stack([]*tensor.Tensor{da, db.T()}, 0)
			expect(t, stack, []int{2, 3, 5}, dt)
			if got := stack.Get(1).Float64s(); !slices.Equal(got, b.T().Float64s()) {
				t.Errorf("stack: got %v, want %v", got, b.T().Float64s())
			}
		})
	}
}
