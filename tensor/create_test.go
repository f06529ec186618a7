package tensor_test

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestNew makes tensors of the Go types that people have.
func TestNew(t *testing.T) {
	type celsius float32
	for _, c := range []struct {
		name  string
		data  any
		dtype tensor.DType
		shape []int
		want  []float64
	}{
		{"float", 1.5, tensor.F64, []int{}, []float64{1.5}},
		{"int", 3, tensor.I64, []int{}, []float64{3}},
		{"slice", []float32{1, 2}, tensor.F32, []int{2}, []float64{1, 2}},
		{"nested", [][]float64{{1, 2, 3}, {4, 5, 6}}, tensor.F64, []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
		{"array", [2][2]int32{{1, 2}, {3, 4}}, tensor.I32, []int{2, 2}, []float64{1, 2, 3, 4}},
		{"four deep", [][][][]uint8{{{{1}, {2}}}}, tensor.U8, []int{1, 1, 2, 1}, []float64{1, 2}},
		{"bools", []bool{true, false}, tensor.Bool, []int{2}, []float64{1, 0}},
		{"small ints", []int8{-1, 2}, tensor.I8, []int{2}, []float64{-1, 2}},
		{"words", []uint16{65535}, tensor.U16, []int{1}, []float64{65535}},
		{"unsigned", []uint64{7}, tensor.U64, []int{1}, []float64{7}},
		{"named", []celsius{20.5}, tensor.F32, []int{1}, []float64{20.5}},
		{"empty", []float32{}, tensor.F32, []int{0}, nil},
		{"empty rows", [][]int64{{}, {}}, tensor.I64, []int{2, 0}, nil},
	} {
		for _, spec := range []string{"cpu", "rocm"} {
			t.Run(c.name+"/"+spec, func(t *testing.T) {
				got := device(t, spec).New(c.data)
				if got.DType() != c.dtype || !slices.Equal(got.Dims(), c.shape) ||
					!slices.Equal(got.Float64s(), c.want) {
					t.Errorf("got %v", got)
				}
			})
		}
	}
}

// TestOutside: bounds and operands of comparisons need not be values of an integer type.
func TestOutside(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		u, i := dev.New([]uint8{0, 255}), dev.New([]int8{-128, 127})
		for want, got := range map[*tensor.Tensor]*tensor.Tensor{
			dev.New([]bool{true, true}): u.Gt(-1).And(u.Ge(-1)).And(u.Ne(-1)).And(u.Lt(256)).And(i.Le(300)).And(i.Ne(300)),
			dev.New([]bool{false, false}): u.Lt(-1).Or(u.Le(-1)).Or(u.Eq(-1)).Or(u.Gt(256)).Or(i.Ge(300)).
				Or(i.Eq(uint64(math.MaxUint64))),
			i:                              i.Clamp(-1000, 1000),
			dev.New([]int8{-5, 127}):       i.Clamp(-5, 1000),
			dev.New([]uint8{0, 9}):         u.Clamp(-9, 9),
			dev.New([]float32{1.5, 2.5}):   u.Clamp(1.5, 2.5),
			dev.New([]float32{1, 2}):       u.Clamp(1.0, 2.0),
			dev.Zeros(tensor.U8, 0):        u.Diff(2, 0),
			dev.Zeros(tensor.F32, 3, 0, 2): dev.Ones(tensor.F32, 3, 2, 2).Diff(7, 1),
		} {
			if got.DType() != want.DType() || !got.Equal(want) {
				t.Errorf("%s: %v, want %v", spec, got, want)
			}
		}
		x := dev.New([]float32{1, 2})
		if x.CopySet(x); !x.Equal(dev.New([]float32{1, 2})) {
			t.Errorf("%s: copied to itself: %v", spec, x)
		}
		if _, err := tensor.Try(func() *tensor.Tensor { return i.Clamp(1000, 2000) }); !errors.Is(err, tensor.ErrDType) {
			t.Errorf("%s: a bound above all values: %v", spec, err)
		}
	}
}

func TestFromSliceCopies(t *testing.T) {
	data := []float32{1, 2, 3, 4}
	x := tensor.FromSlice(data, -1, 2)
	data[0] = 9
	back := tensor.ToVec2[float32](x)
	back[0][1] = 9
	if want := [][]float32{{1, 2}, {3, 4}}; !reflect.DeepEqual(tensor.ToVec2[float32](x), want) {
		t.Errorf("got %v, want %v", tensor.ToVec2[float32](x), want)
	}
}

