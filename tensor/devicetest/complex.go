package devicetest

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// complexKit checks complex numbers.
type complexKit struct{ kit }

func (k complexKit) checks() []Check {
	return []Check{
		{"complex functions", k.functions},
		{"complex parts", k.parts},
		{"complex functions of several steps", k.composed},
		{"complex moves", k.moves},
		{"complex products", k.products},
		{"complex folds", k.folds},
		{"complex errors", k.errors},
	}
}

// complexes makes the same complex tensor on the CPU and on the device. With special, a part in three is a special
// value.
func (k complexKit) complexes(dt tensor.DType, shape []int, seed uint64, special bool) (host, dev *tensor.Tensor) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	r := rand.New(rand.NewPCG(seed, uint64(dt)))
	part := func() float64 {
		if special && r.IntN(3) == 0 {
			return specials[r.IntN(len(specials))]
		}
		return r.NormFloat64() * 3
	}
	values := make([]complex128, n)
	for i := range values {
		values[i] = complex(part(), part())
	}
	host = tensor.CPU().FromSlice(values, shape...).ToDType(dt)
	return host, host.ToDevice(k.dev)
}

// complexesOf returns the elements as complex128.
func complexesOf(t *tensor.Tensor) []complex128 {
	return tensor.ToVec1[complex128](t.ToDType(tensor.C128).FlattenAll())
}

// closeComplex compares complex results within so many units in the last place of the larger part.
func closeComplex(t T, got *tensor.Tensor, want []complex128, ulps float64, describe func(i int) string) {
	t.Helper()
	dt := got.DType().Real()
	for i, g := range complexesOf(got) {
		re, im := kernels.Round(dt, real(want[i])), kernels.Round(dt, imag(want[i]))
		limit := 0.0
		for _, part := range []float64{re, im} {
			if ulps > 0 && part-part == 0 {
				limit = max(limit, ulps*ulp(dt, part))
			}
		}
		same := func(g, w float64) bool {
			return g == w || g != g && w != w || math.Abs(g-w) <= limit || ulps > 0 && nearLimit(dt, g, w)
		}
		if !same(real(g), re) || !same(imag(g), im) {
			t.Fatalf("element %d, %s: got %v, want %v, allowed %.3g", i, describe(i), g, complex(re, im), limit)
		}
	}
}

// functions compares the functions of the table with their references.
func (k complexKit) functions(t T) {
	for n, op := range kernels.ComplexOps {
		run(t, op.Name, func(t T) {
			someForms(k.kit, t, n, kernels.Complex, func(t T, dt tensor.DType, fm form) {
				a, x := k.complexes(dt, fm.shape, 1, true)
				a, x = fm.view(a), fm.view(x)
				as := complexesOf(a)
				if op.Unary != nil {
					if got := call(x, methodOf(op.Name)); expect(t, got, a.Dims(), dt) {
						closeComplex(t, got, mapped(as, op.Unary), op.ULP,
							func(i int) string { return fmt.Sprint(as[i]) })
					}
					return
				}
				b, y := k.complexes(dt, a.Dims()[max(0, a.Rank()-1):], 2, true) // one row for all
				b = b.BroadcastAs(a.Dims()...)
				bs, want := complexesOf(b), make([]complex128, len(as))
				for i := range want {
					want[i] = op.Binary(as[i], bs[i])
				}
				if got := call(x, methodOf(op.Name), y); expect(t, got, a.Dims(), dt) {
					closeComplex(t, got, want, op.ULP, func(i int) string { return fmt.Sprint(as[i], bs[i]) })
				}
			})
		})
	}
}

// methodOf is the method of a row of ComplexOps.
func methodOf(name string) string {
	for _, op := range kernels.Unary {
		if op.Name == name {
			return op.Method
		}
	}
	for _, op := range kernels.Binary {
		if op.Name == name {
			return op.Method
		}
	}
	return "Conj" // which real numbers have no kernels for
}

