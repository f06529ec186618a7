package native

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestCompareTexts: texts compare as Go's do, wherever they differ and whichever is the longer one.
func TestCompareTexts(t *testing.T) {
	thorough.Slow(t)
	r := compileAll(t, `
func compare(a, b string) (r [6]bool) {
	r[0], r[1], r[2], r[3], r[4], r[5] = a == b, a != b, a < b, a <= b, a > b, a >= b
	return r
}
type two struct { A string; N int; B string }
func same(a, b two) bool { return a == b }
func kind(s string) int { switch s { case "": return 0; case "one": return 1; case "three": return 3; case "twelvebytes!": return 12 }; return -1 }
`)
	compare := as[func(a, b string) [6]bool](t, r, "compare")
	texts := []string{"", "a", "b", "\x00", "\xff", "é", strings.Repeat("x", 8), strings.Repeat("x", 17), strings.Repeat("y", 16)}
	for i := range 17 {
		texts = append(texts, texts[7][:i])
	}
	for _, n := range []int{1, 2, 7, 8, 9, 16, 17} {
		for at := range n {
			for _, c := range "\x00a~" {
				b := []byte(strings.Repeat("m", n))
				b[at] = byte(c)
				texts = append(texts, string(b), string(b[:at])+"\xfe"+string(b[at:]))
			}
		}
	}
	for _, a := range texts {
		for _, b := range texts {
			if got, want := compare(a, b), [6]bool{a == b, a != b, a < b, a <= b, a > b, a >= b}; got != want {
				t.Fatalf("%q and %q: %v, not %v", a, b, got, want)
			}
		}
	}
	kind := as[func(string) int](t, r, "kind")
	if got := fmt.Sprint(kind(""), kind("one"), kind("three"), kind("twelvebytes!"), kind("twelvebytes?")); got != "0 1 3 12 -1" {
		t.Error(got)
	}
	type two = struct {
		XA string
		XN int
		XB string
	}
	same := as[func(a, b two) bool](t, r, "same")
	x, y := two{"a", 1, "bc"}, two{"a", 1, strings.Clone("bc")}
	if z := (two{"a", 1, "bd"}); !same(x, y) || same(x, z) {
		t.Error("structs with texts compare otherwise")
	}
}

// TestOrder: cmp.Compare orders numbers, NaN among them, and texts.
func TestOrder(t *testing.T) {
	r := compileAll(t, `
import "cmp"
func floats(a, b float64) int { return cmp.Compare(a, b) }
func float32s(a, b float32) int { return cmp.Compare(a, b) }
func ints(a, b int8) int { return cmp.Compare(a, b) }
func uints(a, b uint) int { return cmp.Compare(a, b) }
func texts(a, b string) int { return cmp.Compare(a, b) }
`)
	for _, a := range floats {
		for _, b := range floats {
			if got, want := as[func(a, b float64) int](t, r, "floats")(a, b), cmp.Compare(a, b); got != want {
				t.Errorf("%v, %v: %d, not %d", a, b, got, want)
			}
			if got, want := as[func(a, b float32) int](t, r, "float32s")(float32(a), float32(b)),
				cmp.Compare(float32(a), float32(b)); got != want {
				t.Errorf("%v, %v: %d, not %d", float32(a), float32(b), got, want)
			}
		}
	}
	for _, a := range operands[int8]() {
		for _, b := range operands[int8]() {
			if got, want := as[func(a, b int8) int](t, r, "ints")(a, b), cmp.Compare(a, b); got != want {
				t.Errorf("%v, %v: %d, not %d", a, b, got, want)
			}
			if got, want := as[func(a, b uint) int](t, r, "uints")(uint(a), uint(b)), cmp.Compare(uint(a), uint(b)); got != want {
				t.Errorf("%v, %v: %d, not %d", uint(a), uint(b), got, want)
			}
		}
	}
	if got := as[func(a, b string) int](t, r, "texts"); got("a", "b") != -1 || got("b", "a") != 1 || got("a", "a") != 0 {
		t.Error("texts are ordered otherwise")
	}
}
