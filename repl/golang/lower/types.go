package lower

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// env maps the type parameters of a generic declaration to the types of one instance.
type env struct {
	params map[*types.TypeParam]types.Type
	local  map[*types.Named]*types.Named // types that the generic function declares, as this instance has them
	scope  *types.Scope                  // of the function
	suffix string                        // of the names of such types, as the compiler has it: the type arguments
}

func newEnv(params []*types.TypeParam, args []types.Type) *env {
	e := &env{params: map[*types.TypeParam]types.Type{}, local: map[*types.Named]*types.Named{}}
	var texts []string
	for i, p := range params {
		e.params[p] = args[i]
		e.scope = p.Obj().Parent()
		texts = append(texts, types.TypeString(args[i], nil))
	}
	e.suffix = "[" + strings.Join(texts, ",") + "]"
	return e
}

// declares reports whether the generic function declares a type in its body.
func (v *env) declares(t *types.Named) bool {
	for s := t.Obj().Parent(); s != nil; s = s.Parent() {
		if s == v.scope {
			return true
		}
	}
	return false
}

// subst replaces the type parameters of the instance being lowered, and instances of compiled generic types by those of
// their source.
func (q *facts) subst(t types.Type) types.Type { return q.st.subst(t, q.env) }

func (st *State) subst(t types.Type, v *env) types.Type {
	switch t := t.(type) {
	case nil, *types.Basic:
		return t
	case *types.TypeParam:
		if v != nil {
			if r, ok := v.params[t]; ok {
				return r
			}
		}
	case *types.Pointer:
		if r := st.subst(t.Elem(), v); r != t.Elem() {
			return types.NewPointer(r)
		}
	case *types.Slice:
		if r := st.subst(t.Elem(), v); r != t.Elem() {
			return types.NewSlice(r)
		}
	case *types.Array:
		if r := st.subst(t.Elem(), v); r != t.Elem() {
			return types.NewArray(r, t.Len())
		}
	case *types.Map:
		if k, r := st.subst(t.Key(), v), st.subst(t.Elem(), v); k != t.Key() || r != t.Elem() {
			return types.NewMap(k, r)
		}
	case *types.Chan:
		if r := st.subst(t.Elem(), v); r != t.Elem() {
			return types.NewChan(t.Dir(), r)
		}
	case *types.Tuple:
		var vs []*types.Var
		changed := false
		for i := range t.Len() {
			x := t.At(i)
			r := st.subst(x.Type(), v)
			changed = changed || r != x.Type()
			vs = append(vs, types.NewVar(x.Pos(), x.Pkg(), x.Name(), r))
		}
		if changed {
			return types.NewTuple(vs...)
		}
	case *types.Signature:
		ps, rs := st.subst(t.Params(), v).(*types.Tuple), st.subst(t.Results(), v).(*types.Tuple)
		if ps != t.Params() || rs != t.Results() {
			return types.NewSignatureType(nil, nil, nil, ps, rs, t.Variadic())
		}
	case *types.Struct:
		var fs []*types.Var
		var tags []string
		changed := false
		for i := range t.NumFields() {
			f := t.Field(i)
			r := st.subst(f.Type(), v)
			changed = changed || r != f.Type()
			fs = append(fs, types.NewField(f.Pos(), f.Pkg(), f.Name(), r, f.Embedded()))
			tags = append(tags, t.Tag(i))
		}
		if changed {
			return types.NewStruct(fs, tags)
		}
	case *types.Interface:
		return st.substInterface(t, v)
	case *types.Named:
		return st.substNamed(t, v)
	case *types.Alias:
		return st.subst(types.Unalias(t), v)
	}
	return t
}

func (st *State) substInterface(t *types.Interface, v *env) types.Type {
	var ms []*types.Func
	changed := false
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		sig := st.subst(m.Type(), v).(*types.Signature)
		changed = changed || sig != m.Type()
		ms = append(ms, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sig))
	}
	var em []types.Type
	for i := range t.NumEmbeddeds() {
		r := st.subst(t.EmbeddedType(i), v)
		changed = changed || r != t.EmbeddedType(i)
		em = append(em, r)
	}
	if !changed {
		return t
	}
	return types.NewInterfaceType(ms, em).Complete()
}

