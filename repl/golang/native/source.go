package native

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/order"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// Source is a checked function. That of a method has the receiver as its first parameter.
type Source struct {
	Syntax *ast.FuncDecl
	Info   *types.Info
	Object *types.Func
	Fset   *token.FileSet
	Stack  string // what traces call it, "" for statements of a cell
	// Variable gives the address of a variable that is not the function's own, not valid for one that is not compiled.
	Variable func(*types.Var) reflect.Value
	Packages Packages
	// Passed are variables of others that the function has as parameters, by the names in its syntax.
	Passed map[*ast.Ident]*types.Var
	Args   []types.Type // of a generic function: those of the instance
	Hidden bool         // it has no places, and traces do not show it
}

// Reason is why a function is not compiled.
type Reason struct {
	What string
	Pos  token.Pos
}

func (r *Reason) Error() string { return r.What }

func refuse(pos token.Pos, format string, args ...any) *Reason {
	return &Reason{fmt.Sprintf(format, args...), pos}
}

// mentions are what a function refers to that is declared elsewhere.
type mentions struct {
	funcs []*types.Func    // of the session
	vars  []*types.Var     // of the session
	pkgs  []*types.Package // with functions that are known
	// generic is set where it has instances of generic functions.
	generic bool
}

// mentions looks for statements and names that are not compiled, before anything is built. bad is an expression whose
// order is not known.
func (s *Source) mentions(bad ast.Node) (m mentions, why *Reason) {
	seen := map[types.Object]bool{}
	no := func(n ast.Node, format string, args ...any) {
		if why == nil {
			why = refuse(n.Pos(), format, args...)
		}
	}
	ast.Inspect(s.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			no(n, "it starts a goroutine")
		case *ast.DeferStmt:
			no(n, "it defers a call")
		case *ast.Ident:
			o := s.Info.Uses[n]
			if o == nil && s.Info.Defs[n] == nil && strings.Contains(n.Name, ".") {
				no(n, "it has a call that the session has added to")
			}
			if o != nil && !seen[o] {
				seen[o] = true
				s.mention(&m, n, o, no)
			}
		}
		return why == nil
	})
	if bad != nil && why == nil {
		no(bad, "it leaves the order of a call and an operand before it open")
	}
	return m, why
}

// mention looks at one name.
func (s *Source) mention(m *mentions, n *ast.Ident, o types.Object, no func(ast.Node, string, ...any)) {
	session := s.Object.Pkg()
	switch o := o.(type) {
	case *types.Func:
		switch recv := o.Signature().Recv(); {
		case recv != nil && types.IsInterface(recv.Type()):
		case recv != nil && o.Signature().RecvTypeParams() != nil:
			m.generic = true
			if o.Pkg() != session || s.Packages.Generic == nil {
				no(n, "it calls the method %s", o.Name())
			}
		case recv != nil && o.Pkg() != session:
			s.foreign(m, n, o, no)
		case recv != nil:
		case o.Signature().TypeParams() != nil:
			m.generic = true
			switch {
			case o.Pkg() == session && s.Packages.Generic != nil:
				m.funcs = append(m.funcs, o)
			case o.Pkg() != session && s.hasGeneric(o):
				m.pkg(o.Pkg())
			default:
				no(n, "it calls the generic function %s", o.Name())
			}
		case o.Pkg() == session:
			m.funcs = append(m.funcs, o)
		default:
			s.foreign(m, n, o, no)
		}
	case *types.Var:
		if !s.isOwn(o) {
			if s.Variable == nil || o.Pkg() != session || !s.Variable(o).IsValid() {
				no(n, "it uses the variable %s, which is not its own", o.Name())
			}
			m.vars = append(m.vars, o)
		}
	}
}

// hasGeneric reports whether instances of a generic function of another package can be called or compiled.
func (s *Source) hasGeneric(f *types.Func) bool {
	if s.Packages.Instance != nil && s.Packages.Instance(f, nil).IsValid() {
		return true
	}
	if s.Packages.Generic == nil {
		return false
	}
	_, ok := s.Packages.Generic(f)
	return ok
}

// foreign looks at the name of a function or method of another package.
func (s *Source) foreign(m *mentions, n *ast.Ident, o *types.Func, no func(ast.Node, string, ...any)) {
	if quick.Pure(o) == nil && !isIntrinsic(o) && !s.Packages.function(o).IsValid() {
		if o.Signature().Recv() != nil {
			no(n, "it calls the method %s", o.Name())
		} else {
			no(n, "it calls %s.%s", o.Pkg().Name(), o.Name())
		}
	}
	m.pkg(o.Pkg())
}

func (m *mentions) pkg(p *types.Package) {
	if !slices.Contains(m.pkgs, p) {
		m.pkgs = append(m.pkgs, p)
	}
}

// maxInstructions bounds the functions that are compiled, so that a cell waits a few milliseconds at most.
const maxInstructions = 4000

// isOwn reports whether a variable is a field or is declared in the function.
func (s *Source) isOwn(v *types.Var) bool {
	return v.IsField() || v.Pkg() == nil || v.Pos() >= s.Syntax.Pos() && v.Pos() <= s.Syntax.End() || s.isPassed(v)
}

func (s *Source) isPassed(v *types.Var) bool {
	for _, p := range s.Passed {
		if p == v {
			return true
		}
	}
	return false
}

