package amd64

import (
	"math"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// prefixOf tells instructions of floats of 64 and of 32 bits apart.
func prefixOf(k ir.Kind) byte {
	if k == ir.Float32 {
		return 0xF3
	}
	return 0xF2
}

func (e *emitter) floatTarget(v *ir.Value, scratch int) int {
	if o := e.where(v); o.isReg {
		return o.reg
	}
	return scratch
}

// float computes a sum, a difference, a product, a quotient or a negative.
func (e *emitter) float(v *ir.Value) {
	if v.Op == ir.Neg {
		e.unaryFloat(v)
		return
	}
	opcode, ok := map[ir.Op]byte{ir.Add: 0x58, ir.Mul: 0x59, ir.Sub: 0x5C, ir.Div: 0x5E}[v.Op]
	if !ok {
		panic("native: no instruction of floats")
	}
	x, y := v.Args[0], v.Args[1]
	reg := e.floatTarget(v, x14)
	o := e.where(y)
	if o.isReg && o.reg == reg {
		if xo := e.where(x); (v.Op == ir.Add || v.Op == ir.Mul) && xo.isReg {
			e.sse(prefixOf(v.Kind), opcode, reg, xo)
			e.put(v, reg)
			return
		}
		reg = x14
	}
	e.getFloat(reg, x)
	e.sse(prefixOf(v.Kind), opcode, reg, o)
	e.put(v, reg)
}

func (e *emitter) unaryFloat(v *ir.Value) {
	x := v.Args[0]
	reg := e.floatTarget(v, x14)
	if v.Op == ir.Sqrt {
		e.getFloat(x13, x)
		e.sse(prefixOf(v.Kind), 0x51, reg, inReg(x13))
		e.put(v, reg)
		return
	}
	sign := uint64(1) << 63
	if v.Kind == ir.Float32 {
		sign = 1 << 31
	}
	opcode := byte(0x57) // xorps
	if v.Op == ir.Abs {
		opcode, sign = 0x54, ^sign
		if v.Kind == ir.Float32 {
			sign = 1<<31 - 1
		}
	}
	e.sse(0xF2, 0x10, x13, e.constant(sign))
	e.getFloat(reg, x)
	e.sse(0, opcode, reg, inReg(x13))
	e.put(v, reg)
}

// bits gives the same bits another kind.
func (e *emitter) bits(v *ir.Value) {
	x := v.Args[0]
	switch {
	case v.Kind.IsFloat() == x.Kind.IsFloat() && v.Kind.IsFloat():
		e.getFloat(x14, x)
		e.put(v, x14)
	case v.Kind.IsFloat():
		e.get(rax, x)
		e.ins(form{prefix: 0x66, wide: true, opcode: []byte{0x0F, 0x6E}}, x14, inReg(rax))
		e.put(v, x14)
	case x.Kind.IsFloat():
		e.getFloat(x14, x)
		e.ins(form{prefix: 0x66, wide: true, opcode: []byte{0x0F, 0x7E}}, x14, inReg(rax))
		e.normalizeTo(v, rax)
	default:
		reg := e.target(v, rax)
		e.get(reg, x)
		e.normalizeTo(v, reg)
	}
}

// convert converts between kinds.
func (e *emitter) convert(v *ir.Value) {
	x := v.Args[0]
	switch from, to := x.Kind, v.Kind; {
	case from.IsFloat() && to.IsFloat():
		reg := e.floatTarget(v, x14)
		o := e.where(x)
		if from == to {
			e.getFloat(reg, x)
		} else {
			if !o.isReg {
				e.getFloat(x13, x)
				o = inReg(x13)
			}
			e.sse(prefixOf(from), 0x5A, reg, o)
		}
		e.put(v, reg)
	case from.IsFloat():
		o := e.where(x)
		if !o.isReg {
			e.getFloat(x14, x)
			o = inReg(x14)
		}
		e.ins(form{prefix: prefixOf(from), wide: to.Size() == 8, opcode: []byte{0x0F, 0x2C}}, rax, o)
		if to.Size() < 8 {
			e.normalize(to, rax)
		}
		e.put(v, rax)
	case to.IsFloat():
		e.floatOfInteger(v, x)
	default:
		reg := e.target(v, rax)
		if x.Op == ir.Const {
			e.loadImm(reg, ir.Wrap(to, x.Imm))
			e.put(v, reg)
			return
		}
		e.extendTo(to, reg, x)
		e.put(v, reg)
	}
}

// extendTo loads an integer as one of another kind.
func (e *emitter) extendTo(k ir.Kind, reg int, x *ir.Value) {
	o := e.where(x)
	if k.Size() == 8 {
		e.load(reg, o)
		return
	}
	if !o.isReg { // a word of the frame has all 64 bits
		e.load(reg, o)
		o = inReg(reg)
	}
	e.extend(k, reg, o)
}

func (e *emitter) floatOfInteger(v, x *ir.Value) {
	reg := e.floatTarget(v, x14)
	r := e.inRegister(x, rax)
	form := form{prefix: prefixOf(v.Kind), wide: true, opcode: []byte{0x0F, 0x2A}}
	e.sse(0, 0x57, reg, inReg(reg)) // the instruction leaves the rest of the register as it is
	if x.Kind != ir.Uint64 {
		e.ins(form, reg, inReg(r))
		e.put(v, reg)
		return
	}
	// Half of a large number, with the last bit kept for rounding, and twice the result.
	large, done := e.newLabel(), e.newLabel()
	e.ins(form0x85, r, inReg(r))
	e.jumpIf(8, large) // negative
	e.ins(form, reg, inReg(r))
	e.jump(done)
	e.bind(large)
	e.load(rcx, inReg(r))
	e.load(rdx, inReg(r))
	e.shiftImm(5, rcx, 1)
	e.opImm(opAnd, false, inReg(rdx), 1)
	e.op(opOr, true, rcx, inReg(rdx))
	e.ins(form, reg, inReg(rcx))
	e.sse(prefixOf(v.Kind), 0x58, reg, inReg(reg))
	e.bind(done)
	e.put(v, reg)
}

var form0x85 = form{wide: true, opcode: []byte{0x85}}

// FloatBits is a constant of a float.
func FloatBits(k ir.Kind, f float64) int64 {
	if k == ir.Float32 {
		return int64(math.Float32bits(float32(f)))
	}
	return int64(math.Float64bits(f))
}
