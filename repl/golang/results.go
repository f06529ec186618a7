package golang

import (
	"reflect"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower"
)

// keepResult notes what a cell has shown, which is the value of _ now.
func (e *Engine) keepResult(cell int, lw *lower.Code) {
	if cell == 0 || lw.Last == nil {
		return
	}
	x := &check.Result{Cell: cell, Type: lw.Last.Type()}
	v := e.state.Slots.Of(lw.Last).Ptr.Elem()
	m := e.measure(v)
	x.Weak, x.Why = m.weak, m.why
	if m.why == "" {
		x.Weak = nil
		x.Value = reflect.New(v.Type()).Elem()
		x.Value.Set(v)
	}
	e.scope.Results.Add(x)
}

// giveSlots gives the results that a cell mentions their variables.
func (e *Engine) giveSlots(ck *check.Checked) {
	for _, m := range ck.Results {
		x := m.Result
		x.Users++
		if x.Slot == nil {
			key := e.state.Types.Key(x.Type)
			if free := e.freeSlots[key]; len(free) > 0 {
				x.Slot, e.freeSlots[key] = free[len(free)-1], free[:len(free)-1]
			} else {
				x.Slot = e.state.NewSlot(x.Type)
			}
			switch {
			case m.Alive != nil:
				x.Slot.Ptr.Elem().Set(reflect.ValueOf(m.Alive))
			case x.Value.IsValid():
				x.Slot.Ptr.Elem().Set(x.Value)
			}
		}
		e.state.Slots.Set(m.Obj, x.Slot)
	}
}

// pinSlots notes the results that the code of a cell goes on using after the cell: they stay where they are.
func (e *Engine) pinSlots(ck *check.Checked, code *lower.Code) {
	for _, m := range ck.Results {
		m.Held = m.Held || code.Escapes(m.Obj)
		for _, used := range ck.Uses {
			m.Held = m.Held || used[m.Obj]
		}
	}
}

// returnSlots takes the variables of results back after a cell, unless something uses them. What a cell has assigned to
// one stays there. again says that the cell has ended by itself: the variables can be those of other results.
func (e *Engine) returnSlots(ck *check.Checked, again bool) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	takeSlots(e, ck, again)
}

// takeSlots is returnSlots while Mu is held.
func takeSlots(e *Engine, ck *check.Checked, again bool) {
	for _, m := range ck.Results {
		x := m.Result
		if x.Users--; x.Held || x.Slot == nil || x.Users > 0 {
			continue
		}
		if x.Weak == nil && x.Value.IsValid() {
			x.Value.Set(x.Slot.Ptr.Elem())
		}
		x.Slot.Ptr.Elem().SetZero()
		if key := e.state.Types.Key(x.Type); again {
			e.freeSlots[key] = append(e.freeSlots[key], x.Slot)
		}
		x.Slot = nil
		for _, v := range x.Names {
			e.state.Slots.Delete(v)
		}
	}
}

// resultValue is the value that a name of a result stands for, as an interface would hold it.
func (e *Engine) resultValue(name string) (any, bool) {
	_, x, alive := e.scope.Results.Lookup(name)
	switch {
	case x == nil:
		return nil, false
	case alive != nil:
		return alive, true
	case x.Slot != nil:
		return e.state.Value(x.Slot, x.Type), true
	}
	p := reflect.New(x.Value.Type())
	p.Elem().Set(x.Value)
	return e.state.Value(&check.Slot{Ptr: p}, x.Type), true
}

// Results lists the cells whose results can be had, in the order in which they ran, and the values that are kept for
// that.
func (e *Engine) Results() (cells []int, kept []any) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, x := range e.scope.Results.List {
		v, ok := e.resultValue("_" + strconv.Itoa(x.Cell))
		if !ok {
			continue
		}
		cells = append(cells, x.Cell)
		if x.Slot != nil || x.Value.IsValid() {
			kept = append(kept, v)
		}
	}
	return cells, kept
}

// ForgetResults drops all results but _, or the one that a name means. It reports whether there was any.
func (e *Engine) ForgetResults(name string) bool {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	if name == "Out" {
		return e.scope.Results.Forget(0)
	}
	n := e.scope.Results.Number(name)
	return n > 0 && e.scope.Results.Forget(n)
}
