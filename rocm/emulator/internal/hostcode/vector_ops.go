package hostcode

// vectorOps are the instructions with one result of 32 bits for each lane.
var vectorOps = map[string]vectorOp{
	"v_mov_b32": moveVector, "v_cndmask_b32": chooseLanes,
	"v_not_b32": each(func(e *emitter, d int, s [3]int) {
		e.vex(vEqual8, d, d, register(d))
		e.vex(vXor, d, d, register(s[0]))
	}, 0),

	"v_add_f32": direct(vAddF, 0, 1), "v_sub_f32": direct(vSubF, 0, 1), "v_subrev_f32": direct(vSubF, 1, 0),
	"v_mul_f32": direct(vMulF, 0, 1),
	"v_fma_f32": fuse, "v_fmac_f32": fuse, "v_fmamk_f32": fuse, "v_fmaak_f32": fuse,
	"v_max_f32": extremes(maxF), "v_min_f32": extremes(minF),
	"v_max3_f32": chain(maxF, maxF), "v_min3_f32": chain(minF, minF),
	"v_maxmin_f32": chain(maxF, minF), "v_minmax_f32": chain(minF, maxF),
	"v_cvt_f32_i32": each(func(e *emitter, d int, s [3]int) { e.vex(vFromI, d, 0, register(s[0])) }, 0),
	"v_cvt_f32_u32": each(fromUnsigned, 0), "v_cvt_u32_f32": each(toUnsigned, 0), "v_cvt_i32_f32": each(toSigned, 0),
	"v_cvt_f32_f16": fromHalf, "v_fma_mix_f32": fuseMixed,
	"v_rcp_f32": doubles(reciprocal), "v_rcp_iflag_f32": doubles(reciprocal),
	"v_sqrt_f32": doubles(func(e *emitter, t int) { e.vex(vSqrtF4, t, 0, register(t)) }),
	"v_rsq_f32": doubles(func(e *emitter, t int) {
		e.vex(vSqrtF4, t, 0, register(t))
		reciprocal(e, t)
	}),
	"v_exp_f32": exponential, "ds_bpermute_b32": permuteBackward, "v_mbcnt_lo_u32_b32": countBelow,

	"v_add_nc_u32": direct(vAdd8, 0, 1), "v_add_nc_i32": direct(vAdd8, 0, 1), "v_sub_nc_u32": direct(vSub8, 0, 1),
	"v_sub_nc_i32": direct(vSub8, 0, 1), "v_subrev_nc_u32": direct(vSub8, 1, 0), "v_mul_lo_u32": direct(vMul8, 0, 1),
	"v_mul_hi_u32":  each(multiplyUpper, 0, 1),
	"v_mul_u32_u24": each(func(e *emitter, d int, s [3]int) { multiply24(e, d, s[0], s[1]) }, 0, 1),
	"v_mad_u32_u24": chain(multiply24, two(vAdd8)),
	"v_and_b32":     direct(vAnd, 0, 1), "v_or_b32": direct(vOr, 0, 1), "v_xor_b32": direct(vXor, 0, 1),
	"v_min_i32": direct(vMinI8, 0, 1), "v_max_i32": direct(vMaxI8, 0, 1), "v_min_u32": direct(vMinU8, 0, 1),
	"v_max_u32":     direct(vMaxU8, 0, 1),
	"v_lshlrev_b32": shiftOp(vShl8, leftBy, 1, 0), "v_lshrrev_b32": shiftOp(vShr8, rightBy, 1, 0),
	"v_ashrrev_i32": shiftOp(vSar8, arithmeticBy, 1, 0),
	"v_add3_u32":    chain(two(vAdd8), two(vAdd8)), "v_or3_b32": chain(two(vOr), two(vOr)),
	"v_xor3_b32": chain(two(vXor), two(vXor)), "v_xad_u32": chain(two(vXor), two(vAdd8)),
	"v_and_or_b32":   chain(two(vAnd), two(vOr)),
	"v_lshl_add_u32": chain(shiftLeft, two(vAdd8)), "v_lshl_or_b32": chain(shiftLeft, two(vOr)),
	"v_add_lshl_u32": chain(two(vAdd8), shiftLeft),
	"v_bfe_u32":      bitField, "v_alignbit_b32": alignBits,
	"v_bfi_b32": each(func(e *emitter, d int, s [3]int) {
		e.vex(vXor, d, s[1], register(s[2])) // (b ^ c) & a ^ c
		e.vex(vAnd, d, d, register(s[0]))
		e.vex(vXor, d, d, register(s[2]))
	}, 0, 1, 2),
}

var maxF, minF = extreme(vMaxF, vAndF), extreme(vMinF, vOrF)

