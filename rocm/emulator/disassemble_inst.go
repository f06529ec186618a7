package emulator

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/asm"
)

// assembly writes an instruction. first and last are the first and the last of its words.
func (in *inst) assembly(first, last uint32) string {
	var operands []string
	add := func(text ...string) { operands = append(operands, text...) }
	after := ""
	switch {
	case in.pair != nil && strings.Contains(in.name, " :: "):
		return in.pair[0].assembly(0, 0) + " :: " + in.pair[1].assembly(0, 0)
	case strings.HasPrefix(in.name, "s_load_"), strings.HasPrefix(in.name, "s_buffer_load_"):
		base := in.s[0].text()
		if in.fromBuffer() {
			base = asm.Scalar(uint32(in.s[0].reg), 4)
		}
		add(asm.Scalar(uint32(in.d), int(in.size/4)), base)
		if in.sbase != sNull {
			add(asm.Scalar(uint32(in.sbase), 1))
			after = asm.Offset(" offset:%#x", in.off)
		} else if in.off == 0 {
			add("null") // the register that offsets come from otherwise
		} else {
			add(fmt.Sprintf("%#x", in.off))
		}
	case strings.HasPrefix(in.name, "ds_"):
		operands, after = in.sharedOperands(first)
	case strings.HasPrefix(in.name, "global_"), strings.HasPrefix(in.name, "flat_"),
		strings.HasPrefix(in.name, "scratch_"):
		operands, after = in.flatOperands(first)
	case strings.HasPrefix(in.name, "buffer_"):
		operands, after = in.bufferOperands(first, last)
	case strings.HasPrefix(in.name, "s_"):
		operands = in.scalarOperands()
	default:
		operands = in.vectorOperands()
		after = in.modifiers(first, last) + in.dppText(last)
	}
	return strings.TrimRight(in.name+" "+strings.Join(operands, ", "), " ") + after
}

// immediate16 are the instructions with a constant of 16 bits beside their operand.
var immediate16 = map[string]bool{
	"s_cmpk_eq": true, "s_cmpk_lg": true, "s_cmpk_gt": true, "s_cmpk_ge": true, "s_cmpk_lt": true, "s_cmpk_le": true,
	"s_addk": true, "s_mulk": true,
	"s_movk": true, "s_cmovk": true,
}

func (in *inst) scalarOperands() (list []string) {
	if in.name == "s_endpgm" || in.name == "s_barrier" || strings.Contains(in.name, "branch") {
		return nil
	}
	if in.d != sSink || in.dst != 0 {
		list = append(list, asm.Scalar(uint32(in.d), in.dst.words()))
	}
	for i := range in.s {
		if in.s[i].typ != 0 && !(i == 2 && strings.Contains(in.name, "fmac")) {
			list = append(list, in.s[i].text())
		}
	}
	switch {
	// The destination is the first source, and compares have none.
	case len(list) == 3 && immediate16[in.name[:strings.LastIndexByte(in.name, '_')]]:
		list = append(list[:1], fmt.Sprintf("%#x", uint16(in.off)))
	case len(list) == 0:
		format := "%#x"
		if in.name == "s_trap" || in.name == "s_sethalt" || in.name == "s_sleep" {
			format = "%d"
		}
		list = append(list, fmt.Sprintf(format, in.off))
	}
	return list
}

// carries are the instructions that write a mask beside their result.
func (in *inst) carries() bool {
	return strings.Contains(in.name, "_co_") || strings.HasPrefix(in.name, "v_div_scale") ||
		strings.HasPrefix(in.name, "v_mad_u64") || strings.HasPrefix(in.name, "v_mad_i64")
}

func (in *inst) vectorOperands() (list []string) {
	switch {
	case in.name == "v_nop" || strings.HasPrefix(in.name, "v_cmpx"):
	case in.dst == kindMask || in.name == "v_readfirstlane_b32" || in.name == "v_readlane_b32" ||
		strings.HasPrefix(in.name, "v_s_"):
		n := 1
		if in.wide && in.dst == kindMask {
			n = 2
		}
		list = append(list, asm.Scalar(uint32(in.d), n))
	default:
		text := vectorName(in.d, in.dst.words())
		if in.high && !strings.HasPrefix(in.name, "v_fma_mix") {
			text += ".h"
		}
		list = append(list, text)
	}
	if in.carries() {
		list = append(list, asm.Scalar(uint32(in.d2), 1+int(b2u(in.wide))))
	}
	implied := strings.Contains(in.name, "fmac") || strings.Contains(in.name, "dot2acc") ||
		strings.Contains(in.name, "dual_cndmask")
	for i := range in.s {
		if s := &in.s[i]; s.typ != 0 && !(implied && i == 2) {
			o := *s
			if in.wide && o.typ == kindMask {
				o.typ = kindU64
			}
			list = append(list, o.text())
		}
	}
	if strings.HasPrefix(in.name, "v_wmma_") {
		words, factors := matrixWords(in.name, in.wide)
		list = []string{vectorName(in.d, words), vectorName(in.s[0].reg, factors), vectorName(in.s[1].reg, factors),
			in.s[2].text()}
		if in.s[2].place == placeVGPR {
			list[3] = vectorName(in.s[2].reg, words)
		}
	}
	return list
}

