package hostcode

// A value of 64 bits is in two vector registers. Eight lanes of both are made two YMM registers of four lanes each, in
// the order 0 1 4 5 and 2 3 6 7, and the result is taken apart in the same way.

// wideVec is a source of 64 bits, or one of 32 whose upper half does not matter.
type wideVec struct {
	lo, hi   vec
	same     int // the register with one value for all lanes, or -1
	neg, abs bool
}

func (e *emitter) wideSource(o *Operand) wideVec {
	w := wideVec{same: -1, neg: o.Neg, abs: o.Abs}
	plain := *o
	plain.Neg, plain.Abs = false, false
	switch {
	case o.Place == Vector:
		w.lo = e.part(&plain, 0)
		w.hi = w.lo
		if o.Wide {
			w.hi = e.part(&plain, 1)
		}
	case o.Place == Scalar && o.Wide:
		w.same = e.spare()
		e.vex(vSpreadWide, w.same, 0, e.s(o.Reg))
		e.modifyWide(w.same, w)
	case o.Place == Scalar:
		w.same = e.part(&plain, 0).same
	case o.Place == Const:
		w.same = e.spare()
		e.vex(vSpreadWide, w.same, 0, e.oneWide(o.Value))
		e.modifyWide(w.same, w)
	default:
		e.fail()
	}
	return w
}

func (e *emitter) modifyWide(r int, w wideVec) {
	if w.abs {
		e.vex(vAnd, r, r, e.sameWide(1<<63-1))
	}
	if w.neg {
		e.vex(vXor, r, r, e.sameWide(1<<63))
	}
}

// four is four lanes of a source, in a register: those of lanes 8c to 8c+7 that half says.
func (e *emitter) four(w wideVec, c, half int) int {
	if w.same >= 0 {
		return w.same
	}
	r := e.spare()
	lo := r
	if w.lo.in >= 0 {
		lo = w.lo.in + c
	} else {
		e.vex(vMovLoad, r, 0, wave(w.lo.at.n+32*c))
	}
	o := vLow
	if half == 1 {
		o = vHigh
	}
	e.vex(o, r, lo, e.quarter(w.hi, c))
	e.modifyWide(r, w)
	return r
}

// doneFour gives back the register of four.
func (e *emitter) doneFour(w wideVec, r int) {
	if r != w.same {
		e.giveBack(r)
	}
}

// wide makes an instruction with a result of 64 bits from what it does to four lanes.
func wide(f quarterOp, operands ...int) func(e *emitter, in *Inst) {
	return func(e *emitter, in *Inst) {
		e.uses(in)
		lo, hi := e.pick(), e.pick()
		var w [3]wideVec
		for k, o := range operands {
			w[k] = e.wideSource(&in.S[o])
		}
		for c := range groupSize {
			d := [2]int{groupSize*lo + c, groupSize*hi + c}
			for half := range 2 {
				var s [3]int
				for k := range operands {
					s[k] = e.four(w[k], c, half)
				}
				f(e, d[half], s)
				for k := range operands {
					e.doneFour(w[k], s[k])
				}
			}
			t := e.spare()
			e.vex(vMov, t, 0, register(d[0]))
			e.vex(vShuffle, d[0], t, register(d[1]), 0x88)
			e.vex(vShuffle, d[1], t, register(d[1]), 0xdd)
			e.giveBack(t)
		}
		e.release()
		e.commit(lo, in.D)
		e.commit(hi, in.D+1)
	}
}

// shiftWide shifts the second operand by the low six bits of the first.
func shiftWide(o vop) quarterOp {
	return func(e *emitter, d int, s [3]int) {
		e.vex(vAnd, d, s[0], e.sameWide(63))
		e.vex(o, d, s[1], register(d))
	}
}

func fuseWide(e *emitter, d int, s [3]int) {
	e.vex(vMov, d, 0, register(s[2]))
	e.vex(vFMA4, d, s[0], register(s[1]))
}

// multiplyAdd is a product of two numbers of 32 bits, plus one of 64. Its carries are not computed.
func multiplyAdd(e *emitter, in *Inst) {
	if in.D2 != e.at.Sink {
		e.fail()
	}
	wide(func(e *emitter, d int, s [3]int) {
		e.vex(vMulLow4, d, s[0], register(s[1]))
		e.vex(vAdd4, d, d, register(s[2]))
	}, 0, 1, 2)(e, in)
}
