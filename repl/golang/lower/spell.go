package lower

import (
	"fmt"
	"go/types"
	"strings"
)

// subst replaces the type parameters of the instance being lowered, and instances of compiled generic types by those of
// their source.
func (q *facts) subst(t types.Type) types.Type { return q.st.Types.Subst(t, q.env) }

// typeSource spells the type that interpreted code has in place of t: see symbols.go.
func (l *Lowerer) typeSource(t types.Type) string { return l.spell(l.subst(t)) }

func (l *Lowerer) spell(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return l.spell(types.Unalias(t))
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return l.pkg("unsafe", "unsafe") + ".Pointer"
		}
		if t.Info()&types.IsUntyped != 0 {
			return types.Default(t).String()
		}
		return t.Name()
	case *types.Pointer:
		return "*" + l.spell(t.Elem())
	case *types.Slice:
		return "[]" + l.spell(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), l.spell(t.Elem()))
	case *types.Map:
		return "map[" + l.spell(t.Key()) + "]" + l.spell(t.Elem())
	case *types.Chan:
		l.st.scope.Inner(t) // first here: see rtype.chanOf
		arrow := map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}
		return arrow[t.Dir()] + "(" + l.spell(t.Elem()) + ")"
	case *types.Signature:
		return "func" + l.signature(t)
	case *types.Struct:
		if t.NumFields() == 0 {
			return "struct{}"
		}
	case *types.Named:
		return l.named(t)
	case *types.TypeParam:
		return t.Obj().Name()
	}
	return l.st.funcs.Type(l.st.scope.Inner(t))
}

func (l *Lowerer) named(t *types.Named) string {
	o := t.Obj()
	if l.st.Types.Compiled(t) != nil && o.Pkg() != nil && o.Exported() {
		return l.pkg(o.Pkg().Path(), o.Pkg().Name()) + "." + o.Name()
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
	case *types.Struct:
		if u.NumFields() == 0 {
			return "struct{}"
		}
	default:
		if l.st.scope.Inner(t).PkgPath() == "" { // not recursive: without its name
			return l.spell(l.subst(u))
		}
	}
	return l.st.funcs.Type(l.st.scope.Inner(t))
}

func (l *Lowerer) signature(s *types.Signature) string {
	var ps, rs []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		if sl, ok := t.(*types.Slice); ok && s.Variadic() && i == s.Params().Len()-1 {
			ps = append(ps, "..."+l.spell(sl.Elem()))
		} else {
			ps = append(ps, l.spell(t))
		}
	}
	for i := range s.Results().Len() {
		rs = append(rs, l.spell(s.Results().At(i).Type()))
	}
	r := "(" + strings.Join(ps, ", ") + ")"
	if len(rs) > 0 {
		r += " (" + strings.Join(rs, ", ") + ")"
	}
	return r
}
