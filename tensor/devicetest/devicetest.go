// Package devicetest is the conformance kit that every device runs. It loops over the rows of the op table, their
// dtypes and a set of layouts, and compares what a device computes with the reference in the row, in float64, within
// the row's tolerance. A new op is tested without new test code.
package devicetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// Run checks every operation on dev.
func Run(t *testing.T, dev *tensor.Device) {
	for _, c := range Checks(dev) {
		run(t, c.Name, c.Run)
	}
}

// RunSample checks every operation on dev, with a sample of its dtypes, layouts and sizes: each is tried, but not in
// all combinations. With GOROCM_TEST=thorough it is Run, and with -short it has a few of the operations; with
// GOROCM_TEST_TURN it has a twelfth of the checks.
func RunSample(t *testing.T, dev *tensor.Device) {
	checks := (kit{dev: dev, sampled: true}).checks()
	if thorough.Short() {
		checks = thorough.Sample(checks, 2, 0)
	}
	for i, c := range checks {
		if thorough.Turn(i, 12) {
			run(t, c.Name, c.Run)
		}
	}
}

// Checks are the parts of Run, for programs that check a device outside of tests.
func Checks(dev *tensor.Device) []Check { return kit{dev: dev}.checks() }

func (k kit) checks() []Check {
	return append([]Check{
		{"transfer", k.transfer},
		{"create", k.create},
		{"random", k.random},
		{"cast", k.cast},
		{"unary", k.unary},
		{"param", k.param},
		{"whole range", k.wholeRange},
		{"composed functions", k.composed},
		{"affine", k.affine},
		{"binary", k.binary},
		{"number", k.number},
		{"compare", k.compare},
		{"where", k.where},
		{"join", k.join},
		{"reduce", k.reduce},
		{"long sums", k.longSums},
		{"statistics of few", k.few},
		{"norms of large and small elements", func(t T) { farNorms(t, k) }},
		{"logarithms near zero", k.nearOne},
		{"softmax", k.softmax},
		{"matmul", k.matmul},
		{"matmul of large integers", k.integerProducts},
		{"index", k.index},
		{"gather and scatter", k.scatter},
		{"in place", k.inPlace},
		{"picks", k.picks},
		{"late ids", k.lateIDs},
		{"identity", k.identity},
		{"repeat", k.repeat},
		{"sort", k.sort},
		{"top k", k.topK},
		{"masks", k.masks},
		{"picked by masks", k.pickedBy},
		{"cumsum", k.cumsum},
		{"cumulative products", k.with(cumProd)},
		{"cumulative extremes", k.with(cumExtremes)},
		{"cumulative logarithms", k.with(logCumSumExp)},
		{"composed reductions", k.with(composedReductions)},
		{"search", k.with(search)},
		{"equal elements", k.with(equalElements)},
		{"conv", k.conv},
		{"pool", k.pool},
		{"upsample", k.upsample},
		{"norm", k.norm},
		{"add norm", k.addNorm},
		{"gate", k.gate},
		{"rope", k.rope},
		{"attention", k.attention},
		{"gradients of attention", k.with(attentionGradients)},
		{"Fourier transforms", k.with(fourier)},
	}, complexKit{k}.checks()...)
}

// with is a check that is a function of the kit.
func (k kit) with(f func(k kit, t T)) func(T) { return func(t T) { f(k, t) } }

// Check is a part of the kit: a family of operations.
type Check struct {
	Name string
	Run  func(T)
}

// T takes the findings of a check. *testing.T is one. Any other must be a Runner. As there, Fatal, Fatalf and Skip end
// the function that was run.
type T interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
}

// Runner is a T that runs parts of a check under names of their own.
type Runner interface {
	T
	Run(name string, f func(T)) bool
}

func run(t T, name string, f func(T)) bool {
	if t, ok := t.(*testing.T); ok {
		return t.Run(name, func(t *testing.T) { f(t) })
	}
	return t.(Runner).Run(name, f)
}

type kit struct {
	dev     *tensor.Device
	sampled bool // in tests that need not try all combinations
}

// some returns the cases of a list that k tries: all of them, or a sample (thorough.Sample). Where the calls for all
// dtypes together shall try each case once, every is the number of dtypes. On emulated devices it is half of those.
func some[T any](k kit, list []T, every, offset int) []T {
	if !k.sampled {
		return list
	}
	if k.dev.Emulated() {
		every *= 2
	}
	return thorough.Sample(list, every, offset)
}

