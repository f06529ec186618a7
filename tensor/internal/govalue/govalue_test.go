package govalue

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// TestScalar converts numbers at the ends of the ranges of types, and just beyond.
func TestScalar(t *testing.T) {
	for _, c := range []struct {
		v    any
		dt   kernels.DType
		want backend.Scalar
		err  string
	}{
		{true, kernels.Bool, backend.Scalar{Int: 1, Float: 1}, ""},
		{2, kernels.Bool, backend.Scalar{}, "2 is not a value of bool"},
		{255, kernels.U8, backend.Scalar{Int: 255, Float: 255}, ""},
		{256.0, kernels.U8, backend.Scalar{}, "256 is not a value of u8"},
		{-1, kernels.U64, backend.Scalar{}, "-1 is not a value of u64"},
		{uint64(math.MaxUint64), kernels.U64, backend.Scalar{Int: -1, Float: 1 << 64}, ""},
		{uint64(math.MaxUint64), kernels.I64, backend.Scalar{}, "18446744073709551615 is not a value of i64"},
		{0x1p63, kernels.U64, backend.Scalar{Int: math.MinInt64}, ""},
		{0x1p64, kernels.U64, backend.Scalar{}, "1.8446744073709552e+19 is not a value of u64"},
		{1.5, kernels.I32, backend.Scalar{}, "1.5 is not a value of i32"},
		{1.5, kernels.F16, backend.Scalar{Float: 1.5}, ""},
		{complex(2, 3), kernels.C64, backend.Scalar{Float: 2, Imag: 3}, ""},
		{complex(2, 0), kernels.U8, backend.Scalar{Int: 2, Float: 2}, ""},
		{complex(2, 3), kernels.F32, backend.Scalar{}, "(2+3i) is not a value of f32"},
		{"1", kernels.F32, backend.Scalar{}, "want a tensor or a number, not a string"},
	} {
		got, err := Scalar(c.v, c.dt)
		switch {
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%v as %v: error %v, want %s", c.v, c.dt, err, c.err)
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%v as %v: %+v, error %v, want %+v", c.v, c.dt, got, err, c.want)
		}
	}
}

// TestNested copies slices and arrays, of types whose memory has the format of elements and of others.
func TestNested(t *testing.T) {
	type name uint16
	for _, c := range []struct {
		data any
		dims []int
		dt   kernels.DType
		want []float64
	}{
		{7, []int{}, kernels.I64, []float64{7}},
		{[]name{1, 2}, []int{2}, kernels.U16, []float64{1, 2}},
		{[][2]float32{{1, 2}, {3, 4}, {5, 6}}, []int{3, 2}, kernels.F32, []float64{1, 2, 3, 4, 5, 6}},
		{[2][]bool{{true}, {false}}, []int{2, 1}, kernels.Bool, []float64{1, 0}},
		{[][]int8{}, []int{0, 0}, kernels.I8, []float64{}},
	} {
		v := reflect.ValueOf(c.data)
		dims, dt, err := Nesting(v)
		if err != nil || dt != c.dt || !slices.Equal(dims, c.dims) {
			t.Errorf("%v: dims %v of %v, error %v, want %v of %v", c.data, dims, dt, err, c.dims, c.dt)
			continue
		}
		raw := host.New(len(c.want) * dt.Size())
		if err := Fill(raw, dt, dims, v); err != nil {
			t.Errorf("%v: %v", c.data, err)
		}
		if got := host.ToFloat64(dt, raw.Data[:len(c.want)*dt.Size()]); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.data, got, c.want)
		}
	}
	ragged := reflect.ValueOf([][]int{{1, 2}, {3}})
	dims, dt, _ := Nesting(ragged)
	if err, ok := Fill(host.New(32), dt, dims, ragged).(*Error); !ok || !err.Ragged {
		t.Errorf("ragged data: %v", err)
	}
	for _, bad := range []any{nil, "text", []any{1}, map[int]int{}} {
		if _, _, err := Nesting(reflect.ValueOf(bad)); err == nil {
			t.Errorf("%v has become elements", bad)
		}
	}
}