// modifiers writes what stands behind the operands of a vector instruction.
func (in *inst) modifiers(first, last uint32) (text string) {
	packed := func(name string, bit uint8, usual bool) {
		var bits []string
		differs := false
		for i := range in.s {
			if t := in.s[i].typ; t != kindPF16 && t != kindPI16 {
				continue
			}
			on := usual // a plain operand has op_sel_hi set and nothing else
			if in.s[i].place == placeModified {
				on = in.s[i].mods&bit != 0
			}
			differs = differs || on != usual
			bits = append(bits, fmt.Sprint(b2u(on)))
		}
		if differs {
			text += " " + name + ":[" + strings.Join(bits, ",") + "]"
		}
	}
	packed("op_sel", modSelLo, false)
	packed("op_sel_hi", modSelHi, true)
	packed("neg_lo", modNegLo, false)
	packed("neg_hi", modNegHi, false)
	list := func(bits uint32) string { return fmt.Sprintf("[%d,%d,%d]", bits&1, bits>>1&1, bits>>2&1) }
	long := first>>26 == 0x35 || first>>26 == 0x33 // VOP3, VOP3P
	if sel, hi := first>>11&7, last>>27&3|first>>14&1<<2; strings.HasPrefix(in.name, "v_fma_mix") {
		if sel != 0 {
			text += " op_sel:" + list(sel)
		}
		if hi != 0 {
			text += " op_sel_hi:" + list(hi)
		}
	} else if strings.HasPrefix(in.name, "v_wmma_") {
		for _, m := range []struct {
			name string
			bits uint32
		}{{"op_sel", sel}, {"neg_lo", last >> 29}, {"neg_hi", first >> 8 & 7}} {
			if m.bits != 0 {
				text += " " + m.name + ":" + list(m.bits)
			}
		}
	} else if neg := last >> 29; strings.HasPrefix(in.name, "v_dot") && strings.Contains(in.name, "_iu") && neg != 0 {
		text += " neg_lo:" + list(neg)
	}
	if long && first>>15&1 != 0 {
		text += " clamp"
	}
	return text + [...]string{"", " mul:2", " mul:4", " div:2"}[in.omod&3]
}

// dppText writes where the lanes of the first operand come from.
func (in *inst) dppText(w uint32) string {
	if in.dpp == nil {
		return ""
	}
	return asm.DPP(w, in.dpp.boundZero && in.dpp.enable == allLanes)
}

func (in *inst) flatOperands(w uint32) (list []string, after string) {
	words := max(int(in.size)/4, 1)
	address := vectorName(in.s[0].reg, 2)
	base := "off"
	switch {
	case strings.HasPrefix(in.name, "scratch_"):
		if address = vectorName(in.s[0].reg, 1); in.n == 0 {
			address = "off"
		}
		if in.sbase != sNull {
			base = asm.Scalar(uint32(in.sbase), 1)
		}
	case strings.HasPrefix(in.name, "flat_"):
		base = ""
	case in.sbase != sNull:
		address, base = vectorName(in.s[0].reg, 1), asm.Scalar(uint32(in.sbase), 2)
	}
	atomic, data := strings.Contains(in.name, "atomic"), words
	if strings.Contains(in.name, "cmpswap") {
		data *= 2
	}
	store := strings.Contains(in.name, "store")
	if !store && (!atomic || in.glc) {
		list = append(list, vectorName(in.d, words))
	}
	list = append(list, address)
	if store || atomic {
		list = append(list, vectorName(in.data, data))
	}
	if base != "" {
		list = append(list, base)
	}
	return list, asm.Offset(" offset:%d", in.off) + asm.Cache(w, 15, 13)
}

func (in *inst) bufferOperands(w, last uint32) (list []string, after string) {
	words := max(int(in.size)/4, 1)
	if strings.Contains(in.name, "cmpswap") {
		words *= 2
	}
	address := "off"
	if n := bits.OnesCount8(in.n); n > 0 {
		address = vectorName(in.s[0].reg, n)
	}
	offset := in.s[2].text()
	if last>>24 == sNull {
		offset = "null"
	}
	list = []string{vectorName(in.d, words), address, asm.Scalar(uint32(in.s[1].reg), 4), offset}
	if in.n&bufferIndex != 0 {
		after += " idxen"
	}
	if in.n&bufferOffset != 0 {
		after += " offen"
	}
	return list, after + asm.Offset(" offset:%d", in.off) + asm.Cache(w, 12, 13)
}

func (in *inst) sharedOperands(w uint32) (list []string, after string) {
	address := vectorName(in.s[0].reg, 1)
	if in.pair != nil {
		words := int(in.pair[0].size / 4)
		list = []string{address}
		if !strings.HasPrefix(in.name, "ds_store_") {
			list = []string{vectorName(in.d, 2*words), address}
		}
		if !strings.HasPrefix(in.name, "ds_load_") {
			list = append(list, vectorName(in.data, words), vectorName(in.data2, words))
		}
		return list, asm.Offset(" offset0:%d", int64(w&0xff)) + asm.Offset(" offset1:%d", int64(w>>8&0xff))
	}
	words := max(int(in.size)/4, 1)
	switch {
	case in.countsLanes():
		list = []string{vectorName(in.d, 1)}
	case strings.Contains(in.name, "permute"):
		list = []string{vectorName(in.d, 1), address, vectorName(in.data, 1)}
	case strings.Contains(in.name, "swizzle"):
		list = []string{vectorName(in.d, 1), address}
	case strings.HasPrefix(in.name, "ds_store_"):
		list = []string{address, vectorName(in.data, words)}
	case strings.HasPrefix(in.name, "ds_load"):
		list = []string{vectorName(in.d, words), address}
	default:
		if in.glc {
			list = append(list, vectorName(in.d, words))
		}
		list = append(list, address, vectorName(in.data, words))
		if strings.Contains(in.name, "cmpstore") || strings.Contains(in.name, "mskor") ||
			strings.Contains(in.name, "wrap") {
			list = append(list, vectorName(in.data2, words))
		}
	}
	return list, asm.Offset(" offset:%d", in.off)
}
