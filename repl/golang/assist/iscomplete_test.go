package assist_test

import (
	"testing"

	"github.com/gorocm/gorocm/repl/golang/assist"
)

func TestIsComplete(t *testing.T) {
	for _, tt := range []struct{ code, status, indent string }{
		{"", "complete", ""},
		{"x", "complete", ""},
		{"x := 1", "complete", ""},
		{"x++", "complete", ""},
		{"return", "complete", ""},
		{"type T struct{}\nfunc (T) M() {}\nimport \"fmt\"\nT{}.M()", "complete", ""},
		{"if x == 1 {\n}", "complete", ""},
		{"x := 1 // {", "complete", ""},
		{"s := \"{\"", "complete", ""},
		{"for {\n}\nconst c = 1", "complete", ""},

		{"func f() {", "incomplete", "\t"},
		{"func f() {\n\tif x {", "incomplete", "\t\t"},
		{"func f() {\n\tif x {\n\t}", "incomplete", "\t"},
		{"go func() {", "incomplete", "\t"},
		{"sort.Slice(xs, func(i, j int) bool {", "incomplete", "\t"},
		{"fmt.Println(strings.Repeat(", "incomplete", "\t"},
		{"fmt.Println(\n\tstrings.Repeat(", "incomplete", "\t\t"},
		{"fmt.Println(\"a\",", "incomplete", "\t"},
		{"x := []int{\n\t1,", "incomplete", "\t"},
		{"x := 1\nagain:", "incomplete", ""},
		{"def f(x):", "invalid", ""},
		{"for i in range(3):", "invalid", ""},
		{"class Foo:", "invalid", ""},
		{"switch x {", "incomplete", ""},
		{"switch x {\ncase 1:", "incomplete", "\t"},
		{"switch x {\ncase 1:\n\ty()\ncase 2:\n\tif z {", "incomplete", "\t\t"},
		{"func f() {\n\tselect {", "incomplete", "\t"},
		{"func f() {\n\tselect {\n\tcase <-c:", "incomplete", "\t\t"},
		{"switch {\ndefault:\n\tx := T{", "incomplete", "\t\t"},
		{"import (", "incomplete", "\t"},
		{"x := 1 +", "incomplete", "\t"},
		{"func f() {\n\tx := 1 +", "incomplete", "\t\t"},
		{"a.", "incomplete", "\t"},
		{"a.B().\n\tC().", "incomplete", "\t"},
		{"x :=", "incomplete", "\t"},
		{"outer:", "incomplete", ""},
		{"c <-", "incomplete", "\t"},
		{"s := `raw", "incomplete", ""},
		{"/* comment", "incomplete", ""},
		{"func f() { /* comment", "incomplete", ""},
		{"x := 1 + // more", "incomplete", "\t"},
		{"x := 1 +\n", "invalid", ""},

		{"x)", "invalid", ""},
		{"(]", "invalid", ""},
		{"}", "invalid", ""},
		{"s := \"open", "invalid", ""},
		{"c := 'ab", "invalid", ""},
		{"a b c", "invalid", ""},
		{"if x == 1", "invalid", ""},
		{"func f() int { return 1 } }", "invalid", ""},
		{"x := := 2", "invalid", ""},
		{"f(\"a\n", "invalid", ""},
	} {
		if status, indent := assist.IsComplete(tt.code); status != tt.status || indent != tt.indent {
			t.Errorf("%q is %s %q, want %s %q", tt.code, status, indent, tt.status, tt.indent)
		}
	}
}
