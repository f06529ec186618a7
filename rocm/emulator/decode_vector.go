package emulator

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/asm"
)

// Codes of source 0 that announce a DPP control word.
const (
	codeDPP8   = 233
	codeDPP8FI = 234
	codeDPP16  = 250
)

// mods are the modifiers of a VOP3 or DPP instruction.
type mods struct {
	abs, neg, sel uint32 // a bit for each source; bit 3 of sel is for the destination
	omod          uint8
	clamp         bool
}

func (d *decoder) vop1(in *inst, w uint32) bool {
	row := d.t.vop1[w>>9&0xff]
	return d.vector(in, row, w>>17&0xff, [3]uint32{w & 0x1ff}, mods{}, true)
}

func (d *decoder) vop2(in *inst, w uint32) bool {
	row := d.t.vop2[w>>25&0x3f]
	in.d2 = sVCC
	return d.vector(in, row, w>>17&0xff, [3]uint32{w & 0x1ff, 256 | w>>9&0xff, sVCC}, mods{}, true)
}

func (d *decoder) vopc(in *inst, w uint32) bool {
	op := w >> 17 & 0xff
	dst := uint32(sVCC)
	if op >= 128 {
		dst = sExec
	}
	return d.vector(in, d.t.vopc[op], dst, [3]uint32{w & 0x1ff, 256 | w>>9&0xff}, mods{}, true)
}

func (d *decoder) vop3(in *inst, w uint32) bool {
	w1 := d.word()
	op := w >> 16 & 0x3ff
	m := mods{abs: w >> 8 & 7, sel: w >> 11 & 15, clamp: w>>15&1 != 0, omod: uint8(w1 >> 27 & 3), neg: w1 >> 29}
	dst := w & 0xff
	if vop3b[int(op)] {
		in.d2 = scalarDest(w >> 8 & 0x7f)
		m.abs, m.sel = 0, 0
	}
	var row *vop
	switch {
	case op < 256:
		row = d.t.vopc[op]
		if op >= 128 {
			dst = sExec
		} else {
			dst = uint32(scalarDest(dst))
		}
	case op < 256+64:
		row = d.t.vop2[op-256]
	case op >= 384 && op < 384+128:
		row = d.t.vop1[op-384]
	default:
		row = d.t.vop3[op]
	}
	if op == 603 || op == 604 { // permlane: op_sel has other uses
		in.n = uint8(m.sel & 3)
		m.sel = 0
	}
	return d.vector(in, row, dst, [3]uint32{w1 & 0x1ff, w1 >> 9 & 0x1ff, w1 >> 18 & 0x1ff}, m, false)
}

// vector finishes the decoding of VOP1, VOP2, VOPC and VOP3. short says that the encoding has no modifiers, so that
// the top bit of a 16-bit register's number names its upper half.
func (d *decoder) vector(in *inst, row *vop, dst uint32, src [3]uint32, m mods, short bool) bool {
	switch {
	case row == nil:
		d.reject("unknown vector opcode")
	case row.fn == nil:
		d.reject("%s is not emulated", row.name)
	}
	in.name = row.name
	left, right, _ := strings.Cut(row.sig, "=")
	in.dst = kind(left[0])
	in.d = uint16(dst)
	if short && in.dst.is16() && dst >= 128 {
		in.d, in.high = uint16(dst-128), true
	}
	if src[0] == codeDPP16 || src[0] == codeDPP8 || src[0] == codeDPP8FI {
		d.dpp(in, &src[0], &m)
	}
	if strings.IndexByte(right, byte(kindLit)) == 1 { // the literal stands between the two registers
		src[2] = src[1]
	}
	for i := range len(right) {
		in.s[i] = d.vectorSource(in, kind(right[i]), src[i], short)
	}
	if in.dpp != nil {
		in.dpp.reg = in.s[0].reg
		in.s[0].place = placeDPP
	}
	d.applyMods(in, row, right, m)
	in.fn = row.runner(in, d.flush)
	if f, ok := saturating[row.name]; ok && m.clamp {
		in.fn, in.clamp = (&vop{fn: f}).runner(in, d.flush), true
	}
	switch row.name {
	case "v_readfirstlane_b32", "v_readlane_b32":
		in.d = scalarDest(dst)
	case "v_cvt_f32_e4m3", "v_cvt_f32_e5m2": // op_sel names a byte, with its bits in reverse order
		in.n = uint8(m.sel>>1&1 | m.sel&1<<1)
	}
	if strings.HasPrefix(row.name, "v_s_") {
		if in.d = scalarDest(dst); in.clamp || in.omod != 0 {
			d.reject("%s: clamp and output modifiers are not emulated for this instruction", row.name)
		}
	}
	if in.dpp != nil {
		in.fn = runDPP(in.fn)
	}
	return true
}

