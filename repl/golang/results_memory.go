package golang

import (
	"reflect"
	"strconv"
)

// keepResult notes what a cell has shown, which is the value of _ now.
func (e *Engine) keepResult(cell int, lw *lowered) {
	if cell == 0 || lw.last == nil {
		return
	}
	x := &result{cell: cell, typ: lw.last.Type()}
	v := e.slots[lw.last].ptr.Elem()
	m := e.measure(v)
	x.weak, x.why = m.weak, m.why
	if m.why == "" {
		x.weak = nil
		x.value = reflect.New(v.Type()).Elem()
		x.value.Set(v)
	}
	e.scope.results.add(x)
}

// place gives the results that a cell mentions their variables.
func (e *Engine) place(ck *checked) {
	for _, m := range ck.results {
		x := m.result
		if x.slot == nil {
			key := e.typeKey(x.typ)
			if free := e.freeSlots[key]; len(free) > 0 {
				x.slot, e.freeSlots[key] = free[len(free)-1], free[:len(free)-1]
			} else {
				x.slot = e.newSlot(x.typ)
			}
			switch {
			case m.alive != nil:
				x.slot.ptr.Elem().Set(reflect.ValueOf(m.alive))
			case x.value.IsValid():
				x.slot.ptr.Elem().Set(x.value)
			}
		}
		e.slots[m.obj] = x.slot
	}
}

// hold notes the results that the code of a cell goes on using after the cell: they stay where they are.
func (e *Engine) hold(ck *checked, l *lowerer) {
	for _, m := range ck.results {
		m.held = m.held || l.kept[m.obj]
		for _, used := range ck.uses {
			m.held = m.held || used[m.obj]
		}
	}
}

// unplace takes the variables of results back after a cell, unless something uses them. What a cell has assigned to one stays there.
// again says that the cell has ended by itself: the variables can be those of other results.
func (e *Engine) unplace(ck *checked, again bool) {
	for _, m := range ck.results {
		x := m.result
		if x.held || x.slot == nil {
			continue
		}
		if x.weak == nil && x.value.IsValid() {
			x.value.Set(x.slot.ptr.Elem())
		}
		x.slot.ptr.Elem().SetZero()
		if key := e.typeKey(x.typ); again {
			e.freeSlots[key] = append(e.freeSlots[key], x.slot)
		}
		x.slot = nil
		for _, v := range x.names {
			delete(e.slots, v)
		}
	}
}

// resultValue is the value that a name of a result stands for, as an interface would hold it.
func (e *Engine) resultValue(name string) (any, bool) {
	_, x, alive := e.scope.results.lookup(name)
	switch {
	case x == nil:
		return nil, false
	case alive != nil:
		return alive, true
	case x.slot != nil:
		return e.value(x.slot, x.typ), true
	}
	p := reflect.New(x.value.Type())
	p.Elem().Set(x.value)
	return e.value(&slot{ptr: p}, x.typ), true
}

// Results lists the cells whose results can be had, in the order in which they ran, and the values that are kept for that.
func (e *Engine) Results() (cells []int, kept []any) {
	e.scope.mu.Lock()
	defer e.scope.mu.Unlock()
	for _, x := range e.scope.results.list {
		v, ok := e.resultValue("_" + strconv.Itoa(x.cell))
		if !ok {
			continue
		}
		cells = append(cells, x.cell)
		if x.slot != nil || x.value.IsValid() {
			kept = append(kept, v)
		}
	}
	return cells, kept
}

// ForgetResults drops all results but _, or the one that a name means. It reports whether there was any.
func (e *Engine) ForgetResults(name string) bool {
	e.scope.mu.Lock()
	defer e.scope.mu.Unlock()
	if name == "Out" {
		return e.scope.results.forget(0)
	}
	n := e.scope.results.number(name)
	return n > 0 && e.scope.results.forget(n)
}
