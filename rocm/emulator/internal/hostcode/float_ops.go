package hostcode

import "math"

// half is eight lanes of an operand of 16 bits as f32, in register d.
func (e *emitter) half(d int, o *Operand, v vec, c int) {
	m := e.quarter(v, c)
	e.fetch(d, m)
	e.done(v, m)
	if o.High {
		e.vex(vShift8, rightBy, d, register(d), 16)
	} else {
		e.vex(vAnd, d, d, e.same(0xffff))
	}
	e.vex(vPack, d, d, register(d))           // the words 0 1 2 3 of each half, two times
	e.vex(vPermute4, d, 0, register(d), 0x08) // those of the upper half next to those of the lower
	e.vex(vFromHalf, d, 0, register(d))
	e.modify(d, vec{neg: o.Neg, abs: o.Abs})
}

// halfSource is an operand of 16 bits before it is converted.
func (e *emitter) halfSource(o *Operand) vec {
	plain := *o
	plain.Half, plain.Neg, plain.Abs = false, false, false
	return e.source(&plain)
}

func fromHalf(e *emitter, in *Inst, g int) {
	v := e.halfSource(&in.S[0])
	for c := range groupSize {
		e.half(groupSize*g+c, &in.S[0], v, c)
	}
}

// fuseMixed is a·b + c, with one rounding, of operands of 16 or 32 bits.
func fuseMixed(e *emitter, in *Inst, g int) {
	free := groupSize * e.pick()
	var v [3]vec
	for k := range v {
		if in.S[k].Half {
			v[k] = e.halfSource(&in.S[k])
		} else {
			v[k] = e.source(&in.S[k])
		}
	}
	for c := range groupSize {
		d := groupSize*g + c
		to := [3]int{free, free + 1, d}
		for k := range v {
			if in.S[k].Half {
				e.half(to[k], &in.S[k], v[k], c)
				continue
			}
			m := e.quarter(v[k], c)
			e.fetch(to[k], m)
			e.done(v[k], m)
		}
		e.vex(vFMA, d, free, register(free+1))
	}
	e.pinned[free/groupSize] = false
}

// doubles makes an instruction that computes in f64 and rounds to f32 from what it does to four lanes in a register.
func doubles(f func(e *emitter, t int)) vectorOp {
	return each(func(e *emitter, d int, s [3]int) {
		t := e.spare()
		e.vex(vExtract, s[0], 0, register(t), 1)
		e.vex(vToF4, t, 0, register(t))
		f(e, t)
		e.vex(vFromF4, t, 0, register(t))
		e.vex(vToF4, d, 0, register(s[0]))
		f(e, d)
		e.vex(vFromF4, d, 0, register(d))
		e.vex(vInsert, d, d, register(t), 1)
		e.giveBack(t)
	}, 0)
}

// reciprocal divides 1 by register t.
func reciprocal(e *emitter, t int) {
	u := e.spare()
	e.vex(vSpreadWide, u, 0, e.oneWide(math.Float64bits(1)))
	e.vex(vDivF4, t, u, register(t))
	e.giveBack(u)
}

// toUnsigned converts f32 to numbers of 32 bits: those that are too large become the largest, NaN and negative ones 0.
func toUnsigned(e *emitter, d int, s [3]int) {
	const f2e31, f2e32 = 0x4f000000, 0x4f800000
	x, t := e.spare(), e.spare()
	e.vex(vXor, t, t, register(t))
	e.vex(vMaxF, x, s[0], register(t)) // 0 for NaN
	e.vex(vCmpF, t, x, e.same(f2e31), isNotLess)
	e.vex(vAndF, d, t, e.same(f2e31))
	e.vex(vSubF, d, x, register(d))
	e.vex(vTruncate, d, 0, register(d))
	e.vex(vShift8, leftBy, t, register(t), 31)
	e.vex(vXor, d, d, register(t))
	e.vex(vCmpF, t, x, e.same(f2e32), isNotLess)
	e.vex(vOr, d, d, register(t))
	e.giveBack(x, t)
}

// toSigned is the same for signed numbers.
func toSigned(e *emitter, d int, s [3]int) {
	const f2e31 = 0x4f000000
	t := e.spare()
	e.vex(vTruncate, d, 0, register(s[0])) // the smallest number, if it is out of range
	e.vex(vCmpF, t, s[0], e.same(f2e31), isNotLess)
	e.vex(vXor, d, d, register(t))
	e.vex(vCmpF, t, s[0], register(s[0]), isOrdered)
	e.vex(vAnd, d, d, register(t))
	e.giveBack(t)
}