// parts compares what is done to the parts with the same on package cmplx's numbers.
func (k complexKit) parts(t T) {
	each(t, kernels.Complex, func(t T, dt tensor.DType, fm form) {
		host, dev := k.complexes(dt, fm.shape, 3, true)
		host, dev = fm.view(host), fm.view(dev)
		xs := complexesOf(host)
		describe := func(i int) string { return fmt.Sprint(xs[i]) }
		for _, c := range []struct {
			name string
			got  *tensor.Tensor
			want func(x complex128) float64
			ulps float64
		}{
			{"real", dev.Real(), func(x complex128) float64 { return real(x) }, 0},
			{"imag", dev.Imag(), func(x complex128) float64 { return imag(x) }, 0},
			{"abs", dev.Abs(), cmplx.Abs, 2},
			{"angle", dev.Angle(), cmplx.Phase, 4},
		} {
			run(t, c.name, func(t T) {
				if expect(t, c.got, host.Dims(), dt.Real()) {
					closeTo(t, c.got, mapped(xs, c.want), c.ulps, nil, describe)
				}
			})
		}
		for _, c := range []struct {
			name string
			got  *tensor.Tensor
			want func(x complex128) complex128
			ulps float64
		}{
			{"neg", dev.Neg(), func(x complex128) complex128 { return -x }, 0},
			{"sum with a number", dev.Add(1 - 2i), func(x complex128) complex128 { return x + (1 - 2i) }, 0},
			{"difference", dev.Sub(2.5), func(x complex128) complex128 { return x - 2.5 }, 0},
			{"both parts", tensor.Complex(dev.Real(), dev.Imag()), func(x complex128) complex128 { return x }, 0},
			{"views", dev.ViewAsReal().ViewAsComplex(), func(x complex128) complex128 { return x }, 0},
			{"to the other type and back", dev.ToDType(tensor.C128).ToDType(dt),
				func(x complex128) complex128 { return x }, 0},
			{"NanToNum", dev.NanToNum(), func(x complex128) complex128 {
				most := kernels.Largest(dt.Real())
				part := func(v float64) float64 {
					if v != v {
						return 0
					}
					return max(-most, min(v, most))
				}
				return complex(part(real(x)), part(imag(x)))
			}, 0},
		} {
			run(t, c.name, func(t T) {
				if expect(t, c.got, host.Dims(), dt) {
					closeComplex(t, c.got, mapped(xs, c.want), c.ulps, describe)
				}
			})
		}
		for _, c := range []struct {
			name string
			got  *tensor.Tensor
			want func(x complex128) bool
		}{
			{"eq", dev.Eq(1), func(x complex128) bool { return x == 1 }},
			{"ne itself", dev.Ne(dev), cmplxNaN},
			{"IsNaN", dev.IsNaN(), cmplxNaN},
			{"IsInf", dev.IsInf(), cmplx.IsInf},
			{"IsFinite", dev.IsFinite(), func(x complex128) bool { return !cmplxNaN(x) && !cmplx.IsInf(x) }},
			{"to Bool", dev.ToDType(tensor.Bool), func(x complex128) bool { return x != 0 }},
		} {
			run(t, c.name, func(t T) {
				if !expect(t, c.got, host.Dims(), tensor.Bool) {
					return
				}
				for i, g := range ints(c.got) {
					if (g == 1) != c.want(xs[i]) {
						t.Fatalf("%s: got %v", describe(i), g == 1)
					}
				}
			})
		}
	})
}

func cmplxNaN(x complex128) bool { return math.IsNaN(real(x)) || math.IsNaN(imag(x)) }

