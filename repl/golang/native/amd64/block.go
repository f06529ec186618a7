package amd64

import (
	"slices"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/regalloc"
)

func (e *emitter) block(b *ir.Block) {
	if b == e.f.Blocks[0] {
		e.parameters(b)
	}
	for i, v := range b.Values {
		if v.Fused {
			continue
		}
		switch v.Op {
		case ir.Phi, ir.Param, ir.Const, ir.Frame, ir.Keep:
		case ir.Result:
			if v.Args[0].Op == ir.Leave {
				e.leaveResult(v)
			}
		case ir.Call:
			e.call(v, b.Values[i+1:])
		case ir.Find, ir.Next:
			e.inMap(v, b.Values[i+1:])
		default:
			e.value(v)
		}
	}
	switch b.Kind {
	case ir.Jump:
		e.goTo(b, b.Succs[0])
	case ir.If:
		e.branch(b.Control, e.blocks[b.Succs[0]], e.blocks[b.Succs[1]], b.Succs[0] == e.next, b.Succs[1] == e.next)
	case ir.Return:
		e.results(b)
		e.restore()
		if e.frame > 0 {
			e.opImm(opAdd, true, inReg(rsp), e.frame)
		}
		e.ret()
	case ir.Dead:
		e.bytes(0x0F, 0x0B)
	}
}

// parameters moves parameters from the registers of the call to their places.
func (e *emitter) parameters(b *ir.Block) {
	var list []move
	for _, v := range b.Values {
		if v.Op == ir.Param && e.r.Places[v.ID] != regalloc.Nowhere {
			list = append(list, move{to: e.r.Places[v.ID], from: regalloc.Reg(int(v.Imm)), kind: v.Kind})
		}
	}
	e.moves(list)
}

func (e *emitter) results(b *ir.Block) {
	var list []move
	class := [2]int{}
	for i, v := range b.Results {
		k := e.f.Results[i]
		list = e.moveTo(list, regalloc.Reg(class[classOf(k)]), v)
		class[classOf(k)]++
	}
	e.moves(list)
}

// goTo does what the phis of the next block need, and jumps there. At the end of a loop whose head is a test alone, it
// tests here, which saves a jump.
func (e *emitter) goTo(b, to *ir.Block) {
	var list []move
	k := slices.Index(to.Preds, b)
	tests := to.Kind == ir.If && b.Backward(to)
	for _, v := range to.Values {
		if v.Op == ir.Phi {
			list = e.moveTo(list, e.r.Places[v.ID], v.Args[k])
		} else if !v.Fused {
			tests = false
		}
	}
	e.moves(list)
	if tests {
		e.branch(to.Control, e.blocks[to.Succs[0]], e.blocks[to.Succs[1]], false, to.Succs[1] == e.next)
		return
	}
	if to != e.next {
		e.jump(e.blocks[to])
	}
}

// branch jumps to one of two labels, of which one may be what follows.
func (e *emitter) branch(c *ir.Value, yes, no label, yesNext, noNext bool) {
	if !c.Fused {
		if c.Op == ir.Const {
			if c.Imm == 0 {
				yes = no
			}
			e.jump(yes)
			return
		}
		o := e.where(c)
		if o.isReg {
			e.ins(form{opcode: []byte{0x85}}, o.reg, o)
		} else {
			e.opImm(opCmp, true, o, 0)
		}
		e.jumps(ifNotE, ifEqual, yes, no, yesNext, noNext)
		return
	}
	x, y := c.Args[0], c.Args[1]
	if x.Kind.IsFloat() {
		e.branchFloat(c, yes, no, noNext)
		return
	}
	cond := e.compare(c.Op, x, y)
	e.jumps(cond, cond^1, yes, no, yesNext, noNext)
}

func (e *emitter) jumps(cond, inverse byte, yes, no label, yesNext, noNext bool) {
	switch {
	case yesNext:
		e.jumpIf(inverse, no)
	case noNext:
		e.jumpIf(cond, yes)
	default:
		e.jumpIf(cond, yes)
		e.jump(no)
	}
}

// compare sets the flags and returns the condition under which the comparison is true.
func (e *emitter) compare(op ir.Op, x, y *ir.Value) byte {
	if x.Op == ir.Const && y.Op != ir.Const {
		x, y = y, x
		op = map[ir.Op]ir.Op{ir.Eq: ir.Eq, ir.Ne: ir.Ne, ir.Lt: ir.Gt, ir.Gt: ir.Lt, ir.Le: ir.Ge, ir.Ge: ir.Le}[op]
	}
	e.flags(x, y)
	if x.Kind.Signed() {
		return map[ir.Op]byte{ir.Eq: ifEqual, ir.Ne: ifNotE, ir.Lt: ifLess, ir.Le: ifNotG, ir.Gt: ifGreater,
			ir.Ge: ifNotL}[op]
	}
	return map[ir.Op]byte{ir.Eq: ifEqual, ir.Ne: ifNotE, ir.Lt: ifBelow, ir.Le: ifNotA, ir.Gt: ifAbove,
		ir.Ge: ifNotB}[op]
}