// exponential is 2 to the power of x, computed in f64 and rounded to f32, as the interpreter's is. That has an error
// of less than one unit in the last place of f64, and this one of less than 32. So they are the same in f32, unless the
// value is that near to the middle between two numbers of f32. Such values, those whose results are denormal, and NaN
// are left to the interpreter.
func exponential(e *emitter, in *Inst, g int) {
	free := groupSize * e.pick()
	doubt, k, p := free, free+1, free+2
	e.vex(vXor, doubt, doubt, register(doubt))
	v := e.source(&in.S[0])
	for c := range groupSize {
		d := groupSize*g + c
		x := e.quarterIn(v, c)
		m, t := register(x), e.spare()
		if e.some { // whatever inactive lanes hold
			e.vex(vMovLoad, p, 0, wave(e.at.Masks+32*c))
			e.vex(vAndNot, p, p, register(x))
			x = p
		}
		e.vex(vToF4, d, 0, register(x))
		e.vex(vExtract, x, 0, register(t), 1)
		e.vex(vToF4, t, 0, register(t))
		e.power(t, k, p, doubt)
		e.vex(vFromF4, t, 0, register(p))
		e.power(d, k, p, doubt)
		e.vex(vFromF4, d, 0, register(p))
		e.vex(vInsert, d, d, register(t), 1)
		e.giveBack(t)
		e.done(v, m)
	}
	e.vex(vSigns, rax, 0, register(doubt))
	e.alu(false, rax, register(rax), 0x85)
	e.leaveIf(ifNotZero)
	e.pinned[free/groupSize] = false
}

// power sets p to 2 to the power of four lanes of x, which it changes, as k. The signs of doubt become ones for lanes
// that must be computed otherwise.
func (e *emitter) power(x, k, p, doubt int) {
	one := func(f float64) rm { return e.sameWide(math.Float64bits(f)) }
	u := e.spare()
	e.vex(vCmpF4, k, x, one(-150), isMore)
	e.vex(vCmpF4, u, x, one(-126), isLess)
	e.vex(vAndF, k, k, register(u))
	e.vex(vOrF, doubt, doubt, register(k))
	e.vex(vCmpF4, u, x, register(x), isUnordered)
	e.vex(vOrF, doubt, doubt, register(u))
	e.vex(vMinF4, x, x, one(200))
	e.vex(vMaxF4, x, x, one(-200))
	e.vex(vRound4, k, 0, register(x), 8)
	e.vex(vSubF4, x, x, register(k))
	e.vex(vToI4, k, 0, register(k))
	e.vex(vLong4, k, 0, register(k))
	e.vex(vShift4, leftBy, k, register(k), 52)
	const degree = 14
	coefficients := [degree + 1]float64{1}
	for n := 1; n <= degree; n++ {
		coefficients[n] = coefficients[n-1] * math.Ln2 / float64(n)
	}
	e.vex(vMovLoad, p, 0, one(coefficients[degree]))
	for n := degree - 1; n >= 0; n-- {
		e.vex(vFMA213, p, x, one(coefficients[n]))
	}
	e.vex(vAdd4, p, p, register(k))
	// How far the lower 29 bits are from the middle.
	e.vex(vAnd, k, p, e.sameWide(1<<29-1))
	e.vex(vAdd8, k, k, e.sameWide(1<<32-1<<28+64))
	e.vex(vMinU8, u, k, e.sameWide(128))
	e.vex(vEqual8, u, u, register(k))
	e.vex(vShift4, leftBy, u, register(u), 32)
	e.vex(vOrF, doubt, doubt, register(u))
	e.giveBack(u)
}

// permuteBackward reads lane (address + offset) / 4 of a register; inactive lanes are 0.
func permuteBackward(e *emitter, in *Inst, g int) {
	free := groupSize * e.pick()
	from := e.v(in.Data)
	if e.some {
		from = wave(e.at.Free)
		for c := range groupSize {
			e.vex(vMovLoad, free, 0, wave(e.at.Masks+32*c))
			e.vex(vAndNot, free, free, wave(e.v(in.Data).n+32*c))
			e.vex(vMovStore, free, 0, wave(from.n+32*c))
		}
	}
	v := e.source(&in.S[0])
	for c := range groupSize {
		m := e.quarterIn(v, c)
		e.vex(vAdd8, free, m, e.same(in.Offset))
		e.done(v, register(m))
		e.vex(vAnd, free, free, e.same(31*4))
		e.vex(vEqual8, free+1, free+1, register(free+1))
		e.gather(groupSize*g+c, free, free+1, from)
	}
	e.pinned[free/groupSize] = false
}

// gather loads words at offsets behind an address in the lanes of a mask, which it clears.
func (e *emitter) gather(d, offsets, mask int, from rm) {
	e.byte(0xc4, byte(^d>>3&1)<<7|byte(^offsets>>3&1)<<6|1<<5|vGather.table,
		byte(^mask&15)<<3|1<<2|vGather.prefix, vGather.op)
	e.byte(0x84|byte(d&7)<<3, byte(offsets&7)<<3|addressing[from.kind][0]&7)
	e.word(uint32(from.n))
}

// countBelow adds the number of a lane, which is how many of all lanes are below it.
func countBelow(e *emitter, in *Inst, g int) {
	if in.S[0].Place != Const || uint32(in.S[0].Value) != 1<<32-1 {
		e.fail()
	}
	v := e.source(&in.S[1])
	for c := range groupSize {
		x := e.quarterIn(v, c)
		e.vex(vAdd8, groupSize*g+c, x, e.words(func(i int) uint32 { return uint32(8*c + i) }))
		e.done(v, register(x))
	}
}
