package native

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// TestElementLayouts compares machine code and a kernel over layouts of every kind. The kernel is one launch; copies of
// nine dims are two each.
func TestElementLayouts(t *testing.T) {
	if why := enter.Unsupported(); why != "" {
		t.Skip(why)
	}
	dev := kernelDevice(t)
	gpu, err := rocm.Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	f := elementFunction(t, `func element(x, y float32, k int16) float32 { return x*10 + y + float32(k) }`,
		reflect.TypeFor[func(x, y float32) float32](), 3)
	x := tensor.CPU().Arange(tensor.F32, 60).Reshape(3, 4, 5)
	wide := tensor.CPU().Arange(tensor.F32, 512).Reshape(2, 2, 2, 2, 2, 2, 2, 2, 2)
	for _, c := range []struct {
		name     string
		launches uint64
		at       func(x, wide *tensor.Tensor) (a, b *tensor.Tensor)
	}{
		{"dense", 1, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) { return x, x }},
		{"transposed", 1, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) { return x.Transpose(0, 2), x.Transpose(0, 2) }},
		{"row", 1, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) { return x, x.Get(1).Get(2) }},
		{"column", 1, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) { return x.T(), x.Get(0).T().Get(3) }},
		{"scalar", 1, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) { return x, x.Get(1).Get(2).Get(3) }},
		{"part", 1, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) {
			return x.Narrow(2, 1, 3), x.Narrow(1, 0, 1).Narrow(2, 2, 3)
		}},
		{"nine dims", 5, func(_, wide *tensor.Tensor) (a, b *tensor.Tensor) {
			wide = wide.Permute(8, 6, 4, 2, 0, 7, 5, 3, 1)
			return wide, wide.T()
		}},
		{"none", 0, func(x, _ *tensor.Tensor) (a, b *tensor.Tensor) { return x.Narrow(0, 0, 0), x.Narrow(0, 0, 0) }},
	} {
		a, b := c.at(x, wide)
		want := a.Mul(10).Add(b).Add(3)
		if got := tensor.Map(f, a, b); !got.Equal(want) {
			t.Errorf("%s on the host: %v, want %v", c.name, got, want)
		}
		a, b = c.at(x.ToDevice(dev), wide.ToDevice(dev))
		before := gpu.Launches()
		got := tensor.Map(f, a, b)
		if n := gpu.Launches() - before; n != c.launches {
			t.Errorf("%s: %d launches, want %d", c.name, n, c.launches)
		}
		if got = got.To("cpu"); !got.Equal(want) {
			t.Errorf("%s on the GPU: %v, want %v", c.name, got, want)
		}
	}
}

// TestElementNumbers compares conversions, shifts and functions of package math at their edges, on the host and on the
// GPU, bit for bit but for NaN.
func TestElementNumbers(t *testing.T) {
	if why := enter.Unsupported(); why != "" {
		t.Skip(why)
	}
	dev := kernelDevice(t)
	f := elementFunction(t, `import "math"
import "math/bits"
func mix(s uint64, x float64) uint64 {
	if x != x { return s*31 + 1 }
	return s*31 + math.Float64bits(x)
}
func element(x, y float64, k int16) uint64 {
	s := uint64(k)
	s = s*31 + uint64(int8(x))
	s = s*31 + uint64(uint8(x))
	s = s*31 + uint64(int16(x))
	s = s*31 + uint64(uint16(x))
	s = s*31 + uint64(int32(x))
	s = s*31 + uint64(uint32(x))
	s = s*31 + uint64(int64(x))
	s = s*31 + uint64(x)
	f := float32(x)
	s = s*31 + uint64(int32(f))
	s = s*31 + uint64(uint64(f))
	s = s*31 + uint64(int64(f))
	s = mix(s, float64(f))
	s = mix(s, float64(float32(int64(x))))
	s = mix(s, float64(float32(uint64(x))))
	s = mix(s, float64(uint64(x)))
	s = mix(s, min(x, y))
	s = mix(s, max(x, y, 1))
	s = mix(s, float64(max(f, float32(y))))
	s = mix(s, math.Max(x, y))
	s = mix(s, math.Min(x, y))
	s = mix(s, math.Round(x))
	s = mix(s, math.RoundToEven(x))
	s = mix(s, math.Floor(x))
	s = mix(s, math.Ceil(x))
	s = mix(s, math.Trunc(x))
	s = mix(s, math.Sqrt(x))
	s = mix(s, math.Mod(x, y))
	s = mix(s, math.Dim(x, y))
	s = mix(s, math.Copysign(x, y))
	s = mix(s, math.Abs(x))
	s = mix(s, x/y)
	if math.IsNaN(x) || math.IsInf(y, -1) || math.Signbit(y) { s += 77 }
	n := uint64(x)
	s = s*31 + uint64(bits.LeadingZeros64(n)+bits.TrailingZeros64(n)+bits.OnesCount64(n)+bits.Len64(n))
	return s<<(n&127) ^ s>>(n&63) ^ uint64(int32(s)>>(n&63)) ^ s
}`, reflect.TypeFor[func(x, y float64) uint64](), 3)
	list := []float64{0, math.Copysign(0, -1), 0.5, 1.5, 2.5, -0.5, -2.5, 127, 128, 200, -129, 1e9, 1 << 31, -1 << 31,
		1<<31 - 0.5, -1<<31 - 0.5, 1 << 32, 1 << 63, -1 << 63, 1 << 62, 1e19, 1e30, 1e300, 5e-324, 1e-40, 0.1, 16777217,
		math.Inf(1), math.Inf(-1), math.NaN(), 12345.678, math.MaxFloat64}
	x := tensor.CPU().New(list)
	y := x.Reshape(len(list), 1)
	want := tensor.ToVec2[uint64](tensor.Map(f, x, y))
	got := tensor.ToVec2[uint64](tensor.Map(f, x.ToDevice(dev), y.ToDevice(dev)))
	for i := range want {
		for k := range want[i] {
			if got[i][k] != want[i][k] {
				t.Errorf("x = %v, y = %v: %x on the GPU, %x on the host", list[k], list[i], got[i][k], want[i][k])
			}
		}
	}
}

