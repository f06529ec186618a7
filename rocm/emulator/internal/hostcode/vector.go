package hostcode

// YMM registers: three groups of four hold results, and four are free for each instruction.
const (
	groups     = 3
	groupSize  = 4
	firstSpare = groups * groupSize
	spares     = 16 - firstSpare
)

// vec is a source of all lanes: a register in memory, in a group, or one value for all lanes.
type vec struct {
	at       rm   // of the first eight lanes
	in       int  // the first register of the group, or -1
	same     int  // the register with one value for all lanes, or -1
	neg, abs bool // of f32
}

func (e *emitter) v(n int) rm { return wave(e.at.Vectors + 128*n) }

// spare takes a register for the rest of the instruction, or until it is given back. When all are taken, a group is
// lent that has neither an operand nor a result.
func (e *emitter) spare() int {
	for i, taken := range e.taken {
		if !taken {
			e.taken[i] = true
			return firstSpare + i
		}
	}
	for g := range groups {
		for i := range groupSize {
			if e.lent[g]>>i&1 != 0 {
				e.lent[g] &^= 1 << i
				return groupSize*g + i
			}
		}
	}
	for g := range groups {
		if !e.pinned[g] && !e.used[g] {
			e.pinned[g], e.holds[g], e.borrowed[g] = true, -1, true
			e.lent[g] = 1<<groupSize - 2 // all but the first
			return groupSize * g
		}
	}
	e.fail()
	return 0
}

func (e *emitter) giveBack(regs ...int) {
	for _, r := range regs {
		if r >= firstSpare {
			e.taken[r-firstSpare] = false
		} else if e.borrowed[r/groupSize] {
			e.lent[r/groupSize] |= 1 << (r % groupSize)
		}
	}
}

// source makes a 32-bit operand ready.
func (e *emitter) source(o *Operand) vec { return e.part(o, 0) }

// part is word i of an operand: 1 is the upper half of 64 bits.
func (e *emitter) part(o *Operand, i int) vec {
	if o.Half {
		e.fail() // but see half
	}
	v := vec{in: -1, same: -1, neg: o.Neg && !o.Wide, abs: o.Abs && !o.Wide}
	switch {
	case o.Place == Vector:
		v.at = e.v(o.Reg + i)
		for g, r := range e.holds {
			if r == o.Reg+i {
				v.in = groupSize * g
			}
		}
		return v
	case o.Place == Scalar && (i == 0 || o.Wide):
		v.same = e.spare()
		e.vex(vSpread, v.same, 0, e.s(o.Reg+i))
	case o.Place == Const && o.Value>>(32*i)&0xffffffff != 0:
		v.same = e.spare()
		e.vex(vSpread, v.same, 0, e.one(uint32(o.Value>>(32*i))))
	case o.Place == Const, o.Place == Scalar:
		v.same = e.spare()
		e.vex(vXor, v.same, v.same, register(v.same))
	default:
		e.fail()
	}
	e.modify(v.same, v)
	v.neg, v.abs = false, false
	return v
}

// modify applies the modifiers of v to a register.
func (e *emitter) modify(r int, v vec) {
	if v.abs {
		e.vex(vAndF, r, r, e.same(1<<31-1))
	}
	if v.neg {
		e.vex(vXorF, r, r, e.same(1<<31))
	}
}

// quarter is lanes 8c to 8c+7 of a source as an operand. It may take a spare register, which done gives back.
func (e *emitter) quarter(v vec, c int) rm {
	switch {
	case v.neg || v.abs:
		return register(e.quarterIn(v, c))
	case v.same >= 0:
		return register(v.same)
	case v.in >= 0:
		return register(v.in + c)
	}
	return wave(v.at.n + 32*c)
}

// quarterIn is quarter in a register.
func (e *emitter) quarterIn(v vec, c int) int {
	modified := v.neg || v.abs
	switch {
	case v.same >= 0:
		return v.same
	case v.in >= 0 && !modified:
		return v.in + c
	}
	r := e.spare()
	m := wave(v.at.n + 32*c)
	if v.in >= 0 {
		m = register(v.in + c)
	}
	e.fetch(r, m)
	e.modify(r, v)
	return r
}

// fetch copies an operand to a register.
func (e *emitter) fetch(r int, m rm) {
	switch {
	case m.kind != inRegister:
		e.vex(vMovLoad, r, 0, m)
	case m.n != r:
		e.vex(vMov, r, 0, m)
	}
}

// done gives back the spare register of a quarter.
func (e *emitter) done(v vec, m rm) {
	if m.kind == inRegister && m.n != v.same {
		e.giveBack(m.n)
	}
}

// pick chooses the group for a result: one that has no operand if there is one, else the one computed longest ago.
// Operands are looked up afterwards, so that none is in it.
func (e *emitter) pick() int {
	best := -1
	for g := range groups {
		if e.pinned[g] {
			continue
		}
		if best < 0 || e.used[best] && !e.used[g] || e.used[best] == e.used[g] && e.since[g] < e.since[best] {
			best = g
		}
	}
	if best < 0 {
		e.fail()
	}
	e.holds[best], e.pinned[best] = -1, true
	e.clock++
	e.since[best] = e.clock
	return best
}

