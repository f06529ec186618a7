package hostcode

import "math"

// Instructions that amd64 has nothing like. Some are left to the interpreter for values that are rare.

func init() {
	for name, op := range map[string]vectorOp{
		"v_bcnt_u32_b32": each(countBits, 0, 1), "v_bfe_i32": signedField, "v_perm_b32": permuteBytes,
		"v_mul_i32_i24": each(multiplySigned24, 0, 1), "v_mad_i32_i24": chain(func(e *emitter, d, a, b int) {
			multiplySigned24(e, d, [3]int{a, b})
		}, two(vAdd8)),
		"v_rndne_f32": round(8), "v_floor_f32": round(9), "v_ceil_f32": round(10), "v_trunc_f32": round(11),
		"v_ldexp_f32": scale, "v_cvt_f32_f64": fromDouble, "v_cvt_f16_f32": each(toHalf, 0), "v_pack_b32_f16": packHalves,
		"v_div_fmas_f32": fuseUnscaled, "v_div_fixup_f32": fixQuotient,
		"v_cvt_f32_ubyte0": fromByte(0), "v_cvt_f32_ubyte1": fromByte(1), "v_cvt_f32_ubyte2": fromByte(2),
		"v_cvt_f32_ubyte3": fromByte(3),
	} {
		vectorOps[name] = op
	}
	otherOps["v_div_scale_f32"] = unscaled
	otherOps["v_cvt_f64_f32"] = toDouble
	otherOps["v_cvt_f64_u32"] = wide(func(e *emitter, d int, s [3]int) { integerToDouble(e, d, s[0], 0) }, 0)
	otherOps["v_cvt_f64_i32"] = wide(func(e *emitter, d int, s [3]int) { integerToDouble(e, d, s[0], 1<<31) }, 0)
	for name, p := range intPredicates {
		for _, form := range []string{"v_cmp_", "v_cmpx_"} {
			otherOps[form+name+"_u16"] = compareShorts(p, true)
			otherOps[form+name+"_i16"] = compareShorts(p, false)
		}
	}
	scalarOps["s_clz_i32_u32"] = leadingZeros
}

var (
	vShuffle1 = vop{0x00, 1, 2, 0} // bytes
	vPairs1   = vop{0x04, 1, 2, 0} // products of bytes, the sums of two of which are words of 16 bits
	vPairs2   = vop{0xf5, 1, 1, 0} // and of 16 bits
	vAdd1     = vop{0xfc, 1, 1, 0}
	vBlend1   = vop{0x4c, 1, 3, 0}
	vBlend2   = vop{0x0e, 1, 3, 0}
	vRound    = vop{0x08, 1, 3, 0}
	vToHalf   = vop{0x1d, 1, 3, 0}
	vExtend2  = vop{0x33, 1, 2, 0} // eight numbers of 16 bits to 32
)

// bytes is a constant of 32 bytes, the same in both halves.
func (a *asm) bytes(f func(i int) byte) rm {
	var b [32]byte
	for i := range b {
		b[i] = f(i & 15)
	}
	return a.constant(b[:])
}

// countBits adds the number of bits of the first operand to the second.
func countBits(e *emitter, d int, s [3]int) {
	t, table := e.spare(), e.bytes(func(i int) byte { return byte(i&1 + i>>1&1 + i>>2&1 + i>>3&1) })
	e.vex(vAnd, t, s[0], e.same(0x0f0f0f0f))
	e.vex(vShift8, rightBy, d, register(s[0]), 4)
	e.vex(vAnd, d, d, e.same(0x0f0f0f0f))
	u := e.spare()
	e.vex(vMovLoad, u, 0, table)
	e.vex(vShuffle1, t, u, register(t))
	e.vex(vShuffle1, d, u, register(d))
	e.vex(vAdd1, d, d, register(t))
	e.vex(vPairs1, d, d, e.same(0x01010101))
	e.vex(vPairs2, d, d, e.same(0x00010001))
	e.vex(vAdd8, d, d, register(s[1]))
	e.giveBack(t, u)
}

// signedField is bitField of a number with a sign.
func signedField(e *emitter, in *Inst, g int) {
	if in.S[1].Place != Const || in.S[2].Place != Const || in.S[2].Value&31 == 0 {
		e.fail()
	}
	from, n := byte(in.S[1].Value&31), byte(in.S[2].Value&31)
	each(func(e *emitter, d int, s [3]int) {
		e.vex(vShift8, arithmeticBy, d, register(s[0]), from)
		e.vex(vShift8, leftBy, d, register(d), 32-n)
		e.vex(vShift8, arithmeticBy, d, register(d), 32-n)
	}, 0)(e, in, g)
}

