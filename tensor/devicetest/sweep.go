package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// wholeRange gives every float operation of one operand numbers of every size, and numbers ever nearer to those where
// functions have zeros or bends. Errors are judged in units of the last place of the result, so that a formula which
// cancels near a zero does not pass.
func (k kit) wholeRange(t T) {
	for _, op := range kernels.Unary {
		run(t, op.Name, func(t T) {
			k.sweep(t, op.On, op.ULP, op.Unit, op.Ref,
				func(x *tensor.Tensor) *tensor.Tensor { return call(x, op.Method) })
		})
	}
	for _, op := range kernels.Params {
		for _, p := range []float64{1, -0.5, 3} {
			run(t, fmt.Sprintf("%s with %v", op.Name, p), func(t T) {
				ref := func(x float64) float64 { return op.Ref(x, p) }
				k.sweep(t, op.On, op.ULP, 0, ref,
					func(x *tensor.Tensor) *tensor.Tensor { return call(x, op.Method, p) })
			})
		}
	}
}

// composed are functions of package nn that have zeros or tails, with their references and how far they may stray.
var composed = []struct {
	name string
	f    func(x *tensor.Tensor) *tensor.Tensor
	ref  func(x float64) float64
	ulps float64
}{
	{"softplus", nn.Softplus, softplus, 5},
	{"logarithm of the sigmoid", func(x *tensor.Tensor) *tensor.Tensor { return x.Neg().Softplus().Neg() },
		func(x float64) float64 { return -softplus(-x) }, 5},
	{"mish", nn.Mish, mish, 12},
	{"selu", func(x *tensor.Tensor) *tensor.Tensor { return nn.Selu(x, 1.5, 1.25) }, func(x float64) float64 {
		if x > 0 {
			return 1.25 * x
		}
		return 1.25 * (1.5 * math.Expm1(x))
	}, 5},
	{"cross entropy of 1", func(x *tensor.Tensor) *tensor.Tensor { return eachLoss(x, 1) },
		func(x float64) float64 { return softplus(-x) }, 6},
	{"cross entropy of 0", func(x *tensor.Tensor) *tensor.Tensor { return eachLoss(x, 0) }, softplus, 6},
	{"gradient of softplus", slopes((*tensor.Tensor).Softplus),
		func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 6},
	{"gradient of log1p", slopes(func(x *tensor.Tensor) *tensor.Tensor { return x.Abs().Log1p() }),
		func(x float64) float64 {
			if x == 0 {
				return 0
			}
			return math.Copysign(1/(1+math.Abs(x)), x)
		}, 2},
	{"gradient of expm1", slopes(func(x *tensor.Tensor) *tensor.Tensor { return x.Expm1() }), math.Exp, 4},
	{"gradient of cross entropy of 1", slopes(func(x *tensor.Tensor) *tensor.Tensor { return eachLoss(x, 1) }),
		func(x float64) float64 { return -1 / (1 + math.Exp(x)) }, 6},
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// mish is x·tanh(log(1 + e)) for e = exp(x).
func mish(x float64) float64 {
	if x > 40 {
		return x
	}
	e := math.Exp(x)
	return x * (e * (e + 2) / (e*(e+2) + 2))
}

// eachLoss is the binary cross entropy of each element.
func eachLoss(x *tensor.Tensor, target float64) *tensor.Tensor {
	n := x.ElemCount()
	parts := make([]*tensor.Tensor, 0, n)
	for i := range n {
		one := x.Narrow(0, i, 1)
		parts = append(parts, nn.BinaryCrossEntropyWithLogits(one, one.Detach().FullLike(target)).Unsqueeze(0))
	}
	return tensor.Cat(parts, 0)
}

// slopes gives the derivatives of f.
func slopes(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) *tensor.Tensor {
		v := tensor.NewVar(x)
		return f(v).Sum().Backward().Get(v)
	}
}

// composed checks functions that are made of operations, on fewer numbers.
func (k kit) composed(t T) {
	for i, c := range composed {
		for _, dt := range some(k, []tensor.DType{tensor.F32, tensor.F64}, 2, i) {
			run(t, fmt.Sprintf("%s/%v", c.name, dt), func(t T) {
				var list []float64
				for i, v := range allSizes(dt) {
					if math.Abs(v) < 1e30 && (i%4 == 0 || math.Abs(v) > 0.01 && math.Abs(v) < 100) {
						list = append(list, v)
					}
				}
				x := tensor.CPU().New(some(k, list, 2, i)).ToDType(dt)
				in := x.Float64s()
				// what a step on the way may lose of a tail
				tiny := math.Ldexp(1, format[dt].minExp-format[dt].digits+1)
				closeTo(t, c.f(x.ToDevice(k.dev)), mapped(in, c.ref), c.ulps,
					func(i int) float64 { return tiny * (1 + math.Abs(in[i])) },
					func(i int) string { return fmt.Sprint(in[i]) })
			})
		}
	}
}

func (k kit) sweep(
	t T, on []tensor.DType, ulps, least float64, ref func(float64) float64, f func(*tensor.Tensor) *tensor.Tensor,
) {
	for _, dt := range on {
		if dt.IsInt() {
			continue
		}
		run(t, dt.String(), func(t T) {
			x := tensor.CPU().New(allSizes(dt)).ToDType(dt)
			in := x.Float64s()
			closeTo(t, f(x.ToDevice(k.dev)), mapped(in, ref), ulps, unit(dt, ulps, least),
				func(i int) string { return fmt.Sprint(in[i]) })
		})
	}
}

// turningPoints are where functions of the table are 0 or where formulas for them change.
var turningPoints = []float64{1, -1, 2, 0.5, math.Pi / 2, math.Pi, -3 * math.Pi / 2, 11 * math.Pi, math.Ln2, -math.Ln2,
	math.Sqrt2, math.Sqrt2 / 2, 20, -20, -14.642282}

// allSizes are numbers of every exponent of a float type, with both signs, and numbers ever nearer to the turning
// points.
func allSizes(dt tensor.DType) []float64 {
	f := format[dt]
	step := 1
	if dt == tensor.F64 {
		step = 5
	}
	var out []float64
	for e := f.minExp - f.digits + 1; e <= f.maxExp; e++ {
		if e < -120 && e%step != 0 || e > 120 && e%step != 0 {
			continue
		}
		for _, m := range []float64{1, 1.1, 1.4142135623730951, 1.7, 1.999} {
			out = append(out, math.Ldexp(m, e), math.Ldexp(-m, e))
		}
	}
	for _, p := range turningPoints {
		for e := range f.digits {
			out = append(out, p*(1+math.Ldexp(1, -e-1)), p*(1-math.Ldexp(1, -e-1)))
		}
		out = append(out, p)
	}
	for i, v := range out {
		out[i] = kernels.Round(dt, v)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
