package gfx9

import "strings"

// Decode decodes the instruction at the beginning of words, of which it reads one or two. The error says what they are
// instead.
func Decode(words []uint32) (in Inst, err error) {
	if len(words) == 0 {
		return in, unknown("no words")
	}
	in.Dst, in.Carry, in.Base, in.Address, in.Data, in.Data2 = None, None, None, None, None, None
	in.Size = 1
	d := decoder{in: &in, w: words[0], words: words}
	if err = d.decode(); err == nil && in.Size > len(words) {
		err = unknown("the instruction is cut off")
	}
	return in, err
}

type decoder struct {
	in    *Inst
	w, w1 uint32
	words []uint32
}

func (d *decoder) decode() error {
	w := d.w
	switch {
	case w>>23 == 0x17f:
		return d.constant(SOPP, w>>16&0x7f)
	case w>>23 == 0x17e:
		return d.scalar(SOPC, w>>16&0x7f, None, w&0xff, w>>8&0xff)
	case w>>23 == 0x17d:
		return d.scalar(SOP1, w>>8&0xff, Operand(w>>16&0x7f), w&0xff, 0)
	case w>>28 == 0xb:
		return d.constant(SOPK, w>>23&0x1f)
	case w>>30 == 2:
		return d.scalar(SOP2, w>>23&0x7f, Operand(w>>16&0x7f), w&0xff, w>>8&0xff)
	case w>>25 == 0x3f:
		return d.short(VOP1, w>>9&0xff, VGPR+Operand(w>>17&0xff))
	case w>>25 == 0x3e:
		return d.short(VOPC, w>>17&0xff, VCC)
	case w>>31 == 0:
		return d.short(VOP2, w>>25&0x3f, VGPR+Operand(w>>17&0xff))
	}
	d.second()
	switch w >> 26 {
	case 0x30:
		return d.smem()
	case 0x34:
		if w>>23 == 0x1a7 {
			return d.packed()
		}
		return d.long()
	case 0x36:
		return d.ds()
	case 0x37:
		return d.flat()
	case 0x38:
		return d.mubuf()
	}
	return unknown("unknown encoding")
}

// second reads the second word.
func (d *decoder) second() uint32 {
	d.in.Size = 2
	if len(d.words) > 1 {
		d.w1 = d.words[1]
	}
	return d.w1
}

func (d *decoder) row(format Format, code uint32) error {
	d.in.Format = format
	if code < uint32(len(rows[format])) {
		d.in.Row = rows[format][code]
	}
	if d.in.Row == nil {
		return unknown("unknown opcode %d of %v", code, format)
	}
	return nil
}

// sources are the kinds of the sources.
func (r *Row) sources() string {
	_, right, _ := strings.Cut(r.Sig, "=")
	return right
}

// result is the kind of the destination, 0 without one.
func (r *Row) result() byte {
	if left, _, _ := strings.Cut(r.Sig, "="); left != "" {
		return left[0]
	}
	return 0
}

// literal reads the literal if a source asks for it.
func (d *decoder) literal(src uint32) {
	if Operand(src) == Literal {
		d.in.Literal = d.second()
	}
}

func (d *decoder) scalar(format Format, code uint32, dst Operand, s0, s1 uint32) error {
	if err := d.row(format, code); err != nil {
		return err
	}
	in := d.in
	in.N = len(in.sources())
	for i, s := range []uint32{s0, s1}[:in.N] {
		in.Src[i] = Operand(s)
		d.literal(s)
	}
	if in.result() != 0 {
		in.Dst = dst
	}
	return nil
}

// constant decodes SOPK and SOPP.
func (d *decoder) constant(format Format, code uint32) error {
	if err := d.row(format, code); err != nil {
		return err
	}
	in := d.in
	in.Imm = int64(int16(d.w))
	if format == SOPK {
		in.Src[0], in.N = Operand(d.w>>16&0x7f), 1
		if in.result() != 0 {
			in.Dst = in.Src[0]
		}
		if in.Name == "s_setreg_imm32_b32" {
			in.Src[0] = Literal
			in.Literal = d.second()
		}
	}
	return nil
}

// short decodes VOP1, VOP2 and VOPC, with a literal, SDWA or DPP.
func (d *decoder) short(format Format, code uint32, dst Operand) error {
	if err := d.row(format, code); err != nil {
		return err
	}
	in, kinds := d.in, d.in.sources()
	src := [3]Operand{Operand(d.w & 0x1ff), VGPR + Operand(d.w>>9&0xff), VCC}
	in.Dst, in.N = dst, len(kinds)
	switch src[0] {
	case selectBytes:
		if err := d.sdwa(&src); err != nil {
			return err
		}
	case moveLanes:
		d.dpp(&src)
	}
	if strings.Contains(in.Name, "_co_") {
		in.Carry = VCC
	}
	if k := strings.IndexByte(kinds, 'K'); k >= 0 {
		if k == 1 {
			src[2] = src[1]
		}
		src[k], in.Literal = Literal, d.second()
	}
	in.Src = src
	d.literal(uint32(src[0]))
	if strings.HasPrefix(in.Name, "v_readfirstlane") || strings.HasPrefix(in.Name, "v_readlane") {
		in.Dst -= VGPR
	}
	if in.Name == "v_accvgpr_mov_b32" {
		in.Dst, in.Src[0] = in.Dst-VGPR+AGPR, in.Src[0]-VGPR+AGPR
	}
	return nil
}

