package gfx9

import (
	"fmt"
	"strings"
)

// Text writes an instruction as LLVM's assembler takes it, without the suffix of its encoding. A branch is written
// without its target.
func (in *Inst) Text() string {
	var list []string
	after, name := "", in.Name
	switch in.Format {
	case SOPP:
		return strings.TrimRight(name+" "+in.constantText(), " ")
	case SOPK:
		list = in.shortConstant()
	case SOP1, SOP2, SOPC:
		list = in.operands()
	case SMEM:
		list, after = in.smemText()
	case DS:
		list, after = in.dsText()
	case FLAT, GLOBAL, SCRATCH:
		name = [...]string{"flat_", "global_", "scratch_"}[in.Format-FLAT] + name
		list, after = in.flatText()
	case MUBUF:
		name = "buffer_" + name
		list, after = in.mubufText()
	case MAI:
		list, after = in.matrixText()
	default:
		list, after = in.operands(), in.modifiers()
		if in.SDWA != nil {
			name += "_sdwa"
		} else if in.DPP != nil {
			name += "_dpp"
		}
	}
	return strings.TrimRight(name+" "+strings.Join(list, ", "), " ") + after
}

// wordsOf is how many registers an operand of a kind takes.
func wordsOf(kind byte) int {
	switch kind {
	case 'd', 'q', 'l', 'm':
		return 2
	case 'Q':
		return 4
	}
	return 1
}

var special = map[Operand]string{SharedBase: "src_shared_base", SharedBase + 1: "src_shared_limit",
	SharedBase + 2: "src_private_base", SharedBase + 3: "src_private_limit", SharedBase + 4: "src_pops_exiting_wave_id",
	VCCZ: "src_vccz", ExecZ: "src_execz", SCC: "src_scc", LDSDirect: "src_lds_direct", M0: "m0"}

// name writes a register of so many words.
func (o Operand) name(words int) string {
	span := func(letter string, n Operand) string {
		if words <= 1 {
			return fmt.Sprintf("%s%d", letter, n)
		}
		return fmt.Sprintf("%s[%d:%d]", letter, n, int(n)+words-1)
	}
	pair := func(name string, first Operand) string {
		if words > 1 {
			return name
		}
		return name + [...]string{"_lo", "_hi"}[o-first]
	}
	switch {
	case special[o] != "":
		return special[o]
	case o == None:
		return "off"
	case o >= AGPR:
		return span("a", o-AGPR)
	case o >= VGPR:
		return span("v", o-VGPR)
	case o < FlatScratch:
		return span("s", o)
	case o < XnackMask:
		return pair("flat_scratch", FlatScratch)
	case o < VCC:
		return pair("xnack_mask", XnackMask)
	case o < Trap:
		return pair("vcc", VCC)
	case o < M0:
		return span("ttmp", o-Trap)
	case o == Exec || o == Exec+1:
		return pair("exec", Exec)
	}
	return fmt.Sprintf("?%d", o)
}

// constantName writes an inline constant; ok is false for registers.
func constantName(o Operand, kind byte) (text string, ok bool) {
	switch {
	case o >= 128 && o <= 192:
		return fmt.Sprint(int(o) - 128), true
	case o >= 193 && o <= 208:
		return fmt.Sprint(192 - int(o)), true
	case o == 248 && (kind == 'd' || kind == 'q' || kind == 'l'):
		return "0.15915494309189532", true
	case o == 248 && kind == 'h':
		return "0.15915494", true
	case o >= 240 && o <= 248:
		return [...]string{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"}[o-240], true
	}
	return "", false
}

// source writes source i.
func (in *Inst) source(i int) string {
	o, kind := in.Src[i], byte('u')
	if kinds := in.sources(); i < len(kinds) {
		kind = kinds[i]
	}
	text, ok := constantName(o, kind)
	switch {
	case ok:
	case o == Literal:
		text = in.literalText(kind)
	default:
		text = o.name(wordsOf(kind))
	}
	if in.SDWA != nil && i < 2 && in.SDWA.Sext[i] {
		text = "sext(" + text + ")"
	}
	if in.Format != VOP3P {
		if in.Abs>>i&1 != 0 {
			text = "|" + text + "|"
		}
		if in.Neg>>i&1 != 0 {
			text = "-" + text
		}
	}
	return text
}

// literalText writes the literal: small ones in decimal, unless the operand has 64 bits.
func (in *Inst) literalText(kind byte) string {
	if x := int32(in.Literal); x >= -16 && x <= 64 && wordsOf(kind) == 1 {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%#x", in.Literal)
}

// operands writes destinations and sources of scalar and vector instructions.
func (in *Inst) operands() (list []string) {
	if kind := in.result(); kind != 0 && in.Dst != None && !(in.Name == "v_nop" || in.Name == "v_clrexcp") {
		list = append(list, in.Dst.name(wordsOf(kind)))
	}
	if in.Carry != None {
		list = append(list, in.Carry.name(2))
	}
	for i, kind := range []byte(in.sources()) {
		if kind != 'D' { // the destination
			list = append(list, in.source(i))
		}
	}
	return list
}

// modifiers writes what stands behind the operands of vector instructions.
func (in *Inst) modifiers() (text string) {
	bits := func(name string, x, usual uint32, n int) {
		if x&(1<<n-1) == usual&(1<<n-1) {
			return
		}
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(x>>i&1))
		}
		text += " " + name + ":[" + strings.Join(list, ",") + "]"
	}
	if in.Format == VOP3P && !strings.HasPrefix(in.Name, "v_accvgpr") {
		usual := uint32(7)
		if strings.HasPrefix(in.Name, "v_fma_mix") {
			usual = 0
		}
		n := in.N
		bits("op_sel", in.Sel, 0, n)
		bits("op_sel_hi", in.SelHi, usual, n)
		if strings.HasPrefix(in.Name, "v_fma_mix") {
			return in.mixText(text)
		}
		bits("neg_lo", in.Neg, 0, n)
		bits("neg_hi", in.NegHi, 0, n)
	} else if in.Sel != 0 {
		x, n := in.Sel&(1<<in.N-1), in.N+1
		bits("op_sel", x|in.Sel>>3<<in.N, 0, n)
	}
	if in.Clamp {
		text += " clamp"
	}
	text += [...]string{"", " mul:2", " mul:4", " div:2"}[in.Omod&3]
	if in.SDWA != nil {
		text += in.sdwaText()
	}
	if in.DPP != nil {
		text += in.dppText()
	}
	return text
}

