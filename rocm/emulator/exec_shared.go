package emulator

import (
	"encoding/binary"
	"math/bits"

	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// DS instructions that move data between lanes and touch no memory, and those that count lanes.

type sharedSpecial struct {
	name string
	fn   execFn
}

// dsSpecial are their rows by opcode. Those that count lanes are added by init.
var dsSpecial = map[uint32]sharedSpecial{
	53:  {"ds_swizzle_b32", swizzle},
	178: {"ds_permute_b32", permuteForward},
	179: {"ds_bpermute_b32", permuteBackward},
}

// permuteBackward lets each lane read from the lane that it names; inactive lanes give 0.
func permuteBackward(w *wave, in *inst) {
	a, x, d, e := &w.v[in.s[0].reg], w.v[in.data], &w.v[in.d], w.s[sExec]
	if e != allLanes {
		for i := range x {
			x[i] &= -(e >> uint(i) & 1)
		}
	}
	t, k := &w.out, uint32(in.off)
	for i := range t {
		t[i] = x[(a[i]+k)>>2&31]
	}
	if e == allLanes {
		*d = *t
		return
	}
	w.merge(in.d, t)
}

// permuteForward lets each active lane write to the lane that it names; lanes that nobody writes to get 0.
func permuteForward(w *wave, in *inst) {
	a, x, e := &w.v[in.s[0].reg], &w.v[in.data], w.s[sExec]
	w.out = lanes{}
	for i := range x {
		if e>>uint(i)&1 != 0 {
			w.out[(a[i]+uint32(in.off))>>2&31] = x[i]
		}
	}
	w.merge(in.d, &w.out)
}

// swizzle permutes by a pattern in the offset: a quad permutation, a rotation, or and, or and xor masks of the lane
// number.
func swizzle(w *wave, in *inst) {
	x, e, k := w.v[in.s[0].reg], w.s[sExec], uint32(in.off)
	for i := range uint32(32) {
		var j uint32
		switch {
		case k>>14 == 3: // rotate
			n, keep := k>>5&31, k&31
			if k>>10&1 != 0 {
				n = -n
			}
			j = i&keep | (i+n)&31&^keep
		case k>>15 != 0:
			j = i&^3 | k>>(2*(i&3))&3
		default:
			j = (i&(k&31) | k>>5&31) ^ k>>10&31
		}
		if e>>j&1 != 0 {
			w.out[i] = x[j]
		} else {
			w.out[i] = 0
		}
	}
	w.merge(in.d, &w.out)
}

// countsLanes reports whether an instruction is ds_append or ds_consume.
func (in *inst) countsLanes() bool { return in.name == "ds_append" || in.name == "ds_consume" }

// counter is the offset of the word that ds_append and ds_consume change.
func (w *wave) counter(in *inst) uint32 { return w.s[sM0]&0xffff + uint32(in.off) }

// countLanes adds the number of active lanes to a word of shared memory, times sign, and gives each lane its old value.
func countLanes(sign int) execFn {
	return func(w *wave, in *inst) {
		on, at, lds := w.on(), w.counter(in), w.group.lds
		if on == 0 {
			return
		}
		if uint64(at)+4 > uint64(len(lds)) || at%4 != 0 {
			w.fail(CodeIllegalAddress, "%s at offset %#x of shared memory, which has %d bytes; the offset must be a multiple of 4",
				in.name, at, len(lds))
		}
		word := lds[at : at+4]
		old := binary.LittleEndian.Uint32(word)
		binary.LittleEndian.PutUint32(word, old+uint32(sign*bits.OnesCount64(on)))
		lane.Fill(&w.out, old)
		w.merge(in.d, &w.out)
		if w.group.run.mode.wide {
			u := w.upper
			lane.Choose(&u.v[in.d], &u.v[in.d], &w.out, w.s[sExec+1])
		}
	}
}
