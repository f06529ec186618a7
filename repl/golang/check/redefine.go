package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
)

// A type that is declared again is another type to go/types, also where only a method changes, because a type cannot
// lose methods. Variables of the older type become variables of the new one where interpreted code has the same values
// for both; the others keep the older type, and errors say which one is meant.

// Retyped is a variable of the session that a cell gives a newer type.
type retyped struct{ Old, New *types.Var }

// closure returns the declarations of older cells that are forced, and those that use one of the changed objects,
// directly or not.
func (sc *Scope) closure(c *Cell, changed map[types.Object]bool, stale map[*Decl]bool, forced []*Decl) []*Decl {
	own := map[string]bool{}
	for _, d := range c.Decls {
		for _, n := range d.Names {
			own[n] = true
		}
	}
	deps := append([]*Decl(nil), forced...)
	seen := map[*Decl]bool{}
	for _, d := range forced {
		seen[d] = true
	}
	for grew := true; grew; {
		grew = false
		sc.changedVars(changed)
		for _, d := range sc.Decls {
			if seen[d] || stale[d] || own[d.Names[0]] {
				continue
			}
			for o := range sc.Uses[d] {
				if changed[o] || sc.outdated(o, changed) {
					seen[d], grew = true, true
					deps = append(deps, d)
					for _, n := range d.Names {
						if b := sc.Bindings[n]; b != nil && b.Object != nil {
							if _, isFunc := b.Object.(*types.Func); !isFunc {
								changed[b.Object] = true
							}
						}
					}
					break
				}
			}
		}
	}
	return deps
}

// outdated reports whether an object that a declaration was compiled with has given its name to one that changes now:
// the declaration may compile again.
func (sc *Scope) outdated(o types.Object, changed map[types.Object]bool) bool {
	if o.Parent() == nil { // a field or method
		return false
	}
	b := sc.Bindings[o.Name()]
	return b != nil && b.Object != nil && b.Object != o && changed[b.Object]
}

// upToDate reports whether a declaration uses what its names stand for now.
func (sc *Scope) upToDate(d *Decl) bool {
	for o := range sc.Uses[d] {
		if b := sc.Bindings[o.Name()]; o.Parent() != nil && (b == nil || b.Object != o) {
			return false
		}
	}
	return true
}

// changedVars adds the variables whose types have changed.
func (sc *Scope) changedVars(changed map[types.Object]bool) {
	names := map[*types.TypeName]types.Type{}
	for o := range changed {
		if tn, ok := o.(*types.TypeName); ok {
			names[tn] = nil
		}
	}
	if len(names) == 0 {
		return
	}
	for _, b := range sc.Bindings {
		if v, ok := b.Object.(*types.Var); ok && !changed[v] && mentions(v.Type(), names) {
			changed[v] = true
		}
	}
}

// redeclared returns the declarations that a cell's check needs beside its own: the types that get other methods, and
// what depends on them or on what the cell declares again.
func (sc *Scope) redeclared(c *Cell, again map[string]bool, stale map[*Decl]bool) []*Decl {
	changed := map[types.Object]bool{}
	for _, d := range c.Decls {
		for _, n := range d.Names {
			if b := sc.Bindings[n]; b != nil && b.Object != nil && (b.Decl == nil || b.Decl.text != d.text) {
				changed[b.Object] = true
			}
		}
	}
	var forced []*Decl
	for n := range again {
		if b := sc.Bindings[n]; b != nil && b.Decl != nil && !stale[b.Decl] {
			changed[b.Object] = true
			forced = append(forced, b.Decl)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return sc.closure(c, changed, stale, forced)
}

// keyable reports whether the keys of all maps in t's literal can be keys.
func keyable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Map:
		return types.Comparable(t.Key()) && keyable(t.Elem())
	case *types.Pointer:
		return keyable(t.Elem())
	case *types.Slice:
		return keyable(t.Elem())
	case *types.Array:
		return keyable(t.Elem())
	case *types.Chan:
		return keyable(t.Elem())
	}
	return true
}

