// Package asm writes parts of instructions as LLVM's assembler takes them.
package asm

import (
	"fmt"
	"strings"
)

// Numbers of scalar registers that have names.
const (
	vcc  = 106
	trap = 108
	null = 124
	m0   = 125
	exec = 126
	sink = 136 // where the emulator writes what goes to null
)

// Waits writes the counters that s_waitcnt waits for.
func Waits(imm uint32) string {
	text := ""
	for _, c := range []struct {
		name       string
		shift, max uint32
	}{{"vmcnt", 10, 63}, {"expcnt", 0, 7}, {"lgkmcnt", 4, 63}} {
		if n := imm >> c.shift & c.max; n != c.max {
			text += fmt.Sprintf(" %s(%d)", c.name, n)
		}
	}
	if text == "" {
		return fmt.Sprintf(" %#x", imm)
	}
	return text
}

// Delays writes what s_delay_alu says of the instructions that follow.
func Delays(imm uint32) string {
	ids := []string{"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1", "TRANS32_DEP_2",
		"TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1",
		"SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3"}
	skips := []string{"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"}
	first, skip, second := imm&15, imm>>4&7, imm>>7&15
	if int(first) >= len(ids) || int(second) >= len(ids) || int(skip) >= len(skips) {
		return fmt.Sprintf("%#x", imm)
	}
	var parts []string
	if first != 0 {
		parts = append(parts, "instid0("+ids[first]+")")
	}
	if skip != 0 {
		parts = append(parts, "instskip("+skips[skip]+")")
	}
	if second != 0 {
		parts = append(parts, "instid1("+ids[second]+")")
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " | ")
}

// Registers writes a register, or as many that follow one another.
func Registers(letter string, n uint32, count int) string {
	if count <= 1 {
		return fmt.Sprintf("%s%d", letter, n)
	}
	return fmt.Sprintf("%s[%d:%d]", letter, n, int(n)+count-1)
}

// Scalar writes a scalar register by its number in an operand.
func Scalar(n uint32, count int) string {
	pair := count > 1
	switch {
	case n == null || n == sink:
		return "null"
	case n == m0:
		return "m0"
	case n == vcc && pair:
		return "vcc"
	case n == vcc:
		return "vcc_lo"
	case n == vcc+1:
		return "vcc_hi"
	case n == exec && pair:
		return "exec"
	case n == exec:
		return "exec_lo"
	case n == exec+1:
		return "exec_hi"
	case n >= trap && n < null:
		return Registers("ttmp", n-trap, count)
	}
	return Registers("s", n, count)
}

// Offset writes an offset that is not 0.
func Offset(format string, n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// Cache writes how an access uses the caches: glc, slc and dlc.
func Cache(w uint32, slc, dlc int) (text string) {
	for _, bit := range []struct {
		at   int
		name string
	}{{14, " glc"}, {slc, " slc"}, {dlc, " dlc"}} {
		if w>>bit.at&1 != 0 {
			text += bit.name
		}
	}
	return text
}