// form is a memory layout: a dense tensor of shape, seen through view.
type form struct {
	name  string
	shape []int
	view  func(*tensor.Tensor) *tensor.Tensor
}

func asIs(t *tensor.Tensor) *tensor.Tensor { return t }

// forms are the layouts for every elementwise operation. The sizes are odd, so that no block or vector fits them.
var forms = []form{
	{"dense", []int{5, 7, 11, 13}, asIs},
	{"permuted", []int{7, 11, 13}, func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(2, 0, 1) }},
	{"narrowed", []int{9, 13}, func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, 2, 5).Narrow(1, 1, 11) }},
	{"offset", []int{131}, func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(0, 3, 127) }},
	{"broadcast", []int{7, 1, 11}, func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs(7, 5, 11) }},
	{"nine dims", slices.Repeat([]int{2}, 9),
		func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(8, 7, 6, 5, 4, 3, 2, 1, 0) }},
	{"scalar", []int{}, asIs},
	{"empty", []int{3, 0, 2}, asIs},
}

// specials are the floats that formulas often get wrong, and the ends of the ranges of integers.
var (
	specials = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, -0.5, 1.5, 2.5,
		-2.5, 100, -100, 1e-5, 7e4, -3e38}
	intSpecials = []int64{0, 1, -1, 127, 128, 255, 256, -128, 32767, -32768, math.MaxInt32, math.MinInt32,
		math.MaxUint32, math.MaxInt64, math.MinInt64, 1<<60 | 1<<52 + 1, -(1<<60 | 1<<52 + 1), 1<<60 | 1<<36 + 1}
)

// input makes the same tensor on the CPU and on the device. Besides the special values the elements are random,
// within spread.
func (k kit) input(dt tensor.DType, shape []int, seed uint64, spread float64, special bool) (host, dev *tensor.Tensor) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	r := rand.New(rand.NewPCG(seed, uint64(dt)))
	if dt.IsInt() {
		values := make([]int64, n)
		for i := range values {
			values[i] = r.Int64N(200) - 60
			if dt == tensor.U64 { // references in float64 hold what is not special
				values[i] = max(values[i], 0)
			}
			if special && r.IntN(4) == 0 {
				values[i] = intSpecials[r.IntN(len(intSpecials))]
			}
		}
		host = tensor.CPU().FromSlice(values, shape...).ToDType(dt)
	} else {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64() * spread
			if special && r.IntN(4) == 0 {
				values[i] = specials[r.IntN(len(specials))]
			}
		}
		host = tensor.CPU().FromSlice(values, shape...).ToDType(dt)
	}
	return host, host.ToDevice(k.dev)
}

// try returns the error of f, including an asynchronous one.
func (k kit) try(f func() *tensor.Tensor) error {
	_, err := tensor.Try(func() *tensor.Tensor {
		x := f()
		k.dev.Synchronize()
		return x
	})
	return err
}

// call calls a method by its name in the op table.
func call(t *tensor.Tensor, method string, args ...any) *tensor.Tensor {
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
	}
	return reflect.ValueOf(t).MethodByName(method).Call(in)[0].Interface().(*tensor.Tensor)
}

// ints returns the elements of a tensor of integers or Bool, exactly. Those of U64 are given by their bits.
func ints(t *tensor.Tensor) []int64 {
	switch data := t.ToDevice(tensor.CPU()).Contiguous().Data().(type) {
	case []bool:
		out := make([]int64, len(data))
		for i, v := range data {
			if v {
				out[i] = 1
			}
		}
		return out
	case []uint8:
		return widened(data)
	case []int8:
		return widened(data)
	case []uint16:
		return widened(data)
	case []int16:
		return widened(data)
	case []uint32:
		return widened(data)
	case []int32:
		return widened(data)
	case []uint64:
		return widened(data)
	case []int64:
		return data
	}
	panic(fmt.Sprintf("integers of type %v", t.DType()))
}

func widened[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64](in []T) []int64 {
	out := make([]int64, len(in))
	for i, v := range in {
		out[i] = int64(v)
	}
	return out
}

