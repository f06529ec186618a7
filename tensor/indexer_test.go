package tensor_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

func TestSetI(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		matrix := func(dt tensor.DType) *tensor.Tensor {
			return dev.Arange(tensor.F32, 6).ToDType(dt).Reshape(2, 3)
		}
		of := func(values ...float64) *tensor.Tensor { return tensor.Of(values...).ToDevice(dev) }
		rows := dev.New([]bool{false, true})
		for _, c := range []struct {
			what string
			on   tensor.DType
			do   func(x *tensor.Tensor)
			want []float64
		}{
			{"a number where a mask is set", tensor.F32, func(x *tensor.Tensor) { x.SetI(-1, x.Gt(3)) },
				[]float64{0, 1, 2, 3, -1, -1}},
			{"values where a mask is set", tensor.F16, func(x *tensor.Tensor) { x.SetI(of(7, 8), x.Gt(3)) },
				[]float64{0, 1, 2, 3, 7, 8}},
			{"a number in rows of a mask", tensor.I8, func(x *tensor.Tensor) { x.SetI(-1, rows) },
				[]float64{0, 1, 2, -1, -1, -1}},
			{"a row in rows of a mask", tensor.F32, func(x *tensor.Tensor) { x.SetI(of(7, 8, 9), rows) },
				[]float64{0, 1, 2, 7, 8, 9}},
			{"a mask and a number", tensor.U64, func(x *tensor.Tensor) { x.SetI(9, rows, 1) },
				[]float64{0, 1, 2, 3, 9, 5}},
			{"a mask and ids", tensor.F32, func(x *tensor.Tensor) { x.SetI(9, rows, []int{-1}) },
				[]float64{0, 1, 2, 3, 4, 9}},
			{"its own elements, reversed", tensor.F32, func(x *tensor.Tensor) { x.SetI(x, tensor.All, "::-1") },
				[]float64{2, 1, 0, 5, 4, 3}},
			{"backwards from element 0", tensor.F32,
				func(x *tensor.Tensor) { x.SetI(7, 0, "0:1:-1"); x.SetI(8, 0, "0::-1"); x.I(1, "0::-1").ZeroSet() },
				[]float64{8, 1, 2, 3, 4, 5}},
			{"its own elements, shifted", tensor.F32,
				func(x *tensor.Tensor) { x.SetI(x.I("..., :2"), tensor.All, tensor.From(1)) },
				[]float64{0, 0, 1, 3, 3, 4}},
			{"columns by ids", tensor.F32,
				func(x *tensor.Tensor) { x.SetI(of(10, 20).Unsqueeze(1), tensor.All, []int{2, 0}) },
				[]float64{10, 1, 10, 20, 4, 20}},
			{"a transposed view", tensor.F32, func(x *tensor.Tensor) { x.T().SetI(of(7, 8), []int{1, 2}, []int{0, 1}) },
				[]float64{0, 7, 2, 3, 4, 8}},
			{"ids that are the elements", tensor.I64, func(x *tensor.Tensor) { x.Get(0).SetI(5, x.Get(0)) },
				[]float64{5, 5, 5, 3, 4, 5}[:5]},
			{"repeated ids, added in F32", tensor.F16,
				func(x *tensor.Tensor) { x.AddI(2048, []int{0, 0, 0}, 0); x.AddI(1, []int{0, 0}, 0) },
				[]float64{6144, 1, 2, 3, 4, 5}},
			{"no ids", tensor.F32, func(x *tensor.Tensor) { x.SetI(1, []int{}) }, []float64{0, 1, 2, 3, 4, 5}},
			{"all", tensor.Bool, func(x *tensor.Tensor) { x.SetI(false, tensor.All, 1); x.SetI(true, 0) },
				[]float64{1, 1, 1, 1, 0, 1}},
			{"positions", tensor.F32,
				func(x *tensor.Tensor) { x.Put(dev.New([]int{-1, 0}), of(7, 8)) }, []float64{8, 1, 2, 3, 4, 7}},
		} {
			x := matrix(c.on)
			c.do(x)
			if got := x.Float64s(); !slices.Equal(got[:len(c.want)], c.want) {
				t.Errorf("%s on %s: got %v, want %v", c.what, spec, got, c.want)
			}
		}
	}
}

func TestSetIMistakes(t *testing.T) {
	x := tensor.CPU().Arange(tensor.I32, 6).Reshape(2, 3)
	w := tensor.NewVar(tensor.Of(1, 2))
	for _, c := range []struct {
		what string
		kind error
		do   func()
	}{
		{"a fraction", tensor.ErrDType, func() { x.SetI(0.5, 0) }},
		{"fractions", tensor.ErrDType, func() { x.SetI(tensor.Of(0.5, 1, 2), 0) }},
		{"a shape that does not fit", tensor.ErrShape, func() { x.SetI(tensor.New([]int32{1, 2}), 0) }},
		{"an id beyond the end", tensor.ErrIndex, func() { x.SetI(0, tensor.All, []int{3}) }},
		{"a mask of another size", tensor.ErrShape, func() { x.SetI(0, []bool{true}) }},
		{"a negative step beside ids", tensor.ErrIndex, func() { x.SetI(0, "::-1", []int{0}) }},
		{"repeated elements", tensor.ErrShape, func() { x.Get(0).BroadcastAs(2, 3).SetI(0, 0) }},
		{"what depends on a variable", tensor.ErrGradient, func() { tensor.Of(1, 2).SetI(w.Sqr(), tensor.All) }},
		{"to what depends on a variable", tensor.ErrGradient, func() { w.Sqr().SetI(0, 0) }},
		{"nil", tensor.ErrShape, func() { x.SetI(nil, 0) }},
	} {
		err := tensor.Catch(func() error { c.do(); return nil })
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want an error about the %v", c.what, err, c.kind)
		}
	}
	if got := fmt.Sprint(x.Float64s()); got != "[0 1 2 3 4 5]" {
		t.Errorf("refused writes left %s", got)
	}
}

func TestPad(t *testing.T) {
	for _, c := range []struct {
		left, right int
		mode        any
		want        []float64
	}{
		{2, 2, tensor.Replicate, []float64{1, 1, 1, 2, 3, 4, 4, 4}},
		{2, 2, tensor.Reflect, []float64{3, 2, 1, 2, 3, 4, 3, 2}},
		{2, 2, tensor.Circular, []float64{3, 4, 1, 2, 3, 4, 1, 2}},
		{5, 7, tensor.Reflect, []float64{2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 4, 3}},
		{5, 0, tensor.Circular, []float64{4, 1, 2, 3, 4, 1, 2, 3, 4}},
		{1, 2, -0.5, []float64{-0.5, 1, 2, 3, 4, -0.5, -0.5}},
		{0, 0, 7, []float64{1, 2, 3, 4}},
	} {
		if got := tensor.Of(1, 2, 3, 4).Pad(0, c.left, c.right, c.mode).ToVec1(); !slices.Equal(got, c.want) {
			t.Errorf("%d, %d, %v: got %v, want %v", c.left, c.right, c.mode, got, c.want)
		}
	}
	one := tensor.Of(5).Pad(0, 2, 1, tensor.Reflect)
	if got := one.ToVec1(); !slices.Equal(got, []float64{5, 5, 5, 5}) {
		t.Errorf("one element: %v", got)
	}
}
