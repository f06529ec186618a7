package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Limits of types. What makes run-time types of them takes time and memory that grow faster than their text.
const (
	maxLevels    = 100     // types inside one another
	maxParts     = 100_000 // types that one is written with when names are left out
	addressSpace = 1 << 50 // bytes; the compiler's limit
	maxElement   = 1 << 16 // bytes of an element of a channel, which is the run time's limit
)

// Large finds types and values that cannot be: types that no machine has memory for, and values that take more than the
// session may have. It looks at syntax that is checked and has not run.
type Large struct {
	Scope *Scope
	Info  *types.Info
	Limit int64 // bytes
	// Instance says that type arguments, which have their own limit of levels, are part of the types.
	Instance bool
	// Subst replaces type parameters. Nil leaves all as they are; types that are made of them have no size then.
	Subst func(types.Type) types.Type
	// Refused makes the failure of a value that takes more than Limit.
	Refused func(what string, bytes int64) *Failure

	// Layouts are those of types that were looked at before, of packages that stay. It may be nil.
	Layouts *Layouts

	layouts layouts
	problem *Failure
}

// Layouts are sizes of types.
type Layouts struct{ by layouts }

// In returns what is wrong with the first type or value of a node that cannot be, nil for none.
func (lg *Large) In(n ast.Node) *Failure {
	if lg.Layouts != nil {
		if lg.Layouts.by == nil {
			lg.Layouts.by = layouts{}
		}
		lg.layouts = lg.Layouts.by
	}
	if lg.layouts == nil {
		lg.layouts = layouts{}
	}
	lg.walk(n, false)
	return lg.problem
}

// walk looks at a node. place says that its parent needs the place of an expression only, and not its value.
func (lg *Large) walk(n ast.Node, place bool) {
	ast.Inspect(n, func(c ast.Node) bool {
		if c == nil || lg.problem != nil {
			return false
		}
		x, ok := c.(ast.Expr)
		if !ok {
			return lg.statement(c)
		}
		tv := lg.Info.Types[x]
		switch {
		case tv.Value != nil:
			return false // nothing of it is computed
		case tv.IsType():
			lg.typ(x, tv.Type)
		case tv.IsBuiltin() || tv.Type == nil:
		case !(place && c == n && tv.Addressable()):
			lg.value(x, tv.Type)
		}
		return lg.expression(x, place && c == n)
	})
}

// statement looks at what has parts whose values are not needed.
func (lg *Large) statement(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if n.Value == nil {
			lg.walk(n.X, true)
			lg.walkAll(n.Key, n.Body)
			return false
		}
	case *ast.CaseClause:
		if v, ok := lg.Info.Implicits[n].(*types.Var); ok && len(n.List) > 0 {
			lg.value(n.List[0], v.Type())
		}
	}
	return true
}

// expression looks at what an expression takes beside its value, and at its parts where it returns false.
func (lg *Large) expression(x ast.Expr, place bool) bool {
	switch x := x.(type) {
	case *ast.Ident:
		lg.defined(x)
	case *ast.ParenExpr:
		lg.walk(x.X, place)
		return false
	case *ast.SelectorExpr:
		lg.walk(x.X, true)
		return false
	case *ast.IndexExpr:
		lg.walk(x.X, true)
		lg.walk(x.Index, false)
		return false
	case *ast.SliceExpr:
		lg.walk(x.X, true)
		lg.walkAll(x.Low, x.High, x.Max)
		return false
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			lg.walk(x.X, true)
			return false
		}
	case *ast.CompositeLit:
		lg.list(x)
	case *ast.CallExpr:
		lg.allocated(x)
	}
	return true
}

func (lg *Large) walkAll(list ...ast.Node) {
	for _, n := range list {
		switch x := n.(type) {
		case ast.Expr:
			if x != nil {
				lg.walk(x, false)
			}
		case *ast.BlockStmt:
			lg.walk(x, false)
		}
	}
}

// defined looks at a variable that a name declares.
func (lg *Large) defined(id *ast.Ident) {
	if v, ok := lg.Info.Defs[id].(*types.Var); ok && !v.IsField() {
		lg.typ(id, v.Type())
		lg.value(id, v.Type())
	}
}

// allocated looks at what new(T) allocates.
func (lg *Large) allocated(c *ast.CallExpr) {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || id.Name != "new" || !lg.Info.Types[c.Fun].IsBuiltin() {
		return
	}
	if p, ok := lg.Info.TypeOf(c).(*types.Pointer); ok {
		lg.value(c, p.Elem())
	}
}

// list looks at the elements of a slice's literal, of which few need be written.
func (lg *Large) list(c *ast.CompositeLit) {
	s, ok := Underlying(lg.subst(lg.Info.TypeOf(c))).(*types.Slice)
	if !ok {
		return
	}
	n, most := int64(0), int64(0)
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if v := lg.Info.Types[kv.Key].Value; v != nil {
				n, _ = constant.Int64Val(constant.ToInt(v))
			}
		}
		n++
		most = max(most, n)
	}
	lg.bytes(c, fmt.Sprintf("a literal of %d elements", most), times(lg.layouts.of(s.Elem()).size, most))
}

func (lg *Large) subst(t types.Type) types.Type {
	if lg.Subst == nil || t == nil {
		return t
	}
	return lg.Subst(t)
}

// typ looks at a type that is mentioned.
func (lg *Large) typ(at ast.Expr, t types.Type) {
	t = lg.subst(t)
	l := lg.layouts.of(t)
	if lg.Instance {
		l.levels -= maxLevels
	}
	switch c, isChan := Underlying(t).(*types.Chan); {
	case lg.problem != nil:
	case l.levels > maxLevels:
		lg.fail(at, fmt.Sprintf("a type with more than %d types inside one another", maxLevels))
	case l.parts > maxParts:
		lg.fail(at, partsText)
	case l.size > addressSpace:
		lg.fail(at, "type "+short(t)+" is larger than the address space")
	case isChan && lg.layouts.of(c.Elem()).size >= maxElement:
		lg.fail(at, "elements of channels have less than 64 KiB: use a channel of pointers, chan *"+short(c.Elem()))
	}
}

// value looks at a value that an expression has.
func (lg *Large) value(at ast.Expr, t types.Type) {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			lg.value(at, v.Type())
		}
		return
	}
	t = lg.subst(t)
	lg.bytes(at, short(t), lg.layouts.of(t).size)
}

func (lg *Large) bytes(at ast.Expr, what string, size int64) {
	if lg.problem != nil || size <= lg.Limit {
		return
	}
	lg.problem = lg.Refused(what, size)
	lg.problem.Frames = []Frame{lg.frame(at)}
}

func (lg *Large) fail(at ast.Expr, message string) {
	lg.problem = &Failure{Name: "TypeError", Message: message, Frames: []Frame{lg.frame(at)}}
}

func (lg *Large) frame(at ast.Expr) Frame {
	return lg.Scope.Frame(lg.Scope.Fset.Position(at.Pos()), "")
}

// Bytes returns what values of a type take.
func (lg *Large) Bytes(t types.Type) int64 { return lg.layouts.of(lg.subst(t)).size }

// short spells a type in a line.
func short(t types.Type) string {
	if s := Display(t); len(s) <= 60 {
		return s
	}
	return "a value of this type"
}
