package amd64

import (
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// goInts are the registers in which Go code passes integers and pointers. It passes floats from X0 on, as code here
// does, and the closure in RDX; it has the goroutine in R14 and zero in X15, and keeps RBP.
var goInts = [...]int{rax, rbx, rcx, rdi, rsi, r8, r9, r10, r11}

// MaxGoInts is how many words of integers and pointers Go code passes in registers.
const MaxGoInts = len(goInts)

// Function is what Go code calls as a function value.
type Function struct {
	Params, Results []ir.Kind
	Slots           uintptr // the address of the contexts that wait for any thread
	Mask            int     // one less than their number, which is a power of two
	Threads         uintptr // the address of those that wait for one: each has the thread's address before it
	ThreadMask      int     // one less than their number
	Entry           int     // where a closure has the address of where the address of the code is
	Stops           int     // where it has the address of a 32-bit word that is 0 unless goroutines are to stop
	Form            int     // of the results
	Deep            int     // how many bytes of Go's stack may be in use for it to run without asking
}

// FunctionCode is a Function as instructions. It is left at Ask where much of the stack is in use or goroutines are to
// stop, with the pointers
// among the arguments in the saved registers. What it calls returns to Return, and to Slow where it has left meanwhile:
// the code there stores the results in the context and leaves, and Done is the address after that.
type FunctionCode struct {
	Bytes                   []byte
	Ask, Return, Slow, Done int
	Pointers                []Pointer
}

// Code makes the instructions. They run on the stack of Go until they have taken a context.
func (f *Function) Code() *FunctionCode {
	a := &assembler{}
	c := &FunctionCode{}
	a.takeContext(f)
	a.store(at(r15, enter.ClosureAt), rdx)
	a.store(at(r15, enter.GoStackAt), rsp)
	a.store(at(r15, enter.GoFrameAt), rbp)
	a.load(r12, at(r15, enter.FormsAt+8*f.Form))
	a.store(at(r15, enter.ResumeAt), r12)
	a.load(r13, at(r14, enter.StackHighAt))
	a.op(opSub, true, r13, inReg(rsp))
	a.load(rsp, at(r15, enter.StackAt))
	a.opImm(opCmp, true, inReg(r13), f.Deep)
	ask := a.newLabel()
	n := a.arguments(f, c) // keeps the flags
	a.jumpIf(ifAbove, ask)
	a.load(rax, at(rdx, f.Stops))
	a.opImm(opCmp, false, at(rax, 0), 0)
	a.jumpIf(ifNotE, ask)
	a.load(rax, at(rdx, f.Entry))
	a.callAt(at(rax, 0))
	c.Return = len(a.code)
	a.goResults(f.Results)
	a.load(rsp, at(r15, enter.GoStackAt))
	a.load(rbp, at(r15, enter.GoFrameAt))
	a.sse(0, 0x57, x15, inReg(x15))
	a.load(r12, at(r15, enter.SlotAt))
	a.store(at(r12, 0), r15)
	a.ret()
	slow := a.newLabel()
	a.bind(ask)
	a.callAt(at(r15, enter.LeaveAt))
	c.Ask = len(a.code)
	a.lea(rdx, operand{base: -1, index: -1, label: slow})
	a.push(rdx)
	a.load(rax, at(ints[n], f.Entry))
	a.jumpAt(at(rax, 0))
	a.bind(slow)
	c.Slow = len(a.code)
	a.keepResults(f.Results)
	a.callAt(at(r15, enter.LeaveAt))
	c.Done = len(a.code)
	a.bytes(0xCC)
	a.resolve()
	c.Bytes = a.code
	return c
}

// takeContext takes a context that waits into R15: that of the thread, which no other one takes, or else one of those
// for all, from the place of this goroutine on. There are more of these than threads that run Go code, so one is found
// soon.
func (a *assembler) takeContext(f *Function) {
	general, again, taken := a.newLabel(), a.newLabel(), a.newLabel()
	a.load(r12, at(r14, enter.ThreadAt))
	a.load(r13, inReg(r12))
	a.shiftImm(5, r13, enter.ThreadBits)
	a.opImm(opAnd, true, inReg(r13), f.ThreadMask)
	a.shiftImm(4, r13, 4)
	a.loadImm(r15, int64(f.Threads))
	a.op(opAdd, true, r13, inReg(r15))
	a.op(opCmp, true, r12, at(r13, 0))
	a.jumpIf(ifNotE, general)
	a.load(r15, at(r13, 8))
	a.ins(form{wide: true, opcode: []byte{0x85}}, r15, inReg(r15))
	a.jumpIf(ifEqual, general)
	a.storeImm(at(r13, 8), 0)
	a.jump(taken)
	a.bind(general)
	a.load(r12, inReg(r14))
	a.shiftImm(5, r12, enter.GoroutineBits)
	a.bind(again)
	a.opImm(opAnd, true, inReg(r12), f.Mask)
	a.loadImm(r13, int64(f.Slots))
	a.op(opXor, false, r15, inReg(r15))
	a.ins(form{wide: true, opcode: []byte{0x87}}, r15, operand{base: r13, index: r12, scale: 8}) // xchg
	a.ins(form{wide: true, opcode: []byte{0x85}}, r15, inReg(r15))
	a.jumpIf(ifNotE, taken)
	a.bytes(0xF3, 0x90) // pause
	a.opImm(opAdd, true, inReg(r12), 1)
	a.jump(again)
	a.bind(taken)
}

// arguments moves arguments to where code here has them, with the closure behind them, and notes the pointers. It
// returns how many integers and pointers come before the closure. It keeps the flags.
func (a *assembler) arguments(f *Function, c *FunctionCode) (n int) {
	var kinds []ir.Kind
	for _, k := range f.Params {
		if k.IsFloat() {
			continue
		}
		if k == ir.Ptr {
			c.Pointers = append(c.Pointers, Pointer{InRegister: true, At: len(kinds)})
		}
		kinds = append(kinds, k)
	}
	n = len(kinds)
	for i := n - 1; i >= 0; i-- {
		a.extend(kinds[i], ints[i], inReg(goInts[i]))
	}
	a.load(ints[n], inReg(rdx))
	c.Pointers = append(c.Pointers, Pointer{InRegister: true, At: n})
	return n
}

// goResults moves results to where Go code has them.
func (a *assembler) goResults(results []ir.Kind) {
	i := 0
	for _, k := range results {
		if !k.IsFloat() {
			a.load(goInts[i], inReg(ints[i]))
			i++
		}
	}
}

// keepResults stores results in the context, those of floats behind the others.
func (a *assembler) keepResults(results []ir.Kind) {
	class := [2]int{}
	for _, k := range results {
		if !k.IsFloat() {
			a.store(at(r15, enter.ResultsAt+8*class[0]), ints[class[0]])
			class[0]++
		}
	}
	for _, k := range results {
		if k.IsFloat() {
			a.sse(0xF2, 0x11, class[1], at(r15, enter.ResultsAt+8*(class[0]+class[1])))
			class[1]++
		}
	}
}
