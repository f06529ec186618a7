package hostcode

import "encoding/binary"

// Registers of amd64. The wave's address is in rbx.
const (
	rax = iota
	rcx
	rdx
	rbx
	rsi = 6
	rdi = 7
)

// rm is the operand of an instruction that may be in memory: a register, an offset from rbx, or a constant.
type rm struct {
	kind rmKind
	n    int
}

type rmKind uint8

const (
	inRegister rmKind = iota
	inWave            // n bytes behind rbx
	inPool            // the constant at n of the pool
	inWaveRCX         // n + 4·rcx bytes behind rbx
	inRCX             // n bytes behind rcx, and so on
	inRSI
	inRDI
	inRSIRAX // rsi + rax + n
	inRDIRCX // rdi + 4·rcx + n
)

// addressing has the one or two bytes that say where an operand in memory is, of which some have the first only.
var addressing = [...][]byte{inWave: {0x80 | rbx}, inWaveRCX: {0x84, 0x80 | rcx<<3 | rbx}, inRCX: {0x80 | rcx},
	inRSI: {0x80 | rsi}, inRDI: {0x80 | rdi}, inRSIRAX: {0x84, rax<<3 | rsi}, inRDIRCX: {0x84, 0x80 | rcx<<3 | rdi}}

func register(n int) rm { return rm{inRegister, n} }
func wave(at int) rm    { return rm{inWave, at} }

// asm appends instructions to a piece of code.
type asm struct {
	code  []byte
	pool  []byte
	fixes []fix
	known map[string]int // the place of each constant in the pool
}

// fix is a displacement that depends on where the pool is.
type fix struct{ at, end, n int }

func (a *asm) byte(b ...byte) { a.code = append(a.code, b...) }
func (a *asm) word(x uint32)  { a.code = binary.LittleEndian.AppendUint32(a.code, x) }

// constant puts a value into the pool, whose address relative to the code is known when both are complete.
func (a *asm) constant(b []byte) rm {
	at, ok := a.known[string(b)]
	if !ok {
		for len(a.pool)%len(b) != 0 {
			a.pool = append(a.pool, 0)
		}
		at = len(a.pool)
		a.pool = append(a.pool, b...)
		a.known[string(b)] = at
	}
	return rm{inPool, at}
}

// words is a constant of eight lanes.
func (a *asm) words(f func(lane int) uint32) rm {
	var b [32]byte
	for i := range 8 {
		binary.LittleEndian.PutUint32(b[4*i:], f(i))
	}
	return a.constant(b[:])
}

// same is a constant of eight equal lanes, sameWide one of four of 64 bits.
func (a *asm) same(x uint32) rm { return a.sameWide(uint64(x) | uint64(x)<<32) }

func (a *asm) sameWide(x uint64) rm {
	var b [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	return a.constant(b[:])
}

// one is a constant of 32 bits, oneWide one of 64.
func (a *asm) one(x uint32) rm {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], x)
	return a.constant(b[:])
}

func (a *asm) oneWide(x uint64) rm {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	return a.constant(b[:])
}

// modrm ends the operands of an instruction that has tail more bytes.
func (a *asm) modrm(reg int, m rm, tail int) { a.code = a.operands(a.code, reg, m, tail) }

