package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/debug"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// While debugging is on, functions of cells are printed with hooks: see package debug.

// hooks are what lowering knows of a function that it prints with hooks.
type hooks struct {
	frame string // the variable that holds its debug.Frame
	outer *hooks // of the function around a literal; nil where it has no hooks
	enter *ast.BasicLit
	vars  int                   // that have numbers
	lines map[int]bool          // on which a statement has begun
	scope []scopedVar           // variables in scope, with those of outer functions
	loops map[ast.Node]loopHook // by the loop's body
}

// scopedVar is a variable in scope: of a function with hooks, or of the session.
type scopedVar struct {
	v     *types.Var
	owner *hooks // nil for a variable of the session
	index int
	slot  *check.Slot
}

// loopHook is what happens at the beginning of a loop's body.
type loopHook struct {
	at   token.Pos
	vars []ast.Expr // that it sets for each iteration
}

// Debug says whether functions are printed with hooks from now on.
func (st *State) Debug(on bool) {
	st.rt.Debugger.Enable(on)
	switch {
	case st.native == nil:
	case on:
		st.native.Off("the debugger can stop in it")
	default:
		st.native.Off("")
	}
}

// hasHooks reports whether a function that begins at a place gets hooks.
func (l *Lowerer) hasHooks(at token.Pos) bool {
	file := l.st.scope.Fset.Position(at).Filename
	return l.st.rt.Debugger.On() && file != check.DebuggerName && l.st.scope.Sources.Has(file)
}

// enterHooks begins the printing of a function. first are the statements that it begins with. typ is nil for the
// statements of a cell.
func (l *Lowerer) enterHooks(typ *ast.FuncType, at token.Pos) (first []ast.Stmt, leave func()) {
	outer := l.hooks
	leave = func() { l.hooks = outer }
	if l.hooks = nil; !l.hasHooks(at) {
		return nil, leave
	}
	h := &hooks{frame: l.fresh("frame"), outer: outer, lines: map[int]bool{}, loops: map[ast.Node]loopHook{},
		enter: &ast.BasicLit{Kind: token.INT, Value: "0"}}
	fn := run.RuntimePkg + ".Debug"
	if outer != nil {
		fn = outer.frame + ".Enter"
		h.scope = append(h.scope, outer.scope...)
	}
	l.hooks = h
	first = append(first, &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(h.frame)}, Tok: token.DEFINE,
		Rhs: []ast.Expr{call(fn, h.enter)}})
	if typ != nil {
		for _, list := range []*ast.FieldList{typ.Params, typ.Results} {
			if list == nil {
				continue
			}
			for _, f := range list.List {
				for _, id := range f.Names {
					first = append(first, l.declareHook(id)...)
				}
			}
		}
	}
	l.recordOrigin(at, first...)
	return first, func() {
		h.enter.Value = strconv.Itoa(h.vars)
		l.hooks = outer
	}
}

// atHook is the statement that stands before one, nil where none does.
func (l *Lowerer) atHook(s ast.Stmt) ast.Stmt {
	if l.hooks == nil {
		return nil
	}
	switch n := s.(type) {
	case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt:
		return nil // what is in it has hooks
	case *ast.DeclStmt:
		if n.Decl.(*ast.GenDecl).Tok != token.VAR {
			return nil
		}
	}
	return l.placeHook(s.Pos(), false)
}

// placeHook is the statement that says that a place is reached.
func (l *Lowerer) placeHook(at token.Pos, again bool) ast.Stmt {
	h := l.hooks
	pos := l.st.scope.Fset.Position(at)
	p := &debug.Place{File: pos.Filename, Line: pos.Line, Column: pos.Column, Func: l.fn, Again: again,
		First: !again && !h.lines[pos.Line]}
	h.lines[pos.Line] = h.lines[pos.Line] || !again
	seen := map[string]int{}
	for _, s := range h.scope {
		v := debug.Variable{Name: s.v.Name(), Type: l.subst(s.v.Type()), Object: s.v, Index: s.index}
		if s.owner == nil {
			v.Fixed = s.slot.Ptr
		}
		for o := h; s.owner != nil && o != s.owner; o = o.outer {
			v.Up++
		}
		if i, hidden := seen[v.Name]; hidden {
			p.Vars[i] = v
			continue
		}
		seen[v.Name] = len(p.Vars)
		p.Vars = append(p.Vars, v)
	}
	r := &ast.ExprStmt{X: call(h.frame+".At", number(l.st.rt.Debugger.Add(p)))}
	l.recordOrigin(at, r)
	return r
}

