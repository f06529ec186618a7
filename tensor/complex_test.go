package tensor_test

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestComplexValues goes from Go's complex numbers to tensors and back.
func TestComplexValues(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		nan := complex(math.NaN(), math.Inf(-1))
		in := []complex128{1 + 2i, complex(math.Copysign(0, -1), math.Pi), nan, 1e-300i}
		x := dev.New(in)
		if x.DType() != tensor.C128 || x.Bytes() != 64 {
			t.Errorf("%s: %v of %d bytes", spec, x.DType(), x.Bytes())
		}
		out := tensor.ToVec1[complex128](x)
		for i, v := range out {
			if v != in[i] && !(cmplx.IsInf(v) && cmplx.IsInf(in[i])) ||
				math.Signbit(real(v)) != math.Signbit(real(in[i])) {
				t.Errorf("%s: element %d is %v, want %v", spec, i, v, in[i])
			}
		}
		small := dev.FromSlice([]complex64{1, 2i, 3, -4i}, 2, 2)
		if got := tensor.ToVec2[complex64](small.T()); got[0][1] != 3 || got[1][1] != -4i {
			t.Errorf("%s: transposed %v", spec, got)
		}
		nested := dev.New([2][1]complex64{{1i}, {2}})
		if got := tensor.ToVec2[complex64](nested); got[0][0] != 1i || got[1][0] != 2 {
			t.Errorf("%s: an array: %v", spec, got)
		}
		for _, dt := range []tensor.DType{tensor.C64, tensor.C128} {
			full := dev.Full(dt, 1-2i, 3).ToDType(tensor.C128)
			if got := tensor.ToVec1[complex128](full); got[0] != 1-2i || got[2] != 1-2i {
				t.Errorf("%s: full %v: %v", spec, dt, got)
			}
			again := dev.FromBytes(dt, small.ToDType(dt).ToBytes(), 2, 2)
			if !again.Equal(small) {
				t.Errorf("%s: from bytes %v", spec, again)
			}
			sum := tensor.ToScalar[complex128](dev.Arange(dt, 5).Mul(1i).ToDType(tensor.C128).Sum())
			if sum != 10i {
				t.Errorf("%s: a sum of %v: %v", spec, dt, sum)
			}
		}
		if spec == "cpu" {
			small.Data().([]complex64)[0] = 9
			if got := small.I(0, 0).Real().ToScalar(); got != 9 {
				t.Errorf("written through Data: %v", got)
			}
			if got := tensor.ToVec1[complex64](small.PinMemory().Get(1)); got[0] != 3 {
				t.Errorf("in locked memory: %v", got)
			}
		}
	}
}

// TestComplexViews writes through views of the parts.
func TestComplexViews(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		x := dev.New([]complex64{1 + 2i, 3 - 4i})
		x.Imag().ConstSet(7)
		x.Real().Narrow(0, 1, 1).CopySet(tensor.Of(5).ToDevice(dev))
		if got := tensor.ToVec1[complex64](x); got[0] != 1+7i || got[1] != 5+7i {
			t.Errorf("%s: written through the parts: %v", spec, got)
		}
		pairs := dev.Arange(tensor.F32, 8).Reshape(4, 2)
		shared := pairs.Narrow(0, 1, 2).ViewAsComplex()
		shared.ZeroSet()
		if got := pairs.FlattenAll().ToVec1(); !slices.Equal(got, []float64{0, 1, 0, 0, 0, 0, 6, 7}) {
			t.Errorf("%s: written through ViewAsComplex: %v", spec, got)
		}
		odd := dev.Arange(tensor.F32, 9).Narrow(0, 1, 8).Reshape(4, 2).ViewAsComplex()
		if got := tensor.ToVec1[complex64](odd); got[0] != 1+2i || got[3] != 7+8i {
			t.Errorf("%s: pairs at odd positions: %v", spec, got)
		}
		apart := dev.Arange(tensor.F64, 6).Reshape(2, 3).T().ViewAsComplex()
		if got := tensor.ToVec1[complex128](apart); got[0] != 3i || got[2] != 2+5i {
			t.Errorf("%s: pairs of a transposed matrix: %v", spec, got)
		}
		if scalar := dev.New(3 + 4i); scalar.Abs().ToScalar() != 5 || scalar.ViewAsReal().Rank() != 1 {
			t.Errorf("%s: a scalar: %v", spec, scalar)
		}
	}
}

