package emulator

func (d *decoder) ds(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 18 & 0xff
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: uint16(w1 & 0xff)}
	in.data, in.data2, in.d = uint16(w1>>8&0xff), uint16(w1>>16&0xff), uint16(w1>>24)
	in.off = int64(w & 0xffff)
	if w>>17&1 != 0 {
		d.reject("global data share")
	}
	if special, ok := dsSpecial[op]; ok {
		in.name, in.fn = special.name, special.fn
		return true
	}
	if p, ok := sharedPairTable[op]; ok {
		in.name, in.fn = p.name, sharedTwice
		in.pair = new([2]inst)
		words := uint16(p.access.size / 4)
		for k := range in.pair {
			half := &in.pair[k]
			half.name, half.mem, half.size = p.name, p.access.fn, p.access.size
			half.words, half.store = uint8(words), p.store
			half.off = int64(w >> (8 * k) & 0xff * p.stride)
			half.d = in.d + uint16(k)*words
			half.data = []uint16{in.data, in.data2}[k]
		}
		return true
	}
	row := sharedTable[op]
	if row == nil {
		d.reject("unknown DS opcode %d", op)
	}
	in.name, in.fn, in.mem, in.size = row.name, sharedOp, row.fn, row.size
	in.words, in.store = row.words()
	in.glc = row.returns
	return true
}

func (d *decoder) flat(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 18 & 0x7f
	row := flatTable[op]
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

// mubuf accepts only the cache invalidations of the buffer encoding: HIP code addresses memory through FLAT.
func (d *decoder) mubuf(w uint32) bool {
	d.word()
	d.orders = true
	switch op := w >> 18 & 0xff; op {
	case 43:
		d.inval |= invalidateL0
	case 44:
		d.inval |= invalidateL1
	default:
		d.reject("buffer instruction, opcode %d", op)
	}
	return false
}
