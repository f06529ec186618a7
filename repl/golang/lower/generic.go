package lower

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/support"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// instanceName names an instance of a generic function or method: Map[int,string] is Mapʹint_stringʹ7.
func (u *unit) instanceName(o types.Object, args []types.Type) (key, name string, fresh bool) {
	u.refuseDeep(o, args)
	key = "instance:" + u.st.Types.ObjectKey(o)
	short := ""
	for _, t := range args {
		key += "[" + u.st.Types.Key(t) + "]"
		short += "_" + types.TypeString(t, func(*types.Package) string { return "" })
	}
	if n, ok := u.helpers[key]; ok {
		return key, n, false
	}
	if n, ok := u.st.helpers[key]; ok {
		return key, n, false
	}
	var b strings.Builder
	for _, c := range strings.TrimPrefix(short, "_") {
		if b.Len() < 24 && (c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			b.WriteRune(c)
		}
	}
	n := u.fresh(o.Name() + run.Tick + b.String())
	u.helpers[key] = n
	if u.asked++; u.asked > maxInstances && u.failure == nil {
		u.failure = &check.Failure{Name: "TypeError",
			Message: fmt.Sprintf("more than %d instances of generic functions", maxInstances)}
	}
	return key, n, true
}

// maxInstances is how many instances of generic functions a cell, or a package, can add to the session at once.
const maxInstances = 4096

// maxLevels is how many types inside one another the type arguments of an instance may have. A generic function that
// calls itself with a type made of its own parameter, such as []T, would have instances without an end.
const maxLevels = 100

// refuseDeep has the unit fail where an instance's type arguments have too many levels.
func (u *unit) refuseDeep(o types.Object, args []types.Type) {
	for _, t := range args {
		if u.failure == nil && deeper(t, maxLevels) {
			u.failure = &check.Failure{Name: "TypeError", Message: fmt.Sprintf("instantiation cycle: "+
				"%s would be instantiated with types of more than %d levels", o.Name(), maxLevels)}
		}
	}
}

// deeper reports whether a type has more than so many levels.
func deeper(t types.Type, levels int) bool {
	if levels < 0 {
		return true
	}
	switch t := types.Unalias(t).(type) {
	case interface{ Elem() types.Type }: // pointers, slices, arrays, maps and channels
		if m, ok := t.(*types.Map); ok && deeper(m.Key(), levels-1) {
			return true
		}
		return deeper(t.Elem(), levels-1)
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if deeper(a, levels-1) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if deeper(f.Type(), levels-1) {
				return true
			}
		}
	case *types.Signature:
		return deeper(t.Params(), levels-1) || deeper(t.Results(), levels-1)
	case *types.Tuple:
		for v := range t.Variables() {
			if deeper(v.Type(), levels) {
				return true
			}
		}
	}
	return false
}

// funcInstance is the yaegi name of a generic function's instance, "" when the session has neither that nor source for
// it.
func (u *unit) funcInstance(f *types.Func, args []types.Type) string {
	if support.IsNative(f) {
		for _, t := range args {
			u.reach(t)
		}
		if n := u.funcs.Native(f, args); n != "" {
			return n
		}
	}
	if n := u.funcs.Instance(f, args); n != "" {
		return n
	}
	g := u.generic(f)
	if g == nil || !g.HasBody() {
		return ""
	}
	key, n, fresh := u.instanceName(f, args)
	if fresh {
		u.instance(&instance{key: key, name: n, of: g, args: args})
	}
	return n
}

func (u *unit) generic(f *types.Func) *check.Function {
	for _, g := range u.ck.Funcs {
		if g.Object == f {
			return g
		}
	}
	if g := u.st.generics[f]; g != nil || check.IsSession(f) {
		return g
	}
	p := u.st.Types.Of(f.Pkg())
	if p == nil {
		p = u.st.Types.Source(f.Pkg().Path())
	}
	if p != nil {
		name := f.Name()
		if f.Signature().Recv() != nil {
			name = check.ReceiverType(f).Obj().Name() + "." + name
		}
		return p.Funcs[name]
	}
	return nil
}
