package simd

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/x448/float16"
)

func uintptrOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// room returns n elements that functions which stream can write.
func room[T any](n int) []T {
	out := make([]T, n+StreamAlign)
	for uintptrOf(&out[0])%StreamAlign != 0 {
		out = out[1:]
	}
	return out[:n]
}

// convert checks a conversion, for processors that have it.
func convert[R, T any](t *testing.T, name string, f func(out []R, x []T), x []T, want func(x T) R,
	same func(x, y R) bool) {
	t.Helper()
	if f == nil {
		return
	}
	out := room[R](len(x))
	f(out, x)
	for i, got := range out {
		if w := want(x[i]); !same(got, w) {
			t.Fatalf("%s: %v becomes %v, want %v", name, x[i], got, w)
		}
	}
}

func TestCasts(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		words := make([]uint16, 1<<16) // all that there are
		for i := range words {
			words[i] = uint16(i)
		}
		// Floats of every size, and those half way between two of two bytes and next to there.
		var floats []float32
		for i := range uint32(1 << 16) {
			floats = append(floats, math.Float32frombits(i<<16|i*2654435761>>16))
		}
		for i := range uint32(1 << 16) {
			floats = append(floats, math.Float32frombits(i<<16|0x7fff+i%3))
		}
		for i := range uint16(1 << 14) {
			low, high := float16.Frombits(2*i).Float32(), float16.Frombits(2*i+1).Float32()
			floats = append(floats, (low+high)/2, math.Nextafter32((low+high)/2, 1e9))
		}
		floats = slices.Concat(floats, values(Whole*20, 0))
		c := fs.Casts
		convert(t, "half to float", c.HalfToFloat, words,
			func(h uint16) float32 { return float16.Frombits(h).Float32() }, same)
		convert(t, "bfloat to float", c.BfloatToFloat, words,
			func(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }, same)
		nan := func(h uint16) bool { return h&0x7c00 == 0x7c00 && h&0x3ff != 0 }
		convert(t, "float to half", c.FloatToHalf, floats,
			func(x float32) uint16 { return float16.Fromfloat32(x).Bits() },
			func(x, y uint16) bool { return x == y || nan(x) && nan(y) })
		convert(t, "float to bfloat", c.FloatToBfloat, floats, func(x float32) uint16 {
			u := math.Float32bits(x)
			if x != x {
				return uint16(u>>16) | 0x40
			}
			return uint16((u + 0x7fff + u>>16&1) >> 16)
		}, func(x, y uint16) bool { return x == y })
		others := make([]uint16, len(words)) // a permutation
		for i := range others {
			others[i] = uint16(i*40503 + 12345)
		}
		for _, op := range []struct {
			name string
			f    func(out, x, y []uint16)
			want func(x, y float32) float32
		}{
			{"add", c.AddHalves, func(x, y float32) float32 { return x + y }},
			{"sub", c.SubHalves, func(x, y float32) float32 { return x - y }},
			{"mul", c.MulHalves, func(x, y float32) float32 { return x * y }},
			{"div", c.DivHalves, func(x, y float32) float32 { return x / y }},
		} {
			if op.f == nil {
				continue // as streams have none
			}
			out := make([]uint16, len(words)+Whole)
			op.f(out[:len(words)], words, others)
			for i, h := range out[:len(words)] {
				x, y := float16.Frombits(words[i]).Float32(), float16.Frombits(others[i]).Float32()
				if want := float16.Fromfloat32(op.want(x, y)).Bits(); h != want && !(nan(h) && nan(want)) {
					t.Fatalf("%s of halves %v and %v is %04x, want %04x", op.name, x, y, h, want)
				}
			}
			if out[len(words)] != 0 {
				t.Errorf("%s of halves writes beyond the end", op.name)
			}
		}
		bytes := make([]uint8, 256)
		for i := range bytes {
			bytes[i] = uint8(i)
		}
		convert(t, "bytes to float", c.BytesToFloat, bytes, func(b uint8) float32 { return float32(b) }, same)
		ints := make([]int32, 1<<12)
		for i := range ints {
			ints[i] = int32(i * 7919 * 524287)
		}
		ints[0], ints[1] = math.MinInt32, math.MaxInt32
		convert(t, "ints to float", c.IntsToFloat, ints, func(i int32) float32 { return float32(i) }, same)
		convert(t, "float to double", c.FloatToDouble, floats, func(x float32) float64 { return float64(x) },
			sameDouble)
		whole := slices.Clone(floats)
		for i := range 64 {
			for _, v := range []float32{1, 1.5} {
				size := float32(math.Ldexp(float64(v), i))
				whole = append(whole, size, -size, math.Nextafter32(size, 0), -math.Nextafter32(size, 0), size+0.5,
					-size-0.5, size-0.5, 0.5-size)
			}
		}
		equal := func(x, y int64) bool { return x == y }
		convert(t, "float to int", c.FloatToInt, whole,
			func(x float32) int32 { return int32(truncated(float64(x), math.MinInt32, math.MaxInt32)) },
			func(x, y int32) bool { return x == y })
		convert(t, "float to long", c.FloatToLong, whole,
			func(x float32) int64 { return truncated(float64(x), math.MinInt64, math.MaxInt64) }, equal)
		convert(t, "double to long", c.DoubleToLong,
			append(oddDoubles(0), mapped(whole, func(x float64) float64 { return x * (1 - 0x1p-50) })...),
			func(x float64) int64 { return truncated(x, math.MinInt64, math.MaxInt64) }, equal)
		doubles := append(oddDoubles(0), mapped(floats, func(x float64) float64 { return x * 1.0000001 })...)
		convert(t, "double to float", c.DoubleToFloat, doubles, func(x float64) float32 { return float32(x) }, same)
	})
}

