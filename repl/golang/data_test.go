package golang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestDataLiterals: literals of many constants, which the interpreter does not compile, are what they are in Go.
func TestDataLiterals(t *testing.T) {
	thorough.Slow(t)
	repeat := func(format string) string {
		var b strings.Builder
		for i := range 300 {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	types := "type P struct{ X, y int; tags []string }\ntype L []P\ntype E string\nfunc (e E) Up() string { return strings.ToUpper(string(e)) }\n"
	for _, tt := range []struct{ code, want string }{
		{"m := map[string]int{" + repeat(`"k#": #, `) + "}\nm[\"k7\"] + len(m)", "307 int"},
		{"[]float32{" + repeat("#.1, ") + "}[3]", "3.1 float32"},
		{"l := []int{" + repeat("#, ") + "600: 5, 6}\n[3]int{len(l), l[600], l[601]}", "[602 5 6] [3]int"},
		{"a := [...]uint8{" + repeat("# % 256, ") + "}\nlen(a)", "300 int"},
		{"l := L{" + repeat(`{#, 2, []string{"a", "b"}}, `) + "}\nl[5].X + l[4].y + len(l[3].tags[1])", "8 int"},
		{"l := []*P{" + repeat(`{X: #}, `) + "}\nl[5].X", "5 int"},
		{"l := []E{" + repeat(`"e#", `) + "}\nl[5].Up()", "E5 string"},
		{"m := map[E][]time.Duration{" + repeat(`"e#": {#, time.Second}, `) + "}\nm[\"e5\"]", "[5ns 1s] []time.Duration"},
		{"l := []any{" + repeat(`#, "s", 1.5, 'x', true, nil, []any{2}, map[string]any{"a": 1}, `) +
			"}\nfmt.Sprintf(\"%T %T %T %T %v %T %T\", l[0], l[1], l[2], l[3], l[5], l[6], l[7])",
			"int string float64 int32 <nil> []interface {} map[string]interface {} string"},
		{"l := []fmt.Stringer{" + repeat(`time.Duration(#), `) + "}\nl[3]", "3ns fmt.Stringer"},
		{"l := []any{" + repeat(`time.Duration(#), E("e"), P{X: #}, `) + "}\nfmt.Sprintf(\"%T %T %T\", l[0], l[1], l[2])",
			"time.Duration main.E main.P string"},
		{"p := &[]int{" + repeat("#, ") + "}\n(*p)[4] = 1\n(*p)[4] + (*p)[5]", "6 int"},
		{"p := &map[int][2]string{" + repeat(`#: {"a", "b"}, `) + "}\n(*p)[4][1]", "b string"},
		// Each evaluation gives a value of its own, with all that it refers to.
		{"f := func() [][]int { return [][]int{" + repeat("{#}, ") + "} }\na, b := f(), f()\na[3][0], a[4] = 7, nil\nb[3][0] + len(b[4])",
			"4 int"},
		{"func g() map[string]any { return map[string]any{" + repeat(`"k#": []any{#}, `) +
			"} }\na, b := g(), g()\na[\"k3\"].([]any)[0] = 7\ndelete(a, \"k4\")\nfmt.Sprint(b[\"k3\"], len(b))", "[3] 300 string"},
		{"func h() []*P { return []*P{" + repeat(`{#, 1, []string{"a"}}, `) +
			"} }\na, b := h(), h()\na[3].y, a[3].tags[0] = 7, \"z\"\nfmt.Sprint(*b[3])", "{3 1 [a]} string"},
		{"sum := 0\nfor range 3 { l := []int{" + repeat("#, ") + "}\nl[0]++\nsum += l[0] }\nsum", "3 int"},
		{"sum := 0\nfor i, x := range []int{" + repeat("#, ") + "} { if i < 4 { sum += x } }\nsum", "6 int"},
		{"func size[T any](x T) int { return len(map[string]int{" + repeat(`"k#": #, `) + "}) }\nsize(1)", "300 int"},
		// What is no constant is evaluated as it stands.
		{"n := 5\nl := []any{" + repeat("#, ") + "n, func() int { n++; return n }()}\nfmt.Sprint(l[300:], n)", "[6 6] 6 string"},
		{"n := 5\nm := map[string][]int{\"n\": {n}, \"l\": {" + repeat("#, ") + "}}\nm[\"n\"][0] + m[\"l\"][3]", "8 int"},
		{"var l [][]int = [][]int{" + repeat("{}, nil, ") + "}\nfmt.Sprint(l[0] == nil, l[1] == nil)", "false true string"},
	} {
		e, _ := newEngine(t)
		runCell(t, e, 1, types)
		if got := value(t, e, tt.code); got != tt.want {
			t.Errorf("%.60s\nis %s, want %s", tt.code, got, tt.want)
		}
	}
}