func (d *decoder) vectorSource(in *inst, t kind, code uint32, short bool) operand {
	switch t {
	case kindDest:
		o := operand{place: placeVGPR, typ: in.dst, reg: in.d}
		if in.high {
			o.setMods(modHigh)
		}
		return o
	case kindLit:
		return d.constOperand(d.literalFor(in.dst), in.dst)
	}
	if short && t.is16() && code >= 256+128 {
		o := operand{place: placeVGPR, typ: t, reg: uint16(code - 256 - 128)}
		o.setMods(modHigh)
		return o
	}
	return d.source(code, t)
}

func (d *decoder) applyMods(in *inst, row *vop, right string, m mods) {
	for i := range len(right) {
		t := in.s[i].typ
		var bits uint8
		switch t {
		case kindF32, kindF64, kindF16:
			if m.neg>>i&1 != 0 {
				bits |= modNeg
			}
			if m.abs>>i&1 != 0 {
				bits |= modAbs
			}
			if d.flush && t == kindF32 {
				bits |= modFlush
			}
		default:
			if (m.neg|m.abs)>>i&1 != 0 {
				d.reject("%s: neg or abs on an operand that is not a float", row.name)
			}
		}
		if t.is16() && m.sel>>i&1 != 0 {
			bits |= modHigh
		}
		in.s[i].setMods(bits)
	}
	if m.sel>>3&1 != 0 && in.dst.is16() {
		in.high = true
		for i := range len(right) {
			if kind(right[i]) == kindDest {
				in.s[i].setMods(modHigh)
			}
		}
	}
	switch in.dst {
	case kindF32, kindF64, kindF16:
		in.omod, in.clamp = m.omod, m.clamp
	default:
		if _, ok := saturating[row.name]; m.clamp && !ok && in.dst != kindMask {
			d.reject("%s: clamp is not emulated for this instruction", row.name)
		}
	}
}

// dpp reads a DPP control word, which replaces source 0.
func (d *decoder) dpp(in *inst, src *uint32, m *mods) {
	c := &dppControl{enable: allLanes}
	in.dpp = c
	code := *src
	w := d.word()
	*src = 256 | w&0xff
	if code != codeDPP16 {
		c.readInactive = code == codeDPP8FI
		c.boundZero = true
		for i := range c.source {
			c.source[i] = int8(i&^7 | int(w>>(8+3*(i&7))&7))
		}
		return
	}
	ctrl := w >> 8 & 0x1ff
	c.readInactive, c.boundZero = w>>18&1 != 0, w>>19&1 != 0
	m.neg |= w>>20&1 | w>>22&1<<1
	m.abs |= w>>21&1 | w>>23&1<<1
	for i := range c.source {
		j, ok := asm.Source(ctrl, i)
		if !ok {
			d.reject("DPP control %#x", ctrl)
		}
		c.source[i] = j
		bank, row := i>>2&3, i>>4
		if w>>(24+bank)&1 == 0 || w>>(28+row)&1 == 0 {
			c.enable &^= 1 << i
		}
	}
}

func (d *decoder) vop3p(in *inst, w uint32) bool {
	w1 := d.word()
	row := d.t.vop3p[w>>16&0x7f]
	switch {
	case row == nil:
		d.reject("unknown VOP3P opcode")
	case row.fn == nil:
		d.reject("%s is not emulated", row.name)
	}
	d.packed(in, row, uint16(w&0xff), [3]uint32{w1 & 0x1ff, w1 >> 9 & 0x1ff, w1 >> 18 & 0x1ff},
		packedControl{sel: w >> 11 & 7, selHi: w1>>27&3 | w>>14&1<<2, neg: w1 >> 29, negHi: w >> 8 & 7,
			clamp: w>>15&1 != 0})
	return true
}

