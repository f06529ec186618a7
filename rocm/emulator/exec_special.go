package emulator

import (
	"math/bits"

	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Vector instructions that read or write masks, move data between lanes, or treat lanes unequally.

func nop(*wave, *inst) {}

// cndmask selects source 1 where the mask is set.
func cndmask(w *wave, in *inst) {
	a, b := w.src(&in.s[0], 0), w.src(&in.s[1], 1)
	m := w.s32(&in.s[2])
	d := &w.v[in.d]
	if in.dst.is16() || w.s[sExec] != allLanes {
		d = &w.out
	}
	lane.Choose(d, a, b, m)
	if d == &w.out {
		w.finish(in)
	}
}

// carryOp makes an add or a subtract with carry out; with carry in when source 2 is a mask.
func carryOp(f func(a, b, carry uint32) (r, out uint32), withIn, reverse bool) execFn {
	return func(w *wave, in *inst) {
		a, b := w.src(&in.s[0], 0), w.src(&in.s[1], 1)
		if reverse {
			a, b = b, a
		}
		var cin, cout uint32
		if withIn {
			cin = w.s32(&in.s[2])
		}
		e := w.s[sExec]
		d := &w.v[in.d]
		if e != allLanes {
			d = &w.out
		}
		for i := range d {
			r, c := f(a[i], b[i], cin>>uint(i)&1)
			d[i] = r
			cout |= c << uint(i)
		}
		if e != allLanes {
			w.merge(in.d, d)
		}
		w.s[in.d2] = cout & e
	}
}

var (
	subCarry      = carryOp(bits.Sub32, false, false)
	subrevCarry   = carryOp(bits.Sub32, false, true)
	subCarryIn    = carryOp(bits.Sub32, true, false)
	subrevCarryIn = carryOp(bits.Sub32, true, true)
)

// addCarry and addCarryIn are half of all address arithmetic, so they do without the call per lane.
func addCarry(w *wave, in *inst) {
	a, b := w.src(&in.s[0], 0), w.src(&in.s[1], 1)
	w.addCarry(in, a, b, 0)
}

func addCarryIn(w *wave, in *inst) {
	a, b := w.src(&in.s[0], 0), w.src(&in.s[1], 1)
	w.addCarry(in, a, b, w.s32(&in.s[2]))
}

func (w *wave) addCarry(in *inst, a, b *lanes, cin uint32) {
	e := w.s[sExec]
	d := &w.v[in.d]
	if e != allLanes {
		d = &w.out
	}
	cout := lane.AddCarry(d, a, b, cin)
	if e != allLanes {
		w.merge(in.d, d)
	}
	w.s[in.d2] = cout & e
}

// madU64 is most of the index arithmetic, so it does without gathering and scattering pairs of registers.
func madU64(w *wave, in *inst) {
	a, b, c := w.src(&in.s[0], 0), w.src(&in.s[1], 1), &in.s[2]
	lo, hi := &w.t[2], &w.t[3]
	if c.place == placeVGPR {
		lo, hi = &w.v[c.reg], &w.v[c.reg+1]
	} else {
		x := w.s64(c)
		lane.Fill(lo, uint32(x))
		lane.Fill(hi, uint32(x>>32))
	}
	dlo, dhi, e := &w.v[in.d], &w.v[in.d+1], w.s[sExec]
	var cout uint32
	for i := range dlo {
		if e>>uint(i)&1 != 0 {
			p := uint64(a[i]) * uint64(b[i])
			s := p + (uint64(lo[i]) | uint64(hi[i])<<32)
			dlo[i], dhi[i] = uint32(s), uint32(s>>32)
			cout |= b2u(s < p) << uint(i)
		}
	}
	w.s[in.d2] = cout
}

// shl64 scales indices to byte offsets.
func shl64(w *wave, in *inst) {
	a, b := w.src(&in.s[0], 0), &in.s[1]
	if b.place != placeVGPR {
		x, t := w.s64(b), &w.tw[3]
		for i := range t {
			t[i] = x << (a[i] & 63)
		}
		w.putWide(in.d, t)
		return
	}
	lo, hi, dlo, dhi, e := &w.v[b.reg], &w.v[b.reg+1], &w.v[in.d], &w.v[in.d+1], w.s[sExec]
	for i := range dlo {
		if e>>uint(i)&1 != 0 {
			x := (uint64(lo[i]) | uint64(hi[i])<<32) << (a[i] & 63)
			dlo[i], dhi[i] = uint32(x), uint32(x>>32)
		}
	}
}

func madI64(w *wave, in *inst) {
	a, b, c, t := w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.wideSrc(&in.s[2], 2), &w.tw[3]
	var cout uint32
	for i := range t {
		p := int64(int32(a[i])) * int64(int32(b[i]))
		s := p + int64(c[i])
		t[i] = uint64(s)
		cout |= b2u((s < p) != (int64(c[i]) < 0)) << uint(i)
	}
	w.putWide(in.d, t)
	w.s[in.d2] = cout & w.s[sExec]
}

func divScaleF32(w *wave, in *inst) {
	a, b, c := w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.src(&in.s[2], 2)
	var mask uint32
	t := &w.out
	for i := range t {
		y, post := number.DivScale32(fb(a[i]), fb(b[i]), fb(c[i]))
		t[i] = bf(y)
		mask |= b2u(post) << uint(i)
	}
	w.finish(in)
	w.s[in.d2] = mask & w.s[sExec]
}

func divScaleF64(w *wave, in *inst) {
	a, b, c, t := w.wideSrc(&in.s[0], 0), w.wideSrc(&in.s[1], 1), w.wideSrc(&in.s[2], 2), &w.tw[3]
	var mask uint32
	for i := range t {
		y, post := number.DivScale64(dfb(a[i]), dfb(b[i]), dfb(c[i]))
		t[i] = dbf(y)
		mask |= b2u(post) << uint(i)
	}
	w.putWide(in.d, t)
	w.s[in.d2] = mask & w.s[sExec]
}

func divFmasF32(w *wave, in *inst) {
	a, b, c, t := w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.src(&in.s[2], 2), &w.out
	for i := range t {
		t[i] = bf(number.DivFmas32(fb(a[i]), fb(b[i]), fb(c[i]), w.s[sVCC]>>uint(i)&1 != 0))
	}
	w.finish(in)
}

func divFmasF64(w *wave, in *inst) {
	a, b, c, t := w.wideSrc(&in.s[0], 0), w.wideSrc(&in.s[1], 1), w.wideSrc(&in.s[2], 2), &w.tw[3]
	for i := range t {
		t[i] = dbf(number.DivFmas64(dfb(a[i]), dfb(b[i]), dfb(c[i]), w.s[sVCC]>>uint(i)&1 != 0))
	}
	w.finishWide(in, t)
}

func readFirstLane(w *wave, in *inst) {
	a := w.src(&in.s[0], 0)
	w.s[in.d] = a[bits.TrailingZeros32(w.s[sExec])&31]
}

func readLane(w *wave, in *inst) {
	a := w.src(&in.s[0], 0)
	w.s[in.d] = a[w.s32(&in.s[1])&31]
}

func writeLane(w *wave, in *inst) {
	w.v[in.d][w.s32(&in.s[1])&31] = w.s32(&in.s[0])
}

func swapLanes(w *wave, in *inst) {
	a, b, e := &w.v[in.s[0].reg], &w.v[in.d], w.s[sExec]
	for i := range a {
		if e>>uint(i)&1 != 0 {
			a[i], b[i] = b[i], a[i]
		}
	}
}

// movRelDest and movRelSource move with M0 added to a register number.
func movRelDest(w *wave, in *inst) {
	w.merge(w.relative(in.d), w.src(&in.s[0], 0))
}

func movRelSource(w *wave, in *inst) {
	w.merge(in.d, &w.v[w.relative(in.s[0].reg)])
}

// movRelBoth adds M0 to both registers; movRelTwo and swapRel add bits 9 to 0 of it to the source's number and bits 25
// to 16 to the destination's.
func movRelBoth(w *wave, in *inst) {
	w.merge(w.relative(in.d), &w.v[w.relative(in.s[0].reg)])
}

func movRelTwo(w *wave, in *inst) {
	d, s := w.relativeTwo(in)
	w.merge(d, &w.v[s])
}

func swapRel(w *wave, in *inst) {
	d, s := w.relativeTwo(in)
	old := w.v[d]
	w.merge(d, &w.v[s])
	w.merge(s, &old)
}

func (w *wave) relativeTwo(in *inst) (d, s uint16) {
	m := w.s[sM0]
	return w.register(uint32(in.d) + m>>16&0x3ff), w.register(uint32(in.s[0].reg) + m&0x3ff)
}

func (w *wave) relative(r uint16) uint16 { return w.register(uint32(r) + w.s[sM0]) }

func (w *wave) register(i uint32) uint16 {
	if i >= 256 {
		w.fail(CodeLaunchFailure, "register v%d, addressed through m0, does not exist", i)
	}
	return uint16(i)
}

func permLane16(w *wave, in *inst)  { w.permLane(in, 0) }
func permLaneX16(w *wave, in *inst) { w.permLane(in, 16) }

// permLane picks each lane's source within its row of 16, or in the other row. The selectors are 16 nibbles in two
// scalars. op_sel[0] reads inactive lanes too, op_sel[1] gives 0 for them instead of the old value.
func (w *wave) permLane(in *inst, flip uint32) {
	a, d := *w.src(&operand{place: placeVGPR, reg: in.s[0].reg}, 0), &w.v[in.d]
	sel := uint64(w.s32(&in.s[1])) | uint64(w.s32(&in.s[2]))<<32
	e := w.s[sExec]
	inactive, zero := in.n&1 != 0, in.n&2 != 0
	for i := range uint32(32) {
		if e>>i&1 == 0 {
			continue
		}
		j := i&16 ^ flip | uint32(sel>>(4*(i&15)))&15
		switch {
		case inactive || e>>j&1 != 0:
			d[i] = a[j]
		case zero:
			d[i] = 0
		}
	}
}

// dppControl says which lane each lane reads through DPP, precomputed.
type dppControl struct {
	source       [32]int8 // -1: none
	reg          uint16
	enable       uint32 // lanes that the row and bank masks let write
	boundZero    bool   // missing sources read 0; otherwise their lanes are off
	readInactive bool
}

// runDPP wraps an instruction whose source 0 comes from other lanes.
func runDPP(inner execFn) execFn {
	return func(w *wave, in *inst) {
		p, a, e := in.dpp, &w.v[in.dpp.reg], w.s[sExec]
		on := e & p.enable
		for i := range w.moved {
			j := p.source[i]
			switch {
			case j >= 0 && (p.readInactive || e>>uint(j)&1 != 0):
				w.moved[i] = a[j]
			case p.boundZero:
				w.moved[i] = 0
			default:
				on &^= 1 << uint(i)
			}
		}
		w.s[sExec] = on
		inner(w, in)
		if in.d != sExec || in.dst != kindMask {
			w.s[sExec] = e
		}
	}
}

// runDual executes both halves of a VOPD. They read before either writes: the first half's result waits when the second
// reads its register.
func runDual(w *wave, in *inst) {
	x, y := &in.pair[0], &in.pair[1]
	x.fn(w, x)
	y.fn(w, y)
}

func runDualLate(w *wave, in *inst) {
	x, y := &in.pair[0], &in.pair[1]
	old := w.v[x.d]
	x.fn(w, x)
	result := w.v[x.d]
	w.v[x.d] = old
	y.fn(w, y)
	w.v[x.d] = result
}

func (w *wave) relativeScalar(r uint16) uint16 { return w.scalar(uint32(r) + w.s[sM0]) }

func (w *wave) scalar(i uint32) uint16 {
	if i >= sVCC {
		w.fail(CodeLaunchFailure, "register s%d, addressed through m0, does not exist", i)
	}
	return uint16(i)
}

// quadSADWords is quadSAD with msadU8 for 32-bit values, in four registers.
func quadSADWords(w *wave, in *inst) {
	a, b := w.wideSrc(&in.s[0], 0), w.src(&in.s[1], 1)
	var t [4]lanes
	for k := range t {
		acc := in.s[2]
		if acc.place == placeVGPR {
			acc.reg += uint16(k)
		} else if k > 0 || acc.place != placeConst {
			w.fail(CodeLaunchFailure, "%s with a scalar as the sum is not emulated", in.name)
		}
		for i, c := range w.src(&acc, 2) {
			t[k][i] = number.MSADU8(uint32(a[i]>>(8*k)), b[i]) + c
		}
	}
	for k := range t {
		w.merge(in.d+uint16(k), &t[k])
	}
}
