package hostcode

// scalarOp translates a scalar instruction.
type scalarOp func(e *emitter, in *Inst)

func (e *emitter) s(n int) rm { return wave(e.at.Scalars + 4*n) }

// load loads a scalar operand of 32 bits.
func (e *emitter) load(reg int, o *Operand) {
	switch o.Place {
	case Scalar:
		e.alu(false, reg, e.s(o.Reg), opLoad)
	case Const:
		e.number(reg, uint32(o.Value))
	case SCC:
		e.alu(false, reg, wave(e.at.SCC), 0x0f, 0xb6)
	case VCCZ, EXECZ:
		r := e.at.VCC
		if o.Place == EXECZ {
			r = e.at.Exec
		}
		e.aluImm(false, 0x81, 7, e.s(r), 0)
		e.alu(false, 0, register(reg), 0x0f, 0x90|ifZero)
		e.alu(false, reg, register(reg), 0x0f, 0xb6)
	default:
		e.fail()
	}
}

// number sets a register to a number.
func (e *emitter) number(reg int, x uint32) {
	e.byte(0xb8 | byte(reg))
	e.word(x)
}

// loadWide loads a scalar operand of 64 bits; one of 32 is extended with zeros.
func (e *emitter) loadWide(reg int, o *Operand) {
	switch {
	case !o.Wide:
		e.load(reg, o)
	case o.Place == Scalar:
		e.alu(true, reg, e.s(o.Reg), opLoad)
	case o.Place == Const:
		e.byte(0x48, 0xb8|byte(reg))
		e.word(uint32(o.Value))
		e.word(uint32(o.Value >> 32))
	default:
		e.load(reg, o)
	}
}

func (e *emitter) store(d, reg int)     { e.alu(false, reg, e.s(d), opStore) }
func (e *emitter) storeWide(d, reg int) { e.alu(true, reg, e.s(d), opStore) }

// scc sets the condition code by the flags.
func (e *emitter) scc(cond byte) {
	e.byte(0x0f, 0x90|cond)
	e.modrm(0, wave(e.at.SCC), 0)
}

// combine makes an instruction from one of amd64: op, with the second operand or the result complemented.
func combine(op byte, wide, notB, notR bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.loadAny(wide, rcx, &in.S[1])
		e.loadAny(wide, rax, &in.S[0])
		if notB {
			e.alu(wide, 2, register(rcx), 0xf7)
		}
		e.alu(wide, rax, register(rcx), op)
		if notR {
			e.alu(wide, 2, register(rax), 0xf7)
		}
		e.alu(wide, rax, register(rax), 0x85)
		e.storeAny(wide, in.D, rax)
		e.scc(ifNotZero)
	}
}

func (e *emitter) loadAny(wide bool, reg int, o *Operand) {
	if wide {
		e.loadWide(reg, o)
	} else {
		e.load(reg, o)
	}
}

func (e *emitter) storeAny(wide bool, d, reg int) {
	if wide {
		e.storeWide(d, reg)
	} else {
		e.store(d, reg)
	}
}

// shift is a shift by the second operand; n is the extension of amd64's opcode.
func shift(n int, wide bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rcx, &in.S[1])
		e.loadAny(wide, rax, &in.S[0])
		e.alu(wide, n, register(rax), 0xd3)
		e.alu(wide, rax, register(rax), 0x85) // a shift by 0 leaves the flags
		e.storeAny(wide, in.D, rax)
		e.scc(ifNotZero)
	}
}

// sum adds or subtracts; withCarry says that SCC takes part, cond what becomes of it.
func sum(op byte, withCarry bool, cond byte) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rcx, &in.S[1])
		e.load(rax, &in.S[0])
		if withCarry {
			e.alu(false, rdx, wave(e.at.SCC), 0x0f, 0xb6)
			e.alu(false, 3, register(rdx), 0xf7) // neg: the carry says whether it was 1
		}
		e.alu(false, rax, register(rcx), op)
		e.store(in.D, rax)
		e.scc(cond)
	}
}

// sumWide adds or subtracts 64 bits, as gfx12 does; productWide multiplies them.
func sumWide(op byte) scalarOp {
	return func(e *emitter, in *Inst) {
		e.loadWide(rcx, &in.S[1])
		e.loadWide(rax, &in.S[0])
		e.alu(true, rax, register(rcx), op)
		e.storeWide(in.D, rax)
	}
}

func productWide(e *emitter, in *Inst) {
	e.loadWide(rcx, &in.S[1])
	e.loadWide(rax, &in.S[0])
	e.alu(true, rax, register(rcx), 0x0f, 0xaf)
	e.storeWide(in.D, rax)
}