func (st *State) substNamed(t *types.Named, v *env) types.Type {
	if t.TypeArgs().Len() > 0 {
		var args []types.Type
		origin := st.localGeneric(t.Origin(), v)
		changed := origin != t.Origin()
		for i := range t.TypeArgs().Len() {
			a := t.TypeArgs().At(i)
			r := st.subst(a, v)
			changed = changed || r != a
			args = append(args, r)
		}
		if changed {
			if r, err := types.Instantiate(st.instances, origin, args, false); err == nil {
				t = r.(*types.Named)
			}
		}
		return st.canonical(t)
	}
	if v == nil || check.IsGlobal(t.Obj()) || t.Obj().Pkg() == nil || !v.declares(t) {
		return t
	}
	if r, ok := v.local[t]; ok {
		return r
	}
	r := types.NewNamed(types.NewTypeName(t.Obj().Pos(), t.Obj().Pkg(), t.Obj().Name()+v.suffix, nil), nil, nil)
	v.local[t] = r
	r.SetUnderlying(st.subst(t.Underlying(), v).Underlying())
	return r
}

// localGeneric is a generic type that a generic function declares, as the instance has it.
func (st *State) localGeneric(t *types.Named, v *env) *types.Named {
	if v == nil || check.IsGlobal(t.Obj()) || t.Obj().Pkg() == nil || !v.declares(t) {
		return t
	}
	if r, ok := v.local[t]; ok {
		return r
	}
	// The compiler puts the type arguments of both into one list.
	r := types.NewNamed(types.NewTypeName(t.Obj().Pos(), t.Obj().Pkg(),
		t.Obj().Name()+strings.TrimSuffix(v.suffix, "]")+";", nil), nil, nil)
	v.local[t] = r
	own := &env{params: maps.Clone(v.params), local: v.local, scope: v.scope, suffix: v.suffix}
	var params []*types.TypeParam
	for i := range t.TypeParams().Len() {
		p := t.TypeParams().At(i)
		q := types.NewTypeParam(types.NewTypeName(p.Obj().Pos(), p.Obj().Pkg(), p.Obj().Name(), nil), nil)
		own.params[p] = q
		params = append(params, q)
	}
	for i, q := range params {
		q.SetConstraint(st.subst(t.TypeParams().At(i).Constraint(), own))
	}
	r.SetTypeParams(params)
	r.SetUnderlying(st.subst(t.Underlying(), own).Underlying())
	return r
}

// canonical is the instance of its own source that takes the place of an instance of a compiled generic type.
func (st *State) canonical(t *types.Named) *types.Named {
	if t.TypeArgs().Len() > 0 && !check.IsSession(t.Obj()) && st.fromSource(t.Obj().Pkg()) == nil {
		if r := st.standIn(t); r != nil {
			return r
		}
	}
	return t
}

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
	return l.st.typeSymbol(l.st.scope.Inner(t))
}