func (a *asm) operands(code []byte, reg int, m rm, tail int) []byte {
	r, n := byte(reg&7)<<3, uint32(m.n)
	switch m.kind {
	case inRegister:
		return append(code, 0xc0|r|byte(m.n&7))
	case inPool:
		a.fixes = append(a.fixes, fix{len(code) + 1, len(code) + 5 + tail, m.n})
		return append(code, r|5, 0, 0, 0, 0)
	}
	if at := addressing[m.kind]; len(at) == 1 {
		return append(code, at[0]|r, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	} else {
		return append(code, at[0]|r, at[1], byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
}

// vop is the opcode of a vector instruction.
type vop struct {
	op     byte
	prefix byte // 0: none, 1: 66, 2: F3, 3: F2
	table  byte // 1: 0F, 2: 0F 38, 3: 0F 3A
	wide   byte // VEX.W
}

// vex appends a vector instruction of 256 bits with up to three operands; v is the second, 0 where there is none.
func (a *asm) vex(o vop, reg, v int, m rm, imm ...byte) { a.vexSize(1, o, reg, v, m, imm) }

// vexHalf is vex of 128 bits.
func (a *asm) vexHalf(o vop, reg, v int, m rm, imm ...byte) { a.vexSize(0, o, reg, v, m, imm) }

func (a *asm) vexSize(l byte, o vop, reg, v int, m rm, imm []byte) {
	b := byte(1)
	if m.kind == inRegister {
		b = byte(^m.n >> 3 & 1)
	}
	code := append(a.code, 0xc4, byte(^reg>>3&1)<<7|1<<6|b<<5|o.table, o.wide<<7|byte(^v&15)<<3|l<<2|o.prefix, o.op)
	a.code = append(a.operands(code, reg, m, len(imm)), imm...)
}

// alu appends an instruction of 32 bits with the opcode op, or of 64.
func (a *asm) alu(wide bool, reg int, m rm, op ...byte) {
	if wide {
		a.byte(0x48)
	}
	a.byte(op...)
	a.modrm(reg, m, 0)
}

// aluImm is alu with a number of 32 bits at the end; n is the opcode's extension.
func (a *asm) aluImm(wide bool, op byte, n int, m rm, x uint32) {
	if wide {
		a.byte(0x48)
	}
	a.byte(op)
	a.modrm(n, m, 4)
	a.word(x)
}

// patch makes a displacement of 32 bits lead to here, displace to code that is there.
func (a *asm) patch(at int) { a.displace(at, len(a.code)) }

func (a *asm) displace(at, to int) {
	binary.LittleEndian.PutUint32(a.code[at:], uint32(to-at-4))
}

// ahead emits a jump forwards on a condition, whose displacement is to be patched, and back one to code that is there.
func (a *asm) ahead(cond byte) int {
	a.byte(0x0f, 0x80|cond)
	a.word(0)
	return len(a.code) - 4
}

func (a *asm) back(cond byte, to int) {
	a.byte(0x0f, 0x80|cond)
	a.word(uint32(to - len(a.code) - 4))
}

// Opcodes of integer instructions.
const (
	opLoad, opStore, opStoreByte = 0x8b, 0x89, 0x88
	opAdd, opAdc, opSub, opSbb   = 0x03, 0x13, 0x2b, 0x1b
	opAnd, opOr, opXor, opCmp    = 0x23, 0x0b, 0x33, 0x3b
)

// Conditions of jumps and of setcc.
const (
	ifOverflow = 0x0
	ifCarry    = 0x2 // also: below
	ifNotCarry = 0x3
	ifZero     = 0x4
	ifNotZero  = 0x5
	ifNotAbove = 0x6
	ifAbove    = 0x7
	ifSign     = 0x8
	ifLess     = 0xc
	ifNotLess  = 0xd
	ifNotMore  = 0xe
	ifMore     = 0xf
)

// Opcodes of vector instructions. 8 and 4 stand for lanes of 32 and 64 bits.
var (
	vMovLoad  = vop{0x10, 0, 1, 0}
	vMovStore = vop{0x11, 0, 1, 0}
	vMov      = vop{0x28, 0, 1, 0}
	vSigns    = vop{0x50, 0, 1, 0}
	vAndF     = vop{0x54, 0, 1, 0}
	vOrF      = vop{0x56, 0, 1, 0}
	vXorF     = vop{0x57, 0, 1, 0}
	vAddF     = vop{0x58, 0, 1, 0}
	vMulF     = vop{0x59, 0, 1, 0}
	vSubF     = vop{0x5c, 0, 1, 0}
	vMinF     = vop{0x5d, 0, 1, 0}
	vMaxF     = vop{0x5f, 0, 1, 0}
	vCmpF     = vop{0xc2, 0, 1, 0}
	vShuffle  = vop{0xc6, 0, 1, 0}
	vFMA      = vop{0xb8, 1, 2, 0}
	vFMA4     = vop{0xb8, 1, 2, 1}
	vAddF4    = vop{0x58, 1, 1, 0}
	vMulF4    = vop{0x59, 1, 1, 0}
	vCmpF4    = vop{0xc2, 1, 1, 0}
	vDivF4    = vop{0x5e, 1, 1, 0}
	vSqrtF4   = vop{0x51, 1, 1, 0}
	vMinF4    = vop{0x5d, 1, 1, 0}
	vMaxF4    = vop{0x5f, 1, 1, 0}
	vSubF4    = vop{0x5c, 1, 1, 0}
	vFMA213   = vop{0xa8, 1, 2, 1} // of f64: the first times the second, plus the third
	vRound4   = vop{0x09, 1, 3, 0}
	vToI4     = vop{0xe6, 3, 1, 0} // four f64 to 32 bits
	vLong4    = vop{0x25, 1, 2, 0} // four numbers of 32 bits to 64
	vToF4     = vop{0x5a, 0, 1, 0} // four f32 to f64
	vFromF4   = vop{0x5a, 1, 1, 0} // and back
	vInsert   = vop{0x18, 1, 3, 0} // four lanes into the upper half
	vExtract  = vop{0x19, 1, 3, 0} // and out of it
	vFromHalf = vop{0x13, 1, 2, 0} // eight f16 to f32
	vPack     = vop{0x2b, 1, 2, 0}
	vPermute4 = vop{0x00, 1, 3, 1}
	vGather   = vop{0x90, 1, 2, 0}
	vTruncate = vop{0x5b, 2, 1, 0} // f32 to numbers of 32 bits
	vFromI    = vop{0x5b, 0, 1, 0}
	vBlend    = vop{0x4a, 1, 3, 0}
	vSpread   = vop{0x58, 1, 2, 0} // one value to all lanes

	vSpreadWide = vop{0x59, 1, 2, 0}

	vAnd     = vop{0xdb, 1, 1, 0}
	vAndNot  = vop{0xdf, 1, 1, 0}
	vOr      = vop{0xeb, 1, 1, 0}
	vXor     = vop{0xef, 1, 1, 0}
	vAdd8    = vop{0xfe, 1, 1, 0}
	vSub8    = vop{0xfa, 1, 1, 0}
	vMul8    = vop{0x40, 1, 2, 0}
	vEqual8  = vop{0x76, 1, 1, 0}
	vMore8   = vop{0x66, 1, 1, 0}
	vMinI8   = vop{0x39, 1, 2, 0}
	vMaxI8   = vop{0x3d, 1, 2, 0}
	vMinU8   = vop{0x3b, 1, 2, 0}
	vMaxU8   = vop{0x3f, 1, 2, 0}
	vShl8    = vop{0x47, 1, 2, 0}
	vShr8    = vop{0x45, 1, 2, 0}
	vSar8    = vop{0x46, 1, 2, 0}
	vShift8  = vop{0x72, 1, 1, 0} // by a number: 2 right, 4 right with the sign, 6 left
	vShift4  = vop{0x73, 1, 1, 0}
	vAdd4    = vop{0xd4, 1, 1, 0}
	vMulLow4 = vop{0xf4, 1, 1, 0} // of the low halves, unsigned
	vShl4    = vop{0x47, 1, 2, 1}
	vShr4    = vop{0x45, 1, 2, 1}
	vLow     = vop{0x62, 1, 1, 0} // interleaves words
	vHigh    = vop{0x6a, 1, 1, 0}
	vLow4    = vop{0x6c, 1, 1, 0} // and those of 64 bits
	vHigh4   = vop{0x6d, 1, 1, 0}
	vSwap8   = vop{0x70, 1, 1, 0} // rearranges the words of each half
	vTest    = vop{0x17, 1, 2, 0}

	// Between a vector register and memory, of 128 bits: one word, two, the upper two, one of four.
	vWord      = vop{0x6e, 1, 1, 0}
	vWordStore = vop{0x7e, 1, 1, 0}
	vTwo       = vop{0x7e, 2, 1, 0}
	vTwoStore  = vop{0xd6, 1, 1, 0}
	vUpper     = vop{0x16, 0, 1, 0}
	vUpperOut  = vop{0x17, 0, 1, 0}
	vPut       = vop{0x22, 1, 3, 0}
	vTake      = vop{0x16, 1, 3, 0}

	vLowest = vop{0xf3, 0, 2, 0} // of integers: 1 clears the lowest bit
)
