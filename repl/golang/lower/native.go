package lower

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/check"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Native tells what has become of a function on its way to machine code.
type Native struct {
	Name  string
	Bytes int            // of its code; 0 where it is interpreted
	Why   string         // it is interpreted
	At    token.Position // of what is not compiled
	at    token.Pos      // of a loop or a literal
}

// plan is what is to become machine code of a cell: its functions, the loops among its statements, each as a function
// without parameters, and function literals of what stays interpreted.
type plan struct {
	*machinecode.Plan
	units []machinecode.Unit
	shown []string // what users call the functions; "" for loops
	loops map[ast.Stmt]string

	literals map[*ast.FuncLit]*compiledLiteral
	pieces   map[ast.Stmt]*compiledLiteral // loops of what stays interpreted
	told     []Native                      // of literals and these
	escapes  map[types.Object]bool         // of the unit
	observed bool                          // the cell looks at its callers
}

// plan finds what of a cell becomes machine code, nil without any. A loop that does gets a name, by which the cell
// calls it.
func (st *State) plan(of *unit) *plan {
	if st.native == nil {
		return nil
	}
	p := &plan{loops: map[ast.Stmt]string{}, literals: map[*ast.FuncLit]*compiledLiteral{},
		pieces: map[ast.Stmt]*compiledLiteral{}, escapes: of.escapes}
	for _, f := range of.ck.Funcs {
		name := of.names[f.Object]
		if len(f.TypeParams) > 0 {
			st.supersede(f)
			continue
		}
		if name == "" || f.Syntax.Body == nil {
			continue
		}
		object, _ := f.Info.Defs[f.Syntax.Name].(*types.Func)
		if object == nil {
			continue
		}
		u := machinecode.Unit{Source: machinecode.Source{Syntax: f.Syntax, Info: f.Info, Object: object,
			Fset: st.scope.Fset, Stack: f.StackName(), Variable: of.variableAddress, Packages: of.packages()},
			Name: name, Called: f.Object}
		if f.Receiver != "" {
			u.Older = f.Object
		} else if b := st.scope.Bindings[f.Names[0]]; b != nil {
			if old, ok := b.Object.(*types.Func); ok && old != f.Object && check.SameUse(old, f.Object) {
				u.Older = old
			}
		}
		p.units, p.shown = append(p.units, u), append(p.shown, f.Names[0])
	}
	loops := closedLoops(of.ck)
	for _, s := range loops {
		p.units, p.shown = append(p.units, of.loopUnit(s)), append(p.shown, "")
	}
	if len(p.units) == 0 && !hasCode(of.ck.Body) {
		return nil
	}
	p.Plan = st.native.Plan(p.units)
	for i, s := range loops {
		if n := len(p.units) - len(loops) + i; p.Reason(n) == nil {
			p.loops[s] = p.units[n].Name
		}
	}
	p.planLiterals(of)
	return p
}

// supersede has a generic function take the place of an older one in machine code.
func (st *State) supersede(f *check.Function) {
	if b := st.scope.Bindings[f.Names[0]]; b != nil && f.Receiver == "" {
		if old, ok := b.Object.(*types.Func); ok && old != f.Object {
			st.native.Supersede(old, f.Object)
		}
	}
}

// packages is what machine code needs of others, among it the generic functions of the session.
func (u *unit) packages() machinecode.Packages {
	p := u.funcs.Packages()
	p.Generic, p.Compiled = u.genericSource, u.compiledSource
	return p
}

// compiledPackages are packages of the standard library whose functions are compiled with the methods that they call.
var compiledPackages = map[string]bool{"container/heap": true}

// compiledSource is the source of a function of these.
func (u *unit) compiledSource(f *types.Func) (machinecode.Source, bool) {
	if f.Pkg() == nil || !compiledPackages[f.Pkg().Path()] || f.Signature().Recv() != nil {
		return machinecode.Source{}, false
	}
	p := u.st.Types.Source(f.Pkg().Path())
	if p == nil || p.Funcs[f.Name()] == nil {
		return machinecode.Source{}, false
	}
	g := p.Funcs[f.Name()]
	return machinecode.Source{Syntax: g.Syntax, Info: g.Info, Object: g.Object, Fset: u.st.scope.Fset,
		Stack: g.StackName(), Variable: u.variableAddress, Packages: u.packages(), Hidden: true}, true
}

// genericPackages are those of the standard library whose functions are compiled as those of the session are.
var genericPackages = map[string]bool{"cmp": true, "maps": true, "slices": true}

// genericSource is the source of a generic function of the session or of these packages, or of a method of a generic
// type.
func (u *unit) genericSource(f *types.Func) (machinecode.Source, bool) {
	if !check.IsSession(f) && (f.Pkg() == nil || !genericPackages[f.Pkg().Path()]) {
		return machinecode.Source{}, false
	}
	g := u.generic(f)
	if g == nil || g.Syntax.Body == nil || len(g.TypeParams) == 0 {
		return machinecode.Source{}, false
	}
	object, _ := g.Info.Defs[g.Syntax.Name].(*types.Func)
	return machinecode.Source{Syntax: g.Syntax, Info: g.Info, Object: object, Fset: u.st.scope.Fset,
		Stack: g.StackName(), Variable: u.variableAddress, Packages: u.packages()}, object != nil
}

