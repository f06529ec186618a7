// Package amd64 makes instructions of the values of a function.
//
// RSP is the stack of generated code, R14 the goroutine, R15 the context (see package enter). RAX, RCX, RDX and X13 to
// X15 hold nothing from one value to the next; the other registers are those of package regalloc, which keeps R12, R13,
// RBP and X10 to X12. Arguments and results are in registers, integers and floats each counted for themselves.
package amd64

import (
	"encoding/binary"
	"math"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/regalloc"
)

// ints are the registers that hold values.
var ints = [enter.NumInts]int{rbx, rsi, rdi, r8, r9, r10, r11, r12, r13, rbp}

// Machine is what package regalloc must know.
var Machine = regalloc.Machine{Ints: enter.NumInts, Floats: enter.NumFloats, KeptInts: 3,
	KeptFloats: enter.KeptFloats}

// The registers of floats that hold nothing for long.
const (
	x13 = 13
	x14 = 14
	x15 = 15
)

// MaxFrame is how many bytes a function's frame may have.
const MaxFrame = enter.Margin / 2

// Stop is a place at which the stack of generated code may be looked at: the address after a call.
type Stop struct {
	Offset   int // in the code
	Site     int // in Func.Sites
	Frame    int // bytes of the frame, without the return address
	Pointers []Pointer
}

// Pointer is where a pointer is while generated code is left: in a saved register, or in the frame.
type Pointer struct {
	InRegister bool
	At         int // the register's number, or the offset in the frame
}

// Code is a function as instructions.
type Code struct {
	Bytes []byte
	Entry int // of the function
	Thunk int // of what Go code enters: it takes arguments from the context and leaves results there
	Done  int // the address after it has left
	Stops []Stop
}

// emitter makes the code of one function.
type emitter struct {
	assembler
	f      *ir.Func
	r      *regalloc.Result
	proc   func(int) uintptr // where the address of a function is
	blocks map[*ir.Block]label
	next   *ir.Block
	frame  int
	memory int // where Frame values begin
	kept   int // where kept registers are restored from
	pool   map[uint64]label
	later  []func() // what is not on the usual way
	stops  []Stop
	fewer  bool // no value is in any but the kept registers of floats
}

// Emit makes instructions of a function whose values have places. Constants are behind the code.
func Emit(f *ir.Func, r *regalloc.Result, entry func(proc int) uintptr) *Code {
	e := &emitter{f: f, r: r, proc: entry, blocks: map[*ir.Block]label{}, pool: map[uint64]label{}}
	e.memory = 8 * r.Slots
	e.kept = e.memory + (f.Memory+7)/8*8
	e.frame = e.kept + 8*len(r.Kept[0]) + 8*len(r.Kept[1])
	e.fewer = !usesFloats(f, r)
	c := &Code{}
	c.Thunk, c.Done = e.thunk(f)
	c.Entry = len(e.code)
	for _, b := range f.Blocks {
		e.blocks[b] = e.newLabel()
	}
	if e.frame > 0 {
		e.opImm(opSub, true, inReg(rsp), e.frame)
	}
	e.keep()
	blocks := coldLast(f.Blocks)
	for i, b := range blocks {
		e.next = nil
		if i+1 < len(blocks) {
			e.next = blocks[i+1]
		}
		e.bind(e.blocks[b])
		e.block(b)
	}
	for len(e.later) > 0 {
		l := e.later[0]
		e.later = e.later[1:]
		l()
	}
	e.constants()
	e.resolve()
	c.Bytes, c.Stops = e.code, e.stops
	return c
}

// usesFloats reports whether any value is in a register of floats that is not kept.
func usesFloats(f *ir.Func, r *regalloc.Result) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if i, ok := r.Places[v.ID].IsReg(); ok && v.Kind.IsFloat() && i < enter.NumFloats-enter.KeptFloats {
				return true
			}
		}
	}
	return false
}

// coldLast are the blocks in the order in which their instructions are: those that are rarely executed come last.
func coldLast(blocks []*ir.Block) (list []*ir.Block) {
	for _, cold := range []bool{false, true} {
		for _, b := range blocks {
			if b.Cold == cold {
				list = append(list, b)
			}
		}
	}
	return list
}

// thunk is what Go code enters: it calls the function with arguments from the context.
func (e *emitter) thunk(f *ir.Func) (start, done int) {
	start = len(e.code)
	class := [2]int{}
	each := func(kinds []ir.Kind, do func(i, reg int, k ir.Kind)) {
		class = [2]int{}
		for i, k := range kinds {
			c := classOf(k)
			do(i, class[c], k)
			class[c]++
		}
	}
	each(f.Params, func(i, reg int, k ir.Kind) {
		if k.IsFloat() {
			e.sse(0xF2, 0x10, reg, at(r15, enter.ArgsAt+8*i))
		} else {
			e.load(ints[reg], at(r15, enter.ArgsAt+8*i))
		}
	})
	entry := e.newLabel()
	e.bytes(0xE8)
	e.fixups = append(e.fixups, fixup{len(e.code), len(e.code) + 4, entry})
	e.imm32(0)
	e.stops = append(e.stops, Stop{Offset: len(e.code), Site: -1})
	each(f.Results, func(i, reg int, k ir.Kind) {
		if k.IsFloat() {
			e.sse(0xF2, 0x11, reg, at(r15, enter.ResultsAt+8*i))
		} else {
			e.store(at(r15, enter.ResultsAt+8*i), ints[reg])
		}
	})
	e.leaveBy(enter.LeaveAt)
	done = len(e.code)
	e.bytes(0xCC)
	for len(e.code)%16 != 0 {
		e.bytes(0xCC)
	}
	e.bind(entry)
	return start, done
}

