package amd64

import (
	"encoding/binary"
	"math"
)

// The registers, by their numbers in instructions.
const (
	rax = iota
	rcx
	rdx
	rbx
	rsp
	rbp
	rsi
	rdi
	r8
	r9
	r10
	r11
	r12
	r13
	r14
	r15
)

// operand is a register, or memory: [base + index*scale + disp], or what is at a label.
type operand struct {
	isReg             bool
	reg               int
	base, index, disp int // index < 0: none
	scale             uint8
	label             label // of constants, where base < 0
}

func inReg(r int) operand { return operand{isReg: true, reg: r} }

func at(base, disp int) operand { return operand{base: base, index: -1, disp: disp} }

// label is a place in the code, which may come later.
type label int

// assembler writes instructions.
type assembler struct {
	code   []byte
	labels []int // offsets, -1 before they are bound
	fixups []fixup
}

// fixup is a 32-bit distance to a label, from the end of the instruction.
type fixup struct {
	at, end int
	to      label
}

func (a *assembler) newLabel() label {
	a.labels = append(a.labels, -1)
	return label(len(a.labels) - 1)
}

func (a *assembler) bind(l label) { a.labels[l] = len(a.code) }

// resolve fills in the distances to labels.
func (a *assembler) resolve() {
	for _, f := range a.fixups {
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(int32(a.labels[f.to]-f.end)))
	}
	a.fixups = nil
}

func (a *assembler) bytes(b ...byte) { a.code = append(a.code, b...) }

func (a *assembler) imm32(n int) { a.code = binary.LittleEndian.AppendUint32(a.code, uint32(int32(n))) }

// form is what an instruction has besides its operands.
type form struct {
	prefix byte // 0: none
	wide   bool // REX.W
	opcode []byte
	byteOp bool // the register operand is a byte
	imm    int  // bytes of an immediate that follows
}

// ins writes an instruction with a register, or a digit of the opcode, and an operand.
func (a *assembler) ins(f form, reg int, o operand) {
	if f.prefix != 0 {
		a.bytes(f.prefix)
	}
	rex := byte(0)
	if f.wide {
		rex |= 8
	}
	if reg >= 8 {
		rex |= 4
	}
	switch {
	case o.isReg && o.reg >= 8 || !o.isReg && o.base >= 8:
		rex |= 1
	}
	if !o.isReg && o.index >= 8 {
		rex |= 2
	}
	if rex != 0 || f.byteOp && (reg >= 4 || o.isReg && o.reg >= 4) {
		a.bytes(0x40 | rex)
	}
	a.bytes(f.opcode...)
	a.modRM(f, byte(reg&7), o)
}

func (a *assembler) modRM(f form, reg byte, o operand) {
	if o.isReg {
		a.bytes(0xC0 | reg<<3 | byte(o.reg&7))
		return
	}
	if o.base < 0 { // relative to the next instruction
		a.bytes(reg<<3 | 5)
		a.fixups = append(a.fixups, fixup{len(a.code), len(a.code) + 4 + f.imm, o.label})
		a.imm32(0)
		return
	}
	mod := byte(0)
	switch {
	case o.disp == 0 && o.base&7 != rbp:
	case o.disp >= math.MinInt8 && o.disp <= math.MaxInt8:
		mod = 1
	default:
		mod = 2
	}
	if o.index >= 0 || o.base&7 == rsp {
		sib := byte(rsp<<3) | byte(o.base&7)
		if o.index >= 0 {
			sib = map[uint8]byte{1: 0, 2: 1, 4: 2, 8: 3}[o.scale]<<6 | byte(o.index&7)<<3 | byte(o.base&7)
		}
		a.bytes(mod<<6|reg<<3|4, sib)
	} else {
		a.bytes(mod<<6 | reg<<3 | byte(o.base&7))
	}
	switch mod {
	case 1:
		a.bytes(byte(int8(o.disp)))
	case 2:
		a.imm32(o.disp)
	}
}

// The codes of conditions.
const (
	ifBelow   = 2
	ifNotB    = 3
	ifEqual   = 4
	ifNotE    = 5
	ifNotA    = 6
	ifAbove   = 7
	ifParity  = 10
	ifNoPar   = 11
	ifLess    = 12
	ifNotL    = 13
	ifNotG    = 14
	ifGreater = 15
)

