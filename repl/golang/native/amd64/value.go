package amd64

import (
	"math"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// value computes a value in its place.
func (e *emitter) value(v *ir.Value) {
	switch v.Op {
	case ir.Load:
		e.loadValue(v)
	case ir.Store:
		e.storeValue(v)
	case ir.Zero:
		e.zero(v)
	case ir.Check:
		e.check(v)
	case ir.Poll:
		e.poll(v)
	case ir.Leave:
		e.leave(v)
	case ir.Compare:
		for i, x := range v.Args {
			e.argument(i, x)
		}
		e.callAt(at(r15, enter.CompareAt))
		e.put(v, rax)
	case ir.Convert:
		e.convert(v)
	case ir.Bits:
		e.bits(v)
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		e.truth(v)
	case ir.Sqrt, ir.Abs:
		e.unaryFloat(v)
	default:
		if v.Kind.IsFloat() {
			e.float(v)
		} else {
			e.integer(v)
		}
	}
}

// truth makes a boolean of a comparison.
func (e *emitter) truth(v *ir.Value) {
	x := v.Args[0]
	switch {
	case x.Kind.IsFloat() && (v.Op == ir.Eq || v.Op == ir.Ne):
		e.flagsFloat(x, v.Args[1])
		if v.Op == ir.Eq { // equal and ordered
			e.setIf(ifEqual, rax)
			e.setIf(ifNoPar, rcx)
			e.op(opAnd, false, rax, inReg(rcx))
		} else {
			e.setIf(ifNotE, rax)
			e.setIf(ifParity, rcx)
			e.op(opOr, false, rax, inReg(rcx))
		}
	case x.Kind.IsFloat():
		e.setIf(e.orderFloat(v), rax)
	default:
		e.setIf(e.compare(v.Op, x, v.Args[1]), rax)
	}
	e.put(v, rax)
}

// setIf makes a register 1 or 0.
func (e *emitter) setIf(cond byte, reg int) {
	e.ins(form{opcode: []byte{0x0F, 0x90 | cond}, byteOp: true}, 0, inReg(reg))
	e.ins(form{opcode: []byte{0x0F, 0xB6}, byteOp: true}, reg, inReg(reg))
}

// normalize extends a register to 64 bits as the kind says.
func (e *emitter) normalize(k ir.Kind, reg int) { e.extend(k, reg, inReg(reg)) }

// extend loads an integer of a kind into a register.
func (a *assembler) extend(k ir.Kind, reg int, o operand) {
	switch k {
	case ir.Int8:
		a.ins(form{wide: true, opcode: []byte{0x0F, 0xBE}, byteOp: o.isReg}, reg, o)
	case ir.Int16:
		a.ins(form{wide: true, opcode: []byte{0x0F, 0xBF}}, reg, o)
	case ir.Int32:
		a.ins(form{wide: true, opcode: []byte{0x63}}, reg, o)
	case ir.Uint8, ir.Bool:
		a.ins(form{opcode: []byte{0x0F, 0xB6}, byteOp: o.isReg}, reg, o)
	case ir.Uint16:
		a.ins(form{opcode: []byte{0x0F, 0xB7}}, reg, o)
	case ir.Uint32:
		a.ins(form{opcode: []byte{0x8B}}, reg, o)
	default:
		a.load(reg, o)
	}
}

// address is the operand of a Load or Store. It may use RCX and RDX.
func (e *emitter) address(v *ir.Value, args []*ir.Value) operand {
	o := operand{index: -1, disp: int(v.Imm)}
	if args[0].Op == ir.Frame {
		o.base, o.disp = rsp, o.disp+e.memory+int(args[0].Imm)
	} else {
		o.base = e.inRegister(args[0], rdx)
	}
	if len(args) > 1 {
		if x := args[1]; x.Op == ir.Const {
			n := x.Imm * int64(v.Scale)
			if d := n + int64(o.disp); d >= math.MinInt32 && d <= math.MaxInt32 {
				o.disp = int(d)
				return o
			}
		}
		o.index, o.scale = e.inRegister(args[1], rcx), v.Scale
	}
	return o
}

func (e *emitter) loadValue(v *ir.Value) {
	o := e.address(v, v.Args)
	switch v.Kind {
	case ir.Float64, ir.Float32:
		reg := x14
		if t := e.where(v); t.isReg {
			reg = t.reg
		}
		prefix := byte(0xF2)
		if v.Kind == ir.Float32 {
			prefix = 0xF3
		}
		e.sse(prefix, 0x10, reg, o)
		e.put(v, reg)
	default:
		reg := e.target(v, rax)
		e.extend(v.Kind, reg, o)
		e.put(v, reg)
	}
}

func (e *emitter) storeValue(v *ir.Value) {
	x := v.Args[len(v.Args)-1]
	o := e.address(v, v.Args[:len(v.Args)-1])
	if v.Kind.IsFloat() {
		prefix := byte(0xF2)
		if v.Kind == ir.Float32 {
			prefix = 0xF3
		}
		e.sse(prefix, 0x11, e.floatReg(x), o)
		return
	}
	e.storeSized(v.Kind.Size(), o, e.inRegister(x, rax))
}

// storeSized writes the low bytes of a register.
func (a *assembler) storeSized(size int, o operand, reg int) {
	switch size {
	case 1:
		a.ins(form{opcode: []byte{0x88}, byteOp: true}, reg, o)
	case 2:
		a.ins(form{prefix: 0x66, opcode: []byte{0x89}}, reg, o)
	case 4:
		a.ins(form{opcode: []byte{0x89}}, reg, o)
	default:
		a.store(o, reg)
	}
}

// zero clears memory of the frame, word by word; large pieces in a loop.
func (e *emitter) zero(v *ir.Value) {
	from, words := e.memory+int(v.Imm), (v.Size+7)/8
	if words <= 8 {
		for i := range words {
			e.storeImm(at(rsp, from+8*i), 0)
		}
		return
	}
	e.lea(rdx, at(rsp, from))
	e.loadImm(rcx, int64(words))
	e.op(opXor, false, rax, inReg(rax))
	loop := e.newLabel()
	e.bind(loop)
	e.store(operand{base: rdx, index: rcx, scale: 8, disp: -8}, rax)
	e.opImm(opSub, true, inReg(rcx), 1)
	e.jumpIf(ifNotE, loop)
}

// check leaves the function unless a test holds.
func (e *emitter) check(v *ir.Value) {
	var fails byte
	switch v.Test {
	case ir.IndexTest:
		fails = e.compare(ir.Ge, v.Args[0], v.Args[1])
		fails = unsignedCondition(fails)
	case ir.UpToTest:
		fails = unsignedCondition(e.compare(ir.Gt, v.Args[0], v.Args[1]))
	case ir.NilTest, ir.DivideTest:
		e.flags(v.Args[0], &ir.Value{Op: ir.Const, Kind: v.Args[0].Kind})
		fails = ifEqual
	case ir.ShiftTest:
		e.flags(v.Args[0], &ir.Value{Op: ir.Const, Kind: v.Args[0].Kind})
		fails = ifLess
	}
	out := e.newLabel()
	e.jumpIf(fails, out)
	e.later = append(e.later, func() {
		e.bind(out)
		e.leave(v)
		e.bytes(0x0F, 0x0B)
	})
}

// unsignedCondition is a condition of signed integers for unsigned ones.
func unsignedCondition(c byte) byte {
	switch c {
	case ifLess:
		return ifBelow
	case ifNotL:
		return ifNotB
	case ifGreater:
		return ifAbove
	case ifNotG:
		return ifNotA
	}
	return c
}

// poll leaves when the runtime asks the goroutine to stop; the first value of a function, also when there is too little
// stack for what it calls.
func (e *emitter) poll(v *ir.Value) {
	out, back := e.newLabel(), e.newLabel()
	if v.Imm == 1 {
		e.op(opCmp, true, rsp, at(r15, enter.LimitAt))
		e.jumpIf(ifBelow, out)
	}
	e.opImm(opCmp, true, at(r14, enter.PreemptAt), enter.Preempt)
	e.jumpIf(ifEqual, out)
	e.bind(back)
	e.later = append(e.later, func() {
		e.bind(out)
		e.leave(v)
		e.jump(back)
	})
}
