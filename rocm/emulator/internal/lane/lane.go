// Package lane has the registers of a wave, and operations on all lanes that more than one instruction needs, in Go and
// in AVX2 assembly, which the tag purego leaves out.
package lane

import "unsafe"

// Vector is a vector register: one 32-bit word for each lane of a wave.
type Vector [32]uint32

// Wide is a pair of vector registers, gathered so that a 64-bit operation sees 64-bit values.
type Wide [32]uint64

// Operations on all lanes. They are replaced by assembly where the host has it.
var (
	Fill      = fill
	Choose    = choose
	AddCarry  = addCarry
	OffsetMax = offsetMax
	Gather    = gather
	Gather2   = gather2
	Gather4   = gather4
	Store4    = store4
	Steps     = steps
	Join      = join
	Split     = split
)

// fill sets every lane to x.
func fill(t *Vector, x uint32) {
	for i := range t {
		t[i] = x
	}
}

// choose sets d to b where the mask is set, else to a.
func choose(d, a, b *Vector, mask uint32) {
	for i := range d {
		k := -(mask >> uint(i) & 1)
		d[i] = a[i]&^k | b[i]&k
	}
}

// addCarry adds with a carry for each lane and returns the carries out.
func addCarry(d, a, b *Vector, carry uint32) uint32 {
	var out uint32
	for i := range d {
		r := uint64(a[i]) + uint64(b[i]) + uint64(carry>>uint(i)&1)
		d[i] = uint32(r)
		out |= uint32(r>>32) << uint(i)
	}
	return out
}

// offsetMax sets d to a+k and returns the largest lane.
func offsetMax(d, a *Vector, k uint32) uint32 {
	var most uint32
	for i := range d {
		d[i] = a[i] + k
		most = max(most, d[i])
	}
	return most
}

// gather loads the words at base+off; offsets are below 2^31.
func gather(d *Vector, base unsafe.Pointer, off *Vector) {
	for i := range d {
		d[i] = *(*uint32)(unsafe.Add(base, off[i]))
	}
}

// gather2 and gather4 load two or four words for each lane, at base+off.
func gather2(d *[2]Vector, base unsafe.Pointer, off *Vector) { gatherWords(d[:], base, off) }

func gather4(d *[4]Vector, base unsafe.Pointer, off *Vector) { gatherWords(d[:], base, off) }

func gatherWords(d []Vector, base unsafe.Pointer, off *Vector) {
	for i, o := range off {
		for k, x := range unsafe.Slice((*uint32)(unsafe.Add(base, o)), len(d)) {
			d[k][i] = x
		}
	}
}

// store4 stores four words of each lane, one lane after another.
func store4(base unsafe.Pointer, x *[4]Vector) {
	to := unsafe.Slice((*[4]uint32)(base), len(x[0]))
	for i := range to {
		to[i] = [4]uint32{x[0][i], x[1][i], x[2][i], x[3][i]}
	}
}

// steps reports whether each lane is the one before plus step.
func steps(a *Vector, step uint32) bool {
	var diff uint32
	for i, x := range a {
		diff |= x - a[0] - uint32(i)*step
	}
	return diff == 0
}

// join makes 64-bit lanes of low and high words; split is its inverse.
func join(t *Wide, lo, hi *Vector) {
	for i := range t {
		t[i] = uint64(lo[i]) | uint64(hi[i])<<32
	}
}

func split(lo, hi *Vector, t *Wide) {
	for i, x := range t {
		lo[i], hi[i] = uint32(x), uint32(x>>32)
	}
}
