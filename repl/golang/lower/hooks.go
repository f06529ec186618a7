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

// hooks are what lowering knows of a function that it prints with hooks. Without hooks they are nil, and so is what
// their methods return.
type hooks struct {
	sp    *speller
	name  string // of the function
	frame string // the variable that holds its debug.Frame
	outer *hooks // of the function around a literal; nil where it has no hooks
	enter *ast.BasicLit
	vars  int                   // that have numbers
	gotos bool                  // it has goto statements
	lines map[int]bool          // on which a statement has begun
	scope []scopedVar           // variables in scope, with those of outer functions
	loops map[ast.Node]loopHook // by the loop's body
}

// scopedVar is a variable in scope: of a function with hooks, or of the session.
type scopedVar struct {
	v      *types.Var
	owner  *hooks // nil for a variable of the session
	index  int
	slot   *check.Slot
	hidden bool // see debug.Variable
}

// loopHook is what happens at the beginning of a loop's body.
type loopHook struct {
	at   token.Pos
	vars []ast.Expr // that it sets for each iteration
}

// Debug says whether functions are printed with hooks from now on.
func (st *State) Debug(on bool) {
	st.rt.Debugger.Enable(on)
	st.anew()
	switch {
	case st.native == nil:
	case on:
		st.native.Off("the debugger can stop in it")
	default:
		st.native.Off("")
	}
}

// hasHooks reports whether a function that begins at a place gets hooks.
func (u *unit) hasHooks(at token.Pos) bool {
	file := u.st.scope.Fset.Position(at).Filename
	return u.st.rt.Debugger.On() && file != check.DebuggerName &&
		(u.st.scope.Sources.Has(file) || u.st.files[file] != "")
}

// Files are the paths of the files of third-party packages that cells have imported, by their names in positions.
func (st *State) Files() map[string]string { return st.files }

// enterHooks has the function that is lowered get hooks, where they are asked for, and returns the statements that it
// begins with. typ is nil for the statements of a cell.
func (l *stmts) enterHooks(typ *ast.FuncType, body *ast.BlockStmt, at token.Pos) (first []ast.Stmt) {
	if !l.u.hasHooks(at) {
		return nil
	}
	fn := l.x.fn
	h := &hooks{sp: l.sp, name: fn.name, frame: l.u.fresh("frame"), lines: map[int]bool{}, gotos: hasGoto(body),
		loops: map[ast.Node]loopHook{}, enter: &ast.BasicLit{Kind: token.INT, Value: "0"}}
	var captured []ast.Stmt
	enter := run.RuntimePkg + ".Debug"
	if fn.outer != nil && fn.outer.hooks != nil {
		h.outer = fn.outer.hooks
		enter = h.outer.frame + ".Enter"
		captured = h.capture(body)
	}
	fn.hooks = h
	first = append([]ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{check.Ident(h.frame)}, Tok: token.DEFINE,
		Rhs: []ast.Expr{call(enter, h.enter)}}}, captured...)
	if typ != nil {
		for _, list := range []*ast.FieldList{typ.Params, typ.Results} {
			if list == nil {
				continue
			}
			for _, f := range list.List {
				for _, id := range f.Names {
					first = append(first, h.declare(id)...)
				}
			}
		}
	}
	l.u.out.recordOrigin(at, first...)
	return first
}

// capture brings the variables of the functions around a literal into its scope. Those that it uses are its own: it has
// them of the iteration that made it, where the frame around it has those of the last one.
func (h *hooks) capture(body *ast.BlockStmt) (list []ast.Stmt) {
	uses := map[types.Object]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			uses[h.sp.info.Uses[id]] = true
		}
		return true
	})
	for _, s := range h.outer.scope {
		switch {
		case s.owner == nil:
		case uses[s.v]:
			s.hidden = false
			s.owner, s.index = h, h.vars
			list = append(list, h.set(s.v))
		default:
			s.hidden = s.hidden || s.owner.repeats(s.v)
		}
		h.scope = append(h.scope, s)
	}
	return list
}

// repeats reports whether a call of the function may declare a variable more than once.
func (h *hooks) repeats(v *types.Var) bool {
	for body, e := range h.loops {
		if e.at <= v.Pos() && v.Pos() < body.End() {
			return true
		}
	}
	return h.gotos
}

// leave ends the function: now the number of its variables is known.
func (h *hooks) leave() {
	if h != nil {
		h.enter.Value = strconv.Itoa(h.vars)
	}
}

