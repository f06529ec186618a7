package stats_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/stats"
)

// near compares results with what float64 gives, rounded to their type, within some of its units at 1.
func near(t *testing.T, what string, got *tensor.Tensor, want []float64, units float64) {
	t.Helper()
	eps := map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.F32: 0x1p-23, tensor.F16: 0x1p-10,
		tensor.BF16: 0x1p-7, tensor.F8E4M3: 0x1p-3}[got.DType()]
	values := got.Float64s()
	if len(values) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(values), len(want))
	}
	for i, g := range values {
		if w := want[i]; !(math.Abs(g-w) <= units*eps*(1+math.Abs(w))) && !(g != g && w != w) && g != w {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}

// draw returns numbers from -4 to 4 that every signed type has, some of them equal.
func draw(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(r.IntN(9) - 4)
	}
	return x
}

func TestCov(t *testing.T) {
	thorough.Slow(t)
	const rows, cols = 4, 37
	values := draw(rows*cols, 1)
	cov := func(i, j, correction int) float64 {
		a, b := values[i*cols:(i+1)*cols], values[j*cols:(j+1)*cols]
		meanA, meanB, sum := 0.0, 0.0, 0.0
		for k := range a {
			meanA, meanB = meanA+a[k]/cols, meanB+b[k]/cols
		}
		for k := range a {
			sum += (a[k] - meanA) * (b[k] - meanB)
		}
		return sum / float64(cols-correction)
	}
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range kernels.Numbers {
			if dt == tensor.U8 || dt == tensor.U16 || dt == tensor.U32 || dt == tensor.U64 {
				continue // the numbers have signs
			}
			x := dev.FromSlice(values, rows, cols).ToDType(dt)
			for correction := range 2 {
				var want, wantCorr []float64
				for i := range rows {
					for j := range rows {
						want = append(want, cov(i, j, correction))
						wantCorr = append(wantCorr, cov(i, j, 1)/math.Sqrt(cov(i, i, 1)*cov(j, j, 1)))
					}
				}
				near(t, fmt.Sprint("cov of ", dt), stats.Cov(x, correction), want, 16)
				near(t, fmt.Sprint("corrcoef of ", dt), stats.CorrCoef(x), wantCorr, 16)
			}
			near(t, "one variable", stats.Cov(x.Get(2), 1), []float64{cov(2, 2, 1)}, 16)
			near(t, "one variable", stats.CorrCoef(x.Get(2)), []float64{1}, 1)
		}
	})
}

// TestComplexCov: the expected numbers are those of numpy.cov and numpy.corrcoef.
func TestComplexCov(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		z := dev.New([][]complex128{{1 + 1i, 2 - 1i, 3i, -1 + 0.5i}, {1i, 2, 1 - 1i, 0}})
		parts := func(x *tensor.Tensor) *tensor.Tensor { return tensor.Stack([]*tensor.Tensor{x.Real(), x.Imag()}, -1) }
		near(t, "one variable", parts(stats.Cov(z.Get(0), 1)), []float64{4.395833333333333, 0}, 4)
		near(t, "cov", parts(stats.Cov(z, 1)), []float64{4.395833333333333, 0, 0.16666666666666666,
			-0.875, 0.16666666666666666, 0.875, 1.5833333333333333, 0}, 4)
		near(t, "corrcoef", parts(stats.CorrCoef(z)), []float64{1, 0, 0.06317452179905905,
			-0.33166623944505996, 0.06317452179905904, 0.33166623944506, 1, 0}, 4)
	})
}

// TestGradient: the expected numbers are those of numpy.gradient.
func TestGradient(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		y := dev.New([][]float64{{1, 2, 4, 7}, {0, 2, 0, -1}})
		near(t, "distance", stats.Gradient(y, 0.5, -1), []float64{2, 3, 5, 6, 4, 0, -3, -2}, 1)
		near(t, "two points", stats.Gradient(y, 1, 0), []float64{-1, 0, -4, -8, -1, 0, -4, -8}, 1)
		near(t, "positions", stats.Gradient(y, dev.New([]float64{0, 1, 3, 4}), 1),
			[]float64{1, 1, 2 + 1.0/3, 3, 2, 1, -1, -1}, 4)
		near(t, "positions of each row", stats.Gradient(y,
			dev.New([][]float64{{0, 1, 2, 3}, {0, 1, 3, 4}}), 1), []float64{1, 1.5, 2.5, 3, 2, 1, -1, -1}, 4)
		near(t, "integers", stats.Gradient(dev.New([]int64{1, 4, 9, 16}), 1, 0), []float64{3, 4, 6, 7}, 1)
	})
}

