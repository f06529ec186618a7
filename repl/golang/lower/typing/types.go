package typing

import (
	"go/types"
	"maps"
	"reflect"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/included"
	"github.com/gorocm/gorocm/repl/golang/typekey"
)

// Types knows the types of a session as lowered code has them.
type Types struct {
	scope      *check.Scope
	added      func(file, path string)
	packages   map[string]*Package // that are lowered from source; nil for those that cannot be
	packagesMu sync.RWMutex        // guards packages
	keys       objectKeys
	compiled   map[string]reflect.Type // types that compiled packages do not export; nil for those not found
	instances  *types.Context

	aliases   map[string]reflect.Type // what compiled packages have under a name of their own, by its package and name
	aliasesOf int                     // packages
}

// New makes the types of a new session. It tells added of each file of a package whose embedded source it checks.
func New(scope *check.Scope, added func(file, path string)) *Types {
	return &Types{scope: scope, added: added, packages: map[string]*Package{},
		keys: objectKeys{numbers: map[types.Object]int{}}, compiled: map[string]reflect.Type{},
		instances: types.NewContext()}
}

// Env maps the type parameters of a generic declaration to the types of one instance.
type Env struct {
	params map[*types.TypeParam]types.Type
	local  map[*types.Named]*types.Named // types that the generic function declares, as this instance has them
	scope  *types.Scope                  // of the function
	suffix string                        // of the names of such types, as the compiler has it: the type arguments
}

// NewEnv has the types of an instance for the parameters of a generic function.
func NewEnv(params []*types.TypeParam, args []types.Type) *Env {
	e := &Env{params: map[*types.TypeParam]types.Type{}, local: map[*types.Named]*types.Named{}}
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
func (v *Env) declares(t *types.Named) bool {
	for s := t.Obj().Parent(); s != nil; s = s.Parent() {
		if s == v.scope {
			return true
		}
	}
	return false
}

// Subst replaces the type parameters of the instance that v is of, where there is one, and instances of compiled
// generic types by those of their source.
func (ts *Types) Subst(t types.Type, v *Env) types.Type {
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
		if r := ts.Subst(t.Elem(), v); r != t.Elem() {
			return types.NewPointer(r)
		}
	case *types.Slice:
		if r := ts.Subst(t.Elem(), v); r != t.Elem() {
			return types.NewSlice(r)
		}
	case *types.Array:
		if r := ts.Subst(t.Elem(), v); r != t.Elem() {
			return types.NewArray(r, t.Len())
		}
	case *types.Map:
		if k, r := ts.Subst(t.Key(), v), ts.Subst(t.Elem(), v); k != t.Key() || r != t.Elem() {
			return types.NewMap(k, r)
		}
	case *types.Chan:
		if r := ts.Subst(t.Elem(), v); r != t.Elem() {
			return types.NewChan(t.Dir(), r)
		}
	case *types.Tuple:
		var vs []*types.Var
		changed := false
		for i := range t.Len() {
			x := t.At(i)
			r := ts.Subst(x.Type(), v)
			changed = changed || r != x.Type()
			vs = append(vs, types.NewVar(x.Pos(), x.Pkg(), x.Name(), r))
		}
		if changed {
			return types.NewTuple(vs...)
		}
	case *types.Signature:
		ps, rs := ts.Subst(t.Params(), v).(*types.Tuple), ts.Subst(t.Results(), v).(*types.Tuple)
		if ps != t.Params() || rs != t.Results() {
			return types.NewSignatureType(nil, nil, nil, ps, rs, t.Variadic())
		}
	case *types.Struct:
		var fs []*types.Var
		var tags []string
		changed := false
		for i := range t.NumFields() {
			f := t.Field(i)
			r := ts.Subst(f.Type(), v)
			changed = changed || r != f.Type()
			fs = append(fs, types.NewField(f.Pos(), f.Pkg(), f.Name(), r, f.Embedded()))
			tags = append(tags, t.Tag(i))
		}
		if changed {
			return types.NewStruct(fs, tags)
		}
	case *types.Interface:
		return ts.substInterface(t, v)
	case *types.Named:
		return ts.substNamed(t, v)
	case *types.Alias:
		return ts.Subst(types.Unalias(t), v)
	}
	return t
}