func (d *decoder) sdwa(src *[3]Operand) error {
	w, in := d.second(), d.in
	s := &SDWA{Dst: Dword, Src: [2]uint8{uint8(w >> 16 & 7), uint8(w >> 24 & 7)},
		Sext: [2]bool{w>>19&1 != 0, w>>27&1 != 0}}
	in.SDWA = s
	src[0] = VGPR + Operand(w&0xff)
	if w>>23&1 != 0 {
		src[0] -= VGPR
	}
	if w>>31 != 0 {
		src[1] -= VGPR
	}
	in.Neg, in.Abs = w>>20&1|w>>28&1<<1, w>>21&1|w>>29&1<<1
	if in.Format == VOPC {
		if w>>15&1 != 0 {
			in.Dst = Operand(w >> 8 & 0x7f)
		}
	} else {
		s.Dst, s.Unused, in.Clamp, in.Omod = uint8(w>>8&7), uint8(w>>11&3), w>>13&1 != 0, uint8(w>>14&3)
	}
	if s.Dst > Dword || s.Src[0] > Dword || s.Src[1] > Dword || s.Unused > UnusedPreserve {
		return unknown("SDWA word %#x", w)
	}
	return nil
}

func (d *decoder) dpp(src *[3]Operand) {
	w, in := d.second(), d.in
	in.DPP = &DPP{Ctrl: w >> 8 & 0x1ff, Bound: w>>19&1 != 0, Banks: w >> 24 & 15, Rows: w >> 28}
	src[0] = VGPR + Operand(w&0xff)
	in.Neg, in.Abs = w>>20&1|w>>22&1<<1, w>>21&1|w>>23&1<<1
}

// long decodes VOP3A and VOP3B.
func (d *decoder) long() error {
	code := d.w >> 16 & 0x3ff
	in := d.in
	in.Format = VOP3
	switch {
	case code < 256:
		in.Row = rows[VOPC][code]
	case code < 320:
		in.Row = rows[VOP2][code-256]
	case code < 448:
		in.Row = rows[VOP1][code-320]
	default:
		in.Row = rows[VOP3][code]
	}
	if in.Row == nil {
		return unknown("unknown opcode %d of VOP3", code)
	}
	kinds := in.sources()
	in.N = len(kinds)
	in.Dst = VGPR + Operand(d.w&0xff)
	if in.result() == 'm' || strings.HasPrefix(in.Name, "v_readlane") || strings.HasPrefix(in.Name, "v_readfirstlane") {
		in.Dst -= VGPR
	}
	in.Src = [3]Operand{Operand(d.w1 & 0x1ff), Operand(d.w1 >> 9 & 0x1ff), Operand(d.w1 >> 18 & 0x1ff)}
	in.Neg, in.Omod, in.Clamp = d.w1>>29, uint8(d.w1>>27&3), d.w>>15&1 != 0
	if in.hasCarry() {
		in.Carry = Operand(d.w >> 8 & 0x7f)
	} else {
		in.Abs, in.Sel = d.w>>8&7, d.w>>11&15
	}
	for i := range in.N {
		if in.Src[i] == Literal || in.Src[i] == selectBytes || in.Src[i] == moveLanes {
			return unknown("%s with source %d: VOP3 has no literals on gfx9", in.Name, in.Src[i])
		}
	}
	return nil
}

// hasCarry reports whether the encoding VOP3 of an instruction has a scalar destination where others have modifiers.
func (r *Row) hasCarry() bool {
	return strings.Contains(r.Name, "_co_") || strings.HasPrefix(r.Name, "v_div_scale") ||
		strings.HasPrefix(r.Name, "v_mad_u64") || strings.HasPrefix(r.Name, "v_mad_i64")
}

