package golang

import (
	"fmt"
	"go/types"
	"strings"
)

// env maps the type parameters of a generic declaration to the types of one instance.
type env map[*types.TypeParam]types.Type

// subst replaces type parameters in t.
func subst(t types.Type, e env) types.Type {
	if len(e) == 0 || t == nil {
		return t
	}
	switch t := t.(type) {
	case *types.TypeParam:
		if r, ok := e[t]; ok {
			return r
		}
	case *types.Pointer:
		return types.NewPointer(subst(t.Elem(), e))
	case *types.Slice:
		return types.NewSlice(subst(t.Elem(), e))
	case *types.Array:
		return types.NewArray(subst(t.Elem(), e), t.Len())
	case *types.Map:
		return types.NewMap(subst(t.Key(), e), subst(t.Elem(), e))
	case *types.Chan:
		return types.NewChan(t.Dir(), subst(t.Elem(), e))
	case *types.Tuple:
		var vs []*types.Var
		for i := range t.Len() {
			v := t.At(i)
			vs = append(vs, types.NewVar(v.Pos(), v.Pkg(), v.Name(), subst(v.Type(), e)))
		}
		return types.NewTuple(vs...)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, subst(t.Params(), e).(*types.Tuple), subst(t.Results(), e).(*types.Tuple), t.Variadic())
	case *types.Struct:
		var fs []*types.Var
		var tags []string
		for i := range t.NumFields() {
			f := t.Field(i)
			fs = append(fs, types.NewField(f.Pos(), f.Pkg(), f.Name(), subst(f.Type(), e), f.Embedded()))
			tags = append(tags, t.Tag(i))
		}
		return types.NewStruct(fs, tags)
	case *types.Interface:
		var ms []*types.Func
		for i := range t.NumExplicitMethods() {
			m := t.ExplicitMethod(i)
			ms = append(ms, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), subst(m.Type(), e).(*types.Signature)))
		}
		var em []types.Type
		for i := range t.NumEmbeddeds() {
			em = append(em, subst(t.EmbeddedType(i), e))
		}
		return types.NewInterfaceType(ms, em)
	case *types.Named:
		if t.TypeArgs().Len() > 0 {
			var args []types.Type
			for i := range t.TypeArgs().Len() {
				args = append(args, subst(t.TypeArgs().At(i), e))
			}
			if r, err := types.Instantiate(nil, t.Origin(), args, false); err == nil {
				return r
			}
		}
	case *types.Alias:
		return subst(types.Unalias(t), e)
	}
	return t
}

// typeSource prints a type as yaegi shall read it.
func (l *lowerer) typeSource(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return l.typeSource(types.Unalias(t))
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return l.pkg("unsafe", "unsafe") + ".Pointer"
		}
		if t.Info()&types.IsUntyped != 0 {
			return types.Default(t).String()
		}
		return t.Name()
	case *types.Pointer:
		return "*" + l.typeSource(t.Elem())
	case *types.Slice:
		return "[]" + l.typeSource(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), l.typeSource(t.Elem()))
	case *types.Map:
		return "map[" + l.typeSource(t.Key()) + "]" + l.typeSource(t.Elem())
	case *types.Chan:
		arrow := map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}
		return arrow[t.Dir()] + "(" + l.typeSource(t.Elem()) + ")"
	case *types.Signature:
		return "func" + l.signature(t)
	case *types.Struct:
		var fs []string
		for i := range t.NumFields() {
			f := t.Field(i)
			s := l.typeSource(f.Type()) // an embedded field is named as yaegi knows its type: see fieldName
			if !f.Embedded() {
				s = f.Name() + " " + s
			}
			if tag := t.Tag(i); tag != "" {
				s += " " + fmt.Sprintf("%q", tag)
			}
			fs = append(fs, s)
		}
		return "struct{" + strings.Join(fs, "; ") + "}"
	case *types.Interface:
		if t.Empty() {
			return "interface{}"
		}
		var ms []string
		for i := range t.NumExplicitMethods() {
			m := t.ExplicitMethod(i)
			ms = append(ms, m.Name()+l.signature(m.Type().(*types.Signature)))
		}
		for i := range t.NumEmbeddeds() {
			ms = append(ms, l.typeSource(t.EmbeddedType(i)))
		}
		return "interface{" + strings.Join(ms, "; ") + "}"
	case *types.Named:
		return l.named(t)
	case *types.TypeParam:
		return t.Obj().Name()
	}
	return t.String()
}

func (l *lowerer) named(t *types.Named) string {
	o := t.Obj()
	if o.Pkg() == nil {
		return o.Name() // error, comparable
	}
	if t.TypeArgs().Len() > 0 || l.e.fromSource(o.Pkg()) != nil {
		return l.namedInstance(t)
	}
	if !isSession(o) {
		return l.pkg(o.Pkg().Path(), o.Pkg().Name()) + "." + o.Name()
	}
	if n := l.name(o); n != "" {
		return n
	}
	return o.Name() // declared inside a function
}

func (l *lowerer) signature(s *types.Signature) string {
	var ps, rs []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		if sl, ok := t.(*types.Slice); ok && s.Variadic() && i == s.Params().Len()-1 {
			ps = append(ps, "..."+l.typeSource(sl.Elem()))
		} else {
			ps = append(ps, l.typeSource(t))
		}
	}
	for i := range s.Results().Len() {
		rs = append(rs, l.typeSource(s.Results().At(i).Type()))
	}
	r := "(" + strings.Join(ps, ", ") + ")"
	if len(rs) > 0 {
		r += " (" + strings.Join(rs, ", ") + ")"
	}
	return r
}

// isSession reports whether an object was declared in a cell.
func isSession(o types.Object) bool { return o.Pkg() != nil && o.Pkg().Path() == "main" }

// display prints a type as users write it.
func display(t types.Type) string { return types.TypeString(t, qualifier) }

func qualifier(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

// mentionsSession reports whether the spelling of a type has a name that a cell declared.
func mentionsSession(t types.Type) bool {
	return types.TypeString(t, qualifier) != types.TypeString(t, (*types.Package).Name)
}
