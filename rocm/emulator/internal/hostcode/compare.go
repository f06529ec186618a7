package hostcode

import "strings"

// otherOps are the vector instructions that have other results than one of 32 bits for each lane.
var otherOps = map[string]func(e *emitter, in *Inst){
	"v_readlane_b32": readLane, "v_writelane_b32": writeLane, "v_readfirstlane_b32": readFirstLane,
	"v_add_co_u32": addCarry(vAdd8, 0, 1, false), "v_add_co_ci_u32": addCarry(vAdd8, 0, 1, true),
	"v_sub_co_u32": addCarry(vSub8, 0, 1, false), "v_sub_co_ci_u32": addCarry(vSub8, 0, 1, true),
	"v_subrev_co_u32": addCarry(vSub8, 1, 0, false), "v_subrev_co_ci_u32": addCarry(vSub8, 1, 0, true),
	"v_lshlrev_b64": wide(shiftWide(vShl4), 0, 1),
	"v_lshrrev_b64": wide(shiftWide(vShr4), 0, 1),
	"v_mad_u64_u32": multiplyAdd,
	"v_add_f64":     wide(func(e *emitter, d int, s [3]int) { e.vex(vAddF4, d, s[0], register(s[1])) }, 0, 1),
	"v_mul_f64":     wide(func(e *emitter, d int, s [3]int) { e.vex(vMulF4, d, s[0], register(s[1])) }, 0, 1),
	"v_fma_f64":     wide(fuseWide, 0, 1, 2),
}

// Predicates of vcmpps.
const (
	isEqual     = 0x00
	isUnordered = 0x03
	isOrdered   = 0x07
	isLess      = 0x11 // from here on, false for NaN
	isNotLess   = 0x1d
	isMore      = 0x1e
)

// floatPredicates are the names of compares of f32, and what vcmpps calls them: without exceptions for quiet NaNs.
var floatPredicates = map[string]byte{
	"lt": isLess, "le": 0x12, "eq": isEqual, "gt": isMore, "ge": isNotLess, "lg": 0x0c, "o": isOrdered, "u": isUnordered,
	"nge": 0x19, "nlg": 0x08, "ngt": 0x1a, "nle": 0x16, "neq": 0x04, "nlt": 0x15,
}

// intPredicate says how a compare of integers is made from "a is more than b" or "a equals b".
type intPredicate struct{ equal, swap, not bool }

var intPredicates = map[string]intPredicate{
	"gt": {}, "lt": {swap: true}, "le": {not: true}, "ge": {swap: true, not: true},
	"eq": {equal: true}, "ne": {equal: true, not: true},
}

func init() {
	for _, form := range []string{"v_cmp_", "v_cmpx_"} {
		for name, p := range floatPredicates {
			otherOps[form+name+"_f32"] = func(e *emitter, in *Inst) {
				e.compareLanes(in, false, func(d, c int, a, b [2]vec) {
					x, y := e.quarterIn(a[0], c), e.quarter(b[0], c)
					e.vex(vCmpF, d, x, y, p)
					e.done(a[0], register(x))
					e.done(b[0], y)
				})
			}
			otherOps[form+name+"_f64"] = compareDoubles(p)
		}
		for name, p := range intPredicates {
			for _, t := range []string{"i32", "u32", "i64", "u64"} {
				otherOps[form+name+"_"+t] = compareInts(p, strings.HasPrefix(t, "u"), strings.HasSuffix(t, "64"))
			}
		}
	}
}

func compareInts(p intPredicate, unsigned, long bool) func(e *emitter, in *Inst) {
	return func(e *emitter, in *Inst) {
		if p.swap {
			swapped := *in
			swapped.S[0], swapped.S[1] = in.S[1], in.S[0]
			in = &swapped
		}
		e.compareLanes(in, p.not, func(d, c int, a, b [2]vec) {
			switch {
			case p.equal:
				e.equal(d, c, a[0], b[0])
				if long {
					e.equal(d+1, c, a[1], b[1])
					e.vex(vAnd, d, d, register(d+1))
				}
			case !long:
				e.more(d, c, a[0], b[0], unsigned)
			default: // upper words equal and lower words more, or upper words more
				e.more(d, c, a[0], b[0], true)
				e.equal(d+1, c, a[1], b[1])
				e.vex(vAnd, d, d, register(d+1))
				e.more(d+1, c, a[1], b[1], unsigned)
				e.vex(vOr, d, d, register(d+1))
			}
		})
	}
}

// compareDoubles compares four lanes at a time.
func compareDoubles(p byte) func(e *emitter, in *Inst) {
	return func(e *emitter, in *Inst) {
		e.uses(in)
		d := groupSize * e.pick()
		a, b := e.wideSource(&in.S[0]), e.wideSource(&in.S[1])
		for c := range groupSize {
			for half := range 2 {
				x, y := e.four(a, c, half), e.four(b, c, half)
				e.vex(vCmpF4, d+half, x, register(y), p)
				e.doneFour(a, x)
				e.doneFour(b, y)
			}
			e.vex(vShuffle, d, d, register(d+1), 0x88)
			e.signs(d, c)
		}
		e.storeMask(in.D, false)
	}
}

func (e *emitter) equal(d, c int, a, b vec) {
	x, y := e.quarterIn(a, c), e.quarter(b, c)
	e.vex(vEqual8, d, x, y)
	e.done(a, register(x))
	e.done(b, y)
}

// more sets d to ones where a is more than b.
func (e *emitter) more(d, c int, a, b vec, unsigned bool) {
	x, y := e.quarterIn(a, c), e.quarter(b, c)
	if !unsigned {
		e.vex(vMore8, d, x, y)
	} else { // not: the smaller of both is a
		e.vex(vMinU8, d, x, y)
		e.vex(vEqual8, d, d, register(x))
		e.vex(vXor, d, d, e.same(1<<32-1))
	}
	e.done(a, register(x))
	e.done(b, y)
}

