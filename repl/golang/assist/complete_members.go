package assist

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// members lists what may follow a dot after x.
func (v *view) members(x ast.Expr, r *ranking) {
	if id, ok := x.(*ast.Ident); ok {
		if p, ok := v.info.Uses[id].(*types.PkgName); ok {
			v.packageMembers(p.Imported(), r)
			return
		}
	}
	tv, ok := v.info.Types[x]
	if !ok || tv.Type == nil || tv.Type == types.Typ[types.Invalid] {
		return
	}
	if tv.IsType() {
		v.methodExprs(tv.Type, r)
		return
	}
	if _, isPtr := types.Unalias(tv.Type).Underlying().(*types.Pointer); !isPtr && !tv.Addressable() &&
		!types.IsInterface(tv.Type) {
		v.typeMembers(tv.Type, types.NewMethodSet(tv.Type), true, r)
		return
	}
	v.typeMembers(tv.Type, methodSet(tv.Type), true, r)
}

// methodSet are the methods that an addressable value of type t has.
func methodSet(t types.Type) *types.MethodSet {
	if _, isPtr := types.Unalias(t).(*types.Pointer); isPtr || types.IsInterface(t) {
		return types.NewMethodSet(t)
	}
	return types.NewMethodSet(types.NewPointer(t))
}

func (v *view) methodExprs(t types.Type, r *ranking) {
	v.typeMembers(t, types.NewMethodSet(t), false, r)
}

// typeMembers lists methods, and fields unless the type itself stands before the dot; own ones before promoted ones.
func (v *view) typeMembers(t types.Type, ms *types.MethodSet, fields bool, r *ranking) {
	visible := func(o types.Object) bool {
		f, isFunc := o.(*types.Func)
		return (o.Exported() || check.IsSession(o)) && !(isFunc && v.a.Phantom[f])
	}
	if fields {
		for f, in := range structFields(t) {
			if visible(f) {
				r.add(candidate{text: f.Name(), kind: "field", obj: f, near: 2 * in.depth, owner: in.t})
			}
		}
		v.deepFields(t, "", deepest, r)
	}
	for i := range ms.Len() {
		s := ms.At(i)
		if visible(s.Obj()) {
			r.add(candidate{text: s.Obj().Name(), kind: "method", obj: s.Obj(), near: 2*(len(s.Index())-1) + 1})
		}
	}
	if n, ok := types.Unalias(check.Deref(t)).(*types.Named); ok && check.IsSession(n.Obj()) {
		for _, m := range v.late[n.Obj().Name()] {
			r.add(candidate{text: m.Name(), kind: "method", obj: m, near: 1})
		}
	}
}

// deepest is how many fields a name of deepFields has, and deepMatches how many of them are listed.
const (
	deepest     = 3
	deepMatches = 20
)

// deepFields lists fields of fields, as Home.City, whose type is exactly what is wanted: after fields of t itself that
// fit, before others.
func (v *view) deepFields(t types.Type, prefix string, depth int, r *ranking) {
	if r.want.typ == nil || r.want.called || r.want.types || types.IsInterface(r.want.typ) || depth == 0 {
		return
	}
	for f := range structFields(t) {
		if !f.Exported() && !check.IsSession(f) || f.Embedded() || len(r.list) > maxMatches {
			continue
		}
		if prefix != "" && types.Identical(f.Type(), r.want.typ) && r.deep < deepMatches {
			before := len(r.list)
			r.add(candidate{text: prefix + f.Name(), key: f.Name(), kind: "field", obj: f, near: 10 * (deepest - depth),
				fit: 1, owner: t})
			r.deep += len(r.list) - before
		}
		if _, ok := check.Deref(f.Type()).Underlying().(*types.Struct); ok {
			v.deepFields(f.Type(), prefix+f.Name()+".", depth-1, r)
		}
	}
}

// embedding is the struct that a field belongs to, and how deep that is embedded.
type embedding struct {
	t     types.Type
	depth int
}

// structFields gives every field that a value of type t has, own ones before promoted ones.
func structFields(t types.Type) func(func(*types.Var, embedding) bool) {
	return func(yield func(*types.Var, embedding) bool) {
		seen := map[types.Type]bool{}
		names := map[string]bool{}
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		level := []types.Type{check.Deref(t)}
		for depth := 0; len(level) > 0; depth++ {
			var next []types.Type
			for _, t := range level {
				st, ok := t.Underlying().(*types.Struct)
				if !ok || seen[t] {
					continue
				}
				seen[t] = true
				for i := range st.NumFields() {
					f := st.Field(i)
					if !names[f.Name()] && f.Name() != "_" {
						names[f.Name()] = true
						if !yield(f, embedding{t, depth}) {
							return
						}
					}
					if f.Embedded() {
						next = append(next, check.Deref(f.Type()))
					}
				}
			}
			level = next
		}
	}
}

func (v *view) packageMembers(p *types.Package, r *ranking) {
	if full, err := v.a.Modules.Import(p.Path()); err == nil {
		p = full
	}
	for _, n := range p.Scope().Names() {
		if matching(n, r.prefix) == noMatch {
			continue
		}
		o := p.Scope().Lookup(n)
		if !o.Exported() || v.a.Unavailable(o) != "" {
			continue
		}
		near := 0
		if r.prefix == "" && strings.HasPrefix(v.a.doc(p.Path(), n), "Deprecated:") {
			near = 1
		}
		r.add(candidate{text: n, kind: check.KindOf(o), obj: o, near: near})
	}
}

// fieldsOf lists the fields that a composite literal does not have yet, and reports whether the literal is of a struct
// whose elements have names.
func (v *view) fieldsOf(lit *ast.CompositeLit, at ast.Node, colon bool, r *ranking) (named bool) {
	st, ok := v.literalType(lit).(*types.Struct)
	if !ok {
		return false
	}
	given := map[string]bool{}
	for _, x := range lit.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			if x != at {
				return false // values by position
			}
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok && id != at {
			given[id.Name] = true
			named = true
		}
	}
	suffix := ": "
	if colon {
		suffix = ""
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		if !given[f.Name()] && (f.Exported() || check.IsSession(f)) && f.Name() != "_" {
			r.add(candidate{text: f.Name() + suffix, kind: "field", obj: f, near: -100 + i, fit: 5,
				sig: check.Display(f.Type()), owner: check.Deref(v.typeOf(lit))})
		}
	}
	return named || colon
}

// namesakes lists what begins as typed in the other packages that have the name of the package x, instead of what there
// is in x, unless the cell imports that one itself.
func (p *completing) namesakes(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	if !ok || p.rank.prefix == "" {
		return false
	}
	pn, ok := p.v.info.Uses[id].(*types.PkgName)
	if !ok || p.v.declared[id.Name] {
		return false
	}
	other := ranking{prefix: p.rank.prefix, want: p.rank.want, seen: map[string]bool{}}
	for _, path := range p.a.importable() {
		if path == pn.Imported().Path() || packageName(path) != id.Name {
			continue
		}
		pkg, err := p.a.Modules.Import(path)
		if err != nil || pkg.Name() != id.Name {
			continue
		}
		at := len(other.list)
		p.v.packageMembers(pkg, &other)
		for i := range other.list[at:] {
			other.list[at+i].path = path
		}
	}
	other.list = slices.DeleteFunc(other.list, func(c candidate) bool { return c.match < exact })
	if len(other.list) == 0 {
		return false
	}
	p.rank.list = other.list
	return true
}

// packageName is the last element of an import path that is not a version.
func packageName(path string) string {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" && dir != "" {
		return packageName(dir)
	}
	return name
}