// shiftAdd adds the second operand to the first shifted left by n.
func shiftAdd(n byte) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rcx, &in.S[1])
		e.load(rax, &in.S[0])
		e.byte(0x48, 0xc1, 0xe0, n) // shl rax, n
		e.alu(true, rax, register(rcx), opAdd)
		e.store(in.D, rax)
		e.byte(0x48, 0xc1, 0xe8, 32) // shr rax, 32
		e.scc(ifNotZero)
	}
}

// choose is a minimum or maximum: the first operand where the condition holds, which is SCC, else the second.
func choose(cond byte) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rcx, &in.S[1])
		e.load(rax, &in.S[0])
		e.alu(false, rax, register(rcx), opCmp)
		e.scc(cond)
		e.alu(false, rax, register(rcx), 0x0f, 0x40|cond^1) // cmov
		e.store(in.D, rax)
	}
}

func compare(cond byte, wide bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.loadAny(wide, rcx, &in.S[1])
		e.loadAny(wide, rax, &in.S[0])
		e.alu(wide, rax, register(rcx), opCmp)
		e.scc(cond)
	}
}

// bitTest compares one bit.
func bitTest(cond byte) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rcx, &in.S[1])
		e.load(rax, &in.S[0])
		e.alu(false, rcx, register(rax), 0x0f, 0xa3) // bt, of a register: modulo 32
		e.scc(cond)
	}
}

func selectBy(wide bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.loadAny(wide, rcx, &in.S[1])
		e.loadAny(wide, rax, &in.S[0])
		e.byte(0x80)
		e.modrm(7, wave(e.at.SCC), 1)
		e.byte(0)
		e.alu(wide, rax, register(rcx), 0x0f, 0x40|ifZero)
		e.storeAny(wide, in.D, rax)
	}
}

func move(wide bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.loadAny(wide, rax, &in.S[0])
		e.storeAny(wide, in.D, rax)
	}
}

func not(wide bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.loadAny(wide, rax, &in.S[0])
		e.alu(wide, 2, register(rax), 0xf7)
		e.alu(wide, rax, register(rax), 0x85)
		e.storeAny(wide, in.D, rax)
		e.scc(ifNotZero)
	}
}

// multiply stores a product, or its upper half; n is the extension of amd64's opcode: 4 unsigned, 5 signed.
func multiply(n int, upper bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rcx, &in.S[1])
		e.load(rax, &in.S[0])
		e.alu(false, n, register(rcx), 0xf7)
		if upper {
			e.store(in.D, rdx)
		} else {
			e.store(in.D, rax)
		}
	}
}

// bitMask is 2^(a&31)-1 shifted left by b&31.
func bitMask(e *emitter, in *Inst) {
	e.load(rcx, &in.S[0])
	e.number(rax, 1)
	e.alu(false, 4, register(rax), 0xd3)
	e.byte(0xff)
	e.modrm(1, register(rax), 0) // dec
	e.load(rcx, &in.S[1])
	e.alu(false, 4, register(rax), 0xd3)
	e.store(in.D, rax)
}

// saveExec keeps EXEC and combines it with the operand: s op e, of which one may be complemented.
func saveExec(op byte, notS, notE, notR, keep bool) scalarOp {
	return func(e *emitter, in *Inst) {
		e.load(rax, &in.S[0])
		e.alu(false, rcx, e.s(e.at.Exec), opLoad)
		if keep {
			e.store(in.D, rcx)
		}
		if notS {
			e.alu(false, 2, register(rax), 0xf7)
		}
		if notE {
			e.alu(false, 2, register(rcx), 0xf7)
		}
		e.alu(false, rax, register(rcx), op)
		if notR {
			e.alu(false, 2, register(rax), 0xf7)
		}
		e.alu(false, rax, register(rax), 0x85)
		e.store(e.at.Exec, rax)
		if !keep {
			e.store(in.D, rax)
		}
		e.scc(ifNotZero)
	}
}