// permuteBytes picks bytes of the first two operands by a selector that is the same for all lanes. The first has bytes
// 4 to 7. Other selectors are left to the interpreter.
func permuteBytes(e *emitter, in *Inst, g int) {
	p := &in.S[2]
	switch {
	case p.Place == Scalar:
		e.aluImm(false, 0xf7, 0, e.s(p.Reg), 0xf8f8f8f8) // test
		e.leaveIf(ifNotZero)
	case p.Place != Const, p.Value&0xf8f8f8f8 != 0:
		e.fail()
	}
	free := groupSize * e.pick()
	places, upper := free, free+1
	selector := e.source(p).same
	e.vex(vAnd, places, selector, e.same(0x03030303))
	e.vex(vOr, places, places, e.bytes(func(i int) byte { return byte(i &^ 3) }))
	e.vex(vShift8, leftBy, upper, register(selector), 5) // bit 2 of each byte is its sign
	e.giveBack(selector)
	a, b := e.source(&in.S[0]), e.source(&in.S[1])
	for c := range groupSize {
		d := groupSize*g + c
		x, y := e.quarterIn(a, c), e.quarterIn(b, c)
		e.vex(vShuffle1, free+2, x, register(places))
		e.vex(vShuffle1, d, y, register(places))
		e.vex(vBlend1, d, d, register(free+2), byte(upper<<4))
		e.done(a, register(x))
		e.done(b, register(y))
	}
	e.pinned[free/groupSize] = false
}

// multiplySigned24 multiplies the low 24 bits of both, which have signs.
func multiplySigned24(e *emitter, d int, s [3]int) {
	t := e.spare()
	for _, r := range [2][2]int{{t, s[1]}, {d, s[0]}} {
		e.vex(vShift8, leftBy, r[0], register(r[1]), 8)
		e.vex(vShift8, arithmeticBy, r[0], register(r[0]), 8)
	}
	e.vex(vMul8, d, d, register(t))
	e.giveBack(t)
}

func round(mode byte) vectorOp {
	return each(func(e *emitter, d int, s [3]int) { e.vex(vRound, d, 0, register(s[0]), mode) }, 0)
}

func fromByte(n byte) vectorOp {
	return each(func(e *emitter, d int, s [3]int) {
		e.vex(vShift8, leftBy, d, register(s[0]), 24-8*n)
		e.vex(vShift8, rightBy, d, register(d), 24)
		e.vex(vFromI, d, 0, register(d))
	}, 0)
}

// scale is the first operand times two to the power of the second, exact in f64, and rounded once.
func scale(e *emitter, in *Inst, g int) {
	free := groupSize * e.pick()
	n, t := free, free+1
	one := func(x uint32) rm { return e.same(x) }
	x, y := e.source(&in.S[0]), e.source(&in.S[1])
	for c := range groupSize {
		d := groupSize*g + c
		a, b := e.quarterIn(x, c), e.quarterIn(y, c)
		e.vex(vMovLoad, n, 0, one(512))
		e.vex(vMinI8, n, n, register(b))
		e.vex(vMaxI8, n, n, one(1<<32-512))
		e.vex(vAdd8, n, n, one(1023))
		e.vex(vExtract, n, 0, register(t), 1)
		for _, r := range []int{n, t} {
			e.vex(vLong4, r, 0, register(r))
			e.vex(vShift4, leftBy, r, register(r), 52)
		}
		e.vex(vExtract, a, 0, register(free+2), 1)
		e.vex(vToF4, free+2, 0, register(free+2))
		e.vex(vMulF4, t, free+2, register(t))
		e.vex(vFromF4, t, 0, register(t))
		e.vex(vToF4, d, 0, register(a))
		e.vex(vMulF4, d, d, register(n))
		e.vex(vFromF4, d, 0, register(d))
		e.vex(vInsert, d, d, register(t), 1)
		e.done(x, register(a))
		e.done(y, register(b))
	}
	e.pinned[free/groupSize] = false
}

