package hostcode

// emitter translates one instruction after another.
type emitter struct {
	asm
	at   *Layout
	some bool // some lanes may be inactive

	// The groups of YMM registers, and the spare ones.
	holds  [groups]int  // the vector register whose value a group has, or -1
	pinned [groups]bool // it is being computed
	used   [groups]bool // by an operand of this instruction
	since  [groups]int
	clock  int
	taken  [spares]bool
	// Groups whose registers are spare ones for this instruction, and which of those are free.
	borrowed [groups]bool
	lent     [groups]uint8

	leaves []int  // jumps to where this instruction is left to the interpreter
	calls  []call // of routines
}

// leaveIf leaves the instruction to the interpreter on a condition.
func (e *emitter) leaveIf(cond byte) {
	e.leaves = append(e.leaves, e.ahead(cond))
}

// untranslated is what fail panics with.
type untranslated struct{}

// fail gives up an instruction.
func (e *emitter) fail() { panic(untranslated{}) }

func newEmitter(at *Layout) *emitter {
	e := &emitter{at: at, asm: asm{known: map[string]int{}}}
	e.clear()
	return e
}

// clear forgets what is in the groups, where other code may continue.
func (e *emitter) clear() { e.holds = [groups]int{-1, -1, -1} }

// try translates an instruction, and reports whether it can be. If not, nothing is left of the attempt but constants.
func (e *emitter) try(in *Inst) (ok bool) {
	code, fixes, calls := len(e.code), len(e.fixes), len(e.calls)
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(untranslated); !is {
				panic(r)
			}
			e.code, e.fixes, e.calls = e.code[:code], e.fixes[:fixes], e.calls[:calls]
			e.release()
			e.pinned = [groups]bool{}
			e.clear()
		}
	}()
	e.instruction(in)
	return true
}

// instruction translates an instruction that is not a branch.
func (e *emitter) instruction(in *Inst) {
	e.release()
	e.leaves = e.leaves[:0]
	if access := memory(in.Name); access != nil {
		e.clear()
		access(e, in)
		return
	}
	scalar, vector, other := scalarOps[in.Name], vectorOps[in.Name], otherOps[in.Name]
	switch {
	case in.Dual != nil:
		x := e.compute(&in.Dual[0])
		e.release()
		y := e.compute(&in.Dual[1])
		e.release()
		e.commit(x, in.Dual[0].D)
		e.commit(y, in.Dual[1].D)
	case scalar != nil:
		scalar(e, in)
	case vector != nil:
		g := e.compute(in)
		e.release()
		if in.Half {
			e.mergeHalf(g, in)
		}
		e.commit(g, in.D)
	case other != nil:
		other(e, in)
	default:
		e.fail()
	}
	e.pinned = [groups]bool{}
}

// compute computes the result of a vector instruction in a group.
func (e *emitter) compute(in *Inst) int {
	f := vectorOps[in.Name]
	if f == nil {
		e.fail()
	}
	e.uses(in)
	g := e.pick()
	f(e, in, g)
	return g
}

// mergeHalf makes a result of 16 bits one of 32, with the other half of the register.
func (e *emitter) mergeHalf(g int, in *Inst) {
	old := byte(0xaa)
	if in.High {
		old = 0x55
	}
	for c := range groupSize {
		r := groupSize*g + c
		if in.High {
			e.vex(vShift8, leftBy, r, register(r), 16)
		}
		e.vex(vBlend2, r, r, wave(e.v(in.D).n+32*c), old)
	}
}

// uses notes the groups that have operands of an instruction, so that its result goes elsewhere if it can.
func (e *emitter) uses(in *Inst) {
	e.used = [groups]bool{}
	for k := range in.S {
		if in.S[k].Place != Vector {
			continue
		}
		for g, r := range e.holds {
			if r == in.S[k].Reg || in.S[k].Wide && r == in.S[k].Reg+1 {
				e.used[g] = true
			}
		}
	}
}

// release makes all spare registers free, and groups groups again.
func (e *emitter) release() {
	e.taken = [spares]bool{}
	for g := range groups {
		if e.borrowed[g] {
			e.borrowed[g], e.lent[g], e.pinned[g] = false, 0, false
		}
	}
}