// TestComplexOperands computes with numbers and tensors of other kinds.
func TestComplexOperands(t *testing.T) {
	cpu := tensor.CPU()
	vector := func(dt tensor.DType) *tensor.Tensor { return cpu.Ones(dt, 2) }
	scalar := func(dt tensor.DType) *tensor.Tensor { return cpu.Ones(dt) }
	for _, c := range []struct {
		name string
		got  *tensor.Tensor
		want tensor.DType
	}{
		{"f32 and 1i", vector(tensor.F32).Add(1i), tensor.C64},
		{"f64 and 1i", vector(tensor.F64).Add(1i), tensor.C128},
		{"f16 and 1i", vector(tensor.F16).Mul(complex64(1i)), tensor.C64},
		{"i64 and 1i", vector(tensor.I64).Mul(1i), tensor.C64},
		{"bool and 1i", vector(tensor.Bool).Mul(1i), tensor.C64},
		{"c64 and 2.5", vector(tensor.C64).Mul(2.5), tensor.C64},
		{"c64 and 2", vector(tensor.C64).Div(2), tensor.C64},
		{"c64 and f64", vector(tensor.C64).Mul(vector(tensor.F64)), tensor.C128},
		{"c64 and a scalar f64", vector(tensor.C64).Mul(scalar(tensor.F64)), tensor.C64},
		{"f32 and a scalar c128", vector(tensor.F32).Mul(scalar(tensor.C128)), tensor.C64},
		{"f64 and a scalar c64", scalar(tensor.C64).Mul(vector(tensor.F64)), tensor.C128},
		{"i32 and a scalar c128", vector(tensor.I32).Mul(scalar(tensor.C128)), tensor.C128},
		{"where", vector(tensor.Bool).WhereCond(vector(tensor.F32), 1i), tensor.C64},
		{"cat", tensor.Cat([]*tensor.Tensor{vector(tensor.F64), vector(tensor.C64)}, 0), tensor.C128},
		{"complex of f16", tensor.Complex(vector(tensor.F16), vector(tensor.I64)), tensor.C64},
		{"complex of f64", tensor.Complex(vector(tensor.F32), vector(tensor.F64)), tensor.C128},
		{"abs", vector(tensor.C128).Abs(), tensor.F64},
	} {
		if c.got.DType() != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got.DType(), c.want)
		}
	}
}

// TestComplexText shows complex numbers as PyTorch does, with Go's i.
func TestComplexText(t *testing.T) {
	x := tensor.New([]complex64{1.5 + 2i, -0.25 - 10i, complex(float32(math.NaN()), float32(math.Inf(1)))})
	const want = "[ 1.5000+2.i, -0.2500-10.i,    NaN+infi]\nTensor[[3], c64]"
	got := x.String()
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got %s, want %s", got, want)
	}
	if page := x.HTML(); !strings.Contains(page, "1.5000+2.i") || !strings.Contains(page, "of absolute values") {
		t.Errorf("as HTML: %s", page)
	}
}

// TestComplexErrors: what is wrong, and what to do.
func TestComplexErrors(t *testing.T) {
	x := tensor.New([]complex64{1 + 2i})
	for _, c := range []struct {
		f          func() *tensor.Tensor
		text, note string
		kind       error
	}{
		{func() *tensor.Tensor { return x.Lt(2) }, "lt: not defined for c64", "have no order", tensor.ErrDType},
		{func() *tensor.Tensor { return x.Max(0) }, "max: not defined for c64", "have no order", tensor.ErrDType},
		{func() *tensor.Tensor { return x.Floor() }, "floor: not defined for c64", "x.Real()", tensor.ErrDType},
		{func() *tensor.Tensor { return x.ToDType(tensor.F32) }, "c64 to f32 would lose the imaginary parts",
			"x.Real()",
			tensor.ErrDType},
		{func() *tensor.Tensor { return x.Real().Imag() }, "the elements are real: f32", "x.ToDType(tensor.C64)",
			tensor.ErrDType},
		{func() *tensor.Tensor { return tensor.New(x.ToVec1()) }, "c64 numbers are no float64",
			"tensor.ToVec1[complex64](x)", tensor.ErrDType},
		{func() *tensor.Tensor { return tensor.New(tensor.ToVec1[float32](x)) },
			"the dtype is c64, whose Go type is complex64", "tensor.ToVec1[complex64](x)", tensor.ErrDType},
		{func() *tensor.Tensor { return tensor.Complex(x, x) }, "a part is complex", "x.Real()", tensor.ErrDType},
		{func() *tensor.Tensor { return tensor.Of(1, 2, 3).ViewAsComplex() }, "want a last dim of size 2",
			"tensor.Complex(re, im)", tensor.ErrShape},
		{func() *tensor.Tensor { return tensor.NewVar(x).Exp().Backward().Get(x) }, "a loss is real", "x.Abs()",
			tensor.ErrGradient},
		{func() *tensor.Tensor { return tensor.NewVar(x).Exp().BackwardGraph(nil).Get(x) }, "a loss is real", "x.Abs()",
			tensor.ErrGradient},
		{func() *tensor.Tensor { return tensor.Of(1).MaskedFill(tensor.New([]bool{true}), 1i) },
			"is not a value of f32", "c64", tensor.ErrDType},
	} {
		_, err := tensor.Try(c.f)
		var e *tensor.Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) || !strings.Contains(e.Error(), c.text) ||
			!strings.Contains(strings.Join(e.Notes, " "), c.note) {
			t.Errorf("want %q with the note %q, got %+v", c.text, c.note, err)
		}
	}
}

