package amd64

import (
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// finder makes the code that finds entries of maps with a layout.
type finder struct {
	assembler
	enter.MapLayout
	found, other, none label // where a key is the one, and where it is not; where there is none
	adds               bool
}

// Find makes the code that finds the element of a key in a map, whose address is in RAX and which no goroutine writes.
// A text is in RCX and RDX, any other key is at the arguments in the context. RAX is the element's address then, or 0
// where there is none. It changes no other register that holds values.
//
// It does what the runtime does: the low 7 bits of the hash are those of the byte that the entry's group has for it,
// the others tell the table and the group in which the search begins. A group with an empty entry ends the search.
func Find(l enter.MapLayout) []byte { return newFinder(l, false) }

// Put makes the code that finds the element of a key likewise, or adds an entry, whose element is to be set. It is for
// keys that are no texts and have no pointers. RAX is 0 where Go code is to add the entry: where one was deleted on the
// way, or the table has to grow.
func Put(l enter.MapLayout) []byte { return newFinder(l, true) }

func newFinder(l enter.MapLayout, adds bool) []byte {
	f := &finder{MapLayout: l, adds: adds}
	f.found, f.other, f.none = f.newLabel(), f.newLabel(), f.newLabel()
	if !adds {
		some := f.newLabel()
		f.opImm(opCmp, true, at(rax, enter.MapUsedAt), 0)
		f.jumpIf(ifNotE, some)
		f.op(opXor, false, rax, inReg(rax))
		f.ret()
		f.bind(some)
	}
	f.registers(f.store)
	if adds {
		f.store(ownMap, rax)
	}
	f.hash()
	f.table()
	f.search()
	out := f.newLabel()
	f.bind(f.none)
	f.op(opXor, false, rax, inReg(rax))
	f.jump(out)
	f.bind(f.found)
	f.lea(rax, at(rcx, f.Elem))
	f.bind(out)
	f.registers(func(o operand, r int) { f.load(r, o) })
	f.ret()
	f.resolve()
	return f.code
}

// ownMap and ownTable are where code that adds entries keeps the map, and its table or 0: where results of Go code are
// at other times.
var ownMap, ownTable = at(r15, enter.ResultsAt), at(r15, enter.ResultsAt+8)

// registers does something with all registers that are used below, and where they are kept meanwhile: where code that
// leaves keeps them.
func (f *finder) registers(do func(operand, int)) {
	for i, r := range ints[:9] {
		if f.Key == 0 || i < 5 {
			do(at(r15, enter.IntsAt+8*i), r)
		}
	}
}

// hash computes the hash: RAX and RDI. The map is in RSI, and a text in R10 and R11.
func (f *finder) hash() {
	f.load(rsi, inReg(rax))
	f.load(rbx, at(rsi, enter.MapSeedAt))
	if f.Key == 0 {
		f.load(r10, inReg(rcx))
		f.load(r11, inReg(rdx))
		long := f.newLabel()
		done := f.newLabel()
		f.opImm(opCmp, true, inReg(r11), 16)
		f.jumpIf(ifAbove, long)
		f.hashText(2)
		f.jump(done)
		f.bind(long)
		f.hashText(enter.NumFloats)
		f.bind(done)
	} else {
		f.hashParts()
	}
	f.load(rdi, inReg(rax))
}

func (f *finder) hashText(floats int) {
	f.floats(floats, 0x11)
	f.load(rax, inReg(r10))
	f.load(rcx, inReg(r11))
	f.loadImm(rdx, int64(f.Parts[0].Hash))
	f.callAt(inReg(rdx))
	f.floats(floats, 0x10)
}

// hashParts hashes one part after the other: the hash of one is the seed of the next.
func (f *finder) hashParts() {
	floats := 1
	for _, p := range f.Parts {
		switch {
		case p.Size > 32:
			floats = 8
		case p.Size > 16:
			floats = max(floats, 4)
		case p.Size != 0 && p.Size != 4 && p.Size != 8:
			floats = max(floats, 2)
		}
	}
	f.floats(floats, 0x11)
	disp := enter.ArgsAt
	for i, p := range f.Parts {
		if p.Size == 0 {
			break
		}
		if i > 0 {
			f.load(rbx, inReg(rax))
		}
		f.lea(rax, at(r15, disp))
		f.loadImm(rcx, int64(p.Size))
		f.loadImm(rdx, int64(p.Hash))
		f.callAt(inReg(rdx))
		disp += p.Size
	}
	f.floats(floats, 0x10)
}

// floats keeps the first registers of floats, which a hash changes, or restores them.
func (f *finder) floats(n int, opcode byte) {
	for i := range n {
		f.sse(0xF2, opcode, i, at(r15, enter.FloatsAt+8*i))
	}
}

// table finds the groups: RSI, with RDI the first one to look at and R8 one less than their number. X13 has in each of
// its lower eight bytes what the byte of the entry is.
func (f *finder) table() {
	one, table, small, start := f.newLabel(), f.newLabel(), f.newLabel(), f.newLabel()
	f.opImm(opAnd, false, inReg(rax), 0x7F)
	f.loadImm(rcx, 0x0101010101010101)
	f.ins(form{wide: true, opcode: []byte{0x0F, 0xAF}}, rcx, inReg(rax))
	f.ins(form{prefix: 0x66, wide: true, opcode: []byte{0x0F, 0x6E}}, x13, inReg(rcx))
	f.load(rcx, at(rsi, enter.MapNumTablesAt))
	f.load(rdx, at(rsi, enter.MapTablesAt))
	f.op(opXor, false, r8, inReg(r8))
	f.opImm(opCmp, true, inReg(rcx), 1)
	f.jumpIf(ifLess, small)
	f.jumpIf(ifEqual, one)
	f.load(rax, inReg(rdi))
	f.extend(ir.Uint8, rcx, at(rsi, enter.MapShiftAt))
	f.shift(5, rax)
	f.load(rdx, operand{base: rdx, index: rax, scale: 8})
	f.jump(table)
	f.bind(one)
	f.load(rdx, at(rdx, 0))
	f.bind(table)
	if f.adds {
		f.store(ownTable, rdx)
	}
	f.load(rsi, at(rdx, enter.TableGroupsAt))
	f.load(r8, at(rdx, enter.TableGroupsAt+8))
	f.shiftImm(5, rdi, 7)
	f.op(opAnd, true, rdi, inReg(r8))
	f.jump(start)
	f.bind(small)
	if f.adds {
		f.storeImm(ownTable, 0)
		f.opImm(opCmp, true, inReg(rdx), 0)
		f.jumpIf(ifEqual, f.none)
	}
	f.load(rsi, inReg(rdx))
	f.op(opXor, false, rdi, inReg(rdi))
	f.bind(start)
}

// search looks at one group after another: RBX, the R9th. RAX has a bit for each entry whose byte is right, RCX is the
// address of an entry.
func (f *finder) search() {
	group, entries, empty, more := f.newLabel(), f.newLabel(), f.newLabel(), f.newLabel()
	f.op(opXor, false, r9, inReg(r9))
	f.bind(group)
	f.times(rbx, rdi, f.Group)
	f.op(opAdd, true, rbx, inReg(rsi))
	f.ins(form{prefix: 0x66, wide: true, opcode: []byte{0x0F, 0x6E}}, x14, at(rbx, 0))
	f.sse(0x66, 0x74, x14, inReg(x13)) // equal bytes
	f.sse(0x66, 0xD7, rax, inReg(x14)) // a bit of each
	f.opImm(opAnd, false, inReg(rax), 0xFF)
	f.bind(entries)
	f.ins(form{opcode: []byte{0x85}}, rax, inReg(rax))
	f.jumpIf(ifEqual, empty)
	f.ins(form{opcode: []byte{0x0F, 0xBC}}, rcx, inReg(rax)) // the lowest bit
	f.times(rcx, rcx, f.Slot)
	f.lea(rcx, operand{base: rbx, index: rcx, scale: 1, disp: 8})
	f.compare()
	f.bind(f.other)
	f.lea(rdx, at(rax, -1))
	f.op(opAnd, false, rax, inReg(rdx))
	f.jump(entries)
	f.bind(empty)
	if f.adds {
		f.add(more)
	} else {
		f.endsAtEmpty()
	}
	f.bind(more)
	f.ins(form{wide: true, opcode: []byte{0x85}}, r8, inReg(r8))
	f.jumpIf(ifEqual, f.none)
	f.opImm(opAdd, true, inReg(r9), 1)
	f.op(opAdd, true, rdi, inReg(r9))
	f.op(opAnd, true, rdi, inReg(r8))
	f.jump(group)
}

// endsAtEmpty ends the search where the group has an empty entry: of all bytes, those of these alone have bit 7 and not
// bit 1.
func (f *finder) endsAtEmpty() {
	f.load(rax, at(rbx, 0))
	f.load(rdx, inReg(rax))
	f.shiftImm(4, rdx, 6)
	f.ins(form{wide: true, opcode: []byte{0xF7}}, 2, inReg(rdx))
	f.op(opAnd, true, rax, inReg(rdx))
	f.loadImm(rdx, -0x7F7F7F7F7F7F7F80)
	f.op(opAnd, true, rax, inReg(rdx))
	f.jumpIf(ifNotE, f.none)
}

// add makes the first entry of the group RBX that is not full one of the key, if it is empty and the table has room. It
// goes to full where there is no such entry, and to none where Go code is to add it.
func (f *finder) add(full label) {
	small := f.newLabel()
	f.load(rax, at(rbx, 0))
	f.loadImm(rdx, -0x7F7F7F7F7F7F7F80) // bytes of empty and deleted entries have bit 7
	f.op(opAnd, true, rax, inReg(rdx))
	f.jumpIf(ifEqual, full)
	f.ins(form{wide: true, opcode: []byte{0x0F, 0xBC}}, rcx, inReg(rax)) // the lowest bit
	f.shiftImm(5, rcx, 3)
	ctrl := operand{base: rbx, index: rcx, scale: 1}
	f.extend(ir.Uint8, rax, ctrl)
	f.opImm(opCmp, true, inReg(rax), 0x80)
	f.jumpIf(ifNotE, f.none)
	f.load(rdx, ownTable)
	f.opImm(opCmp, true, inReg(rdx), 0)
	f.jumpIf(ifEqual, small)
	f.extend(ir.Uint16, rax, at(rdx, enter.TableLeftAt))
	f.opImm(opSub, true, inReg(rax), 1)
	f.jumpIf(ifLess, f.none)
	f.storeSized(2, at(rdx, enter.TableLeftAt), rax)
	f.extend(ir.Uint16, rax, at(rdx, enter.TableUsedAt))
	f.opImm(opAdd, true, inReg(rax), 1)
	f.storeSized(2, at(rdx, enter.TableUsedAt), rax)
	f.bind(small)
	f.load(rdx, ownMap)
	f.opImm(opAdd, true, at(rdx, enter.MapUsedAt), 1)
	f.ins(form{prefix: 0x66, wide: true, opcode: []byte{0x0F, 0x7E}}, x13, inReg(rax)) // the bits of the hash
	f.storeSized(1, ctrl, rax)
	f.times(rcx, rcx, f.Slot)
	f.lea(rcx, operand{base: rbx, index: rcx, scale: 1, disp: 8})
	for done := 0; done < f.Key; {
		n := 8
		for n > f.Key-done {
			n /= 2
		}
		f.load(rax, at(r15, enter.ArgsAt+done)) // there are more words than keys have
		f.storeSized(n, at(rcx, done), rax)
		done += n
	}
	f.jump(f.found)
}

// times multiplies with a constant.
func (a *assembler) times(to, from, n int) {
	a.ins(form{wide: true, opcode: []byte{0x69}, imm: 4}, to, inReg(from))
	a.imm32(n)
}

// compare goes to found where the entry's key is the one, else to other, or on.
func (f *finder) compare() {
	if f.Key == 0 {
		f.compareText()
		return
	}
	f.compareBytes(f.Key, rdx, func(disp int) operand { return at(r15, enter.ArgsAt+disp) },
		func(disp int) operand { return at(rcx, disp) })
	f.jump(f.found)
}

// compareBytes compares n bytes, in words that are as long as they can be. It goes to other where they differ.
func (f *finder) compareBytes(n, scratch int, x, y func(disp int) operand) {
	for done := 0; done < n; {
		switch left := n - done; {
		case left >= 8:
			f.load(scratch, x(done))
			f.op(opCmp, true, scratch, y(done))
			done += 8
		case left >= 4:
			f.extend(ir.Uint32, scratch, x(done))
			f.op(opCmp, false, scratch, y(done))
			done += 4
		case left >= 2:
			f.extend(ir.Uint16, scratch, x(done))
			f.ins(form{prefix: 0x66, opcode: []byte{opCmp<<3 | 3}}, scratch, y(done))
			done += 2
		default:
			f.extend(ir.Uint8, scratch, x(done))
			f.ins(form{opcode: []byte{opCmp<<3 | 2}}, scratch, y(done))
			done++
		}
		f.jumpIf(ifNotE, f.other)
	}
}

// compareText compares the text in R10 and R11 with the entry's. It uses RDX, R12 and R13.
func (f *finder) compareText() {
	less, few := f.newLabel(), f.newLabel()
	f.op(opCmp, true, r11, at(rcx, 8))
	f.jumpIf(ifNotE, f.other)
	f.load(rdx, at(rcx, 0))
	f.op(opCmp, true, rdx, inReg(r10))
	f.jumpIf(ifEqual, f.found)
	same := func(n int, at operand) { // n bytes at an index and a distance
		f.compareBytes(n, r13, func(disp int) operand {
			return operand{base: r10, index: at.index, scale: 1, disp: at.disp + disp}
		}, func(disp int) operand {
			return operand{base: rdx, index: at.index, scale: 1, disp: at.disp + disp}
		})
	}
	start := operand{index: -1}
	f.opImm(opCmp, true, inReg(r11), 8)
	f.jumpIf(ifLess, less)
	f.lea(r12, at(r11, -8))
	again := f.newLabel()
	f.bind(again) // from the last eight bytes on
	same(8, operand{index: r12})
	f.opImm(opSub, true, inReg(r12), 8)
	f.jumpIf(ifGreater, again)
	same(8, start)
	f.jump(f.found)
	f.bind(less)
	f.opImm(opCmp, true, inReg(r11), 4)
	f.jumpIf(ifLess, few)
	same(4, start)
	same(4, operand{index: r11, disp: -4})
	f.jump(f.found)
	f.bind(few) // the first byte, the last one, and the one in the middle
	f.ins(form{wide: true, opcode: []byte{0x85}}, r11, inReg(r11))
	f.jumpIf(ifEqual, f.found)
	same(1, start)
	same(1, operand{index: r11, disp: -1})
	f.load(r12, inReg(r11))
	f.shiftImm(5, r12, 1)
	same(1, operand{index: r12})
	f.jump(f.found)
}

// inMap calls code that Find or Next has made.
func (e *emitter) inMap(v *ir.Value, rest []*ir.Value) {
	if v.Op == ir.Next {
		e.get(rax, v.Args[0])
		e.callAt(e.constant(uint64(v.Imm)))
		e.put(v, rcx)
		for _, r := range rest {
			if r.Op != ir.Result || r.Args[0] != v {
				break
			}
			e.put(r, rax)
		}
		return
	}
	key := v.Args[1:]
	if v.Size == 0 {
		e.get(rcx, key[0])
		e.get(rdx, key[1])
	} else {
		disp := enter.ArgsAt
		for _, x := range key {
			reg := e.inRegister(x, rax)
			e.storeSized(x.Kind.Size(), at(r15, disp), reg)
			disp += x.Kind.Size()
		}
	}
	e.get(rax, v.Args[0])
	e.callAt(e.constant(uint64(v.Imm)))
	e.put(v, rax)
}
