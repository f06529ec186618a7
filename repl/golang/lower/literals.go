package lower

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// A function literal of interpreted code becomes machine code where it can: among the statements of a cell, and in
// functions that stay interpreted. It is replaced by the call of a function that makes its closures, with the addresses
// of the variables of functions that it captures:
//
//	sort.Slice(xs, func(i, j int) bool { return xs[i]*k < xs[j]*k })    is    sort.Slice(xs, literal(&k))
//
// where k is a variable of the function around it. Variables of the session have addresses that do not change.

// compiledLiteral is a literal that becomes machine code.
type compiledLiteral struct {
	code     *machinecode.Literal
	captured []*ast.Ident // one use of each captured variable
}

// planLiterals finds the literals of a cell that become machine code, once its functions are planned.
func (p *plan) planLiterals(of *unit) {
	if run.Profiling(of.st.rt) { // which would count them as what calls them
		return
	}
	for i := range p.units {
		if u := &p.units[i]; p.Reason(i) != nil && !u.Once {
			p.literalsIn(u.Syntax.Body, u.Source)
		}
	}
	ck := of.ck
	if ck.Body == nil {
		return
	}
	around := machinecode.Source{Syntax: &ast.FuncDecl{Name: ast.NewIdent("cell"), Type: &ast.FuncType{Func: ck.Body.Pos()},
		Body: ck.Body}, Info: ck.Info, Fset: of.st.scope.Fset, Variable: of.variableAddress, Packages: of.packages(),
		Object: types.NewFunc(ck.Body.Pos(), of.st.scope.Pkg, "cell", types.NewSignatureType(nil, nil, nil, nil, nil, false))}
	for _, s := range ck.Body.List {
		if p.loops[s] == "" {
			p.literalsIn(s, around)
		}
	}
}

// literalsIn plans the literals of a statement, or where one is not compiled, those in it. Deferred calls of literals
// stay interpreted, since they may recover, and what watches a variable, which must not hold it (see detached).
func (p *plan) literalsIn(n ast.Node, around machinecode.Source) {
	q := &facts{info: around.Info}
	kept := map[*ast.FuncLit]bool{}
	var depth []ast.Node // literals that are not compiled
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			keepLiterals(kept, n.Call.Fun)
		case *ast.CallExpr:
			if q.watches(n.Fun) {
				keepLiterals(kept, n.Args...)
			}
		case *ast.FuncLit:
			if kept[n] {
				return true
			}
			inner := slices.ContainsFunc(depth, func(o ast.Node) bool { return o.Pos() <= n.Pos() && n.End() <= o.End() })
			why := p.literal(n, around)
			if why == nil || !inner {
				p.tell(n, why, around.Fset)
			}
			if depth = append(depth, n); why == nil {
				return false
			}
		}
		return true
	})
}

// keepLiterals notes those of some expressions that are literals.
func keepLiterals(kept map[*ast.FuncLit]bool, list ...ast.Expr) {
	for _, x := range list {
		if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
			kept[lit] = true
		}
	}
}

// literal plans one.
func (p *plan) literal(lit *ast.FuncLit, around machinecode.Source) *machinecode.Reason {
	c := &compiledLiteral{captured: capturedNames(around, lit)}
	var vars []*types.Var
	for _, id := range c.captured {
		v := around.Info.Uses[id].(*types.Var)
		for _, o := range around.Info.Implicits { // of a type switch: it has another type in each clause
			if o == v {
				return &machinecode.Reason{What: "it uses the variable of a type switch", Pos: id.Pos()}
			}
		}
		vars = append(vars, v)
	}
	var why *machinecode.Reason
	if c.code, why = p.Literal(around, lit, vars); why == nil {
		p.literals[lit] = c
	}
	return why
}

// capturedNames are the variables of the functions around a literal that it uses, each by the first use.
func capturedNames(around machinecode.Source, lit *ast.FuncLit) (list []*ast.Ident) {
	seen := map[*types.Var]bool{}
	ast.Inspect(lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := around.Info.Uses[id].(*types.Var)
		if !ok || seen[v] || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() ||
			v.Pos() >= lit.Pos() && v.Pos() < lit.End() || around.Variable(v).IsValid() || !check.IsSession(v) {
			return true
		}
		seen[v] = true
		list = append(list, id)
		return true
	})
	return list
}

// tell notes what has become of a literal.
func (p *plan) tell(lit *ast.FuncLit, why *machinecode.Reason, fset *token.FileSet) {
	at := fset.Position(lit.Pos())
	n := Native{Name: fmt.Sprintf("literal in %s, line %d", at.Filename, at.Line), at: lit.Pos()}
	if why != nil {
		n.Why, n.At = why.What, fset.Position(why.Pos)
	} else {
		n.Bytes = p.literals[lit].code.Bytes()
	}
	p.told = append(p.told, n)
}

// inOrder sorts what is told of loops and literals by their places.
func inOrder(list []Native) []Native {
	slices.SortStableFunc(list, func(a, b Native) int { return cmp.Compare(a.at, b.at) })
	return list
}

// compiledLiteral is the call that makes a closure of a literal that becomes machine code, nil for any other.
func (l *stmts) compiledLiteral(lit *ast.FuncLit) ast.Expr {
	if l.u.plan == nil || l.u.plan.literals[lit] == nil {
		return nil
	}
	c := l.u.plan.literals[lit]
	l.literalName() // those that follow keep their names
	l.x.recovers = ""
	var in []reflect.Type
	var args []ast.Expr
	for _, id := range c.captured {
		v := l.info.Uses[id].(*types.Var)
		in = append(in, reflect.PointerTo(l.u.st.scope.Inner(v.Type())))
		args = append(args, address(l.x.expr(id)))
	}
	sig := l.info.TypeOf(lit).(*types.Signature)
	result := l.u.st.scope.Inner(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
	closure := func(in []reflect.Value) []reflect.Value {
		var captured []unsafe.Pointer
		for _, v := range in {
			captured = append(captured, v.UnsafePointer())
		}
		p := c.code.Make(captured)
		return []reflect.Value{reflect.NewAt(result, unsafe.Pointer(&p)).Elem()}
	}
	f := reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{result}, false), closure)
	return call(l.u.st.rt.Provide("F", f), args...)
}

// hasLiteral reports whether there is a function literal in a body.
func hasLiteral(body *ast.BlockStmt) (found bool) {
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		found = found || ok
		return !found
	})
	return found
}