func TestTrapezoidAndInterp(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		y := dev.New([][]float64{{1, 2, 4}, {0, 2, 0}})
		near(t, "distance", stats.Trapezoid(y, 0.5, -1), []float64{2.25, 1}, 1)
		near(t, "first dim", stats.Trapezoid(y, 2, 0), []float64{1, 4, 4}, 1)
		near(t, "positions", stats.Trapezoid(y, dev.New([]float64{0, 1, 3}), 1), []float64{7.5, 3}, 1)
		near(t, "positions of each row", stats.Trapezoid(y, dev.New([][]float64{{0, 1, 3}, {1, 0, 2}}), 1),
			[]float64{7.5, 1}, 1)
		near(t, "positions of columns", stats.Trapezoid(y, dev.New([]float64{1, 4}), 0), []float64{1.5, 6, 6}, 1)
		cube := dev.Arange(tensor.F64, 24).Reshape(2, 3, 4)
		first := make([]float64, 12) // the means of both layers
		for i := range first {
			first[i] = float64(i) + 6
		}
		near(t, "first dim of three", stats.Trapezoid(cube, 1, 0), first, 1)
		near(t, "middle dim of three", stats.Trapezoid(cube, dev.New([]float64{0, 1, 2}), -2),
			[]float64{8, 10, 12, 14, 32, 34, 36, 38}, 1)
		near(t, "one point", stats.Trapezoid(y.Narrow(1, 0, 1), 1, 1), []float64{0, 0}, 1)

		xp, fp := dev.New([]float64{0, 1, 1, 3}), dev.New([]float64{10, 20, 30, -10})
		x := dev.New([][]float64{{-5, 0, 0.25}, {1, 2, 2.5}, {3, 99, math.NaN()}})
		want := []float64{10, 10, 12.5, 30, 10, 0, -10, -10, math.NaN()}
		near(t, "interp", stats.Interp(x, xp, fp), want, 1)
		infinite := dev.New([]float64{math.Inf(-1), math.Inf(1)})
		near(t, "infinite", stats.Interp(infinite, xp, fp), []float64{10, -10}, 1)
		steep := dev.New([]float64{0, math.Inf(1), -1, math.NaN(), 7})
		near(t, "infinite neighbours", stats.Interp(dev.New([]float64{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}),
			dev.Arange(tensor.F64, 5), steep), []float64{0, math.Inf(1), math.Inf(1), math.Inf(1), -1, math.NaN(),
			math.NaN(), math.NaN(), 7}, 0)
		near(t, "far knots", stats.Interp(dev.New([]float64{-1.5e308, 0, 1e308, math.Inf(1)}),
			dev.New([]float64{-1.5e308, 1.5e308}), dev.New([]float64{1, 3})), []float64{1, 2, 8.0 / 3, 3}, 2)
		near(t, "infinite knots", stats.Interp(dev.New([]float64{math.Inf(-1), 0, 1, 2, math.Inf(1)}),
			dev.New([]float64{math.Inf(-1), 0, 1, math.Inf(1)}), dev.New([]float64{1, 2, 3, 4})),
			[]float64{1, 2, 3, 3, 4}, 1)
		one := dev.New([]float64{5})
		near(t, "one point", stats.Interp(x.Get(0), one, one), []float64{5, 5, 5}, 1)
		near(t, "integers", stats.Interp(dev.New([]int{0, 1, 2}), dev.New([]int{0, 2}),
			dev.New([]int{10, 20})), []float64{10, 15, 20}, 1)
	})
}

