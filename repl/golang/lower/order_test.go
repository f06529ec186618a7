package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/run"
)

// TestInOrder: a function stands before those whose literals mention it as a value, or is called by a literal there.
func TestInOrder(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"called", "func a() { f := func() { b() }; f() }\nfunc b() {}", "a b"},
		{"not in a literal", "func a() { f := b; f() }\nfunc b() {}", "a b"},
		{"mentioned", "func a() { f := func() any { return b }; f() }\nfunc b() {}", "b a"},
		{"mentioned twice", "func a() { _ = func() any { return c } }\nfunc b() { _ = func() any { return a } }\n" +
			"func c() { }", "c a b"},
		{"itself", "func a(p int) { _ = func() any { return a } }", "a(forwarded)"},
		{"one another", "func a() { _ = func() any { return b } }\nfunc b() { _ = func() any { return a } }",
			"b(forwarded) a"},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+c.src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out := &output{Trees: run.NewTrees()}
		for _, d := range f.Decls {
			out.print(d.(*ast.FuncDecl))
		}
		printed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+out.inOrder(), parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for _, d := range printed.Decls {
			fd := d.(*ast.FuncDecl)
			name, literals := fd.Name.Name, 0
			ast.Inspect(fd, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					literals++
				}
				return true
			})
			if literals > 1 {
				name += "(forwarded)"
			}
			got = append(got, name)
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %s, not %s:\n%s", c.name, g, c.want, out.inOrder())
		}
	}
}
