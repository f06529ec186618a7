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
	lib, err := library.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	scope := NewScope(lib, "", nil)
	for src, want := range map[string]string{
		"fun f() {}":             "did you mean func?",
		"while true { }":         "for is Go's only loop: for condition { … }",
		"let x = 3":              "did you mean x := 3?",
		"int x = 5;":             "did you mean x := 5?",
		"let x":                  "x := 1 declares a variable",
		"x =: 3":                 "did you mean :=?",
		"?":                      "%help lists the commands; NAME? shows the documentation of a name",
		"x?.y":                   "Go has no ?. operator: if x != nil { … }",
		"git status":             "did you mean !git status?",
		"class A { }":            "type T struct { … } declares a type",
		"retrun 3":               "did you mean return?",
		"if 1 <> 2 { }":          "did you mean !=?",
		"x := true ? 1 : 2":      "Go has no ?: operator, only if and else",
		"for i in xs { }":        "did you mean for _, i := range xs { … }?",
		"if true and false { }":  "did you mean &&?",
		"if a = b { }":           "did you mean ==?",
		"x := i++":               "++ is a statement of its own in Go: x++",
		"s := 'text'":            `'x' is one character; a string is written in double quotes: "text"`,
		"import os":              `the path is written in quotes: import "os"`,
		"[]int{1,\n2\n}":         "a comma is needed before a newline, also after the last element",
		"if x := 1; x > 0\n{\n}": "the { must be on the same line",
		"y := 1 if ok else 3":    "Go has no conditional expression: if ok { y = 1 } else { y = 3 }",
		"if (ok) f()":            "what an if decides about stands in braces: if (ok) { … }",
		"for (x of xs) { }":      "did you mean for _, x := range xs { … }?",
		"x := 1 +":               "",

		"for (int i = 0; i < 3; i++) { }":   "did you mean for i := 0; i < 3; i++ { … }?",
		"for (let i = 9; i > 0; i -= 2) {}": "did you mean for i := 9; i > 0; i -= 2 { … }?",
		"for (i := 0; i < 3; ++i) { }":      "did you mean for i := 0; i < 3; i++ { … }?",
		"type T struct { a int, b int }":    "fields of a struct are separated by semicolons or newlines",
		"f(1 2)":                            "",
		"x := 5 y := 6":                     "",
		"package main":                      "a cell belongs to package main by itself: leave the package clause out",
		"func f( {}":                        "",
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

// A line of Python is answered with the line of Go, and with nothing about the lines after it.
func TestPythonHints(t *testing.T) {
	lib, err := library.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	scope := NewScope(lib, "", nil)
	for _, c := range []struct{ src, want string }{
		{"for i in range(10):\n    print(i)", "did you mean for i := range 10 { … }?"},
		{"for i in range(n - 1):\n    print(i)", "did you mean for i := range n - 1 { … }?"},
		{"for i in range(2, n, 3):", "did you mean for i := 2; i < n; i += 3 { … }?"},
		{"for i in range(9, 0, -1):", "did you mean for i := 9; i > 0; i -= 1 { … }?"},
		{"for i in range(2, 5):", "did you mean for i := 2; i < 5; i++ { … }?"},
		{"for i, x in enumerate(xs):", "did you mean for i, x := range xs { … }?"},
		{"for k, v in d.items():", "did you mean for k, v := range d { … }?"},
		{"for k in d.keys():", "did you mean for k := range d { … }?"},
		{"for x, y in zip(xs, ys):", "did you mean for i := range xs { x, y := xs[i], ys[i]; … }?"},
		{"for x in xs:\n    pass", "did you mean for _, x := range xs { … }?"},
		{`f"hello {x}"`, `did you mean fmt.Sprintf("hello %v", x)?`},
		{`print(f"loss {loss:.3f} of {n:d} ({{x}}, 5%)")`, `did you mean fmt.Sprintf("loss %.3f of %d ({x}, 5%%)", loss, n)?`},
		{`s := f"{x:>8}|{y:,.1f}|{z!r}"`, `did you mean fmt.Sprintf("%8v|%v|%v", x, y, z)?`},
		{`f"plain 5%"`, `did you mean "plain 5%"?`},
		{"[i*2 for i in range(10)]", "Go has no comprehensions: var list []int; for i := range 10 { list = append(list, i*2) }"},
		{"y = [f(x) for x in xs if x > 2]", "Go has no comprehensions: var list []T; for _, x := range xs { if x > 2 { list = append(list, f(x)) } }, " +
			"with the type of the elements for T"},
		{"{k: v for k, v in d.items()}", "Go has no comprehensions: m := map[K]V{} with the types of keys and values, then a loop with m[key] = value"},
		{"a = [1, 2, 3]", "did you mean a := []int{1, 2, 3}?"},
		{"a = [1, 2.5]", "did you mean a := []float64{1, 2.5}?"},
		{"a = [[1, 2], [3, 4]]", "did you mean a := [][]int{{1, 2}, {3, 4}}?"},
		{"[1, 'a']", `did you mean []any{1, "a"}?`},
		{`d = {"a": 1}`, `did you mean d := map[string]int{"a": 1}?`},
		{`d = {"a": [1.5]}`, `did you mean d := map[string][]float64{"a": {1.5}}?`},
		{"np.zeros((3, 4))", "Go has no tuples: did you mean tensor.Zeros(3, 4)?"},
		{"np.random.randn((3, 4))", "Go has no tuples: did you mean tensor.Randn(3, 4)?"},
		{"x.reshape((4, -1))", "Go has no tuples: did you mean x.Reshape(4, -1)?"},
		{"x = np.array([1, 2.5])", "did you mean x := tensor.Of(1, 2.5)?"},
		{"torch.tensor([[1, 2], [3, 4]], dtype=torch.float32)", "did you mean tensor.New([][]int{{1, 2}, {3, 4}})?"},
		{`df = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})`, `did you mean df := frame.New("a", []int{1, 2}, "b", []string{"x", "y"})?`},
		{"saxpy<<<1, 8>>>(2, x, y, 8);", "did you mean saxpy.LaunchGrid([3]int{1, 1, 1}, [3]int{8, 1, 1}, 0, 2, x, y, 8)?"},
		{"plt.plot(x, [1, 2])", "a list is a slice in Go: []int{1, 2}"},
		{"x.mean(axis=0)", "Go has no named arguments: did you mean x.Mean(0)?"},
		{"f(x, n=3)", "Go has no named arguments: did you mean f(x, 3)?"},
		{"with open('a.txt') as f:\n    f.read()", "did you mean text := os.ReadFile(\"a.txt\")? It is a []byte; string(text) is its text"},
		{"def f(x, y):\n    return x", "Go names the types of parameters and results: func f(x, y int) int { … }"},
		{"def f():\n    pass", "did you mean func f() { … }?"},
		{"if x:\n    pass", "did you mean if x { … }?"},
		{"while x < 3:\n    x += 1", "did you mean for x < 3 { … }?"},
		{"x is None", "did you mean x == nil?"},
		{"x is not None", "did you mean x != nil?"},
		{"not x", "did you mean !x?"},
		{"3 in xs", "did you mean slices.Contains(xs, 3)?"},
		{"# a comment", "comments begin with //"},
		{"#include <hip/hip_runtime.h>", "source of HIP belongs into a cell that begins with %%hip"},
		{`"""doc"""`, "a text of several lines is written between backquotes: `…`"},
		{"type(x)", "%type x shows the type of x"},
		{"range(10)", "did you mean for i := range 10 { … }?"},
		{"tqdm(range(3))", "did you mean for range display.Progress(3) { … }?"},
		{"import numpy as np", "nothing to import: tensor.Of(1, 2, 3) makes a tensor; cells import package tensor, and those below it such as linalg and nn, on first use"},
		{"from torch import nn", "nothing to import: tensor.Of(1, 2, 3) makes a tensor; cells import package tensor, and those below it such as linalg and nn, on first use"},
		{"import matplotlib.pyplot as plt", "nothing to import: display.Line(x, y), Scatter, Hist, Bar and Imshow show charts"},
		{"import pandas as pd", `nothing to import: frame.ReadCSV("file.csv") reads a table`},
		{"try:\n    x\nexcept Exception as e:\n    pass", "Go has no exceptions: functions return an error, and recover stops a panic"},
	} {
		_, ps := scope.Parse("cell[1]", c.src)
		if len(ps) != 1 {
			t.Errorf("%q: %d problems", c.src, len(ps))
			continue
		}
		if ps[0].Hint != c.want {
			t.Errorf("%q:\n\t%s (%s), want\n\t%s", c.src, ps[0].Hint, ps[0].Message, c.want)
		}
	}
}