// wrap keeps the bits of an integer that a type has.
func wrap(dt tensor.DType, v int64) int64 {
	unused := 64 - 8*dt.Size()
	if strings.HasPrefix(dt.String(), "u") {
		return int64(uint64(v) << unused >> unused)
	}
	return v << unused >> unused
}

// expect checks shape and dtype, and reports whether there are elements to compare.
func expect(t T, got *tensor.Tensor, shape []int, dt tensor.DType) bool {
	t.Helper()
	if !slices.Equal(got.Dims(), shape) || got.DType() != dt {
		t.Fatalf("got %v of %v, want %v of %v", got.Dims(), got.DType(), shape, dt)
	}
	return got.ElemCount() > 0
}

// sameInts compares integer results, exactly.
func sameInts(t T, got *tensor.Tensor, want []int64, describe func(i int) string) {
	t.Helper()
	for i, g := range ints(got) {
		if g != want[i] {
			t.Fatalf("element %d, %s: got %d, want %d", i, describe(i), g, want[i])
		}
	}
}

// closeTo compares float results within so many units in the last place of dt, or within the absolute slack of an
// element. It compares integers exactly, modulo their range.
func closeTo(
	t T, got *tensor.Tensor, want []float64, ulps float64, slack func(i int) float64, describe func(i int) string,
) {
	t.Helper()
	dt := got.DType()
	if dt.IsInt() { // sums wrap
		wrapped := make([]int64, len(want))
		for i, w := range want {
			wrapped[i] = wrap(dt, int64(w))
		}
		sameInts(t, got, wrapped, describe)
		return
	}
	if ulps > 0 && dt.IsSmallFloat() {
		ulps = 1 // computed in F32, rounded at the end
	}
	for i, g := range got.Float64s() {
		w := kernels.Round(dt, want[i])
		if g == w || g != g && w != w {
			continue
		}
		limit := ulps * ulp(dt, w)
		if slack != nil {
			limit += slack(i)
		}
		// Beyond the largest value, one more unit is infinity.
		overflow := math.IsInf(g, 0) != math.IsInf(w, 0) && ulps > 0 && math.Abs(g-w) > 0 &&
			math.Max(ulp(dt, g), ulp(dt, w)) > 0 && nearLimit(dt, g, w)
		if !(math.Abs(g-w) <= limit) && !overflow {
			t.Fatalf("element %d, %s: got %v, want %v, off by %.3g, allowed %.3g", i, describe(i), g, w, math.Abs(g-w),
				limit)
		}
	}
}

// format has the digits and the exponents of a float type.
var format = map[tensor.DType]struct{ digits, minExp, maxExp int }{
	tensor.F16: {11, -14, 15}, tensor.BF16: {8, -126, 127}, tensor.F32: {24, -126, 127}, tensor.F64: {53, -1022, 1023},
	tensor.F8E4M3: {4, -6, 8},
}

// ulp is the distance between neighbours of x in a float type.
func ulp(dt tensor.DType, x float64) float64 {
	f := format[dt]
	if x == 0 || math.IsInf(x, 0) || x != x {
		return math.Ldexp(1, f.minExp-f.digits+1)
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-1, f.minExp)-f.digits+1)
}

// nearLimit reports whether one value is infinite and the other one within a few units of the largest finite value.
func nearLimit(dt tensor.DType, a, b float64) bool {
	if math.IsInf(a, 0) {
		a, b = b, a
	}
	f := format[dt]
	return math.Signbit(a) == math.Signbit(b) && math.Abs(a) >= math.Ldexp(1-math.Ldexp(16, -f.digits), f.maxExp+1)
}

// each runs f for every dtype and form.
func each(t T, on []tensor.DType, f func(t T, dt tensor.DType, fm form)) {
	for _, dt := range on {
		for _, fm := range forms {
			run(t, fmt.Sprintf("%v/%s", dt, fm.name), func(t T) { f(t, dt, fm) })
		}
	}
}

// someForms is each for operation n of many, with a sample of the forms: another one for each dtype and operation.
func someForms(k kit, t T, n int, on []tensor.DType, f func(t T, dt tensor.DType, fm form)) {
	for i, dt := range on {
		for _, fm := range some(k, forms, 4, n+i) {
			run(t, fmt.Sprintf("%v/%s", dt, fm.name), func(t T) { f(t, dt, fm) })
		}
	}
}