// current is the variable that a cell sees for one of the session: with a newer type, where the cell has made one.
func (k *Checker) current(name string, o types.Object) types.Object {
	v, ok := o.(*types.Var)
	if !ok {
		return o
	}
	if r, ok := k.Result.Retyped[name]; ok {
		return r.New
	}
	newer := k.Scope.Newer(k.Result)
	if len(newer) == 0 || !mentions(v.Type(), newer) {
		return o
	}
	t := replaced(v.Type(), newer)
	if t == nil || len(k.Problems) > 0 || !keyable(t) ||
		!sameLayout(k.Scope.Inner(t), k.Scope.Inner(v.Type()), map[[2]reflect.Type]bool{}) {
		return o
	}
	r := retyped{v, types.NewVar(v.Pos(), k.Scope.Pkg, name, t)}
	k.Result.Retyped[name] = r
	return r.New
}

// retypeAll has every variable of the session that can follow its type do so, also those that the cell does not
// mention.
func (k *Checker) retypeAll() {
	for n, b := range k.Scope.Bindings {
		if b.Object != nil && n != "_" {
			k.current(n, b.Object)
		}
	}
}

// Newer are the types that a cell declares again.
func (sc *Scope) Newer(ck *Checked) map[*types.TypeName]types.Type {
	newer := map[*types.TypeName]types.Type{}
	for n, o := range ck.Objs {
		if tn, ok := o.(*types.TypeName); ok && sc.Bindings[n] != nil {
			if old, ok := sc.Bindings[n].Object.(*types.TypeName); ok && old != tn {
				newer[old] = tn.Type()
			}
		}
	}
	return newer
}

// sameLayout reports whether a value of one type is one of the other as it lies in memory. Types that refer to
// themselves are others than the ones before them even where nothing has changed.
func sameLayout(a, b reflect.Type, seen map[[2]reflect.Type]bool) bool {
	if a == b || seen[[2]reflect.Type{a, b}] {
		return true
	}
	if a.Kind() != b.Kind() || a.Size() != b.Size() {
		return false
	}
	seen[[2]reflect.Type{a, b}] = true
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return sameLayout(a.Elem(), b.Elem(), seen)
	case reflect.Map:
		return a.Key() == b.Key() && sameLayout(a.Elem(), b.Elem(), seen)
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			f, g := a.Field(i), b.Field(i)
			if f.Name != g.Name || f.Offset != g.Offset || !sameLayout(f.Type, g.Type, seen) {
				return false
			}
		}
		return true
	}
	return false
}

// mentions reports whether one of the names occurs in t, without looking into other declared types.
func mentions(t types.Type, names map[*types.TypeName]types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return mentions(types.Unalias(t), names)
	case *types.Named:
		if _, ok := names[t.Origin().Obj()]; ok {
			return true
		}
		for i := range t.TypeArgs().Len() {
			if mentions(t.TypeArgs().At(i), names) {
				return true
			}
		}
	case *types.Pointer:
		return mentions(t.Elem(), names)
	case *types.Slice:
		return mentions(t.Elem(), names)
	case *types.Array:
		return mentions(t.Elem(), names)
	case *types.Chan:
		return mentions(t.Elem(), names)
	case *types.Map:
		return mentions(t.Key(), names) || mentions(t.Elem(), names)
	case *types.Signature:
		return mentions(t.Params(), names) || mentions(t.Results(), names)
	case *types.Tuple:
		for i := range t.Len() {
			if mentions(t.At(i).Type(), names) {
				return true
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if mentions(t.Field(i).Type(), names) {
				return true
			}
		}
	}
	return false
}