// complexMoves are operations that treat both parts alike.
var complexMoves = []struct {
	name string
	f    func(x *tensor.Tensor) *tensor.Tensor
}{
	{"sum", func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(0) }},
	{"sum of all", func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }},
	{"mean", func(x *tensor.Tensor) *tensor.Tensor { return x.MeanKeepDim(-1) }},
	{"cumsum", func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(-1) }},
	{"copy", func(x *tensor.Tensor) *tensor.Tensor { return x.T().Copy() }},
	{"index select", func(x *tensor.Tensor) *tensor.Tensor { return x.IndexSelect(idsOn(x, 2, 0, 2), 0) }},
	{"index select of columns", func(x *tensor.Tensor) *tensor.Tensor { return x.T().IndexSelect(idsOn(x, 2, 0, 2), 1) }},
	{"gather", func(x *tensor.Tensor) *tensor.Tensor {
		return x.Gather(idsOn(x, 2, 0, 1, 1).Reshape(1, 4).BroadcastAs(3, 4), 1)
	}},
	{"gather of a view", func(x *tensor.Tensor) *tensor.Tensor {
		return x.T().Gather(idsOn(x, 2, 0, 1, 1).Reshape(4, 1), 0)
	}},
	{"scatter", func(x *tensor.Tensor) *tensor.Tensor {
		return x.Scatter(idsOn(x, 2, 0).Reshape(2, 1), x.Narrow(0, 1, 2).Narrow(1, 1, 1), 0)
	}},
	{"scatter add", func(x *tensor.Tensor) *tensor.Tensor {
		return x.ScatterAdd(idsOn(x, 1, 1).Reshape(2, 1), x.Narrow(0, 1, 2).Narrow(1, 1, 1), 0)
	}},
	{"index add", func(x *tensor.Tensor) *tensor.Tensor { return x.IndexAdd(idsOn(x, 2, 2, 0), x, 0) }},
	{"flip", func(x *tensor.Tensor) *tensor.Tensor { return x.Flip(0, 1) }},
	{"roll", func(x *tensor.Tensor) *tensor.Tensor { return x.Roll(2, 1) }},
	{"repeat", func(x *tensor.Tensor) *tensor.Tensor { return x.Repeat(2, 3) }},
	{"cat", func(x *tensor.Tensor) *tensor.Tensor { return tensor.Cat([]*tensor.Tensor{x, x.Neg()}, 1) }},
	{"stack", func(x *tensor.Tensor) *tensor.Tensor { return tensor.Stack([]*tensor.Tensor{x, x.Neg()}, 0) }},
	{"pad", func(x *tensor.Tensor) *tensor.Tensor { return x.Pad(1, 2, 1, 0).Pad(0, 1, 1, tensor.Reflect) }},
	{"tril", func(x *tensor.Tensor) *tensor.Tensor { return x.Tril(0) }},
	{"unfold", func(x *tensor.Tensor) *tensor.Tensor { return x.Unfold(1, 2, 2).Copy() }},
	{"slice assign", func(x *tensor.Tensor) *tensor.Tensor {
		return x.SliceAssign([]tensor.Range{tensor.R(0, 2), tensor.R(1, 2)}, x.Narrow(0, 1, 2).Narrow(1, 0, 1))
	}},
	{"where", func(x *tensor.Tensor) *tensor.Tensor { return maskOn(x).WhereCond(x, x.Neg()) }},
	{"where with a number", func(x *tensor.Tensor) *tensor.Tensor { return maskOn(x).WhereCond(x, 0) }},
	{"masked fill", func(x *tensor.Tensor) *tensor.Tensor { return x.MaskedFill(maskOn(x), 0) }},
	{"masked select", func(x *tensor.Tensor) *tensor.Tensor { return x.MaskedSelect(maskOn(x)) }},
	{"repeat interleave", func(x *tensor.Tensor) *tensor.Tensor { return x.RepeatInterleave(2, 1) }},
	{"take", func(x *tensor.Tensor) *tensor.Tensor { return x.Take(x.Device().New([]int{3, -1, 0})) }},
	{"diff", func(x *tensor.Tensor) *tensor.Tensor { return x.Diff(1, 1) }},
	{"nan sum", func(x *tensor.Tensor) *tensor.Tensor { return x.NanSum(0) }},
	{"set index", func(x *tensor.Tensor) *tensor.Tensor {
		y := x.Copy()
		y.SetI(x.Get(1), []int{0, -1})
		y.SetI(0, maskOn(x).BroadcastAs(3, 4))
		return y
	}},
	{"add index", func(x *tensor.Tensor) *tensor.Tensor {
		y := x.Copy()
		y.AddI(x.Get(1), []int{0, 0, 2})
		return y
	}},
	{"put", func(x *tensor.Tensor) *tensor.Tensor {
		y := x.Copy()
		y.Put(x.Device().New([]int{3, 0}), x.I(0, []int{1, 2}))
		return y
	}},
	{"zero set", func(x *tensor.Tensor) *tensor.Tensor {
		y := x.Copy()
		y.Narrow(1, 1, 2).ZeroSet()
		return y
	}},
	{"copy set", func(x *tensor.Tensor) *tensor.Tensor {
		y := x.ZerosLike()
		y.T().CopySet(x.T())
		return y
	}},
	{"to the CPU", func(x *tensor.Tensor) *tensor.Tensor { return x.T().ToDevice(tensor.CPU()) }},
	{"nothing", func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(0, 1, 0).Neg() }},
}

