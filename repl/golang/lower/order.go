package lower

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// yaegi makes what a function literal runs as soon as it has read the literal. A function that the literal mentions as
// a value, and that comes later in the code, returns zeroes there. So it is printed first; where that cannot be, as in
// a function that mentions itself, the literal mentions another one that calls it.

// printed is where a function is in the printed code.
type printed struct {
	decl     *ast.FuncDecl
	from, to int
}

// inOrder is the printed code with functions before those that mention them as values in literals.
func (out *output) inOrder() string {
	code := out.text.String()
	byName := map[string]int{}
	for i, p := range out.order {
		byName[p.decl.Name.Name] = i
	}
	later := false
	uses := make([][]int, len(out.order))
	for i, p := range out.order {
		for name := range valuesInLiterals(p.decl) {
			if k, ok := byName[name]; ok {
				uses[i] = append(uses[i], k)
				later = later || k >= i
			}
		}
		slices.Sort(uses[i])
	}
	if !later {
		return code
	}
	var first strings.Builder
	begun, done := make([]bool, len(out.order)), make([]bool, len(out.order))
	var visit func(i int)
	visit = func(i int) {
		begun[i] = true
		p := out.order[i]
		under := map[string]*ast.FuncDecl{} // functions that can only be printed later
		for _, k := range uses[i] {
			if !begun[k] {
				visit(k)
			}
			if !done[k] {
				under[out.order[k].decl.Name.Name] = out.order[k].decl
			}
		}
		if len(under) == 0 {
			first.WriteString(code[p.from:p.to])
		} else {
			out.forward(p.decl, under)
			first.WriteString(printedText(p.decl))
		}
		done[i] = true
	}
	for i := range out.order {
		if !begun[i] {
			visit(i)
		}
	}
	at := 0
	for _, p := range out.order { // what else is printed
		first.WriteString(code[at:p.from])
		at = p.to
	}
	return first.String() + code[at:]
}

// forward has the literals of a declaration mention functions that call others in place of those.
func (out *output) forward(d *ast.FuncDecl, others map[string]*ast.FuncDecl) {
	depth := 0
	astutil.Apply(d.Body, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			depth++
		case *ast.Ident:
			other := others[n.Name]
			if _, isCall := c.Parent().(*ast.CallExpr); depth == 0 || other == nil || isCall && c.Name() == "Fun" ||
				c.Name() == "Sel" {
				break
			}
			c.Replace(out.forwarder(other))
		}
		return true
	}, func(c *astutil.Cursor) bool {
		if _, ok := c.Node().(*ast.FuncLit); ok {
			depth--
		}
		return true
	})
}

// forwarder is a literal that calls a function with its own parameters, which all have names.
func (out *output) forwarder(d *ast.FuncDecl) ast.Expr {
	c := &ast.CallExpr{Fun: check.Ident(d.Name.Name)}
	for _, p := range d.Type.Params.List {
		if _, ok := p.Type.(*ast.Ellipsis); ok {
			c.Ellipsis = 1
		}
		for _, name := range p.Names {
			c.Args = append(c.Args, check.Ident(name.Name))
		}
	}
	lit := &ast.FuncLit{Type: d.Type, Body: &ast.BlockStmt{}}
	if d.Type.Results.NumFields() > 0 {
		lit.Body.List = []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{c}}}
	} else {
		lit.Body.List = []ast.Stmt{&ast.ExprStmt{X: c}}
	}
	out.Bodies[lit.Body] = &run.Inlined
	return &ast.ParenExpr{X: lit}
}

// valuesInLiterals are the names that function literals of a declaration mention, but for what they call.
func valuesInLiterals(d *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	called := map[*ast.Ident]bool{}
	depth := 0
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			depth++
			ast.Inspect(n.Body, visit)
			depth--
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				called[id] = true
			}
		case *ast.Ident:
			if depth > 0 && !called[n] {
				names[n.Name] = true
			}
		}
		return true
	}
	ast.Inspect(d.Body, visit)
	return names
}
