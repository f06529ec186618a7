package modules_test

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gorocm/gorocm/repl/modules"
)

func check(t *testing.T, dir, path string) (*token.FileSet, []*modules.Checked) {
	t.Helper()
	fset := token.NewFileSet()
	r, err := modules.Check(fset, load(t, dir, path), newStd())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return fset, r
}

// body is a function of a package with its body, and what is known of that.
func body(t *testing.T, c *modules.Checked, name string) (*ast.FuncDecl, *types.Info) {
	t.Helper()
	for _, f := range c.Syntax {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Name.Name != name {
				continue
			}
			if !c.Deferred(fd) {
				return fd, c.Info
			}
			fn, info, err := c.Body(fd)
			if err != nil || fd.Body != nil || fn.Body == nil {
				t.Fatal(name, fn, err)
			}
			return fn, info
		}
	}
	t.Fatal("no function", name)
	return nil, nil
}

const checkable = `
-- example.com/top@v1.0.0/go.mod --
module example.com/top

go 1.21
-- example.com/top@v1.0.0/b.go --
// Package top is at the top.
package top // import "example.com/top"

import (
	"strings"

	"example.com/top/left"
	"example.com/top/right"
)

var second = first + 1

func init() { second++ }

// Stack is a stack.
type Stack[T any] struct {
	// Items are on it.
	Items []T
}

// Push adds an item.
func (s *Stack[T]) Push(x T) { s.Items = append(s.Items, x) }

func Same(l left.T, r right.T) bool { return l == r && strings.ToUpper("a") == "A" }
-- example.com/top@v1.0.0/a.go --
//go:build go1.22

package top

var first = count()

var (
	// Limit limits.
	Limit = 3 // a lot

	nothing struct{} // Nothing at all.
)

func count() int { return Limit }
-- example.com/top@v1.0.0/left/l.go --
package left

import "example.com/top/base"

type T = base.T
-- example.com/top@v1.0.0/right/r.go --
package right

import "example.com/top/base"

type T = base.T
-- example.com/top@v1.0.0/base/b.go --
package base

type T struct{ X int }
-- example.com/wrong@v1.0.0/w.go --
package wrong

import "fmt"

func F() int { return fmt.Sprint("x") }

func G() { undefined() }
-- example.com/wrong@v1.0.0/user/u.go --
package user

import "example.com/wrong"

var X = wrong.F()
-- example.com/wrong@v1.0.0/syntax/s.go --
package syntax

func {
-- example.com/data@v1.0.0/d.go --
package data

import "embed"

//go:embed text.txt
var Text string

var (
	//go:embed "with space.bin"
	Bytes []byte
	Other int
)

type Letters []byte

//go:embed text.txt
var Named Letters

//go:embed tree more/*.md
var Tree embed.FS

//go:embed all:tree
var All embed.FS
-- example.com/data@v1.0.0/text.txt --
hello "world"
-- example.com/data@v1.0.0/with space.bin --
B
-- example.com/data@v1.0.0/tree/a.txt --
A
-- example.com/data@v1.0.0/tree/.hidden --
H
-- example.com/data@v1.0.0/tree/in/b.txt --
BB
-- example.com/data@v1.0.0/tree/in-x.txt --
X
-- example.com/data@v1.0.0/more/c.md --
C
-- example.com/data@v1.0.0/more/d.txt --
D
`

func TestCheck(t *testing.T) {
	dir := world(t, checkable)
	get(t, dir, "example.com/top")
	fset, r := check(t, dir, "example.com/top")
	if len(r) != 4 || r[0].Path != "example.com/top/base" || r[3].Path != "example.com/top" {
		t.Fatal(r)
	}
	top := r[3]
	var order []string
	for _, i := range top.Info.InitOrder {
		order = append(order, i.Lhs[0].Name())
	}
	if got := strings.Join(order, " "); got != "Limit first second" {
		t.Errorf("variables are initialised in the order %s", got)
	}
	if len(top.Syntax) != 2 || fset.Position(top.Syntax[0].Pos()).Filename != "example.com/top@v1.0.0/a.go" {
		t.Error(fset.Position(top.Syntax[0].Pos()))
	}
	if v := top.Info.FileVersions; v[top.Syntax[0]] != "go1.22" || v[top.Syntax[1]] != "go1.21" {
		t.Errorf("language versions of the files: %v", v)
	}
	// Bodies are checked: the body of count uses Limit.
	uses := 0
	fn, info := body(t, top, "count")
	if fn.Name.Name != "count" || info.Defs[fn.Name] == nil {
		t.Errorf("%+v", fn)
	}
	for id, o := range info.Uses {
		if o == top.Types.Scope().Lookup("Limit") && fset.Position(id.Pos()).Line == 14 {
			uses++
		}
	}
	if uses != 1 {
		t.Errorf("Limit is used %d times in count", uses)
	}
	for name, want := range map[string]string{"": "Package top is at the top.\n", "Stack": "Stack is a stack.\n",
		"Stack.Push": "Push adds an item.\n", "Limit": "Limit limits.\n",
		"nothing": "Nothing at all.\n", "count": ""} {
		if got := top.Doc(name); got != want {
			t.Errorf("doc of %q: %q, want %q", name, got, want)
		}
	}
	for _, f := range top.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if g, ok := n.(*ast.CommentGroup); ok {
				t.Errorf("comment left: %s", g.Text())
			}
			return true
		})
	}
	// A second path to a package leads to the same types.
	same := top.Types.Scope().Lookup("Same").(*types.Func).Signature().Params()
	if !types.Identical(same.At(0).Type(), same.At(1).Type()) {
		t.Error("base.T is two types")
	}
}