func TestBinCount(t *testing.T) {
	values := mapped(draw(500, 2), func(x float64) float64 { return x + 4 })
	want, weighed := make([]float64, 12), make([]float64, 12)
	for i, v := range values {
		want[int(v)]++
		weighed[int(v)] += float64(i % 3)
	}
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		weights := dev.Arange(tensor.F32, 500)
		weights = weights.Sub(weights.Div(3).Floor().Mul(3))
		for _, dt := range append(slices.Clone(kernels.Ints), tensor.Bool) {
			list := values
			if dt == tensor.Bool {
				list = mapped(values, func(x float64) float64 { return math.Min(x, 1) })
				near(t, "bools", stats.BinCount(dev.New(list).Ne(0), nil, 0).ToDType(tensor.F64),
					[]float64{want[0], 500 - want[0]}, 0)
				continue
			}
			x := dev.FromSlice(list, 50, 10).ToDType(dt)
			if got := stats.BinCount(x, nil, 12); got.DType() != tensor.I64 ||
				!slices.Equal(got.Float64s(), want) {
				t.Errorf("%v: got %v, want %v", dt, got, want)
			}
			if got := stats.BinCount(x, nil, 0); !slices.Equal(got.Float64s(), want[:9]) {
				t.Errorf("%v: got %v, want %v", dt, got, want[:9])
			}
			got := stats.BinCount(x, weights.Reshape(50, 10), 12)
			if got.DType() != tensor.F32 || !slices.Equal(got.Float64s(), weighed) {
				t.Errorf("%v with weights: got %v, want %v", dt, got, weighed)
			}
		}
		none := dev.Zeros(tensor.U8, 0)
		if got := stats.BinCount(none, nil, 2).Float64s(); !slices.Equal(got, []float64{0, 0}) {
			t.Errorf("counts of nothing: %v", got)
		}
	})
}

func mapped(x []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

func TestHistogram(t *testing.T) {
	values := draw(600, 3)
	pairs := draw(600, 4)
	bin := func(edges []float64, v float64) int { // the definition
		for i := range len(edges) - 1 {
			if v >= edges[i] && (v < edges[i+1] || i == len(edges)-2 && v == edges[i+1]) {
				return i
			}
		}
		return -1
	}
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range append([]tensor.DType{tensor.I8, tensor.I64}, kernels.Floats...) {
			x, y := dev.New(values).ToDType(dt), dev.New(pairs).ToDType(dt)
			for _, r := range [][2]float64{{-2, 3}, {0, 0}, {-2.5, 2.5}, {10, 20}} {
				counts, edges := stats.Histogram(x, 7, r[0], r[1])
				want, e := make([]float64, 7), edges.Float64s()
				for _, v := range values {
					if i := bin(e, v); i >= 0 {
						want[i]++
					}
				}
				if counts.DType() != tensor.I64 || !slices.Equal(counts.Float64s(), want) {
					t.Errorf("%v from %v: got %v, want %v", dt, r, counts, want)
				}
				if r[0] != r[1] && (e[0] != r[0] || e[7] != r[1]) {
					t.Errorf("edges %v, want from %v to %v", e, r[0], r[1])
				}
			}
			xEdges, yEdges := stats.Edges(x, 3, -2, 3), stats.Edges(y, 5, 0, 0)
			want, xe, ye := make([]float64, 15), xEdges.Float64s(), yEdges.Float64s()
			for i, v := range values {
				a, b := bin(xe, v), bin(ye, pairs[i])
				if a >= 0 && b >= 0 {
					want[a*5+b]++
				}
			}
			if got := stats.Histogram2D(x, y, xEdges, yEdges); !slices.Equal(got.Dims(), []int{3, 5}) ||
				!slices.Equal(got.Float64s(), want) {
				t.Errorf("%v: pairs: got %v, want %v", dt, got, want)
			}
		}
		odd := dev.New([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5})
		counts, _ := stats.Histogram(odd, 2, 0, 1)
		if got := counts.Float64s(); !slices.Equal(got, []float64{0, 1}) {
			t.Errorf("NaN and infinities: got %v", got)
		}
	})
}