// TestComplexVariable finds a square root by gradient descent.
func TestComplexVariable(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		z := tensor.NewVar(device(t, spec).New(complex64(1)))
		for range 200 {
			off := z.Sqr().Sub(3 + 4i).Abs().Sqr()
			z.Set(z.Detach().Sub(off.Backward().Get(z).Mul(0.02)))
		}
		if got := tensor.ToScalar[complex64](z); cmplx.Abs(complex128(got)-(2+1i)) > 1e-5 {
			t.Errorf("%s: the root is %v", spec, got)
		}
	}
}

// TestComplexSign compares the gradient with that of z/|z|, whose derivatives are known, and with 0 at 0.
func TestComplexSign(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		z := tensor.NewVar(dev.New([]complex128{3 + 4i, -1 + 0.5i, 0}))
		weights := dev.New([]complex128{1, 2 - 1i, 1i})
		got := z.Sign().Mul(weights).Real().Sum().Backward().Get(z)
		want := z.Div(z.Abs()).Mul(weights).Real().Narrow(0, 0, 2).Sum().Backward().Get(z).Narrow(0, 0, 2)
		if first := tensor.ToVec1[complex128](got); cmplx.Abs(first[0]-(0.128-0.096i)) > 1e-15 || first[2] != 0 ||
			got.Narrow(0, 0, 2).Sub(want).Abs().Max().ToScalar() > 1e-15 {
			t.Errorf("%s: the gradient of sign is\n%v, want\n%v", spec, got, want)
		}
		second := func(sign *tensor.Tensor) *tensor.Tensor {
			g := sign.Mul(weights).Real().Narrow(0, 0, 2).Sum().BackwardGraph(nil).Get(z)
			return g.Abs().Sqr().Narrow(0, 0, 2).Sum().Backward().Get(z).Narrow(0, 0, 2)
		}
		if d := second(z.Sign()).Sub(second(z.Div(z.Abs()))).Abs().Max().ToScalar(); !(d < 1e-14) {
			t.Errorf("%s: second derivatives differ by %v", spec, d)
		}
	}
}

// TestComplexLogs: logarithms of 0 to any base have the angle 0.
func TestComplexLogs(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		z := device(t, spec).New([]complex128{0, 8i})
		for base, f := range map[float64]func() *tensor.Tensor{math.E: z.Log, 2: z.Log2, 10: z.Log10} {
			got := tensor.ToVec1[complex128](f())
			want := cmplx.Log(8i) / complex(math.Log(base), 0)
			if got[0] != complex(math.Inf(-1), 0) || cmplx.Abs(got[1]-want) > 1e-15 {
				t.Errorf("%s: log %v is %v, want -Inf and %v", spec, base, got, want)
			}
		}
	}
}

func ExampleComplex() {
	z := tensor.Complex(tensor.Of(3, 0), tensor.Of(4, -1))
	fmt.Println(z)
	fmt.Println(z.Abs().ToVec1(), tensor.ToVec1[complex64](z.Mul(1i)))
	// Output:
	// [3.+4.i, 0.-1.i]
	// Tensor[[2], c64]
	// [5 1] [(-4+3i) (1+0i)]
}

// TestComplexSubnormal: logarithms and powers of numbers whose absolute value is subnormal, by mpmath.
func TestComplexSubnormal(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		x := device(t, spec).New([]complex128{5e-324, 1e-310i, complex(1e-320, 1e-320)})
		for name, c := range map[string]struct {
			got  *tensor.Tensor
			want []complex128
		}{
			"log": {x.Log(), []complex128{-744.440071921381262, complex(-713.801378828154165, math.Pi/2),
				complex(-736.480667300693933, math.Pi/4)}},
			"power of 0.3": {x.Pow(x.FullLike(0.3)), []complex128{1.018908996936868e-97,
				complex(8.91006524188374115e-94, 4.53990499739549958e-94),
				complex(1.07890837581728088e-96, 2.5902298402735626e-97)}},
			"power of -0.9": {x.Pow(x.FullLike(-0.9)), []complex128{9.45352569147208013e+290,
				complex(1.56434465040233744e+278, -9.87688340595156102e+278),
				complex(5.56655326104325678e+287, -4.75428562486072045e+287)}},
		} {
			for i, got := range tensor.ToVec1[complex128](c.got) {
				if cmplx.Abs(got-c.want[i]) > 1e-12*cmplx.Abs(c.want[i]) {
					t.Errorf("%s: the %s of element %d is %v, want %v", spec, name, i, got, c.want[i])
				}
			}
		}
	}
}