func (ts *Types) substInterface(t *types.Interface, v *Env) types.Type {
	var ms []*types.Func
	changed := false
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		sig := ts.Subst(m.Type(), v).(*types.Signature)
		changed = changed || sig != m.Type()
		ms = append(ms, types.NewFunc(m.Pos(), m.Pkg(), m.Name(), sig))
	}
	var em []types.Type
	for i := range t.NumEmbeddeds() {
		r := ts.Subst(t.EmbeddedType(i), v)
		changed = changed || r != t.EmbeddedType(i)
		em = append(em, r)
	}
	if !changed {
		return t
	}
	return types.NewInterfaceType(ms, em).Complete()
}

func (ts *Types) substNamed(t *types.Named, v *Env) types.Type {
	if t.TypeArgs().Len() > 0 {
		var args []types.Type
		origin := ts.localGeneric(t.Origin(), v)
		changed := origin != t.Origin()
		for i := range t.TypeArgs().Len() {
			a := t.TypeArgs().At(i)
			r := ts.Subst(a, v)
			changed = changed || r != a
			args = append(args, r)
		}
		if changed {
			if r, err := types.Instantiate(ts.instances, origin, args, false); err == nil {
				t = r.(*types.Named)
			}
		}
		return ts.Canonical(t)
	}
	if v == nil || check.IsGlobal(t.Obj()) || t.Obj().Pkg() == nil || !v.declares(t) {
		return ts.Canonical(t)
	}
	if r, ok := v.local[t]; ok {
		return r
	}
	r := types.NewNamed(types.NewTypeName(t.Obj().Pos(), t.Obj().Pkg(), t.Obj().Name()+v.suffix, nil), nil, nil)
	v.local[t] = r
	r.SetUnderlying(ts.Subst(t.Underlying(), v).Underlying())
	return r
}

// localGeneric is a generic type that a generic function declares, as the instance has it.
func (ts *Types) localGeneric(t *types.Named, v *Env) *types.Named {
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
	own := &Env{params: maps.Clone(v.params), local: v.local, scope: v.scope, suffix: v.suffix}
	var params []*types.TypeParam
	for i := range t.TypeParams().Len() {
		p := t.TypeParams().At(i)
		q := types.NewTypeParam(types.NewTypeName(p.Obj().Pos(), p.Obj().Pkg(), p.Obj().Name(), nil), nil)
		own.params[p] = q
		params = append(params, q)
	}
	for i, q := range params {
		q.SetConstraint(ts.Subst(t.TypeParams().At(i).Constraint(), own))
	}
	r.SetTypeParams(params)
	r.SetUnderlying(ts.Subst(t.Underlying(), own).Underlying())
	return r
}

// Canonical is the type that stands for t: the instance of its own source for one of a compiled generic type, unless
// compiled code has that instance, and the compiled type for one of the source of an included package.
func (ts *Types) Canonical(t *types.Named) *types.Named {
	o := t.Obj()
	if check.IsSession(o) || o.Pkg() == nil {
		return t
	}
	if included.Key != "" && ts.IsIncluded(o) {
		n := t.TypeArgs().Len()
		if n > 0 && ts.instance(t) == nil || n == 0 && t.TypeParams().Len() > 0 || o.Parent() != o.Pkg().Scope() {
			return t
		}
		return ts.compiledTwin(t)
	}
	if t.TypeArgs().Len() > 0 && ts.Of(o.Pkg()) == nil && ts.instance(t) == nil {
		if r := ts.standIn(t); r != nil {
			return r
		}
	}
	return t
}

// instance is the run-time type of an instance that compiled code has of an included package's type, nil for any other.
func (ts *Types) instance(t *types.Named) reflect.Type {
	if len(included.Instances) == 0 || t.Obj().Pkg() == nil {
		return nil
	}
	return included.Instances[typekey.Of(t, nil)]
}