func idsOn(x *tensor.Tensor, ids ...uint32) *tensor.Tensor { return x.Device().New(ids) }

// maskOn is a mask for matrices of four columns.
func maskOn(x *tensor.Tensor) *tensor.Tensor {
	return x.Device().New([]bool{true, false, false, true})
}

// moves checks that operations give for complex tensors what they give for their parts. The order of a sum may
// differ.
func (k complexKit) moves(t T) {
	for _, dt := range kernels.Complex {
		for _, c := range complexMoves {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				host, dev := k.complexes(dt, []int{4, 3}, 4, false)
				host, dev = host.T(), dev.T() // [3 4]
				got, re, im := c.f(dev), c.f(host.Real().Copy()), c.f(host.Imag().Copy())
				if !expect(t, got, re.Dims(), dt) {
					return
				}
				want := tensor.Complex(re, im)
				ws := complexesOf(want)
				closeComplex(t, got, ws, 16, func(i int) string { return fmt.Sprint(ws[i]) })
			})
		}
	}
}

// composed compares functions that are made of others with package cmplx.
func (k complexKit) composed(t T) {
	for _, dt := range kernels.Complex {
		host, dev := k.complexes(dt, []int{7, 11}, 8, false)
		xs := complexesOf(host)
		for _, c := range []struct {
			name string
			got  *tensor.Tensor
			want func(x complex128) complex128
		}{
			{"log2", dev.Log2(), func(x complex128) complex128 { return cmplx.Log(x) * math.Log2E }},
			{"log10", dev.Log10(), cmplx.Log10},
			{"rsqrt", dev.Rsqrt(), func(x complex128) complex128 { return 1 / cmplx.Sqrt(x) }},
			{"sigmoid", dev.Sigmoid(), func(x complex128) complex128 { return 1 / (1 + cmplx.Exp(-x)) }},
			{"square", dev.Sqr(), func(x complex128) complex128 { return x * x }},
			{"root of a power", dev.Powf(0.5), cmplx.Sqrt},
		} {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				if expect(t, c.got, host.Dims(), dt) {
					closeComplex(t, c.got, mapped(xs, c.want), 64, func(i int) string { return fmt.Sprint(xs[i]) })
				}
			})
		}
	}
}

// products compares products of matrices with sums of complex128.
func (k complexKit) products(t T) {
	shapes := [][2][]int{{{3, 5}, {5, 4}}, {{5}, {5, 4}}, {{3, 5}, {5}}, {{5}, {5}}, {{2, 3, 5}, {5, 4}},
		{{2, 1, 3, 5}, {4, 5, 2}}, {{3, 0}, {0, 2}}, {{0, 3}, {3, 2}}, {{33, 70}, {70, 37}}}
	for _, dt := range kernels.Complex {
		for _, s := range shapes {
			run(t, fmt.Sprintf("%v/%v", dt, s), func(t T) {
				a, x := k.complexes(dt, s[0], 5, false)
				b, y := k.complexes(dt, s[1], 6, false)
				if len(s[1]) > 1 { // stored by columns
					y = y.T().Copy().T()
				}
				got := x.MatMul(y)
				// the same by parts in F64, whose products are checked elsewhere
				re := func(p, q *tensor.Tensor) *tensor.Tensor {
					return p.ToDType(tensor.F64).MatMul(q.ToDType(tensor.F64))
				}
				want := tensor.Complex(re(a.Real(), b.Real()).Sub(re(a.Imag(), b.Imag())),
					re(a.Real(), b.Imag()).Add(re(a.Imag(), b.Real())))
				if !expect(t, got, want.Dims(), dt) {
					return
				}
				sizes := a.Abs().ToDType(tensor.F64).MatMul(b.Abs().ToDType(tensor.F64)).FlattenAll().Float64s()
				ws := complexesOf(want)
				for i, g := range complexesOf(got) {
					if limit := 8 * ulp(dt.Real(), sizes[i]); !(cmplx.Abs(g-ws[i]) <= limit) {
						t.Fatalf("element %d: got %v, want %v, allowed %g", i, g, ws[i], limit)
					}
				}
			})
		}
	}
	x := k.dev.New([][]complex64{{1 + 1i, 2}, {3i, 4}})
	if got := tensor.ToVec2[complex64](x.H()); got[0][0] != 1-1i || got[0][1] != -3i || got[1][0] != 2 {
		t.Errorf("the conjugate transpose: %v", got)
	}
}

