package amd64

import "github.com/gorocm/gorocm/repl/golang/native/enter"

// Gate makes the code by which Go code enters generated code, and the code by which that leaves, behind it at leave.
// The first is called with the context in R15 and the goroutine in R14; it goes on where the top of the stack of
// generated code says. The second keeps all registers in the context.
//
// Code that Go code has called as a function value leaves by what is at resume instead, if locks, the place at which a
// thread counts what pins its goroutine, is not 0: it pins the goroutine and goes on, in place of the call, with a
// closure of Go code, which Go code takes for what it has called.
func Gate(locks int) (code []byte, leave, resume int) {
	a := &assembler{}
	a.enter(0)
	leave = a.align()
	a.saveRegisters(0)
	a.op(opXor, false, rax, inReg(rax))
	a.ret()
	if locks == 0 {
		return a.code, leave, 0
	}
	resume = a.align()
	a.saveRegisters(0)
	a.sse(0, 0x57, x15, inReg(x15)) // Go code has zero there
	a.load(rax, at(r14, enter.ThreadAt))
	a.opImm(opAdd, false, at(rax, locks), 1)
	a.load(rdx, at(r15, enter.ResumeAt))
	a.jumpAt(at(rdx, 0))
	return a.code, leave, resume
}

// enter goes to the stack of generated code, with the registers that saveRegisters has kept.
func (a *assembler) enter(float int) {
	a.store(at(r15, enter.GoStackAt), rsp)
	a.store(at(r15, enter.GoFrameAt), rbp)
	a.load(rsp, at(r15, enter.StackAt))
	for i, r := range ints {
		a.load(r, at(r15, enter.IntsAt+8*i))
	}
	for i := float; i < enter.NumFloats; i++ {
		a.sse(0xF2, 0x10, i, at(r15, enter.FloatsAt+8*i))
	}
	a.pop(rax)
	a.ins(form{opcode: []byte{0xFF}}, 4, inReg(rax))
}

// leaveBy leaves by the code whose address the context has at an offset, and goes on behind. It calls that code without
// a call instruction, and enter returns without a return: the processor, which counts on each return to go behind the
// last call, finds that of Enter's assembly there when Go code returns to it.
func (a *assembler) leaveBy(offset int) {
	back := a.newLabel()
	a.lea(rax, operand{base: -1, index: -1, label: back})
	a.push(rax)
	a.jumpAt(at(r15, offset))
	a.bind(back)
}

// Request makes the code by which generated code that Enter runs leaves for a request: a function value of Go, in RDX,
// with the context as its parameter. For all that Go code knows, Enter's assembly has called it, which goes on with the
// rest of this code where it returns true; otherwise generated code has left. The registers of floats are kept from the
// given one on.
func Request(float int) []byte {
	a := &assembler{}
	back := a.newLabel()
	a.saveRegisters(float)
	a.lea(rax, operand{base: -1, index: -1, label: back})
	a.store(at(r15, enter.BackAt), rax)
	a.sse(0, 0x57, x15, inReg(x15)) // Go code has zero there
	a.load(rax, inReg(r15))
	a.jumpAt(at(rdx, 0))
	a.bind(back)
	a.enter(float)
	a.resolve()
	return a.code
}

func (a *assembler) align() int {
	for len(a.code)%16 != 0 {
		a.bytes(0xCC)
	}
	return len(a.code)
}

// saveRegisters keeps the registers in the context, those of floats from the given one on, and goes back to the stack
// of Go.
func (a *assembler) saveRegisters(float int) {
	for i, r := range ints {
		a.store(at(r15, enter.IntsAt+8*i), r)
	}
	for i := float; i < enter.NumFloats; i++ {
		a.sse(0xF2, 0x11, i, at(r15, enter.FloatsAt+8*i))
	}
	a.store(at(r15, enter.StackAt), rsp)
	a.load(rsp, at(r15, enter.GoStackAt))
	a.load(rbp, at(r15, enter.GoFrameAt))
}

// Stub makes the function that stands for one that is not compiled: it leaves with its arguments in the saved
// registers, where its results are when it goes on. stop is the address after it has left.
func Stub() (code []byte, stop int) {
	a := &assembler{}
	a.callAt(at(r15, enter.LeaveAt))
	stop = len(a.code)
	a.ret()
	return a.code, stop
}