func TestCheckErrors(t *testing.T) {
	dir := world(t, checkable)
	get(t, dir, "example.com/wrong")
	for path, want := range map[string]string{
		"example.com/wrong": `example.com/wrong cannot be interpreted: example.com/wrong@v1.0.0/w.go:5:23: cannot use fmt.Sprint("x") (value of type string) as int value in return statement
example.com/wrong@v1.0.0/w.go:7:12: undefined: undefined`,
		"example.com/wrong/user":   `example.com/wrong cannot be interpreted: example.com/wrong@v1.0.0/w.go:5:23:`,
		"example.com/wrong/syntax": `example.com/wrong/syntax cannot be parsed: example.com/wrong@v1.0.0/syntax/s.go:3:6: expected 'IDENT', found '{'`,
	} {
		_, err := modules.Check(token.NewFileSet(), load(t, dir, path), newStd())
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", path, err, want)
		}
	}
	pkgs := load(t, dir, "example.com/wrong")
	pkgs[0].GoVersion = "go1.99"
	if _, err := modules.Check(token.NewFileSet(), pkgs, newStd()); err == nil ||
		!strings.Contains(err.Error(), "example.com/wrong needs go1.99, and this session is go1.26") {
		t.Error(err)
	}
}

func TestBodies(t *testing.T) {
	dir := world(t, onThisProcessor(awkward))
	get(t, dir, "example.com/links", "example.com/partial")
	_, r := check(t, dir, "example.com/links")
	var text string
	secret, _ := body(t, r[0], "secret")
	ast.Inspect(secret.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			text = constant.StringVal(constant.MakeFromLiteral(lit.Value, lit.Kind, 0))
		}
		return true
	})
	if want := "example.com/links.secret cannot be interpreted because l.go:9 declares func secret without a body (linked to example.com/elsewhere.secret)"; text != want {
		t.Errorf("panics with %q, want %q", text, want)
	}
	calls := false
	nano, info := body(t, r[0], "nano")
	ast.Inspect(nano.Body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			f, _ := info.Uses[sel.Sel].(*types.Func)
			calls = calls || f != nil && f.FullName() == "time.Now"
		}
		return true
	})
	if !calls {
		t.Error("the stand-in of a linked runtime.nanotime does not call time.Now")
	}
	notes := modules.Notes(r)
	if len(notes) != 1 || !strings.HasPrefix(notes[0],
		"example.com/links cannot be interpreted in full: l.go:9 declares func secret") ||
		strings.Contains(notes[0], "nano") {
		t.Errorf("%q", notes)
	}
	_, r = check(t, dir, "example.com/partial")
	for _, f := range r[0].Syntax {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body == nil && !r[0].Deferred(fd) {
				t.Errorf("%s has no body", fd.Name.Name)
			}
		}
	}
}

func TestEmbed(t *testing.T) {
	dir := world(t, checkable)
	get(t, dir, "example.com/data")
	_, r := check(t, dir, "example.com/data")
	values := map[string]string{}
	var trees []modules.Embed
	for _, e := range r[0].Embeds {
		if e.Files == nil {
			values[e.Var.Name()] = string(e.Text)
		} else {
			trees = append(trees, e)
		}
	}
	if len(values) != 3 || values["Text"] != "hello \"world\"\n" || values["Bytes"] != "B\n" ||
		values["Named"] != values["Text"] {
		t.Errorf("initial values: %q", values)
	}
	want := map[string][]string{
		"Tree": {"more/c.md", "tree/a.txt", "tree/in/b.txt", "tree/in-x.txt"},
		"All":  {"tree/.hidden", "tree/a.txt", "tree/in/b.txt", "tree/in-x.txt"},
	}
	if len(trees) != len(want) {
		t.Fatal(trees)
	}
	for _, e := range trees {
		names := want[e.Var.Name()]
		files, err := e.FS()
		if err != nil {
			t.Fatal(err)
		}
		if err := fstest.TestFS(files, names...); err != nil {
			t.Errorf("%s: %v", e.Var.Name(), err)
		}
		n := 0
		if err := fs.WalkDir(files, ".", func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				n++
			}
			return err
		}); err != nil || n != len(names) {
			t.Errorf("%s has %d files, want %d; %v", e.Var.Name(), n, len(names), err)
		}
	}
	if b, err := fs.ReadFile(mustFS(t, trees, "Tree"), "tree/in/b.txt"); err != nil || string(b) != "BB\n" {
		t.Errorf("%q %v", b, err)
	}
}

func mustFS(t *testing.T, embeds []modules.Embed, name string) fs.FS {
	t.Helper()
	for _, e := range embeds {
		if e.Var.Name() == name {
			f, err := e.FS()
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
	}
	t.Fatalf("no variable %s", name)
	return nil
}