func TestToVec(t *testing.T) {
	x := tensor.CPU().Arange(tensor.I32, 24).Reshape(2, 3, 4)
	if got := x.ToVec3()[1][2][3]; got != 23 {
		t.Errorf("ToVec3: %v", got)
	}
	if got := tensor.ToVec3[int32](x.Transpose(0, 2))[3][2][1]; got != 23 {
		t.Errorf("ToVec3[int32]: %v", got)
	}
	if got := x.Get(1).T().ToVec2()[3]; !slices.Equal(got, []float64{15, 19, 23}) {
		t.Errorf("ToVec2: %v", got)
	}
	half := tensor.Of(1.0/3, -2).To(tensor.F16)
	if got := tensor.ToVec1[float32](half); got[0] != 0.33325195 || got[1] != -2 {
		t.Errorf("ToVec1[float32] of F16: %v", got)
	}
	if got := tensor.ToScalar[int64](tensor.New(int64(math.MaxInt64))); got != math.MaxInt64 {
		t.Errorf("ToScalar[int64]: %v", got)
	}
	rows := tensor.Ones(2, 2).ToVec2()
	rows[0] = append(rows[0], 7) // must not run into the next row
	if rows[1][0] != 1 {
		t.Error("rows share their capacity")
	}
}

func TestTo(t *testing.T) {
	x := tensor.Of(1.5, -2.5)
	dev := device(t, "rocm")
	there := x.To("rocm")
	if there.Device() != dev || there.To(dev) != there || there.To("f32") != there {
		t.Errorf("on %v", there.Device())
	}
	if got := tensor.ToVec1[int64](there.To("cpu").To(tensor.I64)); !slices.Equal(got, []int64{1, -2}) {
		t.Errorf("got %v", got)
	}
}

// TestSeedRepeats checks that a seed gives the same numbers again, and on another device.
func TestSeedRepeats(t *testing.T) {
	draw := func(dev *tensor.Device) []float64 {
		dev.SetSeed(42)
		a := dev.Rand(tensor.F32, 5) // an odd count leaves part of a block unused
		b := dev.Randn(tensor.F32, 3)
		return append(a.Float64s(), b.Float64s()...)
	}
	first, again := draw(tensor.CPU()), draw(tensor.CPU())
	if !slices.Equal(first, again) {
		t.Errorf("got %v, then %v", first, again)
	}
	there := draw(device(t, "rocm"))
	for i := range first {
		if math.Abs(first[i]-there[i]) > 1e-6 {
			t.Errorf("number %d: %v on the CPU, %v on the device", i, first[i], there[i])
		}
	}
	if slices.Equal(first[:3], first[3:6]) {
		t.Error("draws repeat")
	}
}

// TestViewsShare checks that views do not copy, and that copies do.
func TestViewsShare(t *testing.T) {
	x := tensor.Arange(1<<20).Reshape(1024, 1024)
	for name, f := range map[string]func() *tensor.Tensor{
		"T": x.T, "Narrow": func() *tensor.Tensor { return x.Narrow(0, 5, 7) },
		"Reshape":     func() *tensor.Tensor { return x.Reshape(-1, 32) },
		"BroadcastAs": func() *tensor.Tensor { return x.BroadcastAs(9, 1024, 1024) }, "Contiguous": x.Contiguous,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
			t.Errorf("%s allocates %d bytes", name, bytes)
		}
	}
	parts := x.Chunk(3, 0)
	if len(parts) != 3 || parts[0].Dim(0) != 342 || parts[2].Dim(0) != 341 {
		t.Errorf("Chunk: %v %v %v", parts[0].Dims(), parts[1].Dims(), parts[2].Dims())
	}
	if s := x.Split(1000, 1); len(s) != 2 || s[1].Dim(1) != 24 {
		t.Errorf("Split: %d parts", len(s))
	}
}

// TestTooLarge: sizes for which no host has memory are errors before anything is allocated, which would end the process.
func TestTooLarge(t *testing.T) {
	x := tensor.Of(1, 2, 3)
	for name, f := range map[string]func(){
		"linspace":  func() { tensor.CPU().Linspace(tensor.F32, 0, 1, 1<<40) },
		"pad":       func() { x.Pad(0, 1<<40, 0, tensor.Circular) },
		"histogram": func() { x.Histogram(1 << 40) },
		"Float64s":  func() { x.Narrow(0, 0, 1).BroadcastAs(1 << 40).Float64s() },
		"ToVec1":    func() { tensor.ToVec1[float32](x.Narrow(0, 0, 1).BroadcastAs(1 << 40)) },
		"show":      func() { _ = x.Narrow(0, 0, 1).BroadcastAs(1 << 40).String() },
	} {
		err := tensor.Catch(func() error { f(); return nil })
		if name != "show" && !errors.Is(err, tensor.ErrMemory) || name == "show" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