// replaced is t with newer types for older ones, nil where that cannot be.
func replaced(t types.Type, newer map[*types.TypeName]types.Type) types.Type {
	if !mentions(t, newer) {
		return t
	}
	switch t := t.(type) {
	case *types.Alias:
		return replaced(types.Unalias(t), newer)
	case *types.Named:
		to, ok := newer[t.Origin().Obj()]
		if t.TypeArgs().Len() == 0 && ok {
			if IsGeneric(to) {
				return nil
			}
			return to
		}
		var args []types.Type
		for i := range t.TypeArgs().Len() {
			a := replaced(t.TypeArgs().At(i), newer)
			if a == nil {
				return nil
			}
			args = append(args, a)
		}
		if !ok {
			to = t.Origin()
		}
		if n, ok := to.(*types.Named); !ok || n.TypeParams().Len() != len(args) {
			return nil
		}
		r, err := types.Instantiate(nil, to, args, true)
		if err != nil {
			return nil
		}
		return r
	case *types.Pointer:
		if r := replaced(t.Elem(), newer); r != nil {
			return types.NewPointer(r)
		}
	case *types.Slice:
		if r := replaced(t.Elem(), newer); r != nil {
			return types.NewSlice(r)
		}
	case *types.Array:
		if r := replaced(t.Elem(), newer); r != nil {
			return types.NewArray(r, t.Len())
		}
	case *types.Chan:
		if r := replaced(t.Elem(), newer); r != nil {
			return types.NewChan(t.Dir(), r)
		}
	case *types.Map:
		if k, r := replaced(t.Key(), newer), replaced(t.Elem(), newer); k != nil && r != nil {
			return types.NewMap(k, r)
		}
	case *types.Signature:
		ps, _ := replaced(t.Params(), newer).(*types.Tuple)
		rs, _ := replaced(t.Results(), newer).(*types.Tuple)
		if (ps != nil || t.Params().Len() == 0) && (rs != nil || t.Results().Len() == 0) {
			return types.NewSignatureType(nil, nil, nil, ps, rs, t.Variadic())
		}
	case *types.Tuple:
		var vs []*types.Var
		for i := range t.Len() {
			r := replaced(t.At(i).Type(), newer)
			if r == nil {
				return nil
			}
			vs = append(vs, types.NewVar(t.At(i).Pos(), t.At(i).Pkg(), t.At(i).Name(), r))
		}
		return types.NewTuple(vs...)
	}
	return nil
}

// olderHint says of what types a message speaks that have the same name.
func (k *Checker) olderHint(at token.Pos) string {
	t := k.typeAt(at)
	if t == nil {
		return ""
	}
	for _, tn := range TypeNames(t) {
		if !IsSession(tn) || !IsGlobal(tn) {
			continue
		}
		now := k.Result.Objs[tn.Name()]
		if b := k.Scope.Bindings[tn.Name()]; now == nil && b != nil {
			now = b.Object
		}
		if now != nil && now != types.Object(tn) {
			is := k.Scope.Fset.Position(now.Pos()).Filename
			was := k.Scope.Fset.Position(tn.Pos()).Filename
			return "the value has the type " + tn.Name() + " that was declared in " + was + "; " + tn.Name() +
				" is declared again in " + is
		}
	}
	if tn := TypeNames(t); len(tn) > 0 {
		return "what was compiled with an older " + tn[0].Name() + " keeps it: declare it again"
	}
	return ""
}

// typeAt is the type of the longest expression that begins at a place.
func (k *Checker) typeAt(at token.Pos) types.Type {
	var longest ast.Expr
	for x, tv := range k.Result.Info.Types {
		if x.Pos() == at && tv.IsValue() && (longest == nil || x.End() > longest.End()) {
			longest = x
		}
	}
	if longest == nil {
		return nil
	}
	return k.Result.Info.Types[longest].Type
}

// TypeNames are the names of the declared types that t is made of.
func TypeNames(t types.Type) []*types.TypeName {
	switch t := t.(type) {
	case *types.Alias:
		return TypeNames(types.Unalias(t))
	case *types.Named:
		r := []*types.TypeName{t.Origin().Obj()}
		for i := range t.TypeArgs().Len() {
			r = append(r, TypeNames(t.TypeArgs().At(i))...)
		}
		return r
	case *types.Map:
		return append(TypeNames(t.Key()), TypeNames(t.Elem())...)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return TypeNames(t.Elem())
	}
	return nil
}
