package check

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"x := 1", "s:x := 1"},
		{"import \"fmt\"; x := 1\ntype T int", "i:import \"fmt\"|s:x := 1|d:type T int"},
		{"func f() {}\nfunc() {}()", "d:func f() {}|s:func() {}()"},
		{"func (t T) M() {}", "d:func (t T) M() {}"},
		{"func(a int) int { return a }(3)", "s:func(a int) int { return a }(3)"},
		{"func(a int) (int, error) { return a, nil }(3)", "s:func(a int) (int, error) { return a, nil }(3)"},
		{"const (\n\ta = iota\n\tb\n)\nvar c = 1", "d:const (\n\ta = iota\n\tb\n)|s:var c = 1"},
		{"s := `raw\r\nline`\nx", "s:s := `raw\r\nline`|s:x"},
		{"// comment\nx // more\n/* y */ z", "s:x|s:z"},
		{"if a {\n} else {\n}\nb", "s:if a {\n} else {\n}|s:b"},
		{"a.\n\tB().\n\tC()", "s:a.\n\tB().\n\tC()"},
		{"", ""},
		{"}", "s:}"},
	} {
		var got []string
		for _, it := range Split(tt.src) {
			got = append(got, map[ItemKind]string{StmtItem: "s:", ImportItem: "i:",
				DeclItem: "d:"}[it.Kind]+tt.src[it.Start:it.End])
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("split(%q) = %q, want %q", tt.src, s, tt.want)
		}
	}
}

// FuzzSplit: items are in order, do not overlap, cover every byte that is not blank or comment for the scanner, and
// masking keeps every line where it is.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"x := 1; y", "func f() {}", "`", "\"", "/*", "import (\n\"a\"\n)\n}", "a\r\nb", "\xff(", "'\\", "{[(", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		items := Split(src)
		last := 0
		for _, it := range items {
			if it.Start < last || it.End < it.Start || it.End > len(src) {
				t.Fatalf("item %+v after %d in %q", it, last, src)
			}
			last = it.End
		}
		all := Mask(src, items, func(Item) bool { return true })
		none := Mask(src, items, func(Item) bool { return false })
		for _, m := range [][]byte{all, none} {
			if len(m) != len(src) || strings.Count(string(m), "\n") != strings.Count(src, "\n") {
				t.Fatalf("mask of %q is %q", src, m)
			}
		}
		for _, it := range items {
			if string(all[it.Start:it.End]) != src[it.Start:it.End] {
				t.Fatalf("mask changes an item of %q: %q", src, all)
			}
		}
	})
}
