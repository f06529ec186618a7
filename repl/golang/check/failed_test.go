package check

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestTopLevelNames(t *testing.T) {
	for src, want := range map[string]string{
		"x := 1": "x", "x, y := f(a, b)": "x y", "x = 1": "", "f(x)": "", "x.y = 2": "", "a[i], b := 1, 2": "",
		"var a, b int = g(c)": "a b", "const c = 3": "c", "type T struct { a int }": "T", "type G[P any] []P": "G",
		"func f(x int) { y := x }": "f", "func (r T) m() {}": "", "var f = func() { z := 1 }": "f",
		"var (\n\ta int\n\tb, c = 1, func() { d := 1 }\n)\ne := 2": "a b c e",
		"if x := f(); x { y := 1 }":                                "", "for i := range 3 { j := i }\nk := 1": "k",
		"q := func() int {": "q", "q := 1 +": "q", "x := 1; y := `a\n`\nz := 'a": "x y z", "switch v := x.(type) {}": "",
		"import \"fmt\"\nlin := nn.NewLinear(1, 2, p)\n_, _ = lin, 1": "lin", "": "",
	} {
		got := strings.Join(slices.Sorted(maps.Keys(topLevelNames(src))), " ")
		if got != want {
			t.Errorf("%q declares %q, want %q", src, got, want)
		}
	}
}
