package emulator

import "strings"

func (d *decoder) scalar(in *inst, row *sop, w, s0, s1, dst uint32) bool {
	switch {
	case row == nil:
		d.reject("unknown scalar opcode")
	case row.fn == nil:
		d.reject("%s is not emulated", row.name)
	}
	in.name, in.fn = row.name, row.fn
	left, right, _ := strings.Cut(row.sig, "=")
	if left != "" {
		in.d = scalarDest(dst)
		in.dst = kind(left[0])
	}
	codes := []uint32{s0, s1}
	for i := range len(right) {
		switch t := kind(right[i]); t {
		case kindDest:
			in.s[i] = d.source(dst, in.dst)
		case kindLit:
			in.s[i] = d.constOperand(d.literalFor(in.dst), in.dst)
		default:
			in.s[i], codes = d.source(codes[0], t), codes[1:]
		}
	}
	return true
}

func (d *decoder) sopk(in *inst, w uint32) bool {
	row := d.t.sopk[w>>23&0x1f]
	if row == nil {
		d.reject("unknown SOPK opcode")
	}
	if row.fn == nil {
		d.orders = row.name == "s_waitcnt_vscnt"
		return false
	}
	reg := w >> 16 & 0x7f
	imm := int64(int16(w))
	in.name, in.fn, in.off, in.d = row.name, row.fn, int64(uint16(w)), scalarDest(reg)
	if row.name == "s_call_b64" {
		in.off = int64(d.next) + 4*imm
		return true
	}
	in.s[0] = d.source(reg, kindU32)
	if row.name == "s_setreg_imm32_b32" {
		in.s[0] = d.constOperand(d.literalFor(kindU32), kindU32)
	}
	k := uint64(uint32(imm))
	if strings.HasSuffix(row.name, "u32") {
		k = uint64(uint16(w))
	}
	in.s[1] = d.constOperand(k, kindU32)
	return true
}

func (d *decoder) sopp(in *inst, w uint32) bool {
	row := d.t.sopp[w>>16&0x7f]
	if row == nil {
		d.reject("unknown SOPP opcode")
	}
	if row.sig == absent {
		d.reject("%s is not emulated", row.name)
	}
	if row.fn == nil {
		d.orders = d.orders || strings.HasPrefix(row.name, "s_wait_storecnt")
		return false
	}
	in.name, in.fn, in.off = row.name, row.fn, int64(uint16(w))
	if fn := wideBranches[row.name]; fn != nil && d.wide {
		in.fn = fn
	}
	if row.op >= 32 && row.op < 48 {
		target := uint64(int64(d.next) + 4*int64(int16(w)))
		d.branches = append(d.branches, fixup{len(d.fn.code), target})
	}
	return true
}

// smem decodes scalar loads; cache invalidations have no effect here.
func (d *decoder) smem(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 18 & 0xff
	switch {
	case op == 32 || op == 33:
		return false
	case op > 4 && op < 8 || op > 12:
		d.reject("SMEM opcode %d", op)
	}
	in.fn, in.s[0] = loadScalar, d.source(w&0x3f*2, kindU64)
	prefix := "s_load_"
	if op >= 8 {
		op -= 8
		in.fn, prefix = loadScalarBuffer, "s_buffer_load_"
		if in.s[0].place != placeSGPR {
			d.reject("a buffer resource that is not in scalar registers")
		}
	}
	in.name, in.size, in.slot = prefix+[]string{"b32", "b64", "b128", "b256", "b512"}[op], 4<<op, d.slot()
	in.d = scalarDest(w >> 6 & 0x7f)
	in.off = int64(int32(w1<<11) >> 11)
	in.sbase = uint16(w1 >> 25)
	return true
}
