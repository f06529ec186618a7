package hostcode

// routine is a piece of code that several instructions of a function call.
type routine struct {
	what   routineKind
	long   bool // addresses of 64 bits
	some   bool // lanes may be inactive
	access access
}

type routineKind uint8

const (
	// addresses reads the lanes' addresses in the register at rdi, or two registers for those of 64 bits. It sets rax
	// to the lowest, rdx to the distance of the highest from there, and Free to the distance of each lane. If that is
	// 2^31 or more, rdx is larger than any allocation.
	addresses routineKind = iota
	// offsets sets Free to the lanes' offsets, from the register at rdi, and rdx to the highest.
	offsets
	// data moves the lanes' data between the registers at rdi and rsi plus Free.
	data
)

// call is a displacement of 32 bits to a routine.
type call struct {
	at int
	routine
}

// routineEmitter emits routines.
type routineEmitter struct{ *emitter }

func (e routineEmitter) emit(r routine) {
	e.some = r.some
	switch {
	case r.what == addresses:
		e.addresses(r.long)
	case r.what == offsets:
		e.offsets()
	case r.access.store:
		e.storeLanes(r.access)
	default:
		e.loadLanes(r.access)
	}
}

// routines emits the routines that are called.
func (e *emitter) routines() {
	known := map[routine]int{}
	for _, c := range e.calls {
		if _, ok := known[c.routine]; !ok {
			known[c.routine] = len(e.code)
			routineEmitter{e}.emit(c.routine)
		}
		e.displace(c.at, known[c.routine])
	}
}

func (e routineEmitter) free(c int) rm { return wave(e.at.Free + 32*c) }
func (e *emitter) mask(c int) rm       { return wave(e.at.Masks + 32*c) }

func (e routineEmitter) addresses(long bool) {
	const lowest, highest, mask, t = 8, 9, 10, 11
	var tooFar []int
	if long { // the upper words must be equal
		first := rm{inRDI, 128}
		if e.some {
			e.firstActive()
			first = rm{inRDIRCX, 128}
		}
		e.vex(vSpread, t, 0, first)
		for c := range groupSize {
			e.vex(vEqual8, 4+c, t, rm{inRDI, 128 + 32*c})
			if e.some {
				e.vex(vOr, 4+c, 4+c, e.mask(c))
			}
			if c > 0 {
				e.vex(vAnd, 4, 4, register(4+c))
			}
		}
		e.vex(vSigns, rax, 0, register(4))
		e.aluImm(false, 0x81, 7, register(rax), 255)
		tooFar = append(tooFar, e.ahead(ifNotZero))
	}
	for c := range groupSize {
		e.vex(vMovLoad, c, 0, rm{inRDI, 32 * c})
		low, high := c, c
		if e.some {
			low, high = 4, 5
			e.vex(vMovLoad, mask, 0, e.mask(c))
			e.vex(vOr, low, c, register(mask))
			e.vex(vAndNot, high, mask, register(c))
		}
		if c == 0 {
			e.vex(vMov, lowest, 0, register(low))
			e.vex(vMov, highest, 0, register(high))
			continue
		}
		e.vex(vMinU8, lowest, lowest, register(low))
		e.vex(vMaxU8, highest, highest, register(high))
	}
	e.reduce(vMinU8, lowest, t)
	e.reduce(vMaxU8, highest, t)
	e.vexHalf(vWordStore, lowest, 0, register(rax))
	e.vexHalf(vWordStore, highest, 0, register(rdx))
	e.alu(false, rdx, register(rax), opSub)
	tooFar = append(tooFar, e.ahead(ifSign))
	for c := range groupSize {
		e.vex(vSub8, c, c, register(lowest))
		if e.some {
			e.vex(vMovLoad, mask, 0, e.mask(c))
			e.vex(vAndNot, c, mask, register(c))
		}
		e.vex(vMovStore, c, 0, e.free(c))
	}
	if long {
		upper := rm{inRDI, 128}
		if e.some {
			upper = rm{inRDIRCX, 128}
		}
		e.alu(false, rcx, upper, opLoad)
		e.byte(0x48, 0xc1, 0xe1, 32) // shl rcx, 32
		e.alu(true, rax, register(rcx), opOr)
	}
	e.byte(0xc3)
	for _, at := range tooFar {
		e.patch(at)
	}
	e.byte(0x48, 0xb8|rdx)
	e.word(0)
	e.word(1 << 30)
	e.byte(0xc3)
}

// firstActive sets rcx to the first active lane, of which there is one.
func (e routineEmitter) firstActive() {
	e.byte(0xf3)
	e.alu(false, rcx, e.s(e.at.Exec), 0x0f, 0xbc)
}

// reduce makes all lanes of r what an operation makes of its lanes; t is free.
func (e routineEmitter) reduce(o vop, r, t int) {
	e.vex(vPermute4, t, 0, register(r), 0x4e)
	e.vex(o, r, r, register(t))
	for _, order := range []byte{0x4e, 0xb1} {
		e.vex(vSwap8, t, 0, register(r), order)
		e.vex(o, r, r, register(t))
	}
}

func (e routineEmitter) offsets() {
	const highest, t = 4, 5
	for c := range groupSize {
		e.vex(vMovLoad, c, 0, rm{inRDI, 32 * c})
		if e.some {
			e.vex(vMovLoad, t, 0, e.mask(c))
			e.vex(vAndNot, c, t, register(c))
		}
		e.vex(vMovStore, c, 0, e.free(c))
	}
	e.vex(vMaxU8, highest, 0, register(1))
	e.vex(vMaxU8, t, 2, register(3))
	e.vex(vMaxU8, highest, highest, register(t))
	e.reduce(vMaxU8, highest, t)
	e.vexHalf(vWordStore, highest, 0, register(rdx))
	e.byte(0xc3)
}
