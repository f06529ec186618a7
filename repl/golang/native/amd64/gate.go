package amd64

import "github.com/gorocm/gorocm/repl/golang/native/enter"

// Gate makes the code by which Go code enters generated code, and the code by which that leaves, behind it at leave.
// The first is called with the context in R15 and the goroutine in R14; it goes on where the top of the stack of
// generated code says. The second keeps all registers in the context.
func Gate() (code []byte, leave int) {
	a := &assembler{}
	a.store(at(r15, enter.GoStackAt), rsp)
	a.store(at(r15, enter.GoFrameAt), rbp)
	a.load(rsp, at(r15, enter.StackAt))
	for i, r := range ints {
		a.load(r, at(r15, enter.IntsAt+8*i))
	}
	for i := range enter.NumFloats {
		a.sse(0xF2, 0x10, i, at(r15, enter.FloatsAt+8*i))
	}
	a.ret()
	for len(a.code)%16 != 0 {
		a.bytes(0xCC)
	}
	leave = len(a.code)
	for i, r := range ints {
		a.store(at(r15, enter.IntsAt+8*i), r)
	}
	for i := range enter.NumFloats {
		a.sse(0xF2, 0x11, i, at(r15, enter.FloatsAt+8*i))
	}
	a.store(at(r15, enter.StackAt), rsp)
	a.load(rsp, at(r15, enter.GoStackAt))
	a.load(rbp, at(r15, enter.GoFrameAt))
	a.ret()
	return a.code, leave
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