// folds checks products and variances.
func (k complexKit) folds(t T) {
	for _, dt := range kernels.Complex {
		for _, shape := range [][]int{{7, 3}, {1, 3}, {0, 3}, {16, 1}} {
			host, dev := k.complexes(dt, shape, 7, false)
			product := slices.Repeat([]complex128{1}, shape[1])
			for i, v := range complexesOf(host) {
				product[i%shape[1]] *= v
			}
			got := dev.ProdKeepDim(0)
			if expect(t, got, []int{1, shape[1]}, dt) {
				closeComplex(t, got, product, 16, func(i int) string { return fmt.Sprint(shape) })
			}
			running, so := slices.Repeat([]complex128{1}, shape[1]), complexesOf(host)
			for i := range so {
				running[i%shape[1]] *= so[i]
				so[i] = running[i%shape[1]]
			}
			if got := dev.CumProd(0); expect(t, got, shape, dt) {
				closeComplex(t, got, so, 16, func(i int) string { return fmt.Sprint("cumprod ", shape) })
			}
			variance := host.Real().ToDType(tensor.F64).Var(0).Add(host.Imag().ToDType(tensor.F64).Var(0))
			some, every := dev.Eq(0).Not(), dev.Sub(dev.Narrow(0, 0, min(1, shape[0])).Sum(0))
			for _, c := range [][2]*tensor.Tensor{{dev.Any(0), some.Any(0)}, {every.All(0), every.Ne(0).All(0)}} {
				if !c[0].Equal(c[1]) {
					t.Errorf("any and all of %v: %v, want %v", shape, c[0], c[1])
				}
			}
			if got := dev.Var(0); expect(t, got, variance.Dims(), dt.Real()) {
				describe := func(int) string { return fmt.Sprint(shape) }
				closeTo(t, got, variance.Float64s(), 8, nil, describe)
				closeTo(t, dev.Std(0), variance.Sqrt().Float64s(), 8, nil, describe)
			}
		}
	}
}

// errors checks what complex tensors refuse.
func (k complexKit) errors(t T) {
	x := k.dev.New([]complex128{1 + 2i, 3})
	for name, f := range map[string]func() *tensor.Tensor{
		"lt": func() *tensor.Tensor { return x.Lt(1) }, "maximum": func() *tensor.Tensor { return x.Maximum(x) },
		"clamp": func() *tensor.Tensor { return x.Clamp(0, 1) }, "max": func() *tensor.Tensor { return x.Max(0) },
		"argmin": func() *tensor.Tensor { return x.ArgMin(0) }, "floor": func() *tensor.Tensor { return x.Floor() },
		"sort":            func() *tensor.Tensor { return first(x.Sort(0, true)) },
		"top k":           func() *tensor.Tensor { return first(x.TopK(1, 0, true)) },
		"softmax":         func() *tensor.Tensor { return x.Softmax(0) },
		"to f64":          func() *tensor.Tensor { return x.ToDType(tensor.F64) },
		"to i32":          func() *tensor.Tensor { return x.ToDType(tensor.I32) },
		"as a condition":  func() *tensor.Tensor { return x.WhereCond(x, x) },
		"as a mask":       func() *tensor.Tensor { return x.MaskedSelect(x) },
		"as indices":      func() *tensor.Tensor { return x.IndexSelect(x, 0) },
		"into a real one": func() *tensor.Tensor { return x.Real().Copy().SliceScatter0(x, 0) },
		"gathered":        func() *tensor.Tensor { return x.Conv1d(x, 0, 1, 1, 1) },
		"imag of reals":   func() *tensor.Tensor { return x.Real().Imag() },
		"a number that is not real": func() *tensor.Tensor {
			return k.dev.Full(tensor.F32, 1i)
		},
		"search sorted": func() *tensor.Tensor { return x.SearchSorted(x, false) },
	} {
		if err := k.try(f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := k.try(func() *tensor.Tensor { return x.Gather(idsOn(x, 0, 7), 0) }); err == nil ||
		!strings.Contains(err.Error(), "ids[1] = 7 is out of range") {
		t.Errorf("an id out of range: %v", err)
	}
}