// TestGradients compares derivatives with differences.
func TestGradients(t *testing.T) {
	start := []float64{0.3, 1.1, 1.7, 2.9, 0.2, 2.2}
	sum := func(x *tensor.Tensor) *tensor.Tensor {
		w := tensor.CPU().Arange(tensor.F64, 1, float64(x.ElemCount()+1)).Reshape(x.Dims()...)
		return x.Mul(w).Sum()
	}
	for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
		"cov":       func(x *tensor.Tensor) *tensor.Tensor { return sum(stats.Cov(x.Reshape(2, 3), 1)) },
		"corrcoef":  func(x *tensor.Tensor) *tensor.Tensor { return sum(stats.CorrCoef(x.Reshape(2, 3))) },
		"trapezoid": func(x *tensor.Tensor) *tensor.Tensor { return stats.Trapezoid(x, x.Sqr(), 0) },
		"gradient":  func(x *tensor.Tensor) *tensor.Tensor { return sum(stats.Gradient(x, x.Sqr(), 0)) },
		"interp": func(x *tensor.Tensor) *tensor.Tensor {
			xp := tensor.New([]float64{0, 1, 2, 3})
			return sum(stats.Interp(x.Narrow(0, 0, 2), xp, x.Narrow(0, 2, 4)))
		},
	} {
		at := func(values []float64) *tensor.Tensor { return tensor.New(values) }
		v := tensor.NewVar(at(start))
		got := f(v).Backward().Get(v).Float64s()
		for i := range start {
			const h = 1e-6
			up, down := slices.Clone(start), slices.Clone(start)
			up[i], down[i] = up[i]+h, down[i]-h
			want := (f(at(up)).ToScalar() - f(at(down)).ToScalar()) / (2 * h)
			if math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: the derivative by element %d is %v, differences give %v", name, i, got[i], want)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	x, cube := tensor.Of(1, 2, 3), tensor.Of(1, 2, 3, 4).Reshape(1, 2, 2)
	for name, c := range map[string]struct {
		run  func()
		kind error
	}{
		"cov of rank 3":        {func() { stats.Cov(cube, 1) }, tensor.ErrShape},
		"corrcoef of rank 3":   {func() { stats.CorrCoef(cube) }, tensor.ErrShape},
		"too few positions":    {func() { stats.Trapezoid(x, tensor.Of(1, 2), 0) }, tensor.ErrShape},
		"one point":            {func() { stats.Gradient(tensor.Of(1), 1, 0) }, tensor.ErrShape},
		"points of two sizes":  {func() { stats.Interp(x, x, tensor.Of(1, 2)) }, tensor.ErrShape},
		"counts of floats":     {func() { stats.BinCount(x, nil, 0) }, tensor.ErrDType},
		"counts of negatives":  {func() { stats.BinCount(x.Sub(3).ToDType(tensor.I32), nil, 0) }, tensor.ErrIndex},
		"no bins":              {func() { stats.Histogram(x, 0, 0, 1) }, tensor.ErrShape},
		"a range of NaN":       {func() { stats.Histogram(x.Mul(math.NaN()), 3, 0, 0) }, tensor.ErrShape},
		"a range upside down":  {func() { stats.Edges(x, 3, 2, 1) }, tensor.ErrShape},
		"pairs of two lengths": {func() { stats.Histogram2D(x, tensor.Of(1), x, x) }, tensor.ErrShape},
		"one edge":             {func() { stats.Histogram2D(x, x, tensor.Of(1), x) }, tensor.ErrShape},
	} {
		err := tensor.Catch(func() error { c.run(); return nil })
		var e *tensor.Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want an error of kind %v", name, err, c.kind)
		}
	}
}

// TestTimes: positions that F32 cannot tell apart, of F32 values.
func TestTimes(t *testing.T) {
	times, y := tensor.CPU().New([]float64{1.7e9, 1.7e9 + 1, 1.7e9 + 3}), tensor.Of(0, 2, 6)
	for _, x := range []*tensor.Tensor{times, times.ToDType(tensor.I64), times.ToDType(tensor.U32)} {
		near(t, "integral", stats.Trapezoid(y, x, 0), []float64{9}, 1)
		near(t, "integral backwards", stats.Trapezoid(y, x.Flip(0), 0), []float64{-6}, 1)
		near(t, "slopes", stats.Gradient(y, x, 0), []float64{2, 2, 2}, 1)
		near(t, "between", stats.Interp(tensor.CPU().New([]float64{1.7e9 + 2}), x, y), []float64{4}, 1)
		if got := stats.Interp(x, x, y).DType(); got != tensor.F32 {
			t.Error(got)
		}
	}
}

// TestDistances: those of F32 positions of F64 values are not rounded to F32.
func TestDistances(t *testing.T) {
	x, y := tensor.Of(0.1, 1000), tensor.CPU().New([]float64{1, 1})
	a := x.Float64s()
	near(t, "integral", stats.Trapezoid(y, x, 0), []float64{a[1] - a[0]}, 1)
}

// TestTooLarge: bins for which no host has memory are an error before anything is allocated.
func TestTooLarge(t *testing.T) {
	x := tensor.Of(1, 2, 3)
	for name, f := range map[string]func() *tensor.Tensor{
		"histogram": func() *tensor.Tensor { c, _ := stats.Histogram(x, 1<<40, 0, 1); return c },
		"bincount":  func() *tensor.Tensor { return stats.BinCount(tensor.CPU().New([]int{1 << 40}), nil, 0) },
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
