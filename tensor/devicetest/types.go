package devicetest

// The table of types in docs/ops.md is what TestSupport finds to work; the page is made of it.
//
//go:generate go test -count=1 . -run ^TestSupport$ -update
//go:generate go run -C ../../kernels ../internal/gen/kernels

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// operands makes the operands of a typeCase: whole numbers that every element type holds exactly.
type operands struct {
	dt  tensor.DType
	dev *tensor.Device
	// what makes an operand of one with the elements that are asked for; nil for itself
	leaf func(*tensor.Tensor) *tensor.Tensor
}

// x returns 1, 2, … 6, 1, … in a shape.
func (o operands) x(shape ...int) *tensor.Tensor {
	return o.of(shape, func(i int) float64 { return float64(i%6 + 1) })
}

// y returns 3, 1, 2, 3, … in a shape.
func (o operands) y(shape ...int) *tensor.Tensor {
	return o.of(shape, func(i int) float64 { return float64(i%3*2%5%3 + 1) })
}

func (o operands) of(shape []int, f func(int) float64) *tensor.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = f(i)
	}
	x := tensor.CPU().FromSlice(values, shape...).ToDType(o.dt).ToDevice(o.dev)
	if o.leaf != nil {
		return o.leaf(x)
	}
	return x
}

// ids returns a tensor of U32.
func (o operands) ids(shape []int, values ...int32) *tensor.Tensor {
	return tensor.CPU().FromSlice(values, shape...).ToDType(tensor.U32).ToDevice(o.dev)
}

// SupportTable tries every operation of package tensor on every element type on the CPU and on dev, compares the
// results with those of the same operation on float64 on the CPU, and returns a table in Markdown of what works. An
// operation that works on one device only, that gives no clear error where it does not work, or whose holes have no
// reason in the table of cases fails the test, and so does a method without a case.
func SupportTable(t *testing.T, dev *tensor.Device) string {
	var b strings.Builder
	b.WriteString("| |")
	types := slices.Concat(kernels.Numbers, kernels.Complex)
	for _, dt := range types {
		fmt.Fprintf(&b, " %v |", dt)
	}
	b.WriteString(" |\n|---|" + strings.Repeat("---|", len(types)+1) + "\n")
	known := map[string]bool{}
	for _, c := range typeCases {
		known[c.name] = true
		fmt.Fprintf(&b, "| %s |", c.name)
		holes := 0
		for _, dt := range types {
			onCPU, onDev := c.works(t, dt, tensor.CPU()), c.works(t, dt, dev)
			switch {
			case onCPU && onDev:
				b.WriteString(" ✓ |")
			case !onCPU && !onDev:
				b.WriteString(" – |")
				if !dt.IsComplex() { // the page says what complex types lack
					holes++
				}
			default:
				t.Errorf("%s of %v: works on the CPU: %v, on %v: %v", c.name, dt, onCPU, dev, onDev)
			}
		}
		if (holes > 0) != (c.why != "") {
			t.Errorf("%s is not defined for %d types, and the reason is %q", c.name, holes, c.why)
		}
		fmt.Fprintf(&b, " %s |\n", c.why)
	}
	for i, typ := 0, reflect.TypeFor[*tensor.Tensor](); i < typ.NumMethod(); i++ {
		if name := typ.Method(i).Name; !known[name] && !apart[name] && !strings.HasPrefix(name, "ToVec") &&
			!strings.HasPrefix(name, "ToScalar") {
			t.Errorf("the method %s is in no case of typeCases: add one, or name it in apart", name)
		}
	}
	return b.String()
}

// works runs a case, and reports whether the operation is defined for the type.
func (c typeCase) works(t *testing.T, dt tensor.DType, dev *tensor.Device) bool {
	t.Helper()
	got, err := tensor.Try(func() *tensor.Tensor { return c.run(operands{dt: dt, dev: dev}) })
	var e *tensor.Error
	switch {
	case errors.As(err, &e) && errors.Is(err, tensor.ErrDType):
		text := strings.ToLower(fmt.Sprintf("%+v", e))
		if !slices.ContainsFunc(kernels.All,
			func(x tensor.DType) bool { return x != dt && strings.Contains(text, x.String()) }) {
			t.Errorf("%s of %v on %v: the error names no type that works: %s", c.name, dt, dev, text)
		}
		return false
	case err != nil:
		t.Errorf("%s of %v on %v: %v", c.name, dt, dev, err)
		return false
	}
	if c.random {
		return true
	}
	run := c.run
	if c.ref != nil {
		run = c.ref
	}
	want := run(operands{dt: tensor.F64, dev: tensor.CPU()})
	c.compare(t, fmt.Sprintf("%s of %v on %v", c.name, dt, dev), got, want)
	return true
}

// compare checks a result against that of float64, rounded or wrapped to its type.
func (c typeCase) compare(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if fmt.Sprint(got.Dims()) != fmt.Sprint(want.Dims()) {
		t.Errorf("%s: shape %v, want %v", what, got.Dims(), want.Dims())
		return
	}
	if dt := got.DType(); dt.IsComplex() {
		c.compare(t, what+", imaginary parts", got.Imag(), got.Imag().ZerosLike())
		got = got.Real()
	}
	dt := got.DType()
	expected := want.Float64s()
	if !dt.IsFloat() {
		for i, g := range ints(got) {
			if w := wrap(dt, int64(expected[i])); g != w {
				t.Errorf("%s: element %d is %v, want %v", what, i, g, w)
				return
			}
		}
		return
	}
	for i, g := range got.Float64s() {
		w := kernels.Round(dt, expected[i])
		if !(math.Abs(g-w) <= max(c.ulps, 1)*ulp(dt, w)) && !(g != g && w != w) && g != w {
			t.Errorf("%s: element %d is %v, want %v", what, i, g, w)
			return
		}
	}
}
