package gfx9

import (
	"fmt"
	"math/bits"
	"strings"
)

// constantText writes the constant of SOPP.
func (in *Inst) constantText() string {
	imm := uint32(in.Imm) & 0xffff
	switch in.Name {
	case "s_waitcnt":
		return waits(imm)
	case "s_nop", "s_sleep", "s_setprio", "s_sethalt", "s_trap", "s_setkill", "s_incperflevel", "s_decperflevel":
		return fmt.Sprint(imm)
	case "s_endpgm":
		if imm != 0 {
			return fmt.Sprint(imm)
		}
		return ""
	case "s_barrier", "s_wakeup", "s_icache_inv", "s_endpgm_saved", "s_ttracedata", "s_set_gpr_idx_off",
		"s_endpgm_ordered_ps_done":
		return ""
	}
	if strings.Contains(in.Name, "branch") {
		return ""
	}
	return fmt.Sprintf("%#x", imm)
}

// waits writes the counters that s_waitcnt waits for; all of them if it waits for none.
func waits(imm uint32) string {
	var list []string
	for _, c := range []struct {
		name    string
		n, most uint32
	}{{"vmcnt", imm&15 | imm>>14&3<<4, 63}, {"expcnt", imm >> 4 & 7, 7}, {"lgkmcnt", imm >> 8 & 15, 15}} {
		if c.n != c.most || imm&0xcf7f == 0xcf7f {
			list = append(list, fmt.Sprintf("%s(%d)", c.name, c.n))
		}
	}
	return strings.Join(list, " ")
}

var hardware = map[uint32]string{1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID",
	5: "HW_REG_GPR_ALLOC", 6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS", 15: "HW_REG_SH_MEM_BASES", 20: "HW_REG_XCC_ID"}

// register16 writes the field of a hardware register.
func register16(imm uint32) string {
	id, offset, size := imm&63, imm>>6&31, imm>>11&31+1
	name := hardware[id]
	if name == "" {
		name = fmt.Sprint(id)
	}
	if offset == 0 && size == 32 {
		return "hwreg(" + name + ")"
	}
	return fmt.Sprintf("hwreg(%s, %d, %d)", name, offset, size)
}

// shortConstant writes the operands of SOPK.
func (in *Inst) shortConstant() []string {
	reg, imm := in.Src[0].name(1), uint32(in.Imm)&0xffff
	switch in.Name {
	case "s_getreg_b32":
		return []string{reg, register16(imm)}
	case "s_setreg_b32":
		return []string{register16(imm), reg}
	case "s_setreg_imm32_b32":
		return []string{register16(imm), in.literalText('u')}
	case "s_call_b64":
		return []string{in.Src[0].name(2)}
	}
	return []string{reg, fmt.Sprintf("%#x", imm)}
}

func (in *Inst) smemText() (list []string, after string) {
	if in.Words == 0 {
		return nil, ""
	}
	list = []string{in.Dst.name(in.Words)}
	if strings.HasPrefix(in.Name, "s_mem") {
		return list, ""
	}
	base := in.Src[0].name(2)
	if strings.Contains(in.Name, "buffer") {
		base = in.Src[0].name(4)
	}
	offset := hexText(in.Imm)
	if in.Base != None {
		offset = in.Base.name(1)
		if in.Imm != 0 {
			after = " offset:" + hexText(in.Imm)
		}
	}
	if in.SC0 {
		after += " glc"
	}
	return append(list, base, offset), after
}

func (in *Inst) dsText() (list []string, after string) {
	has := func(part string) bool { return strings.Contains(in.Name, part) }
	words := max(in.Words, 1)
	address := in.Address.name(1)
	offset := offsetText("offset", in.Imm)
	if has("swizzle") && in.Imm != 0 {
		return []string{in.Dst.name(1), address}, swizzleText(uint32(in.Imm))
	}
	two := has("read2") || has("write2") || has("wrxchg2")
	if two {
		offset = offsetText("offset0", in.Offset0) + offsetText("offset1", in.Offset1)
	}
	switch {
	case in.Name == "ds_nop":
		return nil, ""
	case has("gws"):
		return nil, offset
	case has("consume"), has("append"), has("read_addtid"):
		return []string{in.Dst.name(1)}, offset
	case has("write_addtid"):
		return []string{in.Data.name(1)}, offset
	}
	if has("read") || has("rtn") || has("permute") || has("swizzle") {
		n := words
		if two {
			n *= 2
		}
		list = append(list, in.Dst.name(n))
	}
	list = append(list, address)
	if !has("read") && !has("swizzle") {
		list = append(list, in.Data.name(words))
		if two || has("cmpst") || has("mskor") || has("wrap") {
			list = append(list, in.Data2.name(words))
		}
	}
	return list, offset
}

func swizzleText(k uint32) string {
	switch {
	case k>>15 != 0 && k>>8&0x7f == 0:
		return fmt.Sprintf(" offset:swizzle(QUAD_PERM,%d,%d,%d,%d)", k&3, k>>2&3, k>>4&3, k>>6&3)
	case k>>15 == 0 && k&31 == 31 && k>>5&31 == 0 && bits.OnesCount32(k>>10&31) == 1:
		return fmt.Sprintf(" offset:swizzle(SWAP,%d)", k>>10&31)
	}
	return fmt.Sprintf(" offset:%d", k)
}

// cacheText writes how an access uses the caches.
func (in *Inst) cacheText() (text string) {
	for _, b := range []struct {
		on   bool
		name string
	}{{in.SC0, " sc0"}, {in.NT, " nt"}, {in.SC1, " sc1"}} {
		if b.on {
			text += b.name
		}
	}
	return text
}

// atomic reports whether an instruction of FLAT or MUBUF modifies memory, and how many words of data it takes.
func (in *Inst) atomic() (yes bool, data int) {
	data = max(in.Words, 1)
	if strings.Contains(in.Name, "cmpswap") {
		data *= 2
	}
	return strings.HasPrefix(in.Name, "atomic"), data
}

func (in *Inst) flatText() (list []string, after string) {
	atomic, data := in.atomic()
	words := max(in.Words, 1)
	address, base := in.Address.name(2), "off"
	if in.Base != None {
		base = in.Base.name(2)
		address = in.Address.name(1)
	}
	switch in.Format {
	case SCRATCH:
		address, base = in.Address.name(1), in.Base.name(1)
	case FLAT:
		base = ""
	}
	store := strings.HasPrefix(in.Name, "store")
	if !store && !strings.HasPrefix(in.Name, "load_lds") && (!atomic || in.SC0) {
		list = append(list, in.Dst.name(words))
	}
	list = append(list, address)
	if store || atomic {
		list = append(list, in.Data.name(data))
	}
	if base != "" {
		list = append(list, base)
	}
	return list, offsetText("offset", in.Imm) + in.cacheText()
}

func (in *Inst) mubufText() (list []string, after string) {
	if in.Name == "inv" || in.Name == "wbl2" {
		return nil, in.cacheText()
	}
	_, data := in.atomic()
	address := None
	n := 0
	if in.Index {
		n++
	}
	if in.Offset {
		n++
	}
	if n > 0 {
		address = in.Address
	}
	if !in.LDS {
		list = append(list, in.Data.name(data))
	}
	list = append(list, address.name(n), in.Base.name(4), in.source(0))
	if in.Index {
		after = " idxen"
	}
	if in.Offset {
		after += " offen"
	}
	after += offsetText("offset", in.Imm) + in.cacheText()
	if in.LDS {
		after += " lds"
	}
	return list, after
}
