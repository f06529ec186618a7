package amd64

import (
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// integer computes a value of an integer.
func (e *emitter) integer(v *ir.Value) {
	switch v.Op {
	case ir.Add, ir.Sub, ir.And, ir.Or, ir.Xor:
		e.arithmetic(v)
	case ir.Mul:
		e.multiply(v)
	case ir.AndNot:
		e.get(rax, v.Args[1])
		e.ins(form{wide: true, opcode: []byte{0xF7}}, 2, inReg(rax))
		e.op(opAnd, true, rax, e.operandOf(v.Args[0], rcx))
		e.put(v, rax)
	case ir.Neg, ir.Com:
		digit := 3
		if v.Op == ir.Com {
			digit = 2
		}
		reg := e.target(v, rax)
		e.get(reg, v.Args[0])
		e.ins(form{wide: true, opcode: []byte{0xF7}}, digit, inReg(reg))
		e.normalizeTo(v, reg)
	case ir.Shl, ir.Shr:
		e.shiftBy(v)
	case ir.Div, ir.Rem:
		e.divide(v)
	default:
		panic("native: no instruction")
	}
}

// normalizeTo stores a result of 64 bits.
func (e *emitter) normalizeTo(v *ir.Value, reg int) {
	if v.Kind.Size() < 8 {
		e.normalize(v.Kind, reg)
	}
	e.put(v, reg)
}

func (e *emitter) arithmetic(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	op := map[ir.Op]byte{ir.Add: opAdd, ir.Sub: opSub, ir.And: opAnd, ir.Or: opOr, ir.Xor: opXor}[v.Op]
	reg := e.target(v, rax)
	inReg2 := func(x *ir.Value) (int, bool) {
		if x.Op == ir.Const {
			return 0, false
		}
		o := e.where(x)
		return o.reg, o.isReg
	}
	xr, xIn := inReg2(x)
	yr, yIn := inReg2(y)
	full := v.Kind.Size() == 8
	switch {
	case v.Op == ir.Add && xIn && isImm(y) && xr != reg:
		e.lea(reg, at(xr, int(y.Imm)))
	case v.Op == ir.Add && xIn && yIn && xr != reg && yr != reg:
		e.lea(reg, operand{base: xr, index: yr, scale: 1})
	case isImm(y):
		e.get(reg, x)
		e.opImm(op, true, inReg(reg), int(y.Imm))
	case yIn && yr == reg && v.Op != ir.Sub:
		e.op(op, true, reg, e.operandOf(x, rcx))
	case yIn && yr == reg && xr != yr:
		e.get(rax, x)
		e.op(op, true, rax, inReg(yr))
		reg = rax
	default:
		o := e.operandOf(y, rcx)
		e.get(reg, x)
		e.op(op, true, reg, o)
	}
	if full || v.Op == ir.And || v.Op == ir.Or || v.Op == ir.Xor {
		e.put(v, reg)
		return
	}
	e.normalizeTo(v, reg)
}

func (e *emitter) multiply(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	reg := e.target(v, rax)
	switch {
	case isImm(y) && (y.Imm == 2 || y.Imm == 3 || y.Imm == 4 || y.Imm == 5 || y.Imm == 8 || y.Imm == 9):
		r := e.inRegister(x, rcx)
		switch y.Imm {
		case 2:
			e.lea(reg, operand{base: r, index: r, scale: 1})
		case 4, 8:
			e.load(reg, inReg(r))
			e.shiftImm(4, reg, map[int64]int{4: 2, 8: 3}[y.Imm])
		default:
			e.lea(reg, operand{base: r, index: r, scale: uint8(y.Imm - 1)})
		}
	case isImm(y):
		e.ins(form{wide: true, opcode: []byte{0x69}, imm: 4}, reg, e.operandOf(x, rcx))
		e.imm32(int(y.Imm))
	default:
		if o := e.operandOf(y, rcx); o.isReg && o.reg == reg {
			e.ins(form{wide: true, opcode: []byte{0x0F, 0xAF}}, reg, e.operandOf(x, rax))
		} else {
			e.get(reg, x)
			e.ins(form{wide: true, opcode: []byte{0x0F, 0xAF}}, reg, o)
		}
	}
	e.normalizeTo(v, reg)
}

// shiftBy shifts as Go does: by 64 and more, too.
func (e *emitter) shiftBy(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	digit := 4
	if v.Op == ir.Shr {
		digit = 5
		if v.Kind.Signed() {
			digit = 7
		}
	}
	reg := e.target(v, rdx)
	if y.Op == ir.Const {
		n := uint64(y.Imm)
		switch {
		case n < 64:
			e.get(reg, x)
			e.shiftImm(digit, reg, int(n))
		case digit == 7:
			e.get(reg, x)
			e.shiftImm(digit, reg, 63)
		default:
			e.loadImm(reg, 0)
		}
		e.normalizeTo(v, reg)
		return
	}
	small := y.Op == ir.And && y.Args[1].Op == ir.Const && y.Args[1].Imm >= 0 && y.Args[1].Imm < 64
	e.get(rcx, y)
	if digit == 7 && !small { // a longer one gives what 63 gives
		e.loadImm(rax, 63)
		e.op(opCmp, true, rcx, inReg(rax))
		e.ins(form{wide: true, opcode: []byte{0x0F, 0x40 | ifAbove}}, rcx, inReg(rax))
	}
	e.get(reg, x)
	e.shift(digit, reg)
	if digit != 7 && !small {
		e.opImm(opCmp, true, inReg(rcx), 64)
		e.op(3, true, rax, inReg(rax)) // sbb: all ones for a count below 64
		e.op(opAnd, true, reg, inReg(rax))
	}
	e.normalizeTo(v, reg)
}

// divide divides; the divisor is not 0. The processor traps where the quotient of the least number and -1 has no room.
func (e *emitter) divide(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	wide := v.Kind.Size() == 8
	result := rax
	if v.Op == ir.Rem {
		result = rdx
	}
	var d operand
	if y.Op == ir.Const {
		e.loadImm(rcx, y.Imm)
		d = inReg(rcx)
	} else {
		d = e.where(y)
	}
	e.get(rax, x)
	done := e.newLabel()
	if v.Kind.Signed() {
		mayTrap := v.Kind.Size() >= 4 && (y.Op != ir.Const || y.Imm == -1)
		ordinary := e.newLabel()
		if mayTrap {
			e.opImm(opCmp, true, d, -1)
			e.jumpIf(ifNotE, ordinary)
			if v.Op == ir.Div {
				e.ins(form{wide: true, opcode: []byte{0xF7}}, 3, inReg(rax))
			} else {
				e.loadImm(rdx, 0)
			}
			e.jump(done)
			e.bind(ordinary)
		}
		if wide {
			e.bytes(0x48)
		}
		e.bytes(0x99)
		e.ins(form{wide: wide, opcode: []byte{0xF7}}, 7, d)
	} else {
		e.op(opXor, false, rdx, inReg(rdx))
		e.ins(form{wide: wide, opcode: []byte{0xF7}}, 6, d)
	}
	e.bind(done)
	e.normalizeTo(v, result)
}