// toDouble converts f32 to f64.
func toDouble(e *emitter, in *Inst) {
	e.uses(in)
	lo, hi := e.pick(), e.pick()
	v := e.source(&in.S[0])
	for c := range groupSize {
		d := [2]int{groupSize*lo + c, groupSize*hi + c}
		x, t := e.quarterIn(v, c), e.spare()
		e.vex(vToF4, t, 0, register(x))
		e.vex(vExtract, x, 0, register(d[1]), 1)
		e.done(v, register(x))
		e.vex(vToF4, d[1], 0, register(d[1]))
		e.vex(vShuffle, d[0], t, register(d[1]), 0x88) // lanes 0 1 4 5, 2 3 6 7
		e.vex(vShuffle, d[1], t, register(d[1]), 0xdd)
		e.giveBack(t)
		for _, r := range d {
			e.vex(vPermute4, r, 0, register(r), 0xd8)
		}
	}
	e.release()
	e.commit(lo, in.D)
	e.commit(hi, in.D+1)
}

// integerToDouble converts four numbers of 32 bits, from which a number is subtracted that is first added modulo 2^32.
func integerToDouble(e *emitter, d, s int, offset uint32) {
	const two52 = 0x43300000
	e.vex(vAnd, d, s, e.sameWide(1<<32-1))
	e.vex(vXor, d, d, e.sameWide(two52<<32|uint64(offset)))
	e.vex(vSubF4, d, d, e.sameWide(two52<<32|uint64(offset)))
}

// fromDouble converts f64 to f32.
func fromDouble(e *emitter, in *Inst, g int) {
	w := e.wideSource(&in.S[0])
	for c := range groupSize {
		d := groupSize*g + c
		t := e.spare()
		for half, r := range []int{d, t} {
			x := e.four(w, c, half)
			e.vex(vFromF4, r, 0, register(x))
			e.doneFour(w, x)
		}
		e.vex(vInsert, d, d, register(t), 1)
		e.vex(vPermute4, d, 0, register(d), 0xd8)
		e.giveBack(t)
	}
}

// toHalf converts f32 to f16.
func toHalf(e *emitter, d int, s [3]int) {
	e.vex(vToHalf, s[0], 0, register(d), 0)
	e.vex(vExtend2, d, 0, register(d))
}

// packHalves puts two numbers of 16 bits into a register.
func packHalves(e *emitter, in *Inst, g int) {
	a, b := shorts(e, &in.S[0]), shorts(e, &in.S[1])
	for c := range groupSize {
		d := groupSize*g + c
		x := highHalf(e, &in.S[0], a, c)
		e.vex(vShift8, rightBy, d, register(x), 16)
		e.giveBack(x)
		x = highHalf(e, &in.S[1], b, c)
		e.vex(vOr, d, d, register(x))
		e.giveBack(x)
	}
}

// shorts is an operand of 16 bits without modifiers.
func shorts(e *emitter, o *Operand) vec {
	if o.Neg || o.Abs || !o.Half {
		e.fail()
	}
	return e.halfSource(o)
}

// highHalf has an operand of 16 bits in the upper halves of a register, and zeros below.
func highHalf(e *emitter, o *Operand, v vec, c int) int {
	m, t := e.quarter(v, c), e.spare()
	e.fetch(t, m)
	e.done(v, m)
	if o.High {
		e.vex(vAnd, t, t, e.same(0xffff0000))
	} else {
		e.vex(vShift8, leftBy, t, register(t), 16)
	}
	return t
}

func compareShorts(p intPredicate, unsigned bool) func(e *emitter, in *Inst) {
	return func(e *emitter, in *Inst) {
		s := [2]*Operand{&in.S[0], &in.S[1]}
		if p.swap {
			s[0], s[1] = s[1], s[0]
		}
		e.uses(in)
		d := groupSize * e.pick()
		a, b := shorts(e, s[0]), shorts(e, s[1])
		for c := range groupSize {
			x, y := highHalf(e, s[0], a, c), highHalf(e, s[1], b, c)
			switch {
			case p.equal:
				e.vex(vEqual8, d, x, register(y))
			case !unsigned:
				e.vex(vMore8, d, x, register(y))
			default:
				e.vex(vMinU8, d, x, register(y))
				e.vex(vEqual8, d, d, register(x))
				e.vex(vXor, d, d, e.same(1<<32-1))
			}
			e.giveBack(x, y)
			e.signs(d, c)
		}
		e.storeMask(in.D, p.not)
	}
}

