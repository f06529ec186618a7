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
				{"zeros", tensor.Zeros([]int{3, 5}, dt, k.dev), slices.Repeat([]float64{0}, 15)},
				{"ones", tensor.Ones([]int{7}, dt, k.dev), slices.Repeat([]float64{1}, 7)},
				{"full", tensor.Full(44, []int{1031}, dt, k.dev), slices.Repeat([]float64{44}, 1031)},
				{"arange", tensor.Arange(3, 8, dt, k.dev), []float64{3, 4, 5, 6, 7}},
				{"arange step", tensor.ArangeStep(10, 0, -4, tensor.I32, k.dev).ToDType(dt), []float64{10, 6, 2}},
				{"eye", tensor.Eye(2, dt, k.dev), []float64{1, 0, 0, 1}},
				{"linspace", tensor.Linspace(0, 8, 3, dt, k.dev), []float64{0, 4, 8}},
				{"ones like", tensor.Zeros([]int{2}, dt, k.dev).OnesLike(), []float64{1, 1}},
				{"full like", tensor.Zeros([]int{2}, dt, k.dev).FullLike(3), []float64{3, 3}},
				{"tril", tensor.Tril2(2, dt, k.dev), []float64{1, 0, 1, 1}},
				{"pad", tensor.Ones([]int{2}, dt, k.dev).Pad(0, 1, 2, 0), []float64{0, 1, 1, 0, 0}},
				{"pad with same", tensor.Arange(1, 3, dt, k.dev).Pad(0, 2, 1, tensor.Replicate), []float64{1, 1, 1, 2, 2}},
				{"roll", tensor.Arange(0, 5, dt, k.dev).Roll(2, 0), []float64{3, 4, 0, 1, 2}},
				{"flip", tensor.Arange(0, 3, dt, k.dev).Flip(0), []float64{2, 1, 0}},
				{"empty range", tensor.Arange(5, 5, dt, k.dev), nil},
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
				want := tensor.Rand(-2, 3, shape, dt, tensor.CPU())
				got := tensor.Rand(-2, 3, shape, dt, k.dev)
				if k.dev.IsCPU() { // there is one generator: draw again from its start
					want = got
				}
				expect(t, got, shape, dt)
				closeTo(t, got, want.Float64s(), 1, nil, func(int) string { return "uniform" })
				for _, v := range got.Float64s() {
					if v < -2 || v >= 3 {
						t.Fatalf("%v is not in [-2, 3)", v)
					}
				}
				if !k.dev.IsCPU() {
					want := tensor.Randn(1, 2, shape, dt, tensor.CPU()).Float64s()
					got := tensor.Randn(1, 2, shape, dt, k.dev)
					closeTo(t, got, want, 8, func(int) float64 { return 8 * ulp(dt, 8) },
						func(int) string { return "normal" })
				}
			}
		})
	}
	k.dev.SetSeed(1)
	n := 100_000
	x := tensor.Randn(1, 2, []int{n}, tensor.F32, k.dev)
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
			empty := tensor.Zeros([]int{3, 0}, dt, k.dev)
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
