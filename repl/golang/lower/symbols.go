package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"unsafe"
	"weak"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// newWorld makes the run-time types of the session. A process keeps the code of methods for ever, so it must not keep
// the engine: after a reset nothing but a method's caller may ask for one that has gone.
func (st *State) newWorld() {
	engine := weak.Make(st)
	st.scope.World = rtype.New(rtype.Config{
		Compiled:  func(n *types.Named) reflect.Type { return engine.Value().Types.Compiled(n) },
		Canonical: func(n *types.Named) *types.Named { return engine.Value().Types.Canonical(n) },
		Hidden:    func(m *types.Func) bool { return engine.Value().scope.Phantom[m] },
		Method:    func(m *types.Func) reflect.Value { return methodOf(engine, m).Func() },
		Call:      machine.Call,
		Enter: func(t reflect.Type, pointer bool, m *types.Func, slow unsafe.Pointer, place *unsafe.Pointer) unsafe.Pointer {
			return machine.Method(t, pointer, func() *machine.Target { return methodOf(engine, m) }, slow, place)
		},
	})
}

// methodOf is what runs a method of a session that there may no longer be.
func methodOf(session weak.Pointer[State], m *types.Func) *machine.Target {
	st := session.Value()
	if st == nil {
		panic(fmt.Errorf("method %s belongs to a session that has been reset", m.Name()))
	}
	return st.method(m)
}

// slotOf returns the slot of a session variable, nil for any other object.
func (u *unit) slotOf(o types.Object) *check.Slot {
	if s, ok := u.slots[o]; ok {
		return s
	}
	return u.st.Slots.Of(o)
}

// NewSlot makes a variable of the session for values of type t, and gives it to yaegi.
func (st *State) NewSlot(t types.Type) *check.Slot {
	return st.SlotAt(reflect.New(st.scope.Inner(st.Types.Subst(t, nil))))
}

// SlotAt makes a variable of the session of one that there is, whose address is p.
func (st *State) SlotAt(p reflect.Value) *check.Slot {
	s := &check.Slot{Symbol: st.rt.Provide("V", p), Ptr: p}
	st.Slots.follow(s)
	run.Withdraw(st.rt, st.Slots.gone.take())
	return s
}

// variableOf spells a slot's variable.
func variableOf(s *check.Slot) ast.Expr { return &ast.StarExpr{X: source(s.Symbol)} }

// Value is what the variable holds, as an interface would hold it.
func (st *State) Value(s *check.Slot, t types.Type) any {
	if s.Ptr.Elem().Kind() == reflect.Interface {
		return s.Ptr.Elem().Interface()
	}
	return rtype.Retype(s.Ptr.Elem(), st.scope.Outer(st.Types.Subst(t, nil))).Interface()
}

// MethodsChanged says that a type has got a method, or has it no longer.
func (st *State) MethodsChanged(t *types.Named) { st.funcs.MethodsChanged(t) }