// truncated is x without its fraction, the nearest integer of those from low to high, and 0 for NaN.
func truncated(x float64, low, high int64) int64 {
	switch {
	case x != x:
		return 0
	case x <= float64(low):
		return low
	case x >= float64(high):
		return high
	}
	return int64(x)
}

func TestSumWords(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		for n := 0; n <= 5*Whole; n += Whole {
			halves, bfloats := make([]uint16, n), make([]uint16, n)
			wideHalves, wideBfloats := make([]float64, n), make([]float64, n)
			for i, v := range waves(n) {
				h := float16.Fromfloat32(v)
				halves[i], wideHalves[i] = h.Bits(), float64(h.Float32())
				bfloats[i] = uint16(math.Float32bits(v) >> 16)
				wideBfloats[i] = float64(math.Float32frombits(uint32(bfloats[i]) << 16))
			}
			if got, want := fs.Casts.SumHalf(halves), inLanes(wideHalves); got != want {
				t.Errorf("the sum of %d halves is %v, want %v", n, got, want)
			}
			if got, want := fs.Casts.SumBfloat(bfloats), inLanes(wideBfloats); got != want {
				t.Errorf("the sum of %d bfloats is %v, want %v", n, got, want)
			}
		}
	})
}

func TestComparisons(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		n := Whole * len(odd)
		x, y := values(n, 0), values(n, 1)
		out := make([]uint8, n+1)
		for name, c := range map[string]struct {
			f    func(out []uint8, x, y []float32)
			want func(x, y float32) bool
		}{
			"equal":   {fs.Equal, func(x, y float32) bool { return x == y }},
			"unequal": {fs.Unequal, func(x, y float32) bool { return x != y }},
			"less":    {fs.Less, func(x, y float32) bool { return x < y }},
			"at most": {fs.AtMost, func(x, y float32) bool { return x <= y }},
		} {
			out[n] = 7
			c.f(out[:n], x, y)
			for i, got := range out[:n] {
				want := uint8(0)
				if c.want(x[i], y[i]) {
					want = 1
				}
				if got != want {
					t.Fatalf("%v %s %v is %d", x[i], name, y[i], got)
				}
			}
			if out[n] != 7 {
				t.Fatalf("%s writes beyond the end", name)
			}
		}
		conditions := make([]uint8, n)
		for i := range conditions {
			conditions[i] = uint8(i * 37 & (i % 5 * 64))
		}
		picked, check := guarded(n)
		fs.Where(picked, conditions, x, y)
		check(t)
		for i, got := range picked {
			want := y[i]
			if conditions[i] != 0 {
				want = x[i]
			}
			if math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%d chooses %v of %v and %v", conditions[i], got, x[i], y[i])
			}
		}
	})
}

func TestSumRows(t *testing.T) {
	each(t, func(t *testing.T, fs Functions) {
		x, factors, at := small(2000), []float32{2, -3, 5, 1, 0.5}, []int32{3, 0, 700, 41, 41}
		for _, n := range lengths {
			for taps := 1; taps <= len(at); taps++ {
				out, check := guarded(n)
				fs.SumRows(out, x, at[:taps], factors)
				check(t)
				for i, got := range out {
					want := float32(0)
					for k := range taps {
						want += x[int(at[k])+i] * factors[k]
					}
					if got != want {
						t.Fatalf("%d rows: sum %d of %d is %v, want %v", taps, i, n, got, want)
					}
				}
			}
		}
	})
}
