package native

import (
	"fmt"
	"strings"
	"testing"
)

const pasteSource = `
func use(xs []int, x float64, n int) int { return at(xs, n)*10 + int(half(x, n)) + sign(n) }
func at(xs []int, i int) int { return xs[i] }
func half(x float64, n int) float64 { return x/2 + float64(n) }
func sign(n int) int { if n < 0 { return -1 }; if n > 0 { return 1 }; return 0 }
func both(n int) (int, bool) { return n + 1, n > 2 }
func long(n int) int { for i := 0; i < 3; i++ { n += i }; return n }
func pair(n int) int { a, ok := both(n); if ok { return a }; return -a }
`

// TestPasted looks whether short functions are in the place of their calls, and traces name them.
func TestPasted(t *testing.T) {
	var frames []string
	h := testHost()
	h.Panicking = func(_ any, list []Frame, _ uintptr) {
		for _, f := range list {
			frames = append(frames, f.Fn)
		}
	}
	r := compileHosted(t, pasteSource, New(plainType), h)
	for name, want := range map[string]bool{"at": true, "half": true, "sign": true, "both": true, "long": false,
		"use": false} {
		if got := r[name].Proc.body != nil; got != want {
			t.Errorf("%s is in the place of its calls: %v", name, got)
		}
	}
	use, pair := asWith[func([]int, float64, int) int](t, r, "use", h), asWith[func(int) int](t, r, "pair", h)
	if got := use([]int{1, 2, 3}, 7, 2); got != 36 {
		t.Error(got)
	}
	if got := fmt.Sprint(pair(1), pair(3)); got != "-2 4" {
		t.Error(got)
	}
	if got := outcome(func() string { return fmt.Sprint(use(nil, 7, 2)) }); !strings.Contains(got, "index out of range [2]") {
		t.Error(got)
	}
	if got := fmt.Sprint(frames); got != "[at use]" {
		t.Error(got)
	}
}

const keptSource = `
func wide(a, b, c, d, e, f, g, h, i int) (int, int, int, int, int, int, int, int, int) { return i, h, g, f, e, d, c, b, a }
func floats(a, b, c, d, e, f, g, h, i, j, k, l float64) (float64, float64, float64, float64, float64, float64, float64, float64, float64, float64, float64, float64) {
	return l, k, j, i, h, g, f, e, d, c, b, a
}
func loop(n int) (int, float64) {
	s, x, k, y := 0, 1.5, 7, 0.25
	for i := 0; i < n; i++ {
		a, b, c, d, e, f, g, h, j := wide(i, s, k, 4, 5, 6, 7, 8, 9)
		s += a - b*2 + c*3 - d + e*5 - f + g*7 + h*11 - j
		p, _, _, q, _, _, _, _, _, _, _, r := floats(x, y, float64(i), 4, 5, 6, 7, 8, 9, 10, 11, 12)
		x += p - q + r
		k ^= s & 15
		y = inner(k, y)
	}
	return s + k, x * y
}
func inner(n int, y float64) float64 {
	t, u := 0, y
	for i := 0; i < n&7; i++ {
		t += step(i + t)
		u += float64(t) / 8
	}
	return u
}
func step(n int) int { t := 0; for n > 0 { t += n & 3; n >>= 2 }; return t }
`

func wide(a, b, c, d, e, f, g, h, i int) (int, int, int, int, int, int, int, int, int) {
	return i, h, g, f, e, d, c, b, a
}

func keptFloats(a, b, c, d, e, f, g, h, i, j, k, l float64) (x [12]float64) {
	return [12]float64{l, k, j, i, h, g, f, e, d, c, b, a}
}

// keptLoop is loop of keptSource.
func keptLoop(n int) (int, float64) {
	s, x, k, y := 0, 1.5, 7, 0.25
	for i := range n {
		a, b, c, d, e, f, g, h, j := wide(i, s, k, 4, 5, 6, 7, 8, 9)
		s += a - b*2 + c*3 - d + e*5 - f + g*7 + h*11 - j
		l := keptFloats(x, y, float64(i), 4, 5, 6, 7, 8, 9, 10, 11, 12)
		x += l[0] - l[3] + l[11]
		k ^= s & 15
		t, u := 0, y
		for i := range k & 7 {
			for n := i + t; n > 0; n >>= 2 {
				t += n & 3
			}
			u += float64(t) / 8
		}
		y = u
	}
	return s + k, x * y
}

// TestKept looks whether the values of loops survive calls, among them those with arguments and results in registers
// that others keep.
func TestKept(t *testing.T) {
	loop := as[func(int) (int, float64)](t, compileAll(t, keptSource), "loop")
	for _, n := range []int{0, 1, 2, 5, 100} {
		s, x := loop(n)
		if ws, wx := keptLoop(n); s != ws || x != wx {
			t.Errorf("loop(%d) is %v, %v, not %v, %v", n, s, x, ws, wx)
		}
	}
}