func (l *Lowerer) named(t *types.Named) string {
	o := t.Obj()
	if l.st.compiledType(t) != nil && o.Pkg() != nil && o.Exported() {
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
	return l.st.typeSymbol(l.st.scope.Inner(t))
}

// compiledType is the run-time type of a type that a compiled package declares, nil for any other.
func (st *State) compiledType(t *types.Named) reflect.Type {
	o := t.Obj()
	if o.Pkg() == nil {
		if o.Name() == "error" {
			return reflect.TypeFor[error]()
		}
		return nil
	}
	if t.TypeArgs().Len() > 0 || check.IsSession(o) || o.Parent() != o.Pkg().Scope() {
		return nil
	}
	if !o.Exported() {
		return st.unexportedType(o.Pkg().Path(), o.Name())
	}
	if v := st.symbol(o); v.IsValid() && v.Kind() == reflect.Pointer {
		return v.Type().Elem()
	}
	return nil
}

// symbol is what yaegi knows by the name of an object of a compiled package.
func (st *State) symbol(o types.Object) reflect.Value { return st.symbolNamed(o.Pkg(), o.Name()) }

func (st *State) symbolNamed(p *types.Package, name string) reflect.Value {
	names := st.scope.Compiled[p.Path()]
	for i := len(names) - 1; i >= 0; i-- {
		if v, ok := names[i][name]; ok {
			return v
		}
	}
	return reflect.Value{}
}

// unexportedType finds a type that a compiled package does not export among the types of what it does.
func (st *State) unexportedType(path, name string) reflect.Type {
	key := path + "." + name
	if t, ok := st.unexported[key]; ok {
		return t
	}
	seen := map[reflect.Type]bool{}
	var find func(t reflect.Type, depth int) reflect.Type
	find = func(t reflect.Type, depth int) (r reflect.Type) {
		if t.Name() == name && t.PkgPath() == path {
			return t
		}
		if seen[t] || depth == 0 || t.PkgPath() != "" && t.PkgPath() != path {
			return nil
		}
		seen[t] = true
		try := func(u reflect.Type) {
			if r == nil {
				r = find(u, depth-1)
			}
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan, reflect.Map:
			try(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				try(t.Field(i).Type)
			}
		case reflect.Func:
			for i := range t.NumIn() {
				try(t.In(i))
			}
			for i := range t.NumOut() {
				try(t.Out(i))
			}
		}
		for i := range t.NumMethod() {
			try(t.Method(i).Type)
		}
		return r
	}
	var r reflect.Type
	for _, names := range st.scope.Compiled[path] {
		for _, v := range names {
			if r == nil && v.IsValid() {
				r = find(v.Type(), maxSearch)
			}
		}
	}
	st.unexported[key] = r
	return r
}

// maxSearch is how deep unexportedType looks into a type.
const maxSearch = 6

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

// TypeKey tells types apart that are not identical, even when they print alike.
func (st *State) TypeKey(t types.Type) string {
	var b strings.Builder
	st.writeKey(&b, t)
	return b.String()
}

func (st *State) writeKey(b *strings.Builder, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		st.writeKey(b, types.Unalias(t))
	case *types.Named:
		o := t.Origin().Obj()
		if o.Pkg() != nil {
			b.WriteString(o.Pkg().Path() + "." + st.objectKey(o))
		} else {
			b.WriteString(o.Name())
		}
		for i := range t.TypeArgs().Len() {
			b.WriteString("[")
			st.writeKey(b, t.TypeArgs().At(i))
			b.WriteString("]")
		}
	case *types.Pointer:
		b.WriteString("*")
		st.writeKey(b, t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		st.writeKey(b, t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		st.writeKey(b, t.Elem())
	case *types.Map:
		b.WriteString("map[")
		st.writeKey(b, t.Key())
		b.WriteString("]")
		st.writeKey(b, t.Elem())
	case *types.Chan:
		fmt.Fprintf(b, "chan%d ", t.Dir())
		st.writeKey(b, t.Elem())
	case *types.Tuple:
		for i := range t.Len() {
			st.writeKey(b, t.At(i).Type())
			b.WriteString(",")
		}
	case *types.Signature:
		b.WriteString("func(")
		st.writeKey(b, t.Params())
		b.WriteString(")(")
		st.writeKey(b, t.Results())
		fmt.Fprintf(b, ")%v", t.Variadic())
	case *types.Struct:
		b.WriteString("struct{")
		for i := range t.NumFields() {
			f := t.Field(i)
			fmt.Fprintf(b, "%s %v %q ", f.Id(), f.Embedded(), t.Tag(i))
			st.writeKey(b, f.Type())
			b.WriteString(";")
		}
		b.WriteString("}")
	case *types.Interface:
		b.WriteString("interface{")
		for i := range t.NumMethods() {
			m := t.Method(i)
			b.WriteString(m.Id())
			st.writeKey(b, m.Type())
			b.WriteString(";")
		}
		b.WriteString("}")
	case nil:
	default:
		b.WriteString(t.String())
	}
}
