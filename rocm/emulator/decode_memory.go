package emulator

import "strings"

func (d *decoder) ds(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 18 & 0xff
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: uint16(w1 & 0xff)}
	in.data, in.data2, in.d = uint16(w1>>8&0xff), uint16(w1>>16&0xff), uint16(w1>>24)
	in.off = int64(w & 0xffff)
	if w>>17&1 != 0 {
		d.reject("global data share")
	}
	if op == 20 { // ds_nop
		return false
	}
	if special, ok := d.t.lanes[op]; ok {
		in.name, in.fn, in.size = special.name, special.fn, 4
		return true
	}
	if p, ok := d.t.pairs[op]; ok {
		d.sharedPair(in, p, w&0xff, w>>8&0xff)
		return true
	}
	row := d.t.shared[op]
	switch {
	case row == nil:
		d.reject("unknown DS opcode %d", op)
	case row.fn == nil:
		d.reject("%s is not emulated", row.name)
	}
	in.sharedAccess(row)
	return true
}

// sharedAccess makes an instruction an access with one address.
func (in *inst) sharedAccess(row *sharedRow) {
	in.name, in.fn, in.mem, in.size = row.name, sharedOp, row.fn, row.size
	in.words, in.store = row.words()
	in.glc = row.returns
}

// sharedPair makes an instruction two accesses, with an offset each.
func (d *decoder) sharedPair(in *inst, p *sharedPair, offsets ...uint32) {
	in.name, in.fn = p.name, sharedTwice
	in.pair = new([2]inst)
	words := uint16(p.access.size / 4)
	for k := range in.pair {
		half := &in.pair[k]
		half.name, half.mem, half.size = p.name, p.access.fn, p.access.size
		if !strings.Contains(p.name, "xchg") {
			half.words, half.store = uint8(words), p.store
		}
		half.off = int64(offsets[k] * p.stride)
		half.d = in.d + uint16(k)*words
		half.data = []uint16{in.data, in.data2}[k]
		half.glc = strings.Contains(p.name, "_rtn_")
	}
}

func (d *decoder) flat(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 18 & 0x7f
	row := d.t.flat[op]
	if row == nil {
		d.reject("unknown FLAT opcode %d", op)
	}
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: uint16(w1 & 0xff)}
	in.data, in.d = uint16(w1>>8&0xff), uint16(w1>>24)
	in.data2 = in.data + uint16(row.size/4) // compare-and-swap: the comparand follows the new value
	in.sbase = uint16(w1 >> 16 & 0x7f)
	in.off = int64(int32(w<<19) >> 19)
	in.mem, in.size, in.slot = row.fn, row.size, d.slot()
	in.words, in.store = row.words()
	in.glc = w>>14&1 != 0
	switch w >> 16 & 3 {
	case 0:
		in.name, in.fn, in.sbase = "flat_"+row.name, flatOp, sNull
	case 1:
		in.name, in.fn = "scratch_"+row.name, scratchOp
		in.n = uint8(w1 >> 23 & 1)
	case 2:
		in.name, in.fn = "global_"+row.name, globalOp
	default:
		d.reject("FLAT segment 3")
	}
	return true
}

// mubuf decodes loads, stores and atomics through buffer resources, and cache invalidations.
func (d *decoder) mubuf(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 18 & 0xff
	switch op {
	case 43:
		d.inval |= invalidateL0
		d.orders = true
		return false
	case 44:
		d.inval |= invalidateL1
		d.orders = true
		return false
	}
	var row *access
	if op < uint32(len(d.t.flat)) {
		row = d.t.flat[op]
	}
	switch {
	case op < 16, op == 38, op == 39:
		d.reject("a buffer instruction that converts formats, opcode %d", op)
	case row == nil:
		d.reject("unknown buffer instruction, opcode %d", op)
	case w1>>24 == 255, w1>>24 == 253:
		d.reject("buffer_%s with an offset that is no register or small constant", row.name)
	case w1>>21&1 != 0:
		d.reject("buffer_%s with tfe", row.name)
	}
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: uint16(w1 & 0xff)}
	in.s[1] = operand{place: placeSGPR, reg: uint16(w1 >> 16 & 0x1f * 4)}
	in.s[2] = d.source(w1>>24, kindU32)
	in.n = uint8(w1>>22&1*bufferOffset | w1>>23&1*bufferIndex)
	in.d = uint16(w1 >> 8 & 0xff)
	in.data, in.data2 = in.d, in.d+uint16(row.size/4)
	in.off = int64(w & 0xfff)
	in.mem, in.size, in.slot = row.fn, row.size, d.slot()
	in.glc = w>>14&1 != 0
	in.name, in.fn = "buffer_"+row.name, bufferOp
	return true
}