// scalarOps are the scalar instructions that are translated.
var scalarOps = map[string]scalarOp{
	"s_mov_b32": move(false), "s_mov_b64": move(true), "s_cselect_b32": selectBy(false), "s_cselect_b64": selectBy(true),
	"s_movk_i32": func(e *emitter, in *Inst) { e.load(rax, &in.S[1]); e.store(in.D, rax) },
	"s_not_b32":  not(false), "s_not_b64": not(true),

	"s_and_b32": combine(opAnd, false, false, false), "s_and_b64": combine(opAnd, true, false, false),
	"s_or_b32": combine(opOr, false, false, false), "s_or_b64": combine(opOr, true, false, false),
	"s_xor_b32": combine(opXor, false, false, false), "s_xor_b64": combine(opXor, true, false, false),
	"s_nand_b32": combine(opAnd, false, false, true), "s_nand_b64": combine(opAnd, true, false, true),
	"s_nor_b32": combine(opOr, false, false, true), "s_nor_b64": combine(opOr, true, false, true),
	"s_xnor_b32": combine(opXor, false, false, true), "s_xnor_b64": combine(opXor, true, false, true),
	"s_and_not1_b32": combine(opAnd, false, true, false), "s_and_not1_b64": combine(opAnd, true, true, false),
	"s_or_not1_b32": combine(opOr, false, true, false), "s_or_not1_b64": combine(opOr, true, true, false),

	"s_lshl_b32": shift(4, false), "s_lshl_b64": shift(4, true), "s_lshr_b32": shift(5, false),
	"s_lshr_b64": shift(5, true), "s_ashr_i32": shift(7, false), "s_ashr_i64": shift(7, true),

	"s_add_u32": sum(opAdd, false, ifCarry), "s_sub_u32": sum(opSub, false, ifCarry),
	"s_add_i32": sum(opAdd, false, ifOverflow), "s_sub_i32": sum(opSub, false, ifOverflow),
	"s_addk_i32": sum(opAdd, false, ifOverflow),
	"s_addc_u32": sum(opAdc, true, ifCarry), "s_subb_u32": sum(opSbb, true, ifCarry),
	"s_lshl1_add_u32": shiftAdd(1), "s_lshl2_add_u32": shiftAdd(2), "s_lshl3_add_u32": shiftAdd(3),
	"s_lshl4_add_u32": shiftAdd(4),
	"s_add_nc_u64":    sumWide(opAdd), "s_sub_nc_u64": sumWide(opSub), "s_mul_u64": productWide,

	"s_min_i32": choose(ifLess), "s_min_u32": choose(ifCarry), "s_max_i32": choose(ifNotLess),
	"s_max_u32": choose(ifNotCarry),
	"s_mul_i32": multiply(5, false), "s_mulk_i32": multiply(5, false), "s_mul_hi_u32": multiply(4, true),
	"s_mul_hi_i32": multiply(5, true), "s_bfm_b32": bitMask,

	"s_cmp_eq_i32": compare(ifZero, false), "s_cmp_lg_i32": compare(ifNotZero, false),
	"s_cmp_gt_i32": compare(ifMore, false), "s_cmp_ge_i32": compare(ifNotLess, false),
	"s_cmp_lt_i32": compare(ifLess, false), "s_cmp_le_i32": compare(ifNotMore, false),
	"s_cmp_eq_u32": compare(ifZero, false), "s_cmp_lg_u32": compare(ifNotZero, false),
	"s_cmp_gt_u32": compare(ifAbove, false), "s_cmp_ge_u32": compare(ifNotCarry, false),
	"s_cmp_lt_u32": compare(ifCarry, false), "s_cmp_le_u32": compare(ifNotAbove, false),
	"s_cmpk_eq_i32": compare(ifZero, false), "s_cmpk_lg_i32": compare(ifNotZero, false),
	"s_cmpk_gt_i32": compare(ifMore, false), "s_cmpk_ge_i32": compare(ifNotLess, false),
	"s_cmpk_lt_i32": compare(ifLess, false), "s_cmpk_le_i32": compare(ifNotMore, false),
	"s_cmpk_eq_u32": compare(ifZero, false), "s_cmpk_lg_u32": compare(ifNotZero, false),
	"s_cmpk_gt_u32": compare(ifAbove, false), "s_cmpk_ge_u32": compare(ifNotCarry, false),
	"s_cmpk_lt_u32": compare(ifCarry, false), "s_cmpk_le_u32": compare(ifNotAbove, false),
	"s_cmp_eq_u64": compare(ifZero, true), "s_cmp_lg_u64": compare(ifNotZero, true),
	"s_bitcmp0_b32": bitTest(ifNotCarry), "s_bitcmp1_b32": bitTest(ifCarry),

	"s_and_saveexec_b32": saveExec(opAnd, false, false, false, true), "s_or_saveexec_b32": saveExec(opOr, false, false, false, true),
	"s_xor_saveexec_b32":      saveExec(opXor, false, false, false, true),
	"s_nand_saveexec_b32":     saveExec(opAnd, false, false, true, true),
	"s_nor_saveexec_b32":      saveExec(opOr, false, false, true, true),
	"s_xnor_saveexec_b32":     saveExec(opXor, false, false, true, true),
	"s_and_not0_saveexec_b32": saveExec(opAnd, true, false, false, true),
	"s_or_not0_saveexec_b32":  saveExec(opOr, true, false, false, true),
	"s_and_not1_saveexec_b32": saveExec(opAnd, false, true, false, true),
	"s_or_not1_saveexec_b32":  saveExec(opOr, false, true, false, true),
	"s_and_not0_wrexec_b32":   saveExec(opAnd, true, false, false, false),
	"s_and_not1_wrexec_b32":   saveExec(opAnd, false, true, false, false),
}
