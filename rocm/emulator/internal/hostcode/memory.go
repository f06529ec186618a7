package hostcode

import "strings"

// Accesses to memory are translated for lanes that are all within bounds: of shared memory, or of the allocation that
// the interpreter has found for the same instruction before. All others are left to the interpreter, before anything is
// loaded or stored.
//
// An access finds the lowest address of a lane (rsi) and the distance of each lane from there (Layout.Free). Routines,
// each of which a function has once, do that and move the data.

// access is a plain load or store of each lane.
type access struct {
	store  bool
	size   int  // bytes
	signed bool // a load of less than a word
	half   half // of the register
}

// half says which half of a register a load replaces, or whether a store takes the upper one.
type half uint8

const (
	whole half = iota
	lowerHalf
	upperHalf
)

// accesses are the loads and stores by their names without the prefix; shared memory has its own for halves.
var accesses = map[string]access{
	"load_u8": {size: 1}, "load_i8": {size: 1, signed: true}, "load_u16": {size: 2}, "load_i16": {size: 2, signed: true},
	"load_b32": {size: 4}, "load_b64": {size: 8}, "load_b96": {size: 12}, "load_b128": {size: 16},
	"store_b8": {store: true, size: 1}, "store_b16": {store: true, size: 2}, "store_b32": {store: true, size: 4},
	"store_b64": {store: true, size: 8}, "store_b96": {store: true, size: 12}, "store_b128": {store: true, size: 16},

	"load_d16_u8": {size: 1, half: lowerHalf}, "load_u8_d16": {size: 1, half: lowerHalf},
	"load_d16_i8": {size: 1, signed: true, half: lowerHalf}, "load_i8_d16": {size: 1, signed: true, half: lowerHalf},
	"load_d16_b16": {size: 2, half: lowerHalf}, "load_u16_d16": {size: 2, half: lowerHalf},
	"load_d16_hi_u8": {size: 1, half: upperHalf}, "load_u8_d16_hi": {size: 1, half: upperHalf},
	"load_d16_hi_i8": {size: 1, signed: true, half: upperHalf}, "load_i8_d16_hi": {size: 1, signed: true, half: upperHalf},
	"load_d16_hi_b16": {size: 2, half: upperHalf}, "load_u16_d16_hi": {size: 2, half: upperHalf},
	"store_d16_hi_b8": {store: true, size: 1, half: upperHalf}, "store_b8_d16_hi": {store: true, size: 1, half: upperHalf},
	"store_d16_hi_b16": {store: true, size: 2, half: upperHalf}, "store_b16_d16_hi": {store: true, size: 2, half: upperHalf},

	"load_2addr_b32": {size: 4}, "load_2addr_stride64_b32": {size: 4},
	"load_2addr_b64": {size: 8}, "load_2addr_stride64_b64": {size: 8},
	"store_2addr_b32": {store: true, size: 4}, "store_2addr_stride64_b32": {store: true, size: 4},
	"store_2addr_b64": {store: true, size: 8}, "store_2addr_stride64_b64": {store: true, size: 8},
}

// memory returns what translates an access, nil for other instructions.
func memory(name string) func(e *emitter, in *Inst) {
	if strings.HasPrefix(name, "v_") || strings.HasPrefix(name, "s_") && !strings.HasPrefix(name, "s_load_b") {
		return nil
	}
	space, move, _ := strings.Cut(name, "_")
	a, ok := accesses[move]
	switch {
	case space == "s":
		return loadScalars
	case !ok:
		return nil
	case space == "global", space == "flat":
		return a.global
	case space == "ds":
		return a.shared
	}
	return nil
}

// global accesses device memory. A generic address of other memory is outside of every allocation here.
func (a access) global(e *emitter, in *Inst) {
	done := e.unlessInactive()
	e.lea(rdi, e.v(in.S[0].Reg))
	e.call(routine{what: addresses, long: in.Base < 0, some: e.some})
	if in.Base >= 0 {
		e.alu(true, rax, e.s(in.Base), opAdd)
	}
	if in.Offset != 0 {
		e.aluImm(true, 0x81, 0, register(rax), in.Offset)
	}
	e.within(in)
	e.alu(true, rax, wave(e.at.Memory), opAdd)
	e.alu(true, rax, register(rsi), 0x89)
	e.move(a, in)
	e.arrive(done)
}

