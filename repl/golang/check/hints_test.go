package check

import (
	"testing"

	"github.com/gorocm/gorocm/repl/golang/library"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"println", "println", 0}, {"prinln", "println", 1}, {"pritnln", "println", 1}, {"randm", "randn", 1},
		{"", "abc", 3}, {"kitten", "sitting", 3}, {"größe", "grösse", 2}, {"a", "abcdefgh", 8},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestSimilar(t *testing.T) {
	known := []string{"Print", "Printf", "Println", "Sprint", "x", "Randn"}
	for name, want := range map[string]string{
		"Prinln": "Println", "Prnt": "Print", "printf": "Printf", "Rndn": "Randn", "y": "", "zz": "", "Unrelated": "",
	} {
		if got := Similar(name, known); got != want {
			t.Errorf("similar(%q) = %q, want %q", name, got, want)
		}
	}
}

// A syntax error has a hint only where the words speak of another language or of a common slip.
func TestSyntaxHints(t *testing.T) {
	lib, err := library.New()
	if err != nil {
		t.Fatal(err)
	}
	scope := NewScope(lib, "", nil)
	for src, want := range map[string]string{
		"fun f() {}":             "did you mean func?",
		"while true { }":         "for is Go's only loop: for condition { … }",
		"let x = 3":              "x := 1 declares a variable",
		"class A { }":            "type T struct { … } declares a type",
		"retrun 3":               "did you mean return?",
		"if 1 <> 2 { }":          "did you mean !=?",
		"x := true ? 1 : 2":      "Go has no ?: operator, only if and else",
		"for i in xs { }":        "for _, x := range xs { … } goes through xs",
		"if true and false { }":  "did you mean &&?",
		"if a = b { }":           "did you mean ==?",
		"x := i++":               "++ is a statement of its own in Go: x++",
		"s := 'text'":            "'x' is one character; strings stand in \"double quotes\" or `backquotes`",
		"import os":              `the path stands in quotes: import "os"`,
		"[]int{1,\n2\n}":         "a comma is needed before a newline, also after the last element",
		"if x := 1; x > 0\n{\n}": "the { stands on the same line",
		"x := 1 +":               "",
		"f(1 2)":                 "",
		"x := 5 y := 6":          "",
		"package main":           "a cell belongs to package main by itself: leave the package clause out",
		"func f( {}":             "",
	} {
		_, ps := scope.Parse("cell[1]", src)
		if len(ps) == 0 {
			t.Errorf("%q parses", src)
			continue
		}
		if ps[0].Hint != want {
			t.Errorf("%q: hint %q, want %q (%s)", src, ps[0].Hint, want, ps[0].Message)
		}
	}
}
