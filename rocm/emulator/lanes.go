package emulator

import "unsafe"

// Operations on all lanes that more than one instruction needs. accelerate may replace them.
var (
	fill      = fillLanes
	choose    = chooseLanes
	addLanes  = addCarryLanes
	offsetMax = offsetMaxLanes
	gather    = gatherLanes
	steps     = stepsLanes
	join      = joinLanes
	split     = splitLanes
)

// fillLanes sets every lane to x.
func fillLanes(t *lanes, x uint32) {
	for i := range t {
		t[i] = x
	}
}

// chooseLanes sets d to b where the mask is set, else to a.
func chooseLanes(d, a, b *lanes, mask uint32) {
	for i := range d {
		k := -(mask >> uint(i) & 1)
		d[i] = a[i]&^k | b[i]&k
	}
}

// addCarryLanes adds with a carry for each lane and returns the carries out.
func addCarryLanes(d, a, b *lanes, carry uint32) uint32 {
	var out uint32
	for i := range d {
		r := uint64(a[i]) + uint64(b[i]) + uint64(carry>>uint(i)&1)
		d[i] = uint32(r)
		out |= uint32(r>>32) << uint(i)
	}
	return out
}

// offsetMaxLanes sets d to a+k and returns the largest lane.
func offsetMaxLanes(d, a *lanes, k uint32) uint32 {
	var most uint32
	for i := range d {
		d[i] = a[i] + k
		most = max(most, d[i])
	}
	return most
}

// gatherLanes loads the words at base+off; offsets are below 2^31.
func gatherLanes(d *lanes, base unsafe.Pointer, off *lanes) {
	for i := range d {
		d[i] = *(*uint32)(unsafe.Add(base, off[i]))
	}
}

// stepsLanes reports whether each lane is the one before plus step.
func stepsLanes(a *lanes, step uint32) bool {
	var diff uint32
	for i, x := range a {
		diff |= x - a[0] - uint32(i)*step
	}
	return diff == 0
}

// joinLanes makes 64-bit lanes of low and high words; splitLanes is its inverse.
func joinLanes(t *wide, lo, hi *lanes) {
	for i := range t {
		t[i] = uint64(lo[i]) | uint64(hi[i])<<32
	}
}

func splitLanes(lo, hi *lanes, t *wide) {
	for i, x := range t {
		lo[i], hi[i] = uint32(x), uint32(x>>32)
	}
}