// declareHook brings the variable that an identifier declares into scope, and says where it is.
func (l *Lowerer) declareHook(id *ast.Ident) []ast.Stmt {
	v, ok := l.info.Defs[id].(*types.Var)
	if !ok {
		return nil
	}
	return l.variableHook(v, id.Pos())
}

func (l *Lowerer) variableHook(v *types.Var, at token.Pos) []ast.Stmt {
	h := l.hooks
	if h == nil || v.Name() == "_" || v.Name() == "" {
		return nil
	}
	if s := l.slotOf(v); s != nil {
		if !s.Ptr.IsValid() { // it has no place yet
			return nil
		}
		for _, of := range l.ck.Vars {
			if of.Local == v {
				v = of.Slot
			}
		}
		h.scope = append(h.scope, scopedVar{v: v, slot: s})
		return nil
	}
	h.scope = append(h.scope, scopedVar{v: v, owner: h, index: h.vars})
	h.vars++
	set := &ast.ExprStmt{X: call(h.frame+".Set", number(h.vars-1),
		&ast.ParenExpr{X: &ast.UnaryExpr{Op: token.AND, X: check.Ident(l.local(v))}})}
	l.recordOrigin(at, set)
	return []ast.Stmt{set}
}

// declareHooks are the statements behind one that declares variables.
func (l *Lowerer) declareHooks(s ast.Stmt) (list []ast.Stmt) {
	if l.hooks == nil {
		return nil
	}
	switch n := s.(type) {
	case *ast.LabeledStmt:
		return l.declareHooks(n.Stmt)
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return l.namesHooks(n.Lhs)
		}
	case *ast.DeclStmt:
		if g := n.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			for _, spec := range g.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					list = append(list, l.declareHook(id)...)
				}
			}
		}
	}
	return list
}

// namesHooks are declareHook for each identifier of a list.
func (l *Lowerer) namesHooks(xs []ast.Expr) (list []ast.Stmt) {
	for _, x := range xs {
		if id, ok := x.(*ast.Ident); ok {
			list = append(list, l.declareHook(id)...)
		}
	}
	return list
}

// scoped ends the scope of the variables that are declared from now on, when it is called.
func (l *Lowerer) scoped() (leave func()) {
	h := l.hooks
	if h == nil {
		return func() {}
	}
	n := len(h.scope)
	return func() { h.scope = h.scope[:n:n] }
}

// loopHooks notes what the body of a loop begins with. A for statement declares variables for each iteration where
// something keeps them; otherwise they are declared before it.
func (l *Lowerer) loopHooks(loop ast.Stmt) {
	if l.hooks == nil {
		return
	}
	switch n := loop.(type) {
	case *ast.ForStmt:
		e := loopHook{at: n.Pos()}
		if as, ok := n.Init.(*ast.AssignStmt); ok && as.Tok == token.DEFINE && l.anyEscapes(as.Lhs...) {
			e.vars = as.Lhs
		}
		l.hooks.loops[n.Body] = e
	case *ast.RangeStmt:
		e := loopHook{at: n.Pos()}
		if n.Tok == token.DEFINE {
			e.vars = []ast.Expr{n.Key, n.Value}
		}
		l.hooks.loops[n.Body] = e
	}
}

// bodyHooks are the statements that the body of a loop begins with.
func (l *Lowerer) bodyHooks(body *ast.BlockStmt) (list []ast.Stmt) {
	if l.hooks == nil {
		return nil
	}
	e, ok := l.hooks.loops[body]
	if !ok {
		return nil
	}
	list = l.namesHooks(e.vars)
	return append(list, l.placeHook(e.at, true))
}

// elseHooks lowers the else branch of an if statement. One that is an if statement again has a place.
func (l *Lowerer) elseHooks(s ast.Stmt) ast.Stmt {
	if _, ok := s.(*ast.IfStmt); !ok || l.hooks == nil {
		return l.stmt(s)
	}
	return &ast.BlockStmt{Lbrace: 1, List: l.stmts([]ast.Stmt{s}), Rbrace: 1}
}

// commHooks bring the variables that a case of a select receives into scope.
func (l *Lowerer) commHooks(c *ast.CommClause) []ast.Stmt {
	if as, ok := c.Comm.(*ast.AssignStmt); ok && as.Tok == token.DEFINE {
		return l.namesHooks(as.Lhs)
	}
	return nil
}

// initHooks bring the variables of an init statement into scope, before it is lowered.
func (l *Lowerer) initHooks(init ast.Stmt) []ast.Stmt {
	if init == nil {
		return nil
	}
	return l.declareHooks(init)
}