func extremes(f func(e *emitter, d, a, b int)) vectorOp {
	return each(func(e *emitter, d int, s [3]int) { f(e, d, s[0], s[1]) }, 0, 1)
}

// chooseLanes is the second operand where the mask has a bit, else the first.
func chooseLanes(e *emitter, in *Inst, g int) {
	m := e.maskOperand(&in.S[2])
	a, b := e.source(&in.S[0]), e.source(&in.S[1])
	for c := range groupSize {
		d := groupSize*g + c
		e.expand(d, m, c)
		x := e.quarterIn(a, c)
		y := e.quarter(b, c)
		e.vex(vBlend, d, x, y, byte(d<<4))
		e.done(a, register(x))
		e.done(b, y)
	}
}

// maskOperand is a register with a mask of lanes in each of its words.
func (e *emitter) maskOperand(o *Operand) int {
	if o.Place != Scalar && o.Place != Const {
		e.fail()
	}
	plain := *o
	plain.Neg, plain.Abs, plain.Wide = false, false, false
	return e.source(&plain).same
}

// expand makes lanes 8c to 8c+7 of a mask: ones where the bit is set.
func (e *emitter) expand(d, mask, c int) {
	bits := e.laneBits(c)
	e.vex(vAnd, d, mask, bits)
	e.vex(vEqual8, d, d, bits)
}

func (e *emitter) laneBits(c int) rm { return e.words(func(i int) uint32 { return 1 << (8*c + i) }) }

// fromUnsigned converts to f32 in halves, whose sum is rounded once.
func fromUnsigned(e *emitter, d int, s [3]int) {
	const f65536 = 0x47800000
	e.vex(vShift8, rightBy, d, register(s[0]), 16)
	e.vex(vFromI, d, 0, register(d))
	e.vex(vMulF, d, d, e.same(f65536))
	t := e.spare()
	e.vex(vAnd, t, s[0], e.same(0xffff))
	e.vex(vFromI, t, 0, register(t))
	e.vex(vAddF, d, d, register(t))
	e.giveBack(t)
}

// multiplyUpper is the upper half of unsigned products.
func multiplyUpper(e *emitter, d int, s [3]int) {
	t, u := e.spare(), e.spare()
	e.vex(vMulLow4, d, s[0], register(s[1])) // even lanes
	e.vex(vShift4, rightBy, d, register(d), 32)
	e.vex(vShift4, rightBy, t, register(s[0]), 32)
	e.vex(vShift4, rightBy, u, register(s[1]), 32)
	e.vex(vMulLow4, t, t, register(u)) // odd lanes: their upper halves are in place
	e.vex(vAnd, t, t, e.words(func(i int) uint32 { return -uint32(i & 1) }))
	e.vex(vOr, d, d, register(t))
	e.giveBack(t, u)
}

// multiply24 multiplies the low 24 bits of both. d is not an operand.
func multiply24(e *emitter, d, a, b int) {
	t := e.spare()
	e.vex(vAnd, t, b, e.same(1<<24-1))
	e.vex(vAnd, d, a, e.same(1<<24-1))
	e.vex(vMul8, d, d, register(t))
	e.giveBack(t)
}

// bitField is the first operand shifted right by the second, and of that as many bits as the third says.
func bitField(e *emitter, in *Inst, g int) {
	if in.S[1].Place != Const || in.S[2].Place != Const {
		each(func(e *emitter, d int, s [3]int) {
			t := e.spare()
			e.vex(vAnd, t, s[2], e.same(31))
			e.vex(vEqual8, d, d, register(d))
			e.vex(vShl8, d, d, register(t))
			e.shift(vShr8, t, s[0], s[1])
			e.vex(vAndNot, d, d, register(t))
			e.giveBack(t)
		}, 0, 1, 2)(e, in, g)
		return
	}
	each(func(e *emitter, d int, s [3]int) {
		e.vex(vShift8, rightBy, d, register(s[0]), byte(in.S[1].Value&31))
		e.vex(vAnd, d, d, e.same(1<<(in.S[2].Value&31)-1))
	}, 0)(e, in, g)
}

// alignBits is the low half of the first two operands, which are one number, shifted right by the third.
func alignBits(e *emitter, in *Inst, g int) {
	n := byte(in.S[2].Value & 31)
	if in.S[2].Place != Const || n == 0 {
		e.fail()
	}
	each(func(e *emitter, d int, s [3]int) {
		t := e.spare()
		e.vex(vShift8, leftBy, t, register(s[0]), 32-n)
		e.vex(vShift8, rightBy, d, register(s[1]), n)
		e.vex(vOr, d, d, register(t))
		e.giveBack(t)
	}, 0, 1)(e, in, g)
}
