package emulator

import (
	"math/bits"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/hostcode"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// wave is 32 lanes that execute together, with their registers; or half of 64, see halves.go.
type wave struct {
	s    [sgprSlots]uint32 // scalar registers; EXEC and VCC are among them
	scc  bool
	halt halt
	pc   int
	code []inst
	fn   *function
	host *hostcode.Code // of fn, if it has been translated

	denorm uint8 // 2 bits for f32, 2 bits for f16 and f64; 0 means flush
	lane0  uint32
	budget int // backward branches until other waves get a turn
	count  uint64
	asked  bool // for count, which is being added up

	signalled bool // gfx12: the wave has come to the barrier
	passes    bool // all have, and the wave has not waited

	upper *wave // lanes 32 to 63 of a wave of 64

	group  *group
	worker *worker

	// What code of the host needs of the group, the worker and the GPU.
	memory     uintptr // what to add to an address of device memory
	cache      *[cacheLines]region
	shared     unsafe.Pointer
	sharedSize uint64

	scratch []byte // private memory: perLane bytes for each lane in turn
	perLane uint64

	v     [vgprSlots]lanes
	view  view
	out   lanes    // result of an instruction while some lanes are off
	moved lanes    // source 0 after DPP
	t     [4]lanes // materialised sources
	tw    [5]wide
	masks lanes // of inactive lanes, for code of the host
}

// halt says why a wave stopped running.
type halt uint8

const (
	haltNot halt = iota
	haltBarrier
	haltEnd
	haltYield
)

// yieldAfter is how many backward branches a wave may take before the other waves of its workgroup, one of which it
// may be waiting for, get a turn. It also bounds how long an interrupt takes.
const yieldAfter = 4096

// s32 reads a scalar operand.
func (w *wave) s32(o *operand) uint32 {
	switch o.place {
	case placeSGPR:
		return w.s[o.reg]
	case placeConst:
		return uint32(o.val)
	case placeSCC:
		return b2u(w.scc)
	case placeVCCZ:
		return b2u(w.s[sVCC] == 0)
	case placeEXECZ:
		return b2u(w.s[sExec] == 0)
	}
	return 0
}

// s64 reads a scalar operand of 64 bits.
func (w *wave) s64(o *operand) uint64 {
	switch o.place {
	case placeSGPR:
		return w.pair(o.reg)
	case placeConst:
		return o.val
	}
	return uint64(w.s32(o))
}

func (w *wave) pair(r uint16) uint64 { return uint64(w.s[r]) | uint64(w.s[r+1])<<32 }

func (w *wave) setPair(r uint16, x uint64) { w.s[r], w.s[r+1] = uint32(x), uint32(x>>32) }

// src returns a 32-bit source for all lanes; k numbers the temporary that it may use.
func (w *wave) src(o *operand, k int) *lanes {
	switch o.place {
	case placeVGPR:
		return &w.v[o.reg]
	case placeConst:
		return o.c
	case placeDPP:
		return &w.moved
	case placeModified:
		return w.modified(o, k)
	}
	t := &w.t[k]
	lane.Fill(t, w.s32(o))
	return t
}

// modified returns a source after neg, abs, half selection and flushing.
func (w *wave) modified(o *operand, k int) *lanes {
	plain := *o
	plain.place = o.base
	a, t := w.src(&plain, k), &w.t[k]
	if o.typ == kindPF16 || o.typ == kindPI16 {
		selectHalves(t, a, o.mods)
		return t
	}
	sign := uint32(1 << 31)
	if o.typ == kindF16 {
		sign = 1 << 15
	}
	shift := 0
	if o.mods&modHigh != 0 {
		shift = 16
	}
	var clear, flip uint32
	if o.mods&modAbs != 0 {
		clear = sign
	}
	if o.mods&modNeg != 0 {
		flip = sign
	}
	for i := range t {
		t[i] = a[i]>>shift&^clear ^ flip
	}
	if o.mods&modFlush != 0 && w.denorm&3 == 0 {
		flushF32(t)
	}
	return t
}

// flushF32 replaces denormals by zeros of the same sign.
func flushF32(t *lanes) {
	for i, x := range t {
		if x&0x7f800000 == 0 {
			t[i] = x & 0x80000000
		}
	}
}

// selectHalves arranges the two halves of a packed operand.
func selectHalves(t, a *lanes, mods uint8) {
	var lo, hi int
	var flip uint32
	if mods&modSelLo != 0 {
		lo = 16
	}
	if mods&modSelHi != 0 {
		hi = 16
	}
	if mods&modNegLo != 0 {
		flip |= 1 << 15
	}
	if mods&modNegHi != 0 {
		flip |= 1 << 31
	}
	for i := range t {
		x := a[i]
		t[i] = (x>>lo&0xffff | x>>hi<<16) ^ flip
	}
}

// wideSrc returns a source of any width in 64-bit lanes; 32-bit values are zero-extended.
func (w *wave) wideSrc(o *operand, k int) *wide {
	if !o.typ.is64() {
		t, a := &w.tw[k], w.src(o, k)
		for i := range t {
			t[i] = uint64(a[i])
		}
		return t
	}
	p := o.place
	if p == placeModified {
		p = o.base
	}
	t := &w.tw[k]
	switch p {
	case placeVGPR:
		lane.Join(t, &w.v[o.reg], &w.v[o.reg+1])
	case placeConst:
		if o.place == placeConst {
			return o.cw
		}
		*t = *o.cw
	default:
		x := w.s64(&operand{place: p, reg: o.reg, val: o.val})
		for i := range t {
			t[i] = x
		}
	}
	if o.mods&modAbs != 0 {
		for i := range t {
			t[i] &^= 1 << 63
		}
	}
	if o.mods&modNeg != 0 {
		for i := range t {
			t[i] ^= 1 << 63
		}
	}
	return t
}

// merge copies the active lanes of t to register d.
func (w *wave) merge(d uint16, t *lanes) {
	dst := &w.v[d]
	lane.Choose(dst, dst, t, w.s[sExec])
}

// putWide writes the active lanes of a 64-bit result to registers d and d+1.
func (w *wave) putWide(d uint16, t *wide) {
	lo, hi, e := &w.v[d], &w.v[d+1], w.s[sExec]
	if e == allLanes {
		lane.Split(lo, hi, t)
		return
	}
	for ; e != 0; e &= e - 1 {
		i := bits.TrailingZeros32(e)
		lo[i], hi[i] = uint32(t[i]), uint32(t[i]>>32)
	}
}

func b2u(b bool) uint32 {
	var u uint32
	if b {
		u = 1
	}
	return u
}