// ordinary clears the lanes of ok for which f32 are neither small enough nor large enough for a division to need care.
// Register t is free.
func ordinary(e *emitter, ok, x, t, c int) {
	const least, most = 80, 174
	e.vex(vShift8, leftBy, t, register(x), 1)
	e.vex(vShift8, rightBy, t, register(t), 24)
	e.vex(vSub8, t, t, e.same(least))
	u := e.spare()
	e.vex(vMinU8, u, t, e.same(most-least))
	e.vex(vEqual8, t, t, register(u))
	e.giveBack(u)
	unlessOff(e, t, c)
	e.vex(vAnd, ok, ok, register(t))
}

// unlessOff sets the inactive lanes of t.
func unlessOff(e *emitter, t, c int) {
	if e.some {
		e.vex(vOr, t, t, e.mask(c))
	}
}

// unless leaves the instruction if a lane of ok is 0.
func unless(e *emitter, ok int) {
	e.vex(vSigns, rax, 0, register(ok))
	e.aluImm(false, 0x81, 7, register(rax), 255)
	e.leaveIf(ifNotZero)
}

// unscaled is v_div_scale_f32 of operands for which it changes nothing.
func unscaled(e *emitter, in *Inst) {
	for _, o := range in.S {
		if o.Neg || o.Abs {
			e.fail()
		}
	}
	if in.D2 == e.at.Exec {
		e.fail()
	}
	e.uses(in)
	g, free := e.pick(), groupSize*e.pick()
	ok := free
	e.vex(vEqual8, ok, ok, register(ok))
	v := [3]vec{e.source(&in.S[0]), e.source(&in.S[1]), e.source(&in.S[2])}
	for c := range groupSize {
		for k := 1; k < 3; k++ {
			x := e.quarterIn(v[k], c)
			ordinary(e, ok, x, free+1, c)
			e.done(v[k], register(x))
		}
		m := e.quarter(v[0], c)
		e.fetch(groupSize*g+c, m)
		e.done(v[0], m)
	}
	unless(e, ok)
	e.aluImm(false, 0xc7, 0, e.s(in.D2), 0)
	e.release()
	e.commit(g, in.D)
}

// fuseUnscaled is v_div_fmas_f32 where VCC asks for no scaling.
func fuseUnscaled(e *emitter, in *Inst, g int) {
	e.alu(false, rax, e.s(e.at.VCC), opLoad)
	if e.some {
		e.alu(false, rax, e.s(e.at.Exec), opAnd)
	}
	e.alu(false, rax, register(rax), 0x85)
	e.leaveIf(ifNotZero)
	fuse(e, in, g)
}

// fixQuotient is v_div_fixup_f32 of ordinary operands: the quotient gets their sign.
func fixQuotient(e *emitter, in *Inst, g int) {
	free := groupSize * e.pick()
	ok, sign, t := free, free+1, free+2
	e.vex(vEqual8, ok, ok, register(ok))
	v := [3]vec{e.source(&in.S[0]), e.source(&in.S[1]), e.source(&in.S[2])}
	for c := range groupSize {
		d := groupSize*g + c
		for k := 1; k < 3; k++ {
			x := e.quarterIn(v[k], c)
			ordinary(e, ok, x, t, c)
			if k == 1 {
				e.vex(vMov, sign, 0, register(x))
			} else {
				e.vex(vXor, sign, sign, register(x))
			}
			e.done(v[k], register(x))
		}
		x := e.quarterIn(v[0], c)
		e.vex(vCmpF, t, x, register(x), isOrdered)
		unlessOff(e, t, c)
		e.vex(vAnd, ok, ok, register(t))
		e.vex(vAndF, d, x, e.same(math.MaxInt32))
		e.done(v[0], register(x))
		e.vex(vAndF, sign, sign, e.same(1<<31))
		e.vex(vOr, d, d, register(sign))
	}
	unless(e, ok)
	e.pinned[free/groupSize] = false
}

// leadingZeros counts them, -1 for 0.
func leadingZeros(e *emitter, in *Inst) {
	e.load(rcx, &in.S[0])
	e.number(rax, 32)
	e.alu(false, rdx, register(rcx), 0x0f, 0xbd)        // bsr: the highest bit
	e.alu(false, rdx, register(rax), 0x0f, 0x40|ifZero) // cmov
	e.number(rax, 31)
	e.alu(false, rax, register(rdx), opSub)
	e.store(in.D, rax)
}