// TestElementCompilers: what LLVM 19 for AMD has wrong is right in functions over elements: the upper half of an or of
// 64 bits, and quotients of unsigned numbers that are extended signed ones.
func TestElementCompilers(t *testing.T) {
	if why := enter.Unsupported(); why != "" {
		t.Skip(why)
	}
	as, bs := []int16{12345, -32768, -5, 0, -100, -1}, []uint16{77, 1 << 15, 3, 6, 0, 129}
	devices := []*tensor.Device{tensor.CPU(), kernelDevice(t)}
	for _, c := range []struct {
		body string
		want func(a int16, b uint16) int64
	}{
		{"m := int64(b & 7)\n\treturn (int64(a) | ^m) + m ^ m - (int64(a)|(m^-2))<<1", func(a int16, b uint16) int64 {
			m := int64(b & 7)
			return (int64(a) | ^m) + m ^ m - (int64(a)|(m^-2))<<1
		}},
		{"v := int64(a) << 40\n\tv ^= int64(b) - (int64(b) & int64(a))\n\tif b == 6 { v = -1 << 63 }\n\treturn ^(v + (int64(b&7) ^ -8))",
			func(a int16, b uint16) int64 {
				v := int64(a) << 40
				v ^= int64(b) - (int64(b) & int64(a))
				if b == 6 {
					v = -1 << 63
				}
				return ^(v + (int64(b&7) ^ -8))
			}},
		{"v := int64(float64(a) / float64(b|1) * 1e30)\n\tv ^= int64(b) - (int64(b) & int64(a))\n\treturn ^v",
			func(a int16, b uint16) int64 {
				v := int64(float64(a) / float64(b|1) * 1e30)
				v ^= int64(b) - (int64(b) & int64(a))
				return ^v
			}},
		{"return int64(uint64(a) % 129)", func(a int16, _ uint16) int64 { return int64(uint64(a) % 129) }},
		{"return int64(uint64(a) / 129)", func(a int16, _ uint16) int64 { return int64(uint64(a) / 129) }},
		{"return int64(uint32(a) / (uint32(a) | 1))",
			func(a int16, _ uint16) int64 { return int64(uint32(a) / (uint32(a) | 1)) }},
		{"return int64(uint64(a) / uint64(int16(b)|1))",
			func(a int16, b uint16) int64 { return int64(uint64(a) / uint64(int16(b)|1)) }},
	} {
		f := elementFunction(t, "func element(a int16, b uint16, _ int16) int64 {\n\t"+c.body+"\n}",
			reflect.TypeFor[func(a int16, b uint16) int64](), 0)
		var want []int64
		for i, a := range as {
			want = append(want, c.want(a, bs[i]))
		}
		for _, dev := range devices {
			if got := tensor.ToVec1[int64](tensor.Map(f, dev.New(as), dev.New(bs))); !slices.Equal(got, want) {
				t.Errorf("%s on %v: %v, want %v", c.body, dev.Location(), got, want)
			}
		}
	}
}