// packed decodes VOP3P, with what is for matrix cores.
func (d *decoder) packed() error {
	code := d.w >> 16 & 0x7f
	in := d.in
	in.Dst = VGPR + Operand(d.w&0xff)
	in.Src = [3]Operand{Operand(d.w1 & 0x1ff), Operand(d.w1 >> 9 & 0x1ff), Operand(d.w1 >> 18 & 0x1ff)}
	accumulate := func(on uint32, o *Operand) {
		if on != 0 && *o >= VGPR {
			*o += AGPR - VGPR
		}
	}
	if rows[MAI][code] != nil {
		in.Matrix = matrices[rows[MAI][code].Name]
		in.N = 3
		accumulate(d.w>>15&1, &in.Dst)
		accumulate(d.w>>15&1, &in.Src[2])
		if in.Matrix.Sparse && in.Src[2] >= AGPR { // the positions are in a vector register
			in.Src[2] -= AGPR - VGPR
		}
		accumulate(d.w1>>27&1, &in.Src[0])
		accumulate(d.w1>>28&1, &in.Src[1])
		in.Cbsz, in.Abid, in.Blgp = d.w>>8&7, d.w>>11&15, d.w1>>29
		return d.row(MAI, code)
	}
	if err := d.row(VOP3P, code); err != nil {
		return err
	}
	in.N = len(in.sources())
	switch in.Name {
	case "v_accvgpr_read_b32":
		accumulate(1, &in.Src[0])
		return nil
	case "v_accvgpr_write_b32":
		accumulate(1, &in.Dst)
		return nil
	}
	in.Sel, in.SelHi = d.w>>11&7, d.w1>>27&3|d.w>>14&1<<2
	in.Neg, in.NegHi, in.Clamp = d.w1>>29, d.w>>8&7, d.w>>15&1 != 0
	for i := range in.N {
		if in.Src[i] == Literal {
			return unknown("%s with a literal", in.Name)
		}
	}
	return nil
}

func (d *decoder) smem() error {
	if err := d.row(SMEM, d.w>>18&0xff); err != nil {
		return err
	}
	in := d.in
	in.Src[0] = Operand(d.w & 0x3f * 2)
	in.Dst = Operand(d.w >> 6 & 0x7f)
	in.SC0 = d.w>>16&1 != 0
	immediate, register := d.w>>17&1 != 0, d.w>>14&1 != 0
	switch {
	case immediate:
		in.Imm = int64(int32(d.w1<<11) >> 11)
		if register {
			in.Base = Operand(d.w1 >> 25)
		}
	case register:
		in.Base = Operand(d.w1 >> 25)
	default:
		in.Base = Operand(d.w1 & 0x7f)
	}
	return nil
}

func (d *decoder) ds() error {
	if err := d.row(DS, d.w>>17&0xff); err != nil {
		return err
	}
	in := d.in
	if d.w>>16&1 != 0 {
		return unknown("%s of the global data share", in.Name)
	}
	file := VGPR
	if d.w>>25&1 != 0 {
		file = AGPR
	}
	in.Address = VGPR + Operand(d.w1&0xff)
	in.Data, in.Data2, in.Dst = file+Operand(d.w1>>8&0xff), file+Operand(d.w1>>16&0xff), file+Operand(d.w1>>24)
	in.Imm, in.Offset0, in.Offset1 = int64(d.w&0xffff), int64(d.w&0xff), int64(d.w>>8&0xff)
	return nil
}

func (d *decoder) flat() error {
	if err := d.row([]Format{FLAT, SCRATCH, GLOBAL, FLAT}[d.w>>14&3], d.w>>18&0x7f); err != nil {
		return err
	}
	in := d.in
	code := in.Code
	switch {
	case d.w>>14&3 == 3:
		return unknown("FLAT segment 3")
	case in.Format == SCRATCH && code >= 64, in.Format == FLAT && code >= 38 && code < 64:
		return unknown("unknown opcode %d of %v", code, in.Format)
	}
	file := VGPR
	if d.w1>>23&1 != 0 {
		file = AGPR
	}
	in.Address = VGPR + Operand(d.w1&0xff)
	in.Data, in.Dst = file+Operand(d.w1>>8&0xff), file+Operand(d.w1>>24)
	in.SC0, in.NT, in.SC1 = d.w>>16&1 != 0, d.w>>17&1 != 0, d.w>>25&1 != 0
	in.Imm = int64(int32(d.w<<19) >> 19)
	if in.Format == FLAT {
		in.Imm = int64(d.w & 0xfff)
		return nil
	}
	if saddr := Operand(d.w1 >> 16 & 0x7f); saddr != 0x7f {
		in.Base = saddr
	}
	if in.Format == SCRATCH && d.w>>13&1 == 0 {
		in.Address = None
	}
	return nil
}

func (d *decoder) mubuf() error {
	if err := d.row(MUBUF, d.w>>18&0x7f); err != nil {
		return err
	}
	in := d.in
	file := VGPR
	if d.w1>>23&1 != 0 {
		file = AGPR
	}
	in.Address, in.Dst = VGPR+Operand(d.w1&0xff), file+Operand(d.w1>>8&0xff)
	in.Data, in.Base = in.Dst, Operand(d.w1>>16&0x1f*4)
	in.Src[0] = Operand(d.w1 >> 24)
	in.SC0, in.SC1, in.NT, in.LDS = d.w>>14&1 != 0, d.w>>15&1 != 0, d.w>>17&1 != 0, d.w>>16&1 != 0
	in.Index, in.Offset = d.w>>13&1 != 0, d.w>>12&1 != 0
	in.Imm = int64(d.w & 0xfff)
	return nil
}
