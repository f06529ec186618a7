package tensor_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestMapCompiled calls compiled functions: of types that have loops of their own, and of others, over layouts of every
// kind.
func TestMapCompiled(t *testing.T) {
	type degrees float64
	cpu := tensor.CPU()
	x := cpu.Arange(tensor.F32, 60).Reshape(3, 4, 5)
	plus := func(x, y float32) float32 { return 2*x + y }
	for _, c := range []struct {
		name string
		a, b *tensor.Tensor
	}{
		{"dense", x, x.Mul(3)}, {"transposed", x.Transpose(0, 2), x.Add(1).Transpose(0, 2)},
		{"row", x, cpu.Arange(tensor.F32, 5)}, {"column", x.T(), cpu.Arange(tensor.F32, 4)},
		{"scalar", x, cpu.Full(7, 1).ToDType(tensor.F32).Reshape()}, {"outer", cpu.Arange(tensor.F32, 4).Reshape(4, 1), x},
		{"part", x.Narrow(2, 1, 3), x.Narrow(1, 0, 1).Narrow(2, 2, 3)}, {"one", x.Narrow(0, 0, 1), x.Narrow(0, 2, 1)},
		{"none", x.Narrow(0, 0, 0), x.Narrow(0, 0, 0)}, {"deferred", x.Mul(2).Add(1), x.Sqr()},
		{"long rows", cpu.Arange(tensor.F32, 3000).Reshape(3, 1000), cpu.Arange(tensor.F32, 3).Reshape(3, 1)},
	} {
		want := c.a.Mul(2).Add(c.b)
		if got := tensor.Map(plus, c.a, c.b); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
	ints := cpu.New([]int64{3, -4, 5})
	for _, c := range []struct {
		f    any
		x    *tensor.Tensor
		want string
	}{
		{func(x int) int { return -x }, ints, "[-3 4 -5] i64"},
		{func(x int64) bool { return x > 0 }, ints, "[1 0 1] bool"},
		{func(x int64) uint8 { return uint8(x) }, ints, "[3 252 5] u8"},
		{func(b bool) float64 { return map[bool]float64{true: 1.5}[b] }, ints.Gt(0), "[1.5 0 1.5] f64"},
		{func(d degrees) degrees { return degrees(math.Abs(float64(d))) }, ints.ToDType(tensor.F64), "[3 4 5] f64"},
		{math.Sqrt, cpu.New([]float64{4, 9}), "[2 3] f64"},
	} {
		y := tensor.Map(c.f, c.x)
		if got := fmt.Sprint(y.ToVec1(), " ", y.DType()); got != c.want {
			t.Errorf("%T: %s, want %s", c.f, got, c.want)
		}
	}
}

// TestMapPanics: the panic of a large tensor is that of the first element that the function panics for, on the
// goroutine of the caller.
func TestMapPanics(t *testing.T) {
	x := tensor.CPU().Arange(tensor.I64, 1<<18)
	defer func() {
		if got := recover(); got != "100000" {
			t.Error(got)
		}
	}()
	tensor.Map(func(n int64) int64 {
		if n >= 100000 {
			panic(fmt.Sprint(n))
		}
		return n
	}, x)
}

// TestMapErrors checks the kinds of errors.
func TestMapErrors(t *testing.T) {
	x, same := tensor.Of(1, 2), func(x float32) float32 { return x }
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind error
		f    any
		in   []*tensor.Tensor
	}{
		{tensor.ErrDType, 3, []*tensor.Tensor{x}}, {tensor.ErrDType, nil, []*tensor.Tensor{x}},
		{tensor.ErrDType, (func(float32) float32)(nil), []*tensor.Tensor{x}},
		{tensor.ErrDType, same, nil}, {tensor.ErrDType, same, []*tensor.Tensor{x, x}},
		{tensor.ErrDType, same, []*tensor.Tensor{x.ToDType(tensor.F64)}},
		{tensor.ErrDType, func(s string) string { return s }, []*tensor.Tensor{x}},
		{tensor.ErrDType, func() float32 { return 1 }, nil},
		{tensor.ErrDType, func(...float32) float32 { return 1 }, []*tensor.Tensor{x}},
		{tensor.ErrShape, same, []*tensor.Tensor{nil}},
		{tensor.ErrShape, func(x, y float32) float32 { return x }, []*tensor.Tensor{x, tensor.Of(1, 2, 3)}},
		{tensor.ErrDevice, same, []*tensor.Tensor{x.ToDevice(dev)}},
		{tensor.ErrDevice, func(x, y float32) float32 { return x }, []*tensor.Tensor{x, x.ToDevice(dev)}},
	} {
		_, err := tensor.Try(func() *tensor.Tensor { return tensor.Map(c.f, c.in...) })
		var e *tensor.Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) || e.Op != "map" {
			t.Errorf("%T: %v, want a %v", c.f, err, c.kind)
		}
	}
	w := tensor.NewVar(x)
	_, err = tensor.Try(func() *tensor.Tensor { return tensor.Map(same, w).Sum().Backward().Get(w) })
	if !errors.Is(err, tensor.ErrGradient) {
		t.Error(err)
	}
}

func ExampleMap() {
	a, b := tensor.Of(1, 2, 3), tensor.Of(3, 2, 1)
	c := tensor.Map(func(x, y float32) float32 {
		if x > y {
			return x * x
		}
		return y
	}, a, b)
	fmt.Println(c.ToVec1())
	// Output: [3 2 9]
}
