package asm

import (
	"fmt"
	"strings"
)

// DPP writes where the lanes of the first operand come from. all says that the control word excludes none and reads 0
// where there is no source, as those of DPP8 do.
func DPP(w uint32, all bool) string {
	c := w >> 8 & 0x1ff
	n := c & 15
	text := ""
	switch {
	case all && !isDPP16(w):
		var list []string
		for i := range 8 {
			list = append(list, fmt.Sprint(w>>(8+3*i)&7))
		}
		return " dpp8:[" + strings.Join(list, ",") + "]"
	case c < 0x100:
		text = fmt.Sprintf("quad_perm:[%d,%d,%d,%d]", c&3, c>>2&3, c>>4&3, c>>6&3)
	case c == 0x140:
		text = "row_mirror"
	case c == 0x141:
		text = "row_half_mirror"
	default:
		text = fmt.Sprintf("%s:%d", map[uint32]string{0x100: "row_shl", 0x110: "row_shr", 0x120: "row_ror",
			0x150: "row_share", 0x160: "row_xmask"}[c&^15], n)
	}
	text += fmt.Sprintf(" row_mask:%#x bank_mask:%#x", w>>28, w>>24&15)
	if w>>19&1 != 0 {
		text += " bound_ctrl:1"
	}
	if w>>18&1 != 0 {
		text += " fi:1"
	}
	return " " + text
}

// isDPP16 tells the two forms of control words apart: DPP8 has no masks, and its bits are rarely those of a DPP16 with
// all rows.
func isDPP16(w uint32) bool { return w>>24 == 0xff }

// Source returns which lane lane i reads; -1 when that is outside of its row of 16.
func Source(ctrl uint32, i int) (int8, bool) {
	row, n := i&^15, int(ctrl&15)
	inRow := func(j int) (int8, bool) {
		if j < 0 || j > 15 {
			return -1, true
		}
		return int8(row | j), true
	}
	j := i & 15
	switch {
	case ctrl < 0x100: // quad_perm
		return int8(i&^3 | int(ctrl>>(2*(i&3))&3)), true
	case ctrl > 0x100 && ctrl < 0x110: // row_shl
		return inRow(j + n)
	case ctrl > 0x110 && ctrl < 0x120: // row_shr
		return inRow(j - n)
	case ctrl > 0x120 && ctrl < 0x130: // row_ror
		return inRow((j - n) & 15)
	case ctrl == 0x140: // row_mirror
		return inRow(15 - j)
	case ctrl == 0x141: // row_half_mirror
		return inRow(j ^ 7)
	case ctrl >= 0x150 && ctrl < 0x160: // row_share
		return inRow(n)
	case ctrl >= 0x160 && ctrl < 0x170: // row_xmask
		return inRow(j ^ n)
	}
	return 0, false
}