// flags compares two integers.
func (e *emitter) flags(x, y *ir.Value) {
	o := e.operandOf(x, rax)
	switch {
	case isImm(y) && y.Imm == 0 && o.isReg:
		e.ins(form{wide: true, opcode: []byte{0x85}}, o.reg, o)
	case isImm(y):
		e.opImm(opCmp, true, o, int(y.Imm))
	case o.isReg:
		e.op(opCmp, true, o.reg, e.operandOf(y, rcx))
	default:
		e.load(rax, o)
		e.op(opCmp, true, rax, e.operandOf(y, rcx))
	}
}

// branchFloat jumps as a comparison of floats tells, which is false for a NaN, but for !=.
func (e *emitter) branchFloat(c *ir.Value, yes, no label, noNext bool) {
	switch c.Op {
	case ir.Eq, ir.Ne:
		e.flagsFloat(c.Args[0], c.Args[1])
		if c.Op == ir.Ne {
			e.jumpIf(ifNotE, yes)
			e.jumpIf(ifParity, yes)
		} else {
			e.jumpIf(ifParity, no)
			e.jumpIf(ifEqual, yes)
		}
	default:
		e.jumpIf(e.orderFloat(c), yes)
	}
	if !noNext {
		e.jump(no)
	}
}

// orderFloat sets the flags for an order and returns the condition under which it holds.
func (e *emitter) orderFloat(c *ir.Value) byte {
	x, y := c.Args[0], c.Args[1]
	if c.Op == ir.Lt || c.Op == ir.Le {
		x, y = y, x
	}
	e.flagsFloat(x, y)
	if c.Op == ir.Lt || c.Op == ir.Gt {
		return ifAbove
	}
	return ifNotB
}

func (e *emitter) flagsFloat(x, y *ir.Value) {
	prefix := byte(0x66)
	if x.Kind == ir.Float32 {
		prefix = 0
	}
	e.sse(prefix, 0x2E, e.floatReg(x), e.where(y))
}

// call calls a function of the session through its entry. Its results are the values that follow.
func (e *emitter) call(v *ir.Value, rest []*ir.Value) {
	saved := e.r.Saved[v]
	for i, x := range saved {
		e.moves([]move{{to: e.saved(i), from: e.r.Places[x.ID], kind: x.Kind}})
	}
	var list []move
	class := [2]int{}
	for _, x := range v.Args {
		c := classOf(x.Kind)
		list = e.moveTo(list, regalloc.Reg(class[c]), x)
		class[c]++
	}
	e.moves(list)
	switch v.Proc {
	case ir.AtAddress:
		e.loadImm(rax, v.Imm)
		e.load(rax, at(rax, 0))
	case ir.OfClosure:
		e.load(rax, at(ints[class[0]-1], int(v.Imm)))
	default:
		e.loadImm(rax, int64(e.proc(v.Proc)))
	}
	e.callAt(at(rax, 0))
	e.stop(v)
	list = nil
	for _, r := range rest {
		if r.Op != ir.Result || r.Args[0] != v {
			break
		}
		if to := e.r.Places[r.ID]; to != regalloc.Nowhere {
			list = append(list, move{to: to, from: regalloc.Reg(r.Size), kind: r.Kind})
		}
	}
	e.moves(list)
	for i, x := range saved {
		e.moves([]move{{to: e.r.Places[x.ID], from: e.saved(i), kind: x.Kind}})
	}
}

// saved is where a cold call saves the i-th of the registers.
func (e *emitter) saved(i int) regalloc.Place { return regalloc.Slot(e.r.Slots - e.r.MostSaved + i) }

// stop notes the address after a call, and which pointers are live there.
func (e *emitter) stop(v *ir.Value) {
	s := Stop{Offset: len(e.code), Site: v.Site, Frame: e.frame}
	for _, p := range e.r.Pointers[v] {
		place := e.r.Places[p.ID]
		if i := slices.Index(e.r.Saved[v], p); i >= 0 {
			place = e.saved(i)
		}
		if r, ok := place.IsReg(); ok {
			s.Pointers = append(s.Pointers, Pointer{InRegister: true, At: r})
		} else if i, ok := place.IsSlot(); ok {
			s.Pointers = append(s.Pointers, Pointer{At: 8 * i})
		}
	}
	e.stops = append(e.stops, s)
}

// argument stores an operand for Go code.
func (e *emitter) argument(i int, v *ir.Value) {
	to := at(r15, enter.ArgsAt+8*i)
	switch {
	case v.Kind.IsFloat():
		e.getFloat(x14, v)
		e.sse(0xF2, 0x11, x14, to)
	case isImm(v):
		e.storeImm(to, int(v.Imm))
	default:
		e.store(to, e.inRegister(v, rax))
	}
}

// leave has Go code do something, with operands in the context. All registers are as before when it returns.
func (e *emitter) leave(v *ir.Value) {
	for i, x := range v.Args {
		e.argument(i, x)
	}
	from := enter.LeaveAt
	if do := e.f.Sites[v.Site].Do; do != nil {
		e.loadImm(rdx, int64(uintptr(do)))
		if from = enter.RequestAt; e.fewer {
			from = enter.FewerAt
		}
	}
	e.leaveBy(from)
	e.stop(v)
}

func (e *emitter) leaveResult(v *ir.Value) {
	from := at(r15, enter.ResultsAt+8*int(v.Imm))
	if v.Kind.IsFloat() {
		e.sse(0xF2, 0x10, x14, from)
		e.put(v, x14)
		return
	}
	reg := e.target(v, rax)
	e.load(reg, from)
	e.put(v, reg)
}
