package native

import (
	"fmt"
	"strings"
	"testing"
)

// TestCompareTexts: texts compare as Go's do, wherever they differ and whichever is the longer one.
func TestCompareTexts(t *testing.T) {
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
