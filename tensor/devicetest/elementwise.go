package devicetest

import (
	"fmt"
	"math"
	"math/big"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

func (k kit) unary(t T) {
	for n, op := range kernels.Unary {
		run(t, op.Name, func(t T) {
			someForms(k, t, n, op.On, func(t T, dt tensor.DType, fm form) {
				host, dev := k.input(dt, fm.shape, 1, 3, true)
				host, got := fm.view(host), call(fm.view(dev), op.Method)
				of := signedBelowZero(op.Name, dt)
				if !expect(t, got, host.Dims(), of) {
					return
				}
				if dt.IsInt() {
					in := ints(host)
					sameInts(t, got, mapped(in, func(x int64) int64 { return wrap(of, op.IntRef(of)(x)) }),
						func(i int) string { return fmt.Sprint(in[i]) })
					return
				}
				in := host.Float64s()
				closeTo(t, got, mapped(in, op.Ref), op.ULP, unit(dt, op.ULP, op.Unit),
					func(i int) string { return fmt.Sprint(in[i]) })
			})
		})
	}
}

func mapped[T, R any](in []T, f func(T) R) []R {
	out := make([]R, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

func (k kit) param(t T) {
	for n, op := range kernels.Params {
		run(t, op.Name, func(t T) {
			someForms(k, t, n, op.On, func(t T, dt tensor.DType, fm form) {
				host, dev := k.input(dt, fm.shape, 2, 2, true)
				host = fm.view(host)
				in := host.Float64s()
				for _, p := range []float64{2, -0.5, 1.25} {
					got := call(fm.view(dev), op.Method, p)
					if expect(t, got, host.Dims(), dt) {
						want := mapped(in, func(x float64) float64 { return op.Ref(x, p) })
						closeTo(t, got, want, op.ULP, nil,
							func(i int) string { return fmt.Sprintf("%v with %v", in[i], p) })
					}
				}
			})
		})
	}
}

func (k kit) affine(t T) {
	each(t, kernels.Numbers, func(t T, dt tensor.DType, fm form) {
		host, dev := k.input(dt, fm.shape, 3, 2, true)
		host = fm.view(host)
		mul, add := 3.0, 5.0
		if dt.IsFloat() {
			mul, add = -0.75, 1.5
		}
		got := fm.view(dev).Affine(mul, add)
		if !expect(t, got, host.Dims(), dt) {
			return
		}
		if dt.IsInt() {
			in := ints(host)
			sameInts(t, got, mapped(in, func(x int64) int64 { return wrap(dt, 3*x+5) }),
				func(i int) string { return fmt.Sprint(in[i]) })
			return
		}
		in := host.Float64s()
		compute := dt // halves are computed in F32, and the product is rounded separately
		if dt.IsSmallFloat() {
			compute = tensor.F32
		}
		want := mapped(in, func(x float64) float64 { return kernels.Round(compute, kernels.Round(compute, x*mul)+add) })
		closeTo(t, got, want, 0, nil, func(i int) string { return fmt.Sprint(in[i]) })
	})
}

// pairs gives each form a second operand with another layout.
func (k kit) pairs(dt tensor.DType, fm form, seed uint64) (hosts, devs [2]*tensor.Tensor) {
	a, da := k.input(dt, fm.shape, seed, 3, true)
	hosts[0], devs[0] = fm.view(a), fm.view(da)
	shape := hosts[0].Dims()
	b, db := k.input(dt, shape, seed+1, 3, true)
	if len(shape) > 1 { // one row for all, as a bias is added
		last := shape[len(shape)-1]
		b, db = k.input(dt, []int{last}, seed+1, 3, true)
	}
	hosts[1], devs[1] = b, db
	return hosts, devs
}

func (k kit) binary(t T) {
	for n, op := range kernels.Binary {
		run(t, op.Name, func(t T) {
			someForms(k, t, n, op.On, func(t T, dt tensor.DType, fm form) {
				hosts, devs := k.pairs(dt, fm, 5)
				checkBinary(t, op, dt, hosts[0], hosts[1], devs[0], devs[1])
				checkBinary(t, op, dt, hosts[1], hosts[0], devs[1], devs[0])
				checkBinary(t, op, dt, hosts[0], hosts[0], devs[0], devs[0].Copy())
			})
		})
	}
}

// signedBelowZero is the type of results of an operation with elements of dt: those of U32 below zero are I64.
func signedBelowZero(op string, dt tensor.DType) tensor.DType {
	if dt == tensor.U32 && (op == "neg" || op == "sub") {
		return tensor.I64
	}
	return dt
}

func checkBinary(t T, op kernels.BinaryOp, dt tensor.DType, a, b, da, db *tensor.Tensor) {
	t.Helper()
	got := call(da, op.Method, db)
	a, b = broadcast(a, b)
	dt = signedBelowZero(op.Name, dt)
	if !expect(t, got, a.Dims(), dt) {
		return
	}
	if dt.IsInt() {
		x, y := ints(a), ints(b)
		want := make([]int64, len(x))
		for i := range x {
			want[i] = wrap(dt, op.IntRef(dt)(x[i], y[i]))
		}
		sameInts(t, got, want, func(i int) string { return fmt.Sprintf("%d and %d", x[i], y[i]) })
		return
	}
	x, y, ref := a.Float64s(), b.Float64s(), op.For(dt).Ref
	want := make([]float64, len(x))
	for i := range x {
		want[i] = ref(x[i], y[i])
	}
	closeTo(t, got, want, op.ULP, unit(dt, op.ULP, op.Unit),
		func(i int) string { return fmt.Sprintf("%v and %v", x[i], y[i]) })
}

// unit is the slack of a row whose results are judged in units in the last place of x if they are less; nil for 0.
func unit(dt tensor.DType, ulps, x float64) func(i int) float64 {
	if x == 0 {
		return nil
	}
	return func(int) float64 { return ulps * ulp(dt, x) }
}

// broadcast broadcasts two tensors of which one may lack dims on the left.
func broadcast(a, b *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
	if a.Rank() < b.Rank() {
		return a.BroadcastAs(b.Dims()...), b
	}
	return a, b.BroadcastAs(a.Dims()...)
}

// number has Go numbers as the second operand.
func (k kit) number(t T) {
	each(t, kernels.Numbers, func(t T, dt tensor.DType, fm form) {
		host, dev := k.input(dt, fm.shape, 6, 3, false)
		host, dev = fm.view(host), fm.view(dev)
		got := dev.Mul(3).Add(1)
		if expect(t, got, host.Dims(), dt) {
			three, one := tensor.CPU().Full(dt, 3), tensor.CPU().Full(dt, 1)
			want := host.Mul(three).Add(one).Float64s()
			closeTo(t, got, want, 0, nil, func(i int) string { return "x·3 + 1" })
		}
	})
}

func (k kit) compare(t T) {
	for n, op := range kernels.Compare {
		run(t, op.Name, func(t T) {
			someForms(k, t, n, kernels.Numbers, func(t T, dt tensor.DType, fm form) {
				hosts, devs := k.pairs(dt, fm, 7)
				got := call(devs[0], op.Method, devs[1])
				a, b := broadcast(hosts[0], hosts[1])
				if !expect(t, got, a.Dims(), tensor.Bool) {
					return
				}
				want := make([]int64, a.ElemCount())
				var holds func(i int) bool
				if dt.IsInt() {
					x, y := ints(a), ints(b)
					holds = func(i int) bool { return op.IntRef(dt)(x[i], y[i]) }
				} else {
					x, y := a.Float64s(), b.Float64s()
					holds = func(i int) bool { return op.Ref(x[i], y[i]) }
				}
				for i := range want {
					if holds(i) {
						want[i] = 1
					}
				}
				sameInts(t, got, want, func(int) string { return op.C })
			})
		})
	}
}

func (k kit) where(t T) {
	for n, ct := range []tensor.DType{tensor.U8, tensor.U32, tensor.I64} {
		run(t, ct.String(), func(t T) {
			someForms(k, t, n, kernels.Numbers, func(t T, dt tensor.DType, fm form) {
				hosts, devs := k.pairs(dt, fm, 9)
				a, b := broadcast(hosts[0], hosts[1])
				cond := a.ToDType(tensor.F32).Gt(0).ToDType(ct)
				got := cond.ToDevice(k.dev).WhereCond(devs[0], devs[1])
				if !expect(t, got, a.Dims(), dt) {
					return
				}
				c, x, y := ints(cond), a.ToDType(tensor.F64).Float64s(), b.ToDType(tensor.F64).Float64s()
				want := make([]float64, len(x))
				for i := range want {
					want[i] = y[i]
					if c[i] != 0 {
						want[i] = x[i]
					}
				}
				closeTo(t, got.ToDType(tensor.F64), want, 0, nil,
					func(i int) string { return fmt.Sprintf("%v ? %v : %v", c[i], x[i], y[i]) })
			})
		})
	}
}

// cast compares with conversions written out: Go's own are undefined outside of the range.
func (k kit) cast(t T) {
	for n, to := range kernels.Numbers {
		run(t, "to "+to.String(), func(t T) {
			someForms(k, t, n, kernels.Numbers, func(t T, from tensor.DType, fm form) {
				host, dev := k.input(from, fm.shape, 11, 300, true)
				host, got := fm.view(host), fm.view(dev).ToDType(to)
				if !expect(t, got, host.Dims(), to) {
					return
				}
				switch {
				case from.IsInt() && to.IsInt():
					in := ints(host)
					sameInts(t, got, mapped(in, func(x int64) int64 { return wrap(to, x) }),
						func(i int) string { return fmt.Sprint(in[i]) })
				case to.IsInt():
					in := host.Float64s()
					sameInts(t, got, mapped(in, func(x float64) int64 { return saturated(to, x) }),
						func(i int) string { return fmt.Sprint(in[i]) })
				case from.IsInt():
					in := ints(host)
					closeTo(t, got, mapped(in, func(x int64) float64 { return rounded(from, to, x) }), 0, nil,
						func(i int) string { return fmt.Sprint(in[i]) })
				default:
					in := host.Float64s()
					closeTo(t, got, in, 0, nil, func(i int) string { return fmt.Sprint(in[i]) })
				}
			})
		})
	}
}

// rounded is an integer rounded once to a float type, also where a float64 cannot hold it.
func rounded(from, to tensor.DType, x int64) float64 {
	exact := new(big.Float).SetInt64(x)
	if from == tensor.U64 {
		exact.SetUint64(uint64(x))
	}
	v, _ := exact.SetMode(big.ToNearestEven).SetPrec(uint(format[to].digits)).Float64()
	return v // closeTo rounds to the exponents of the type
}

func saturated(dt tensor.DType, x float64) int64 {
	bits := 8 * dt.Size()
	low, end := -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	if dt.String()[0] == 'u' {
		low, end = 0, math.Ldexp(1, bits)
	}
	switch {
	case x != x:
		return 0
	case x <= low:
		return int64(low)
	case x >= end && end == 0x1p64:
		return -1 // the bits of the maximum
	case x >= end:
		return int64(uint64(end) - 1)
	case low == 0:
		return int64(uint64(x))
	}
	return int64(x)
}
