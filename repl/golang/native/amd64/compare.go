package amd64

import (
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// Compare makes the code that compares two texts, which are the first four arguments in the context: RAX is -1, 0 or 1.
// It changes no other register that holds values.
func Compare() []byte {
	a := &assembler{}
	shorter, words, tail, word, different := a.newLabel(), a.newLabel(), a.newLabel(), a.newLabel(), a.newLabel()
	bytes, byteEnd, done := a.newLabel(), a.newLabel(), a.newLabel()
	a.push(rbx)
	a.push(rsi)
	a.load(rax, at(r15, enter.ArgsAt))
	a.load(rsi, at(r15, enter.ArgsAt+8))
	a.load(rbx, at(r15, enter.ArgsAt+16))
	a.load(rdx, at(r15, enter.ArgsAt+24))
	a.op(opCmp, true, rsi, inReg(rdx))
	a.jumpIf(ifNotG, shorter)
	a.load(rsi, inReg(rdx)) // the length of the shorter one
	a.bind(shorter)
	a.op(opCmp, true, rax, inReg(rbx))
	a.jumpIf(ifEqual, byteEnd) // the same text, or the beginning of it
	a.bind(words)
	a.opImm(opCmp, true, inReg(rsi), 8)
	a.jumpIf(ifLess, tail)
	a.load(rcx, at(rax, 0))
	a.load(rdx, at(rbx, 0))
	a.op(opCmp, true, rcx, inReg(rdx))
	a.jumpIf(ifNotE, word)
	a.opImm(opAdd, true, inReg(rax), 8)
	a.opImm(opAdd, true, inReg(rbx), 8)
	a.opImm(opSub, true, inReg(rsi), 8)
	a.jump(words)
	a.bind(word) // in which the first byte counts most
	a.bytes(0x48, 0x0F, 0xC8|rcx)
	a.bytes(0x48, 0x0F, 0xC8|rdx)
	a.op(opCmp, true, rcx, inReg(rdx))
	a.jump(different)
	a.bind(tail)
	a.bind(bytes)
	a.ins(form{wide: true, opcode: []byte{0x85}}, rsi, inReg(rsi))
	a.jumpIf(ifEqual, byteEnd)
	a.ins(form{opcode: []byte{0x0F, 0xB6}}, rcx, at(rax, 0))
	a.ins(form{opcode: []byte{0x0F, 0xB6}}, rdx, at(rbx, 0))
	a.op(opCmp, true, rcx, inReg(rdx))
	a.jumpIf(ifNotE, different)
	a.opImm(opAdd, true, inReg(rax), 1)
	a.opImm(opAdd, true, inReg(rbx), 1)
	a.opImm(opSub, true, inReg(rsi), 1)
	a.jump(bytes)
	a.bind(byteEnd) // lengths are not negative
	a.load(rcx, at(r15, enter.ArgsAt+8))
	a.op(opCmp, true, rcx, at(r15, enter.ArgsAt+24))
	a.bind(different)
	a.loadImm(rax, 0)
	a.jumpIf(ifEqual, done)
	a.loadImm(rax, 1)
	a.jumpIf(ifAbove, done)
	a.loadImm(rax, -1)
	a.bind(done)
	a.pop(rsi)
	a.pop(rbx)
	a.ret()
	a.resolve()
	return a.code
}
