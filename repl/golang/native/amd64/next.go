package amd64

import (
	"slices"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// Next makes the code that goes on with the runtime's iterator of a map, whose address is in RAX. RCX is 1 then, and
// RAX the address of the next key, or RCX is 0 at the end, or it is 2, where Go code is to go on. It changes no other
// register that holds values.
//
// It does what the runtime does while the map has the tables that it had. Of the iterator it changes nothing but which
// entry comes next. The group does not follow: Go code clears it before it goes on, and the runtime finds it again.
func Next(l enter.MapEntries) []byte {
	a := &assembler{}
	saved := []int{rbx, rsi, rdi, rbp}
	for _, r := range saved {
		a.push(r)
	}
	end, ask, out := a.newLabel(), a.newLabel(), a.newLabel()
	a.iterated(end, ask)
	a.nextEntry(l, out)
	a.opImm(opCmp, true, at(rdx, enter.IterIndexAt), 0) // there are no more in this table
	a.jumpIf(ifLess, end)
	a.load(rax, at(rdx, enter.IterMapAt))
	a.opImm(opCmp, true, at(rax, enter.MapNumTablesAt), 1)
	a.jumpIf(ifEqual, end)
	a.bind(ask)
	a.loadImm(rcx, 2)
	a.loadImm(rax, 0)
	a.jump(out)
	a.bind(end)
	a.loadImm(rcx, 0)
	a.loadImm(rax, 0)
	a.bind(out)
	for _, r := range slices.Backward(saved) {
		a.pop(r)
	}
	a.ret()
	a.resolve()
	return a.code
}

// iterated finds the table of the iterator in RAX, which goes to RDX: RDI is its groups, RBX one less than the number
// of their entries, and RSI the entry that comes next.
func (a *assembler) iterated(end, ask label) {
	small, found := a.newLabel(), a.newLabel()
	a.load(rdx, inReg(rax))
	a.opImm(opCmp, true, at(rdx, enter.IterTypeAt), 0)
	a.jumpIf(ifEqual, ask)
	a.load(rax, at(rdx, enter.IterMapAt))
	a.opImm(opCmp, true, inReg(rax), 0)
	a.jumpIf(ifEqual, end)
	a.extend(ir.Uint8, rcx, at(rax, enter.MapWritingAt))
	a.opImm(opCmp, true, inReg(rcx), 0)
	a.jumpIf(ifNotE, ask)
	a.load(rsi, at(rdx, enter.IterEntryAt))
	a.opImm(opCmp, true, at(rdx, enter.IterIndexAt), 0)
	a.jumpIf(ifLess, small)
	a.extend(ir.Uint8, rcx, at(rdx, enter.IterDepthAt))
	a.extend(ir.Uint8, rbx, at(rax, enter.MapDepthAt))
	a.op(opCmp, true, rcx, inReg(rbx))
	a.jumpIf(ifNotE, ask)
	a.load(rdi, at(rdx, enter.IterTableAt))
	a.opImm(opCmp, true, inReg(rdi), 0)
	a.jumpIf(ifEqual, ask)
	a.opImm(opCmp, true, at(rdi, enter.TableIndexAt), -1)
	a.jumpIf(ifEqual, ask)
	a.extend(ir.Uint16, rbx, at(rdi, enter.TableSizeAt))
	a.opImm(opSub, true, inReg(rbx), 1)
	a.load(rdi, at(rdi, enter.TableGroupsAt))
	a.jump(found)
	a.bind(small)
	a.opImm(opCmp, true, at(rax, enter.MapNumTablesAt), 0)
	a.jumpIf(ifGreater, ask)
	a.load(rdi, at(rdx, enter.IterGroupAt))
	a.loadImm(rbx, 7)
	a.bind(found)
}

// nextEntry looks for the next full entry of the table. It goes to out with its key in RAX and 1 in RCX, and on where
// there is none.
func (a *assembler) nextEntry(l enter.MapEntries, out label) {
	entry, full, some, done := a.newLabel(), a.newLabel(), a.newLabel(), a.newLabel()
	a.bind(entry)
	a.op(opCmp, true, rsi, inReg(rbx))
	a.jumpIf(ifAbove, done)
	a.load(rcx, at(rdx, enter.IterFromAt))
	a.op(opAdd, true, rcx, inReg(rsi))
	a.op(opAnd, true, rcx, inReg(rbx))
	a.load(rbp, inReg(rcx))
	a.shiftImm(5, rbp, 3)
	a.times(rbp, rbp, l.Group)
	a.op(opAdd, true, rbp, inReg(rdi)) // the group, and in RCX which of its entries
	a.opImm(opAnd, false, inReg(rcx), 7)
	a.load(rax, at(rbp, 0)) // the bytes of full entries alone do not have bit 7
	a.ins(form{wide: true, opcode: []byte{0xF7}}, 2, inReg(rax))
	a.shiftImm(4, rcx, 3)
	a.shift(5, rax)
	a.shiftImm(5, rcx, 3)
	a.bytes(0xA8, 0x80) // test AL, 80
	a.jumpIf(ifNotE, full)
	a.loadImm(rbp, -0x7F7F7F7F7F7F7F80)
	a.op(opAnd, true, rax, inReg(rbp))
	a.jumpIf(ifNotE, some)
	a.opImm(opAdd, true, inReg(rsi), 8)
	a.op(opSub, true, rsi, inReg(rcx))
	a.jump(entry)
	a.bind(some)
	a.ins(form{wide: true, opcode: []byte{0x0F, 0xBC}}, rax, inReg(rax)) // the lowest bit
	a.shiftImm(5, rax, 3)
	a.op(opAdd, true, rsi, inReg(rax))
	a.jump(entry)
	a.bind(full)
	a.times(rcx, rcx, l.Slot)
	a.lea(rax, operand{base: rbp, index: rcx, scale: 1, disp: 8})
	a.opImm(opAdd, true, inReg(rsi), 1)
	a.store(at(rdx, enter.IterEntryAt), rsi)
	a.loadImm(rcx, 1)
	a.jump(out)
	a.bind(done)
	a.store(at(rdx, enter.IterEntryAt), rsi)
}
