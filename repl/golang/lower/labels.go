package lower

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// label holds the names of a label in lowered code. yaegi looks labels up among the variables, so neither is the name
// of anything else.
type label struct {
	target string // of gotos; "" without any
	loop   string // of breaks and continues; "" without any
}

// nameLabel names the label that a branch statement goes to.
func (l *stmts) nameLabel(n *ast.BranchStmt) {
	if n.Label == nil {
		return
	}
	o := l.info.Uses[n.Label]
	if l.u.labels[o] == nil {
		l.u.labels[o] = &label{}
	}
	name := &l.u.labels[o].loop
	if n.Tok == token.GOTO {
		name = &l.u.labels[o].target
	}
	if *name == "" {
		*name = l.u.fresh(n.Label.Name)
	}
}

// branch lowers a goto, and a break or continue with a label.
func (l *stmts) branch(n *ast.BranchStmt) ast.Stmt {
	names := l.u.labels[l.info.Uses[n.Label]]
	if n.Tok == token.GOTO {
		return &ast.BranchStmt{Tok: n.Tok, Label: check.Ident(names.target)}
	}
	return &ast.BranchStmt{Tok: n.Tok, Label: check.Ident(names.loop)}
}

// labeled lowers a labelled statement. A goto goes to an empty statement before it, because lowering may put others
// first.
func (l *stmts) labeled(n *ast.LabeledStmt) ast.Stmt {
	if s := l.compiledLoop(n.Stmt); s != nil {
		return s
	}
	names := l.u.labels[l.info.Defs[n.Label]]
	switch n.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		l.label = names.loop
	}
	at := l.x.fn.hooks.at(n.Stmt)
	s := l.stmt(n.Stmt)
	l.label = ""
	if names.loop != "" {
		s = labelLast(s, names.loop)
	}
	if at != nil {
		s = behindFirst(at, s)
	}
	if names.target == "" {
		return s
	}
	return behindFirst(&ast.LabeledStmt{Label: check.Ident(names.target), Stmt: &ast.EmptyStmt{}}, s)
}

// behindFirst is a statement, which may stand for several, behind another one.
func behindFirst(first, s ast.Stmt) ast.Stmt {
	if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
		return flat(append([]ast.Stmt{first}, b.List...)...)
	}
	return flat(first, s)
}

// labelLast gives a label to a lowered loop, switch or select. What lowering has put around it stays outside of the
// label.
func labelLast(s ast.Stmt, name string) ast.Stmt {
	if hasBreaks(s) {
		return &ast.LabeledStmt{Label: check.Ident(name), Stmt: s}
	}
	b, ok := s.(*ast.BlockStmt)
	if !ok {
		return s // a loop over a function, which is a call
	}
	for i := len(b.List) - 1; i >= 0; i-- {
		if hasBreaks(b.List[i]) {
			b.List[i] = labelLast(b.List[i], name)
			break
		}
	}
	return b
}

// hasBreaks reports whether breaks can leave a statement by its label.
func hasBreaks(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// takeLabel is the label of the loop that is lowered now.
func (l *stmts) takeLabel() string {
	s := l.label
	l.label = ""
	return s
}

// fallsThrough reports whether the statements of a case end with a fallthrough, which may have labels.
func fallsThrough(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	s := body[len(body)-1]
	for {
		switch t := s.(type) {
		case *ast.LabeledStmt:
			s = t.Stmt
			continue
		case *ast.BranchStmt:
			return t.Tok == token.FALLTHROUGH
		}
		return false
	}
}

// clause lowers the statements of a case, behind the hooks of the variables that it declares. To yaegi a label exists
// only in a block.
func (l *stmts) clause(list []ast.Stmt, hooks func() []ast.Stmt) []ast.Stmt {
	defer l.x.fn.hooks.scoped()()
	var r []ast.Stmt
	if hooks != nil && l.x.fn.hooks != nil {
		r = hooks()
	}
	r = append(r, l.stmts(list)...)
	if !slices.ContainsFunc(r, func(s ast.Stmt) bool { _, ok := s.(*ast.LabeledStmt); return ok }) {
		return r
	}
	end := len(r)
	if fallsThrough(r) {
		end--
	}
	return append([]ast.Stmt{&ast.BlockStmt{Lbrace: 1, List: r[:end], Rbrace: 1}}, r[end:]...)
}
