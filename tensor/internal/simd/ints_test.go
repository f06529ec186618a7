package simd

import (
	"math"
	"testing"
)

func TestInts(t *testing.T) {
	eachElementwise(t, func(t *testing.T, fs Functions) {
		const n = 5 * Whole
		x, y, out := room[int32](n), room[int32](n), room[int32](n)
		a, b, long := room[int64](n), room[int64](n), room[int64](n)
		for i := range n {
			x[i], y[i] = int32(i*7919*524287), math.MaxInt32-int32(i*i*65537)
			a[i], b[i] = int64(x[i])<<31^int64(i), math.MaxInt64-int64(y[i])<<20
		}
		for name, c := range map[string]struct {
			f    func(out, x, y []int32)
			want func(x, y int32) int32
		}{
			"add": {fs.Ints.Add, func(x, y int32) int32 { return x + y }},
			"sub": {fs.Ints.Sub, func(x, y int32) int32 { return x - y }},
			"mul": {fs.Ints.Mul, func(x, y int32) int32 { return x * y }},
		} {
			c.f(out, x, y)
			for i, got := range out {
				if want := c.want(x[i], y[i]); got != want {
					t.Fatalf("%s(%d, %d) is %d, want %d", name, x[i], y[i], got, want)
				}
			}
		}
		for name, c := range map[string]struct {
			f    func(out, x, y []int64)
			want func(x, y int64) int64
		}{
			"add": {fs.Ints.AddLong, func(x, y int64) int64 { return x + y }},
			"sub": {fs.Ints.SubLong, func(x, y int64) int64 { return x - y }},
		} {
			c.f(long, a, b)
			for i, got := range long {
				if want := c.want(a[i], b[i]); got != want {
					t.Fatalf("%s(%d, %d) is %d, want %d", name, a[i], b[i], got, want)
				}
			}
		}
		if fs.Ints.SumLong == nil { // of Stream
			return
		}
		for count := 0; count <= n; count += Whole {
			want := int64(0)
			for _, v := range b[:count] {
				want += v
			}
			if got := fs.Ints.SumLong(b[:count]); got != want {
				t.Fatalf("the sum of %d is %d, want %d", count, got, want)
			}
		}
	})
}