// commit writes a group to vector register d, of which inactive lanes keep their values.
func (e *emitter) commit(g, d int) {
	for c := range groupSize {
		r, m := groupSize*g+c, wave(e.at.Vectors+128*d+32*c)
		if e.some {
			t := e.spare()
			e.vex(vMovLoad, t, 0, wave(e.at.Masks+32*c))
			e.vex(vBlend, r, r, m, byte(t<<4))
			e.giveBack(t)
		}
		e.vex(vMovStore, r, 0, m)
	}
	e.forget(d)
	e.holds[g], e.pinned[g] = d, false
}

// forget says that vector register d has changed in memory.
func (e *emitter) forget(d int) {
	for g := range e.holds {
		if e.holds[g] == d {
			e.holds[g] = -1
		}
	}
}

// vectorOp computes the result of a vector instruction in group g.
type vectorOp func(e *emitter, in *Inst, g int)

// quarterOp is what an instruction does to eight lanes: it sets register d, which has no operand.
type quarterOp func(e *emitter, d int, s [3]int)

// each makes an instruction of operands k… from what it does to eight lanes of them.
func each(f quarterOp, operands ...int) vectorOp {
	return func(e *emitter, in *Inst, g int) {
		var v [3]vec
		for k, o := range operands {
			v[k] = e.source(&in.S[o])
		}
		for c := range groupSize {
			var s [3]int
			for k := range operands {
				s[k] = e.quarterIn(v[k], c)
			}
			f(e, groupSize*g+c, s)
			for k := range operands {
				e.done(v[k], register(s[k]))
			}
		}
	}
}

// direct is an instruction of amd64 with operands a and b of the instruction.
func direct(o vop, a, b int) vectorOp {
	return func(e *emitter, in *Inst, g int) {
		v, w := e.source(&in.S[a]), e.source(&in.S[b])
		for c := range groupSize {
			x, y := e.quarterIn(v, c), e.quarter(w, c)
			e.vex(o, groupSize*g+c, x, y)
			e.done(v, register(x))
			e.done(w, y)
		}
	}
}

// moveVector copies the first operand.
func moveVector(e *emitter, in *Inst, g int) {
	v := e.source(&in.S[0])
	for c := range groupSize {
		m := e.quarter(v, c)
		e.fetch(groupSize*g+c, m)
		e.done(v, m)
	}
}

// fuse is a·b + c with one rounding.
func fuse(e *emitter, in *Inst, g int) {
	a, b, x := e.source(&in.S[0]), e.source(&in.S[1]), e.source(&in.S[2])
	for c := range groupSize {
		d := groupSize*g + c
		m := e.quarter(x, c)
		e.fetch(d, m)
		e.done(x, m)
		p, q := e.quarterIn(a, c), e.quarter(b, c)
		e.vex(vFMA, d, p, q)
		e.done(a, register(p))
		e.done(b, q)
	}
}

// Numbers of the shifts by a number, of 32 and of 64 bits.
const (
	rightBy, arithmeticBy, leftBy = 2, 4, 6
)

// shiftOp shifts operand value by the low five bits of operand by. n is the same shift by a number.
func shiftOp(o vop, n, value, by int) vectorOp {
	general := each(func(e *emitter, d int, s [3]int) { e.shift(o, d, s[0], s[1]) }, value, by)
	return func(e *emitter, in *Inst, g int) {
		if in.S[by].Place != Const {
			general(e, in, g)
			return
		}
		each(func(e *emitter, d int, s [3]int) {
			e.vex(vShift8, n, d, register(s[0]), byte(in.S[by].Value&31))
		}, value)(e, in, g)
	}
}

// shift shifts a by the low five bits of b.
func (e *emitter) shift(o vop, d, a, b int) {
	t := e.spare()
	e.vex(vAnd, t, b, e.same(31))
	e.vex(o, d, a, register(t))
	e.giveBack(t)
}

// two makes an operation of two operands from an instruction of amd64.
func two(o vop) func(e *emitter, d, a, b int) {
	return func(e *emitter, d, a, b int) { e.vex(o, d, a, register(b)) }
}

func shiftLeft(e *emitter, d, a, b int) { e.shift(vShl8, d, a, b) }

// chain is first(a, b) and then second(that, c).
func chain(first, second func(e *emitter, d, a, b int)) vectorOp {
	return func(e *emitter, in *Inst, g int) {
		v := [3]vec{e.source(&in.S[0]), e.source(&in.S[1]), e.source(&in.S[2])}
		for c := range groupSize {
			d := groupSize*g + c
			a, b := e.quarterIn(v[0], c), e.quarterIn(v[1], c)
			first(e, d, a, b)
			e.done(v[0], register(a))
			e.done(v[1], register(b))
			x := e.quarterIn(v[2], c)
			second(e, d, d, x)
			e.done(v[2], register(x))
		}
	}
}

// extreme is IEEE 754's maxNum or minNum: a NaN loses, and -0 is less than +0. For equal operands, zeros among them,
// the operation zero combines the signs. d may be a.
func extreme(o, zero vop) func(e *emitter, d, a, b int) {
	return func(e *emitter, d, a, b int) {
		t := d
		if d == a {
			t = e.spare()
		}
		m, u := e.spare(), e.spare()
		e.vex(o, t, b, register(a)) // a if one is a NaN
		e.vex(zero, u, a, register(b))
		e.vex(vCmpF, m, a, register(b), isEqual)
		e.vex(vBlend, t, t, register(u), byte(m<<4))
		e.vex(vCmpF, m, a, register(a), isUnordered)
		e.vex(vBlend, d, t, register(b), byte(m<<4))
		e.giveBack(m, u)
		if t != d {
			e.giveBack(t)
		}
	}
}