// at is the statement that stands before one, nil where none does.
func (h *hooks) at(s ast.Stmt) ast.Stmt {
	if h == nil {
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
	return h.place(s.Pos(), false)
}

// place is the statement that says that a place is reached.
func (h *hooks) place(at token.Pos, again bool) ast.Stmt {
	pos := h.sp.scope.Fset.Position(at)
	p := &debug.Place{File: pos.Filename, Line: pos.Line, Column: pos.Column, Func: h.name, Again: again,
		Package: h.sp.u.st.files[pos.Filename] != "", First: !again && !h.lines[pos.Line]}
	h.lines[pos.Line] = h.lines[pos.Line] || !again
	seen := map[string]int{}
	for _, s := range h.scope {
		v := debug.Variable{Name: s.v.Name(), Type: h.sp.subst(s.v.Type()), Object: s.v, Index: s.index,
			Hidden: s.hidden}
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
	r := &ast.ExprStmt{X: call(h.frame+".At", number(h.sp.u.st.rt.Debugger.Add(p)))}
	h.sp.u.out.recordOrigin(at, r)
	return r
}

// declare brings the variable that an identifier declares into scope, and says where it is.
func (h *hooks) declare(id *ast.Ident) []ast.Stmt {
	if h == nil {
		return nil
	}
	v, ok := h.sp.info.Defs[id].(*types.Var)
	if !ok {
		return nil
	}
	return h.variable(v, id.Pos())
}

// variable is declare for a variable that has no identifier of its own.
func (h *hooks) variable(v *types.Var, at token.Pos) []ast.Stmt {
	if h == nil || v.Name() == "_" || v.Name() == "" {
		return nil
	}
	if s := h.sp.u.slotOf(v); s != nil {
		if !s.Ptr.IsValid() { // it has no place yet
			return nil
		}
		for _, of := range h.sp.ck.Vars {
			if of.Local == v {
				v = of.Slot
			}
		}
		h.scope = append(h.scope, scopedVar{v: v, slot: s})
		return nil
	}
	h.scope = append(h.scope, scopedVar{v: v, owner: h, index: h.vars})
	set := h.set(v)
	h.sp.u.out.recordOrigin(at, set)
	return []ast.Stmt{set}
}

// set is the statement that says where a variable is, by the next number.
func (h *hooks) set(v *types.Var) ast.Stmt {
	h.vars++
	return &ast.ExprStmt{X: call(h.frame+".Set", number(h.vars-1),
		&ast.ParenExpr{X: &ast.UnaryExpr{Op: token.AND, X: check.Ident(h.sp.local(v))}})}
}

// declared are the statements behind one that declares variables.
func (h *hooks) declared(s ast.Stmt) (list []ast.Stmt) {
	if h == nil {
		return nil
	}
	switch n := s.(type) {
	case *ast.LabeledStmt:
		return h.declared(n.Stmt)
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return h.names(n.Lhs)
		}
	case *ast.DeclStmt:
		if g := n.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			for _, spec := range g.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					list = append(list, h.declare(id)...)
				}
			}
		}
	}
	return list
}

// names are declare for each identifier of a list.
func (h *hooks) names(xs []ast.Expr) (list []ast.Stmt) {
	for _, x := range xs {
		if id, ok := x.(*ast.Ident); ok {
			list = append(list, h.declare(id)...)
		}
	}
	return list
}

// scoped ends the scope of the variables that are declared from now on, when it is called.
func (h *hooks) scoped() (leave func()) {
	if h == nil {
		return func() {}
	}
	n := len(h.scope)
	return func() { h.scope = h.scope[:n:n] }
}

// loop notes what the body of a loop begins with. A for statement declares variables for each iteration where
// something keeps them; otherwise they are declared before it.
func (h *hooks) loop(loop ast.Stmt) {
	if h == nil {
		return
	}
	switch n := loop.(type) {
	case *ast.ForStmt:
		e := loopHook{at: n.Pos()}
		if as, ok := n.Init.(*ast.AssignStmt); ok && as.Tok == token.DEFINE && h.sp.anyEscapes(as.Lhs...) {
			e.vars = as.Lhs
		}
		h.loops[n.Body] = e
	case *ast.RangeStmt:
		e := loopHook{at: n.Pos()}
		if n.Tok == token.DEFINE {
			e.vars = []ast.Expr{n.Key, n.Value}
		}
		h.loops[n.Body] = e
	}
}

// body are the statements that the body of a loop begins with.
func (h *hooks) body(body *ast.BlockStmt) (list []ast.Stmt) {
	if h == nil {
		return nil
	}
	e, ok := h.loops[body]
	if !ok {
		return nil
	}
	list = h.names(e.vars)
	return append(list, h.place(e.at, true))
}

// elseHooks lowers the else branch of an if statement. One that is an if statement again has a place.
func (l *stmts) elseHooks(s ast.Stmt) ast.Stmt {
	if _, ok := s.(*ast.IfStmt); !ok || l.x.fn.hooks == nil {
		return l.stmt(s)
	}
	return &ast.BlockStmt{Lbrace: 1, List: l.stmts([]ast.Stmt{s}), Rbrace: 1}
}

// comm brings the variables that a case of a select receives into scope.
func (h *hooks) comm(c *ast.CommClause) []ast.Stmt {
	if as, ok := c.Comm.(*ast.AssignStmt); ok && as.Tok == token.DEFINE {
		return h.names(as.Lhs)
	}
	return nil
}

// init brings the variables of an init statement into scope, before it is lowered.
func (h *hooks) init(init ast.Stmt) []ast.Stmt {
	if init == nil {
		return nil
	}
	return h.declared(init)
}
