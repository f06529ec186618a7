package gfx9

// Select returns the part of x that SDWA names, as a number with or without sign.
func Select(x uint32, part uint8, signed bool) uint32 {
	shift, width := span(part)
	x = x >> shift << (32 - width)
	if signed {
		return uint32(int32(x) >> (32 - width))
	}
	return x >> (32 - width)
}

// Insert puts the low bits of x into the part of old that SDWA names; unused says what becomes of the other bits.
func Insert(old, x uint32, part, unused uint8) uint32 {
	shift, width := span(part)
	field := uint32(1<<width-1) << shift
	x = x << shift & field
	switch unused {
	case UnusedPreserve:
		return old&^field | x
	case UnusedSext:
		if x>>(shift+width-1)&1 != 0 {
			return x | ^uint32(0)<<(shift+width-1)
		}
	}
	return x
}

func span(part uint8) (shift, width uint) {
	switch part {
	case Word0, Word1:
		return 16 * uint(part-Word0), 16
	case Dword:
		return 0, 32
	}
	return 8 * uint(part), 8
}

// Source returns the lane that a lane of a wave of 64 gets its value from, -1 for none, and false for a control that is
// not known.
func (c *DPP) Source(lane int) (from int, ok bool) {
	row, in, n := lane&^15, lane&15, int(c.Ctrl&15)
	inside := func(j, first, size int) (int, bool) {
		if j < 0 || j >= size {
			return -1, true
		}
		return first + j, true
	}
	switch k := c.Ctrl; {
	case k < 0x100: // quad_perm
		return lane&^3 | int(k>>(2*(lane&3))&3), true
	case k > 0x100 && k < 0x110: // row_shl
		return inside(in+n, row, 16)
	case k > 0x110 && k < 0x120: // row_shr
		return inside(in-n, row, 16)
	case k > 0x120 && k < 0x130: // row_ror
		return row + (in-n)&15, true
	case k == 0x130: // wave_shl
		return inside(lane+1, 0, 64)
	case k == 0x134: // wave_rol
		return (lane + 1) & 63, true
	case k == 0x138: // wave_shr
		return inside(lane-1, 0, 64)
	case k == 0x13c: // wave_ror
		return (lane - 1) & 63, true
	case k == 0x140: // row_mirror
		return row + 15 - in, true
	case k == 0x141: // row_half_mirror
		return lane ^ 7, true
	case k == 0x142: // row_bcast:15: the last lane of the row before
		return row - 1, true
	case k == 0x143: // row_bcast:31: of the half before
		if lane < 32 {
			return -1, true
		}
		return 31, true
	case k >= 0x150 && k < 0x160: // row_newbcast
		return row + n, true
	}
	return 0, false
}

// Enabled reports whether the masks of rows and banks let a lane write.
func (c *DPP) Enabled(lane int) bool { return c.Rows>>(lane/16)&1 != 0 && c.Banks>>(lane/4%4)&1 != 0 }
