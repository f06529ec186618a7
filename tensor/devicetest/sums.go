package devicetest

import (
	"fmt"
	"math"
	"math/big"

	"github.com/gorocm/gorocm/tensor"
)

// longSums compares sums, means, norms and variances of many F64 with exact ones: their errors must not grow with the
// number of elements.
func (k kit) longSums(t T) {
	lengths := []int{1, 31, 4097, 65537, 1_000_000}
	for _, n := range append(lengths[:3:3], some(k, lengths[3:], 2, 0)...) {
		run(t, fmt.Sprint(n), func(t T) {
			x := make([]float64, n)
			for i := range x {
				x[i] = 0.1 + float64(i%7)/10
			}
			all := k.dev.New(x)
			k.sumsOf(t, x, all.Reshape(1, n), 1)
			k.running(t, x)
			if n == 65537 {
				wide := all.Reshape(n, 1).BroadcastAs(n, 9).Contiguous()
				k.sumsOf(t, x, wide, 0) // columns
			}
		})
	}
	run(t, "terms that cancel", func(t T) {
		x := make([]float64, 5000)
		for i := range 2500 {
			x[i], x[4999-i] = math.Ldexp(1, i%40), -math.Ldexp(1, i%40)
		}
		x[1234] += 0.625
		if got := k.dev.New(x).Sum().ToScalar(); got != 0.625 {
			t.Errorf("got %v, want 0.625", got)
		}
	})
}

// sumsOf checks the sums of x, of which all have every row or column.
func (k kit) sumsOf(t T, x []float64, all *tensor.Tensor, dim int) {
	t.Helper()
	n := float64(len(x))
	sum := exactly(x, func(v *big.Float) {})
	mean := sum / n
	squares := exactly(x, func(v *big.Float) { v.Mul(v, v) })
	spread := exactly(x, func(v *big.Float) { v.Sub(v, big.NewFloat(mean)); v.Mul(v, v) })
	for _, c := range []struct {
		name      string
		got, want float64
		ulps      float64
	}{
		{"sum", all.Sum(dim).I(0).ToScalar(), sum, 1},
		{"mean", all.Mean(dim).I(0).ToScalar(), mean, 1},
		{"sum of a chain", all.Mul(2).Add(0).Sum(dim).I(0).ToScalar(), 2 * sum, 1},
		{"product", dot(all.Narrow(1-dim, 0, 1)), squares, k.dotUlps(len(x))},
		{"norm", all.Narrow(1-dim, 0, 1).Norm().ToScalar(), math.Sqrt(squares), 1},
		{"variance", all.Var(dim).I(0).ToScalar(), spread / (n - 1), 4},
	} {
		if c.got != c.want && !(math.Abs(c.got-c.want) <= c.ulps*ulp(tensor.F64, c.want)) &&
			!(c.got != c.got && c.want != c.want) {
			t.Errorf("%s: got %v, want %v, off by %.3g units in the last place", c.name, c.got, c.want,
				(c.got-c.want)/ulp(tensor.F64, c.want))
		}
	}
}

// dotUlps is how far the product of a vector of n elements with itself may stray: kernels add products in lanes,
// libraries as they like.
func (k kit) dotUlps(n int) float64 {
	if k.dev.IsCUDA() {
		return float64(max(64, n/4))
	}
	return 64
}

func dot(x *tensor.Tensor) float64 {
	v := x.FlattenAll()
	return v.Dot(v).ToScalar()
}

// running checks the running sums of x.
func (k kit) running(t T, x []float64) {
	t.Helper()
	sum := new(big.Float).SetPrec(300)
	want := make([]float64, len(x))
	for i, v := range x {
		want[i], _ = sum.Add(sum, big.NewFloat(v)).Float64()
	}
	got := k.dev.New(x).CumSum(0)
	closeTo(t, got, want, 1, func(i int) float64 { return 32 * 0x1p-53 * want[i] },
		func(i int) string { return fmt.Sprint("running sum ", i) })
}

// exactly returns the sum of f of all elements, rounded once.
func exactly(x []float64, f func(v *big.Float)) float64 {
	sum := new(big.Float).SetPrec(300)
	for _, v := range x {
		e := new(big.Float).SetPrec(300).SetFloat64(v)
		f(e)
		sum.Add(sum, e)
	}
	out, _ := sum.Float64()
	return out
}

// nearOne checks sums of powers that are little more than 1, whose logarithms are near 0.
func (k kit) nearOne(t T) {
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64} {
		for _, low := range []float64{-1, -15, -30, -80} {
			x := k.dev.New([][]float64{{low, 0, low}, {0, 0, low}}).ToDType(dt)
			want := []float64{math.Log1p(2 * math.Exp(low)), math.Log1p(1 + math.Exp(low))}
			closeTo(t, x.LogSumExp(1), want, 6, nil,
				func(i int) string { return fmt.Sprint("log sum exp of 0 and ", low) })
			both := k.dev.New([]float64{math.Inf(1), low}).ToDType(dt).LogSumExp()
			none := k.dev.Full(dt, math.Inf(-1), 2).LogSumExp()
			if both.ToScalar() != math.Inf(1) || none.ToScalar() != math.Inf(-1) {
				t.Errorf("log sum exp of infinities is %v and %v", both, none)
			}
		}
	}
}

// farNorms are norms of elements whose squares are beyond the range of F32.
func farNorms(t T, k kit) {
	for _, dt := range []tensor.DType{tensor.F32, tensor.BF16} {
		for _, scale := range []float64{0x1p100, 0x1p126, 0x1p-100, 0x1p-130} {
			x := k.dev.New([]float64{3 * scale / 2, -scale * 2}).ToDType(dt)
			if got := x.Norm().ToScalar(); got != 2.5*scale {
				t.Errorf("norm in %v: got %v, want %v", dt, got, 2.5*scale)
			}
			cube := math.Cbrt(3.375+8) * scale
			if got := x.NormP(3).ToScalar(); math.Abs(got-cube) > cube*0x1p-7 {
				t.Errorf("3-norm in %v: got %v, want %v", dt, got, cube)
			}
			v := tensor.NewVar(x)
			g := v.Norm().Backward().Get(v).Float64s()
			if math.Abs(g[0]-0.6) > 0x1p-8 || math.Abs(g[1]+0.8) > 0x1p-8 {
				t.Errorf("gradient of a norm of %v in %v: got %v, want 0.6 and -0.8", scale, dt, g)
			}
		}
	}
}

// few has the statistics of no element and of one, which are those of PyTorch.
func (k kit) few(t T) {
	none, one := k.dev.Zeros(tensor.F32, 0), k.dev.Ones(tensor.F32, 1)
	nan, low := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		name string
		got  *tensor.Tensor
		want float64
	}{
		{"sum of none", none.Sum(0), 0},
		{"mean of none", none.Mean(0), nan},
		{"variance of none", none.Var(0), nan},
		{"norm of none", none.Norm(), 0},
		{"log sum exp of none", none.LogSumExp(0), low},
		{"log sum exp of all of none", none.LogSumExp(), low},
		{"product of none", none.Dot(none), 0},
		{"variance of one", one.Var(0), nan},
		{"norm of one", one.Norm(), 1},
		{"sum of no bytes", none.ToDType(tensor.U8).Sum(), 0},
		{"mean of no bytes", none.ToDType(tensor.U8).Mean(), nan},
	} {
		if got := c.got.ToScalar(); math.Float64bits(got) != math.Float64bits(c.want) &&
			!(got != got && c.want != c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