// compileInstances makes machine code of the instances of generic functions that a unit has printed, but for those that
// compiled functions call and that are compiled.
func (st *State) compileInstances(u *unit) {
	if st.native == nil {
		return
	}
	for _, i := range u.instances {
		s, ok := u.genericSource(i.of.Object)
		if !ok {
			continue
		}
		r := Native{Name: i.of.Names[0] + typeArguments(i.args)}
		p := st.native.Instance(i.of.Object, i.args)
		if p == nil {
			s.Args = i.args
			o := st.native.Compile([]machinecode.Unit{{Source: s, Name: i.name, Called: i.of.Object}})[0]
			if p = o.Proc; o.Reason != nil {
				r.Why, r.At = o.Reason.What, st.scope.Fset.Position(o.Reason.Pos)
				p = nil
			}
		}
		if p != nil {
			r.Bytes = p.Code().Bytes
			st.rt.AddNative(i.name, p)
		}
		if check.IsSession(i.of.Object) {
			st.natives[r.Name] = r
		}
	}
}

// typeArguments spells them as Go does, without packages.
func typeArguments(args []types.Type) string {
	s := ""
	for i, t := range args {
		if i > 0 {
			s += ","
		}
		s += types.TypeString(t, func(*types.Package) string { return "" })
	}
	return "[" + s + "]"
}

// loop is the name of a function that a loop becomes, "" for one that stays among the statements.
func (p *plan) loop(s ast.Stmt) string {
	if p == nil {
		return ""
	}
	return p.loops[s]
}

// loopNames are the functions that loops become.
func (p *plan) loopNames() []string {
	if p == nil {
		return nil
	}
	return slices.Collect(maps.Values(p.loops))
}

// closedLoops are the loops among the statements of a cell that nothing leaves but their end.
func closedLoops(ck *check.Checked) (list []ast.Stmt) {
	if ck.Body == nil || hasDefer(ck.Body) {
		return nil
	}
	if hasGoto(ck.Body) {
		return nil
	}
	for _, s := range ck.Body.List {
		loop := s
		if n, ok := s.(*ast.LabeledStmt); ok {
			loop = n.Stmt
		}
		switch loop.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if returns, ok := isClosed(ck.Info, s); ok && len(returns) == 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// hasGoto reports whether any statement is a goto.
func hasGoto(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// isClosed reports whether nothing leaves a loop but its end, and the return statements that it lists. There must be no
// goto.
func isClosed(info *types.Info, loop ast.Stmt) (returns []*ast.ReturnStmt, closed bool) {
	closed = true
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			returns = append(returns, n)
		case *ast.BranchStmt:
			if n.Label != nil {
				o := info.Uses[n.Label]
				closed = closed && o != nil && o.Pos() >= loop.Pos() && o.Pos() < loop.End()
			}
		}
		return closed
	})
	return returns, closed
}

// loopUnit is a loop as a function. Traces have no name for it: its places are those of the cell.
func (u *unit) loopUnit(s ast.Stmt) machinecode.Unit {
	name := u.fresh("loop")
	syntax := &ast.FuncDecl{Name: ast.NewIdent(name), Type: &ast.FuncType{Func: s.Pos(), Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{Lbrace: s.Pos(), List: []ast.Stmt{s}, Rbrace: s.End() - 1}}
	object := types.NewFunc(s.Pos(), u.st.scope.Pkg, name, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	return machinecode.Unit{Source: machinecode.Source{Syntax: syntax, Info: u.ck.Info, Object: object,
		Fset: u.st.scope.Fset, Variable: u.variableAddress, Packages: u.packages()}, Name: name, Called: object,
		Once: true}
}

// loopFunc prints a loop as a function and returns its call.
func (c *cell) loopFunc(name string, s ast.Stmt) []ast.Stmt {
	body := &ast.BlockStmt{Lbrace: 1, List: c.l.stmts([]ast.Stmt{s}), Rbrace: 1}
	c.u.out.Bodies[body] = &run.Inlined
	c.u.out.print(&ast.FuncDecl{Name: check.Ident(name), Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: body})
	return []ast.Stmt{&ast.ExprStmt{X: call(name)}}
}

// compile makes machine code of what was planned for a cell, before the interpreted form of its functions is guarded. A
// function that is not compiled stays interpreted.
func (st *State) compile(p *plan) *check.Failure {
	if p == nil {
		return nil
	}
	loops := p.told
	for i, o := range p.Install() {
		u := &p.units[i]
		r := Native{Name: p.shown[i]}
		if o.Reason != nil {
			r.Why, r.At = o.Reason.What, st.scope.Fset.Position(o.Reason.Pos)
		} else {
			r.Bytes = o.Proc.Code().Bytes
		}
		if o.Proc != nil {
			st.rt.AddNative(u.Name, o.Proc)
		}
		if r.Name != "" {
			st.natives[r.Name] = r
			continue
		}
		at := st.scope.Fset.Position(u.Syntax.Pos())
		r.Name, r.at = fmt.Sprintf("loop in %s, line %d", at.Filename, at.Line), u.Syntax.Pos()
		loops = append(loops, r)
	}
	if len(loops) > 0 {
		st.loops = inOrder(loops)
	}
	for _, list := range []iter.Seq[*compiledLiteral]{maps.Values(p.literals), maps.Values(p.pieces)} {
		for c := range list {
			if err := c.code.Failed(); err != nil { // nothing else can run them
				return &check.Failure{Name: "RuntimeError",
					Message: "there is no memory for machine code: " + err.Error()}
			}
		}
	}
	return nil
}

// variableAddress is where a variable of the session is, not valid for what is none.
func (u *unit) variableAddress(v *types.Var) reflect.Value {
	if s := u.slotOf(v); s != nil {
		return s.Ptr
	}
	return reflect.Value{}
}

// Natives are the functions that cells have declared, in the order of their names.
func (st *State) Natives() (list []Native) {
	for _, n := range st.natives {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Native) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Loops are the loops among the statements of the last cell that had any, and function literals of what is interpreted,
// by their places.
func (st *State) Loops() []Native { return st.loops }