// form gives the function in the form of package ssa.
func (s *Source) form() (*ssa.Function, *Reason) {
	if s.Syntax.Body == nil {
		return nil, refuse(s.Syntax.Pos(), "it has no body")
	}
	o := order.Function{Syntax: s.Syntax, Info: s.Info, Pkg: s.Object.Pkg(), Results: s.Object.Signature().Results(),
		Own: s.isOwn, Passed: s.isPassed,
		Pure: func(f *types.Func) bool { return quick.Pure(f) != nil || isIntrinsic(f) }}
	d := defers.Function{Syntax: s.Syntax, Info: s.Info, Pkg: s.Object.Pkg(), Results: s.Object.Signature().Results(),
		Session: func(f *types.Func) bool { return f.Pkg() == s.Object.Pkg() || !s.Packages.function(f).IsValid() }}
	if s.Packages.Defers != nil {
		defer o.ArrangeLater()()
		unknown, restore := d.Rewrite()
		defer restore()
		if unknown != nil {
			return nil, refuse(unknown.Pos(), "it defers a call of a form that is not compiled")
		}
	}
	bad, restore := o.Arrange()
	defer restore()
	m, why := s.mentions(bad)
	if why != nil {
		return nil, why
	}
	return s.build(m)
}

// build gives what mentions has looked at in that form.
func (s *Source) build(m mentions) (fn *ssa.Function, why *Reason) {
	defer func() {
		if r := recover(); r != nil { // package ssa panics over what it does not know
			fn, why = nil, refuse(s.Syntax.Pos(), "its form is not known: %v", r)
		}
	}()
	info := *s.Info
	info.Defs = map[*ast.Ident]types.Object{}
	ast.Inspect(s.Syntax, func(n ast.Node) bool { // Info may be that of thousands of functions
		if id, ok := n.(*ast.Ident); ok {
			if o, defined := s.Info.Defs[id]; defined {
				info.Defs[id] = o
			}
		}
		return true
	})
	file := &ast.File{Name: ast.NewIdent("main"), Decls: []ast.Decl{s.Syntax}, FileStart: s.Syntax.Pos(),
		FileEnd: s.Syntax.End()}
	info.Defs[s.Syntax.Name] = s.Object
	for id, v := range s.Passed {
		info.Defs[id] = v
	}
	for _, f := range m.funcs {
		if f != s.Object {
			id := ast.NewIdent(f.Name())
			info.Defs[id] = f
			file.Decls = append(file.Decls, &ast.FuncDecl{Name: id, Type: &ast.FuncType{Params: &ast.FieldList{}}})
		}
	}
	for _, v := range m.vars {
		id := ast.NewIdent(v.Name())
		info.Defs[id] = v
		file.Decls = append(file.Decls, &ast.GenDecl{Tok: token.VAR,
			Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}}}})
	}
	info.InitOrder = nil
	mode, entry := ssa.BareInits, s.Object
	if m.generic || len(s.Args) > 0 {
		mode |= ssa.InstantiateGenerics
	}
	if len(s.Args) > 0 {
		var use *ast.FuncDecl
		use, entry = s.use(&info)
		file.Decls = append(file.Decls, use)
	}
	prog := ssa.NewProgram(s.Fset, mode)
	for _, p := range m.pkgs {
		prog.CreatePackage(p, nil, nil, true)
	}
	info.FileVersions = map[*ast.File]string{file: "go1.26"}
	pkg := prog.CreatePackage(s.Object.Pkg(), []*ast.File{file}, &info, false)
	pkg.Build()
	fn = prog.FuncValue(entry)
	if len(s.Args) > 0 {
		fn = used(fn)
	}
	if fn == nil || len(fn.Blocks) == 0 {
		return nil, refuse(s.Syntax.Pos(), "it has no body")
	}
	if fn.Recover != nil {
		return nil, refuse(s.Syntax.Pos(), "it defers a call")
	}
	return fn, nil
}

// calledAt maps the places that package ssa gives to calls to the start of what is called.
func (s *Source) calledAt() map[token.Pos]token.Pos {
	m := map[token.Pos]token.Pos{}
	ast.Inspect(s.Syntax, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			m[c.Lparen] = c.Fun.Pos()
		}
		return true
	})
	return m
}

// places maps the places that package ssa gives to values to those that errors show: the start of the expression.
func (s *Source) places() map[token.Pos]token.Pos {
	m := map[token.Pos]token.Pos{}
	ast.Inspect(s.Syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			m[n.Lbrack] = n.Pos()
		case *ast.SliceExpr:
			m[n.Lbrack] = n.Pos()
		case *ast.BinaryExpr:
			m[n.OpPos] = n.Pos()
		case *ast.SendStmt:
			m[n.Arrow] = n.Pos()
		case *ast.SelectorExpr:
			if _, called := m[n.Sel.Pos()]; !called {
				m[n.Sel.Pos()] = n.Pos()
			}
		case *ast.CallExpr:
			if _, ok := ast.Unparen(n.Fun).(*ast.FuncLit); !ok {
				m[n.Lparen] = n.Fun.Pos()
			}
			if f, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				m[n.Lparen], m[f.Sel.Pos()] = f.Sel.Pos(), f.Sel.Pos()
			}
		case *ast.TypeAssertExpr:
			m[n.Lparen] = n.Pos()
		case *ast.AssignStmt:
			m[n.TokPos] = n.Pos()
		}
		return true
	})
	return m
}