// within leaves the instruction unless the lanes' bytes, from the address in rax on and up to an address that is rdx
// higher, are in the allocation that it had last.
func (e *emitter) within(in *Inst) {
	start, size := rm{inRCX, 16 * in.Slot}, rm{inRCX, 16*in.Slot + 8}
	e.alu(true, rcx, wave(e.at.Cache), opLoad)
	e.alu(true, rsi, register(rax), opLoad)
	e.alu(true, rsi, start, opSub)
	e.alu(true, rsi, size, opCmp)
	e.leaveIf(ifNotCarry)
	e.alu(true, rdx, register(rsi), opAdd)
	e.aluImm(true, 0x81, 0, register(rdx), uint32(in.Size))
	e.alu(true, rdx, size, opCmp)
	e.leaveIf(ifAbove)
}

// shared accesses the memory of a workgroup, at one address or at two, both of which are checked first.
func (a access) shared(e *emitter, in *Inst) {
	each := []Inst{*in}
	if in.Dual != nil {
		each = in.Dual[:]
	}
	most := uint32(0)
	for i := range each {
		most = max(most, each[i].Offset)
	}
	done := e.unlessInactive()
	e.lea(rdi, e.v(in.S[0].Reg))
	e.call(routine{what: offsets, some: e.some})
	e.aluImm(true, 0x81, 0, register(rdx), most+uint32(a.size))
	e.alu(true, rdx, wave(e.at.SharedSize), opCmp)
	e.leaveIf(ifAbove)
	for i := range each {
		e.alu(true, rsi, wave(e.at.Shared), opLoad)
		if k := each[i].Offset; k != 0 {
			e.aluImm(true, 0x81, 0, register(rsi), k)
		}
		e.move(a, &each[i])
	}
	e.arrive(done)
}

// move loads or stores the lanes' data.
func (e *emitter) move(a access, in *Inst) {
	r := in.D
	if a.store {
		r = in.Data
	}
	e.lea(rdi, e.v(r))
	e.call(routine{what: data, access: a, some: e.some})
}

// loadScalars loads scalar registers.
func loadScalars(e *emitter, in *Inst) {
	if in.S[0].Place != Scalar || in.D <= e.at.Exec && in.D+in.Size/4 > e.at.Exec-1 {
		e.fail()
	}
	e.alu(true, rax, e.s(in.S[0].Reg), opLoad)
	if in.Offset != 0 {
		e.aluImm(true, 0x81, 0, register(rax), in.Offset)
	}
	if in.Base >= 0 {
		e.alu(false, rcx, e.s(in.Base), opLoad)
		e.alu(true, rax, register(rcx), opAdd)
	}
	e.aluImm(true, 0x81, 4, register(rax), ^uint32(3))
	e.alu(false, rdx, register(rdx), opXor)
	e.within(in)
	e.alu(true, rax, wave(e.at.Memory), opAdd)
	e.alu(true, rax, register(rsi), 0x89)
	for at := 0; at < in.Size; {
		from, to := rm{inRSI, at}, wave(e.s(in.D).n+at)
		switch rest := in.Size - at; {
		case rest >= 32:
			e.vex(vMovLoad, 0, 0, from)
			e.vex(vMovStore, 0, 0, to)
			at += 32
		case rest >= 16:
			e.vexHalf(vMovLoad, 0, 0, from)
			e.vexHalf(vMovStore, 0, 0, to)
			at += 16
		default:
			e.alu(rest >= 8, rax, from, opLoad)
			e.alu(rest >= 8, rax, to, opStore)
			at += min(rest, 8)
		}
	}
}

func (e *emitter) lea(reg int, m rm) { e.alu(true, reg, m, 0x8d) }

// unlessInactive skips the instruction if no lane is active, up to where arrive is called.
func (e *emitter) unlessInactive() (jump int) {
	if !e.some {
		return -1
	}
	e.aluImm(false, 0x81, 7, e.s(e.at.Exec), 0)
	return e.ahead(ifZero)
}

func (e *emitter) arrive(jump int) {
	if jump >= 0 {
		e.patch(jump)
	}
	e.clear()
}

// call calls a routine.
func (e *emitter) call(r routine) {
	e.byte(0xe8)
	e.calls = append(e.calls, call{len(e.code), r})
	e.word(0)
}