// keep stores the kept registers that the function changes.
func (e *emitter) keep() {
	for i, r := range e.r.Kept[0] {
		e.store(at(rsp, e.kept+8*i), ints[r])
	}
	for i, r := range e.r.Kept[1] {
		e.sse(0xF2, 0x11, r, at(rsp, e.kept+8*(len(e.r.Kept[0])+i)))
	}
}

// restore loads them again, but those that results are in.
func (e *emitter) restore() {
	results := [2]int{}
	for _, k := range e.f.Results {
		results[classOf(k)]++
	}
	for i, r := range e.r.Kept[0] {
		if r >= results[0] {
			e.load(ints[r], at(rsp, e.kept+8*i))
		}
	}
	for i, r := range e.r.Kept[1] {
		if r >= results[1] {
			e.sse(0xF2, 0x10, r, at(rsp, e.kept+8*(len(e.r.Kept[0])+i)))
		}
	}
}

func classOf(k ir.Kind) int {
	if k.IsFloat() {
		return 1
	}
	return 0
}

// constants writes those of floats.
func (e *emitter) constants() {
	for len(e.code)%8 != 0 {
		e.bytes(0xCC)
	}
	byLabel := map[label]uint64{}
	for bits, l := range e.pool {
		byLabel[l] = bits
	}
	for l := range e.labels {
		if bits, ok := byLabel[label(l)]; ok {
			e.bind(label(l))
			e.code = binary.LittleEndian.AppendUint64(e.code, bits)
		}
	}
}

// constant is an operand of 64 bits in memory.
func (e *emitter) constant(bits uint64) operand {
	l, ok := e.pool[bits]
	if !ok {
		l = e.newLabel()
		e.pool[bits] = l
	}
	return operand{base: -1, index: -1, label: l}
}

// where is the operand that a value is, which is not a constant of an integer.
func (e *emitter) where(v *ir.Value) operand {
	if v.Op == ir.Const {
		return e.constant(uint64(v.Imm))
	}
	return e.place(e.r.Places[v.ID], v.Kind)
}

func (e *emitter) place(p regalloc.Place, k ir.Kind) operand {
	if i, ok := p.IsReg(); ok {
		if k.IsFloat() {
			return inReg(i)
		}
		return inReg(ints[i])
	}
	i, _ := p.IsSlot()
	return at(rsp, 8*i)
}

// isImm reports whether a value is a constant that fits an instruction.
func isImm(v *ir.Value) bool {
	return v.Op == ir.Const && !v.Kind.IsFloat() && v.Imm >= math.MinInt32 && v.Imm <= math.MaxInt32
}

// operandOf is an operand for an integer, which may be a constant: then it is loaded into the scratch register.
func (e *emitter) operandOf(v *ir.Value, scratch int) operand {
	if v.Op == ir.Const {
		e.loadImm(scratch, v.Imm)
		return inReg(scratch)
	}
	return e.where(v)
}

// get loads an integer into a register.
func (e *emitter) get(reg int, v *ir.Value) {
	if v.Op == ir.Const {
		e.loadImm(reg, v.Imm)
		return
	}
	e.load(reg, e.where(v))
}

// inRegister is the register of an integer, the scratch register after loading it where it is in none.
func (e *emitter) inRegister(v *ir.Value, scratch int) int {
	if v.Op != ir.Const {
		if o := e.where(v); o.isReg {
			return o.reg
		}
	}
	e.get(scratch, v)
	return scratch
}

// target is the register to compute a value in: its own, or the scratch register, from which put stores it.
func (e *emitter) target(v *ir.Value, scratch int) int {
	if o := e.where(v); o.isReg {
		return o.reg
	}
	return scratch
}

func (e *emitter) put(v *ir.Value, reg int) {
	o := e.where(v)
	switch {
	case v.Kind.IsFloat() && o.isReg:
		e.moveFloat(o.reg, reg)
	case v.Kind.IsFloat():
		e.sse(0xF2, 0x11, reg, o)
	case o.isReg:
		e.load(o.reg, inReg(reg))
	default:
		e.store(o, reg)
	}
}

// floatReg is a register that has a float: its own, or x14.
func (e *emitter) floatReg(v *ir.Value) int {
	if o := e.where(v); o.isReg {
		return o.reg
	}
	e.getFloat(x14, v)
	return x14
}

// getFloat loads a float into a register.
func (e *emitter) getFloat(reg int, v *ir.Value) {
	o := e.where(v)
	if o.isReg {
		e.moveFloat(reg, o.reg)
		return
	}
	if v.Op == ir.Const && v.Imm == 0 {
		e.sse(0, 0x57, reg, inReg(reg))
		return
	}
	e.sse(0xF2, 0x10, reg, o)
}
