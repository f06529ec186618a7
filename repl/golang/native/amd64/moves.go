package amd64

import (
	"slices"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/regalloc"
)

// move is one of several that happen at the same time.
type move struct {
	to    regalloc.Place
	from  regalloc.Place
	value *ir.Value // a constant, or nil
	kind  ir.Kind
}

// class keeps registers of integers and of floats apart; words of the frame are of both.
func (m *move) sameAs(p regalloc.Place, k ir.Kind) bool {
	if m.from != p || m.value != nil {
		return false
	}
	_, slot := p.IsSlot()
	return slot || m.kind.IsFloat() == k.IsFloat()
}

// moveTo adds the move of a value.
func (e *emitter) moveTo(list []move, to regalloc.Place, v *ir.Value) []move {
	if v.Op == ir.Const {
		return append(list, move{to: to, value: v, kind: v.Kind})
	}
	return append(list, move{to: to, from: e.r.Places[v.ID], kind: v.Kind})
}

// moves does moves at the same time: what one reads is what was there before any of them.
func (e *emitter) moves(list []move) {
	list = slices.DeleteFunc(list, func(m move) bool { return m.value == nil && m.from == m.to })
	for len(list) > 0 {
		i := slices.IndexFunc(list, func(m move) bool {
			return !slices.ContainsFunc(list, func(o move) bool { return o.sameAs(m.to, m.kind) })
		})
		if i >= 0 {
			e.move(list[i])
			list = slices.Delete(list, i, i+1)
			continue
		}
		// All that are left are in cycles: the value of one waits in a scratch register.
		m := &list[0]
		o := e.place(m.from, m.kind)
		if m.kind.IsFloat() {
			e.flush(&list, m.from, m.kind, func() { e.loadFloat(x15, o) }, regalloc.Reg(x15))
		} else {
			e.flush(&list, m.from, m.kind, func() { e.load(rax, o) }, waiting)
		}
	}
}

// waiting is the place of an integer in RAX.
const waiting = regalloc.Place(1 << 20)

func (e *emitter) flush(list *[]move, from regalloc.Place, k ir.Kind, save func(), to regalloc.Place) {
	save()
	for i := range *list {
		if m := &(*list)[i]; m.sameAs(from, k) {
			m.from = to
		}
	}
}

func (e *emitter) loadFloat(reg int, o operand) {
	if o.isReg {
		e.moveFloat(reg, o.reg)
	} else {
		e.sse(0xF2, 0x10, reg, o)
	}
}

func (e *emitter) move(m move) {
	to := e.place(m.to, m.kind)
	if m.kind.IsFloat() {
		reg := x14
		if to.isReg {
			reg = to.reg
		}
		switch {
		case m.value != nil:
			e.getFloat(reg, m.value)
		default:
			e.loadFloat(reg, e.place(m.from, m.kind))
		}
		if !to.isReg {
			e.sse(0xF2, 0x11, reg, to)
		}
		return
	}
	switch {
	case m.value != nil && to.isReg:
		e.loadImm(to.reg, m.value.Imm)
	case m.value != nil && isImm(m.value):
		e.storeImm(to, int(m.value.Imm))
	case m.value != nil:
		e.loadImm(rdx, m.value.Imm)
		e.store(to, rdx)
	default:
		from := inReg(rax)
		if m.from != waiting {
			from = e.place(m.from, m.kind)
		}
		switch {
		case to.isReg:
			e.load(to.reg, from)
		case from.isReg:
			e.store(to, from.reg)
		default:
			e.load(rdx, from)
			e.store(to, rdx)
		}
	}
}