func (a *assembler) jump(to label) {
	a.bytes(0xE9)
	a.fixups = append(a.fixups, fixup{len(a.code), len(a.code) + 4, to})
	a.imm32(0)
}

func (a *assembler) jumpIf(cond byte, to label) {
	a.bytes(0x0F, 0x80|cond)
	a.fixups = append(a.fixups, fixup{len(a.code), len(a.code) + 4, to})
	a.imm32(0)
}

func (a *assembler) callAt(o operand) { a.ins(form{opcode: []byte{0xFF}}, 2, o) }

func (a *assembler) jumpAt(o operand) { a.ins(form{opcode: []byte{0xFF}}, 4, o) }

// push is for the first eight registers.
func (a *assembler) push(reg int) { a.bytes(0x50 | byte(reg)) }

func (a *assembler) pop(reg int) { a.bytes(0x58 | byte(reg)) }

func (a *assembler) ret() { a.bytes(0xC3) }

// The operations of two operands by the digit that their forms with an immediate have.
const (
	opAdd = 0
	opOr  = 1
	opAnd = 4
	opSub = 5
	opXor = 6
	opCmp = 7
)

// op computes reg = reg op o.
func (a *assembler) op(op byte, wide bool, reg int, o operand) {
	a.ins(form{wide: wide, opcode: []byte{op<<3 | 3}}, reg, o)
}

// opImm computes o = o op n.
func (a *assembler) opImm(op byte, wide bool, o operand, n int) {
	if n >= math.MinInt8 && n <= math.MaxInt8 {
		a.ins(form{wide: wide, opcode: []byte{0x83}, imm: 1}, int(op), o)
		a.bytes(byte(int8(n)))
		return
	}
	a.ins(form{wide: wide, opcode: []byte{0x81}, imm: 4}, int(op), o)
	a.imm32(n)
}

func (a *assembler) load(reg int, o operand) {
	if o.isReg && o.reg == reg {
		return
	}
	a.ins(form{wide: true, opcode: []byte{0x8B}}, reg, o)
}

func (a *assembler) store(o operand, reg int) { a.ins(form{wide: true, opcode: []byte{0x89}}, reg, o) }

func (a *assembler) lea(reg int, o operand) { a.ins(form{wide: true, opcode: []byte{0x8D}}, reg, o) }

// loadImm sets a register to a constant, without changing the flags.
func (a *assembler) loadImm(reg int, n int64) {
	switch {
	case n >= 0 && n <= math.MaxUint32:
		if reg >= 8 {
			a.bytes(0x41)
		}
		a.bytes(0xB8 | byte(reg&7))
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(n))
	case n >= math.MinInt32 && n < 0:
		a.ins(form{wide: true, opcode: []byte{0xC7}, imm: 4}, 0, inReg(reg))
		a.imm32(int(n))
	default:
		rex := byte(0x48)
		if reg >= 8 {
			rex |= 1
		}
		a.bytes(rex, 0xB8|byte(reg&7))
		a.code = binary.LittleEndian.AppendUint64(a.code, uint64(n))
	}
}

// storeImm writes a constant of 32 bits that is extended to 64.
func (a *assembler) storeImm(o operand, n int) {
	a.ins(form{wide: true, opcode: []byte{0xC7}, imm: 4}, 0, o)
	a.imm32(n)
}

// shiftImm shifts a register by a constant; digit 4 is left, 5 right without the sign, 7 with it.
func (a *assembler) shiftImm(digit, reg, n int) {
	a.ins(form{wide: true, opcode: []byte{0xC1}, imm: 1}, digit, inReg(reg))
	a.bytes(byte(n))
}

// shift shifts a register by CL.
func (a *assembler) shift(digit, reg int) {
	a.ins(form{wide: true, opcode: []byte{0xD3}}, digit, inReg(reg))
}

// sse writes an instruction of floats; prefix F2 is of 64 bits, F3 of 32.
func (a *assembler) sse(prefix, opcode byte, reg int, o operand) {
	a.ins(form{prefix: prefix, opcode: []byte{0x0F, opcode}}, reg, o)
}

func (a *assembler) moveFloat(reg int, from int) {
	if reg != from {
		a.sse(0, 0x28, reg, inReg(from))
	}
}
