package lower

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/check"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
)

// Native tells what has become of a function on its way to machine code.
type Native struct {
	Name  string
	Bytes int            // of its code; 0 where it is interpreted
	Why   string         // it is interpreted
	At    token.Position // of what is not compiled
}

// compile makes machine code of the functions of a cell, before their interpreted form is guarded. A function that is
// not compiled stays interpreted.
func (st *State) compile(l *Lowerer) {
	if st.native == nil {
		return
	}
	var units []machinecode.Unit
	var shown []string
	for _, f := range l.ck.Funcs {
		name := l.names[f.Object]
		if len(f.TypeParams) > 0 || name == "" || f.Syntax.Body == nil {
			continue
		}
		object, _ := f.Info.Defs[f.Syntax.Name].(*types.Func)
		if object == nil {
			continue
		}
		u := machinecode.Unit{Source: machinecode.Source{Syntax: f.Syntax, Info: f.Info, Object: object,
			Fset: st.scope.Fset, Variable: l.variableAddress}, Name: name, Stack: f.StackName(), Called: f.Object}
		shown = append(shown, f.Names[0])
		if f.Receiver != "" {
			u.Older = f.Object
		} else if b := st.scope.Bindings[f.Names[0]]; b != nil {
			if old, ok := b.Object.(*types.Func); ok && old != f.Object && check.SameUse(old, f.Object) {
				u.Older = old
			}
		}
		units = append(units, u)
	}
	for i, o := range st.native.Compile(units) {
		u := &units[i]
		r := Native{Name: shown[i]}
		if o.Reason != nil {
			r.Why, r.At = o.Reason.What, st.scope.Fset.Position(o.Reason.Pos)
		} else {
			r.Bytes = o.Proc.Code().Bytes
		}
		if o.Proc != nil {
			st.rt.AddNative(u.Name, o.Proc)
		}
		st.natives[shown[i]] = r
	}
}

// variableAddress is where a variable of the session is, not valid for what is none.
func (l *Lowerer) variableAddress(v *types.Var) reflect.Value {
	if s := l.slotOf(v); s != nil {
		return s.Ptr
	}
	return reflect.Value{}
}

// Natives are the functions that cells have declared, in the order of their names.
func (st *State) Natives() (list []Native) {
	for _, n := range st.natives {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b Native) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
