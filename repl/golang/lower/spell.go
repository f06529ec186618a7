package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/run"
)

// speller spells types, names, constants and conversions in a function. It lowers no syntax.
type speller struct {
	*facts
	u    *unit
	used map[string]bool // names that the function has given
}

func (l *speller) typeExpr(t types.Type) ast.Expr { return source(l.typeSource(t)) }

// typeSource spells the type that interpreted code has in place of t: that of its layout, without its name.
func (l *speller) typeSource(t types.Type) string { return l.u.spell(l.subst(t)) }

func (u *unit) spell(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return u.spell(types.Unalias(t))
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return u.pkg("unsafe", "unsafe") + ".Pointer"
		}
		if t.Info()&types.IsUntyped != 0 {
			return types.Default(t).String()
		}
		return t.Name()
	case *types.Pointer:
		return "*" + u.spell(t.Elem())
	case *types.Slice:
		return "[]" + u.spell(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), u.spell(t.Elem()))
	case *types.Map:
		return "map[" + u.spell(t.Key()) + "]" + u.spell(t.Elem())
	case *types.Chan:
		u.st.scope.Inner(t) // first here: see rtype.chanOf
		arrow := map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}
		return arrow[t.Dir()] + "(" + u.spell(t.Elem()) + ")"
	case *types.Signature:
		return "func" + u.signature(t)
	case *types.Struct:
		if t.NumFields() == 0 {
			return "struct{}"
		}
	case *types.Named:
		return u.named(t)
	case *types.TypeParam:
		return t.Obj().Name()
	}
	return u.funcs.Type(u.st.scope.Inner(t))
}

func (u *unit) named(t *types.Named) string {
	o := t.Obj()
	if u.st.Types.Compiled(t) != nil && o.Pkg() != nil && o.Exported() && t.TypeArgs().Len() == 0 &&
		u.st.Types.Symbol(o).IsValid() {
		return u.pkg(o.Pkg().Path(), o.Pkg().Name()) + "." + o.Name()
	}
	switch under := t.Underlying().(type) {
	case *types.Interface:
	case *types.Struct:
		if under.NumFields() == 0 {
			return "struct{}"
		}
	default:
		if u.st.scope.Inner(t).PkgPath() == "" { // not recursive: without its name
			return u.spell(u.st.Types.Subst(under, nil))
		}
	}
	return u.funcs.Type(u.st.scope.Inner(t))
}

func (u *unit) signature(s *types.Signature) string {
	var ps []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		if sl, ok := t.(*types.Slice); ok && s.Variadic() && i == s.Params().Len()-1 {
			ps = append(ps, "..."+u.spell(sl.Elem()))
		} else {
			ps = append(ps, u.spell(t))
		}
	}
	return "(" + strings.Join(ps, ", ") + ")" + u.resultsOf(s)
}

// forwarded spells the parameters of a function that passes them on.
func (u *unit) forwarded(sig *types.Signature) (params string, args []string) {
	var ps []string
	for i := range sig.Params().Len() {
		a := "a" + run.Tick + strconv.Itoa(i)
		t := sig.Params().At(i).Type()
		s := u.spell(t)
		if sl, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			s = "..." + u.spell(sl.Elem())
		}
		ps, args = append(ps, a+" "+s), append(args, a)
	}
	return "(" + strings.Join(ps, ", ") + ")", args
}

// resultsOf spells the results of a function behind its parameters.
func (u *unit) resultsOf(sig *types.Signature) string {
	var rs []string
	for i := range sig.Results().Len() {
		rs = append(rs, u.spell(sig.Results().At(i).Type()))
	}
	if len(rs) == 0 {
		return ""
	}
	return " (" + strings.Join(rs, ", ") + ")"
}