// compareLanes collects what f says of eight lanes at a time, in register d, behind which three are free; long operands
// have two words. not says that it is the opposite of what is wanted.
func (e *emitter) compareLanes(in *Inst, not bool, f func(d, c int, a, b [2]vec)) {
	e.uses(in)
	d := groupSize * e.pick()
	var a, b [2]vec
	for i := range words(&in.S[0]) {
		a[i], b[i] = e.part(&in.S[0], i), e.part(&in.S[1], i)
	}
	for c := range groupSize {
		f(d, c, a, b)
		e.signs(d, c)
	}
	e.storeMask(in.D, not)
}

func words(o *Operand) int {
	if o.Wide {
		return 2
	}
	return 1
}

// signs adds the sign bits of lanes 8c to 8c+7 to eax.
func (e *emitter) signs(d, c int) {
	if c == 0 {
		e.vex(vSigns, rax, 0, register(d))
		return
	}
	e.vex(vSigns, rcx, 0, register(d))
	e.byte(0xc1, 0xe1, byte(8*c)) // shl ecx, 8c
	e.alu(false, rax, register(rcx), opOr)
}

// storeMask writes the lanes in eax that are active to a scalar register.
func (e *emitter) storeMask(d int, not bool) {
	if not {
		e.alu(false, 2, register(rax), 0xf7)
	}
	if e.some {
		e.alu(false, rax, e.s(e.at.Exec), opAnd)
	}
	e.store(d, rax)
}

// addCarry adds, or subtracts operand b from a, with a carry or borrow for each lane.
func addCarry(o vop, a, b int, withIn bool) func(e *emitter, in *Inst) {
	return func(e *emitter, in *Inst) {
		e.uses(in)
		g, free := e.pick(), groupSize*e.pick()
		t, mask, zero := free, free+1, free+2
		v, w := e.source(&in.S[a]), e.source(&in.S[b])
		if withIn {
			m := e.maskOperand(&in.S[2])
			e.vex(vMov, mask, 0, register(m))
			e.giveBack(m)
			e.vex(vXor, zero, zero, register(zero))
		}
		for c := range groupSize {
			d := groupSize*g + c
			x, y := e.quarterIn(v, c), e.quarterIn(w, c)
			e.vex(o, d, x, register(y))
			if o == vAdd8 {
				e.vex(vMaxU8, t, d, register(x))
				e.vex(vEqual8, t, t, register(d)) // no carry: the sum is not less
			} else {
				e.vex(vMaxU8, t, x, register(y))
				e.vex(vEqual8, t, t, register(x)) // no borrow
			}
			e.done(v, register(x))
			e.done(w, register(y))
			if withIn {
				e.carryIn(o, d, t, mask, zero, c)
			}
			e.signs(t, c)
		}
		if in.D2 != e.at.Sink {
			e.storeMask(in.D2, true)
		}
		e.release()
		e.commit(g, in.D)
	}
}

// carryIn takes the carries of lanes 8c to 8c+7 into account in their sums d, and in t, which says where no carry is.
// The register behind zero is free.
func (e *emitter) carryIn(o vop, d, t, mask, zero, c int) {
	carry, u := zero+1, e.spare()
	e.expand(carry, mask, c)
	if o == vAdd8 {
		e.vex(vSub8, d, d, register(carry)) // + 1
		e.vex(vEqual8, u, d, register(zero))
	} else {
		e.vex(vEqual8, u, d, register(zero))
		e.vex(vAdd8, d, d, register(carry)) // - 1
	}
	e.vex(vAnd, u, u, register(carry)) // the carry made it wrap
	e.vex(vAndNot, t, u, register(t))
	e.giveBack(u)
}

func readLane(e *emitter, in *Inst) {
	if in.S[0].Place != Vector {
		e.fail()
	}
	e.lane(rax, in.S[0].Reg, &in.S[1])
	e.store(in.D, rax)
}

// lane loads one lane of a vector register.
func (e *emitter) lane(reg, v int, which *Operand) {
	if which.Place == Const {
		e.alu(false, reg, wave(e.v(v).n+4*int(which.Value&31)), opLoad)
		return
	}
	e.load(rcx, which)
	e.byte(0x83, 0xe1, 31) // and ecx, 31
	e.alu(false, reg, rm{inWaveRCX, e.v(v).n}, opLoad)
}

func writeLane(e *emitter, in *Inst) {
	e.load(rax, &in.S[0])
	if in.S[1].Place == Const {
		e.alu(false, rax, wave(e.v(in.D).n+4*int(in.S[1].Value&31)), opStore)
	} else {
		e.load(rcx, &in.S[1])
		e.byte(0x83, 0xe1, 31)
		e.alu(false, rax, rm{inWaveRCX, e.v(in.D).n}, opStore)
	}
	e.forget(in.D)
}

// readFirstLane reads the first active lane, or lane 0.
func readFirstLane(e *emitter, in *Inst) {
	if in.S[0].Place != Vector {
		e.load(rax, &in.S[0])
		e.store(in.D, rax)
		return
	}
	if !e.some {
		e.alu(false, rax, e.v(in.S[0].Reg), opLoad)
		e.store(in.D, rax)
		return
	}
	e.byte(0xf3)
	e.alu(false, rcx, e.s(e.at.Exec), 0x0f, 0xbc) // tzcnt: 32 when there is none
	e.byte(0x83, 0xe1, 31)
	e.alu(false, rax, rm{inWaveRCX, e.v(in.S[0].Reg).n}, opLoad)
	e.store(in.D, rax)
}
