package lower

import (
	"go/ast"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
)

// facts are what go/types and escape analysis know of a function that is lowered. findEscaping fills them in; asking
// changes nothing.
type facts struct {
	scope   *check.Scope
	types   *typing.Types
	ck      *check.Checked        // the cell
	info    *types.Info           // of the function
	env     *typing.Env           // its type arguments
	hoist   map[types.Object]bool // as in unit, as are the following
	escapes map[types.Object]bool
	typed   map[types.Object]bool
}

// subst replaces the type parameters of the instance being lowered, and instances of compiled generic types by those of
// their source.
func (q *facts) subst(t types.Type) types.Type { return q.types.Subst(t, q.env) }

// typeOf is the type of an expression, nil where it has none.
func (q *facts) typeOf(x ast.Expr) types.Type {
	if tv, ok := q.info.Types[x]; ok && tv.Type != nil {
		return q.subst(tv.Type)
	}
	if id, ok := x.(*ast.Ident); ok {
		if o := q.info.ObjectOf(id); o != nil {
			return q.subst(o.Type())
		}
	}
	return nil
}