// packedControl are the modifiers of VOP3P, a bit for each source.
type packedControl struct {
	sel, selHi, neg, negHi uint32
	clamp                  bool
}

// packed finishes the decoding of VOP3P.
func (d *decoder) packed(in *inst, row *vop, dst uint16, src [3]uint32, c packedControl) {
	in.name = row.name
	left, right, _ := strings.Cut(row.sig, "=")
	in.dst, in.d = kind(left[0]), dst
	sel, selHi, neg, negHi, clamp := c.sel, c.selHi, c.neg, c.negHi, c.clamp
	mix := strings.HasPrefix(row.name, "v_fma_mix")
	for i := range len(right) {
		t := kind(right[i])
		if t == kindDest {
			t = in.dst
		}
		if mix && selHi>>i&1 != 0 {
			t = kindF16 // decides what an inline constant is
		}
		in.s[i] = d.source(src[i], t)
		if t == kindPF16 || t == kindPI16 {
			packed := packedMods(sel>>i&1, selHi>>i&1, neg>>i&1, negHi>>i&1)
			if o := &in.s[i]; packed != modSelHi { // no bits at all mean that both results take the lower half
				o.base, o.place, o.mods = o.place, placeModified, packed
			}
		}
	}
	switch {
	case mix:
		in.off = mixControl(sel, selHi, neg, negHi)
		in.high = row.name == "v_fma_mixhi_f16"
		in.clamp = clamp
		clamp = false
	case strings.HasPrefix(row.name, "v_dot") && strings.Contains(row.name, "_iu"):
		in.n = uint8(neg)
		in.clamp, clamp = clamp, false
	case strings.HasPrefix(row.name, "v_wmma_"):
		d.matrix(in, sel, neg, negHi, clamp)
		clamp = false
	}
	in.fn = row.runner(in, d.flush)
	if clamp {
		f, ok := saturating[row.name]
		if !ok {
			d.reject("%s: clamp is not emulated for this instruction", row.name)
		}
		in.fn = (&vop{fn: f}).runner(in, d.flush)
	}
}

func packedMods(sel, selHi, neg, negHi uint32) uint8 {
	return uint8(sel*modSelLo | selHi*modSelHi | neg*modNegLo | negHi*modNegHi)
}

// dualOps gives the VOP2 or VOP1 opcode of each VOPD opcode; -1 where there is none.
var dualOps = [32]struct{ vop2, vop1 int }{
	0: {43, -1}, 1: {45, -1}, 2: {44, -1}, 3: {8, -1}, 4: {3, -1}, 5: {4, -1}, 6: {5, -1}, 7: {7, -1}, 8: {-1, 1},
	9:  {1, -1},
	10: {16, -1}, 11: {15, -1}, 12: {2, -1}, 16: {37, -1}, 17: {24, -1}, 18: {27, -1},
}

func (d *decoder) vopd(in *inst, w uint32) bool {
	w1 := d.word()
	in.pair = new([2]inst)
	x, y := &in.pair[0], &in.pair[1]
	dx := w1 >> 24
	dy := w1>>17&0x7f<<1 | dx&1 ^ 1
	d.half(x, w>>22&15, dx, w&0x1ff, w>>9&0xff)
	d.half(y, w>>17&31, dy, w1&0x1ff, w1>>9&0xff)
	in.name = x.name + " :: " + y.name
	in.fn = runDual
	for _, s := range y.s {
		if s.place == placeVGPR && s.typ != 0 && s.reg == x.d {
			in.fn = runDualLate
		}
		if s.place == placeModified && s.base == placeVGPR && s.reg == x.d {
			in.fn = runDualLate
		}
	}
	return true
}

// half decodes one half of a VOPD as the VOP2 or VOP1 that it stands for.
func (d *decoder) half(in *inst, op, dst, s0, s1 uint32) {
	ops := dualOps[op]
	in.d2 = sVCC
	switch {
	case ops.vop1 > 0:
		d.vector(in, opcodes11.vop1[ops.vop1], dst, [3]uint32{s0}, mods{}, true)
	case ops.vop2 > 0:
		d.vector(in, opcodes11.vop2[ops.vop2], dst, [3]uint32{s0, 256 | s1, sVCC}, mods{}, true)
	default:
		d.reject("VOPD opcode %d", op)
	}
	in.name = "v_dual" + strings.TrimPrefix(in.name, "v")
}