// mixText writes the rest of v_fma_mix, whose signs are those of sources.
func (in *Inst) mixText(text string) string {
	if in.Clamp {
		text += " clamp"
	}
	return text
}

var selects = [...]string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"}

func (in *Inst) sdwaText() (text string) {
	s := in.SDWA
	if in.Format != VOPC {
		text = " dst_sel:" + selects[s.Dst] + " dst_unused:" +
			[...]string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}[s.Unused]
	}
	text += " src0_sel:" + selects[s.Src[0]]
	if in.Format != VOP1 {
		text += " src1_sel:" + selects[s.Src[1]]
	}
	return text
}

func (in *Inst) dppText() string {
	c, n := in.DPP.Ctrl, in.DPP.Ctrl&15
	text := ""
	switch {
	case c < 0x100:
		text = fmt.Sprintf(" quad_perm:[%d,%d,%d,%d]", c&3, c>>2&3, c>>4&3, c>>6&3)
	case c == 0x140:
		text = " row_mirror"
	case c == 0x141:
		text = " row_half_mirror"
	case c == 0x142:
		text = " row_bcast:15"
	case c == 0x143:
		text = " row_bcast:31"
	case c >= 0x130 && c < 0x140:
		text = fmt.Sprintf(" %s:1", [...]string{"wave_shl", "wave_rol", "wave_shr", "wave_ror"}[n>>2])
	case c >= 0x150 && c < 0x160:
		text = fmt.Sprintf(" row_newbcast:%d", n)
	default:
		text = fmt.Sprintf(" %s:%d", map[uint32]string{0x100: "row_shl", 0x110: "row_shr", 0x120: "row_ror"}[c&^15], n)
	}
	text += fmt.Sprintf(" row_mask:%#x bank_mask:%#x", in.DPP.Rows, in.DPP.Banks)
	if in.DPP.Bound {
		text += " bound_ctrl:0"
	}
	return text
}

// matrixText writes the operands of MAI.
func (in *Inst) matrixText() (list []string, after string) {
	d, a, b := in.Matrix.Words()
	list = []string{in.Dst.name(d), in.Src[0].name(a), in.Src[1].name(b)}
	c, ok := constantName(in.Src[2], 'f')
	switch {
	case ok:
	case in.Matrix.Sparse:
		c = in.Src[2].name(1)
	default:
		c = in.Src[2].name(d)
	}
	list = append(list, c)
	last := "blgp"
	if in.Matrix.D == "f64" {
		last = ""
	}
	for _, m := range []struct {
		name string
		n    uint32
	}{{"cbsz", in.Cbsz}, {"abid", in.Abid}, {last, in.Blgp}} {
		if m.n != 0 && m.name != "" {
			after += fmt.Sprintf(" %s:%d", m.name, m.n)
		}
	}
	if n := in.Blgp; n != 0 && last == "" {
		after += fmt.Sprintf(" neg:[%d,%d,%d]", n&1, n>>1&1, n>>2)
	}
	return list, after
}

func offsetText(name string, n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %s:%d", name, n)
}

// hexText writes an offset.
func hexText(n int64) string {
	if n < 0 {
		return fmt.Sprintf("-%#x", -n)
	}
	return fmt.Sprintf("%#x", n)
}
