package lower

import (
	"go/ast"
	"strings"
)

// yaegi makes what a function literal runs as soon as it has read the literal. A function that the literal mentions as
// a value, and that comes later in the code, returns zeroes there. So it is printed first, but where two functions
// mention each other so.

// printed is where a function is in the printed code.
type printed struct {
	decl     *ast.FuncDecl
	from, to int
}

// inOrder is the printed code with functions before those that mention them as values in literals.
func (l *Lowerer) inOrder() string {
	code := l.out.String()
	byName := map[string]int{}
	for i, p := range l.order {
		byName[p.decl.Name.Name] = i
	}
	later := false
	uses := make([][]int, len(l.order))
	for i, p := range l.order {
		for name := range valuesInLiterals(p.decl) {
			if k, ok := byName[name]; ok && k != i {
				uses[i] = append(uses[i], k)
				later = later || k > i
			}
		}
	}
	if !later {
		return code
	}
	var first strings.Builder
	seen := make([]bool, len(l.order))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, k := range uses[i] {
			visit(k)
		}
		first.WriteString(code[l.order[i].from:l.order[i].to])
	}
	for i := range l.order {
		visit(i)
	}
	at := 0
	for _, p := range l.order { // what else is printed
		first.WriteString(code[at:p.from])
		at = p.to
	}
	return first.String() + code[at:]
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
