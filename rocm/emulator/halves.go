package emulator

import (
	"math/bits"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
)

// Waves of 64 lanes. As on a Radeon, a vector instruction is executed twice, for the lanes 0 to 31 and for the lanes 32
// to 63. A wave of 64 is a wave that runs the program and has the scalar registers, and its upper half, which has lanes
// 32 to 63 of all vector registers. The functions of instructions see one half at a time, except those that move values
// between any two lanes.

// halves is an instruction of a wave of 64, for both halves.
type halves struct {
	fn     execFn      // for the lower half
	upper  inst        // the instruction as the upper half executes it
	copies [][2]uint16 // scalar registers of the upper half, and those of the wave that they are copied from
	masks  []uint16    // registers of lane masks that the instruction writes: the next register is the upper half's
	always bool        // also executed for a half without active lanes
}

// Scalar registers of the upper half for operands whose own register holds something else there.
const (
	sExecAgain = 152 // EXEC as a number
	sVCCAgain  = 154 // VCC as a number, in addition to VCC as a mask
)

// widen converts a decoded instruction to one of a wave of 64.
func (d *decoder) widen(in *inst) {
	if fn := acrossHalves[in.name]; fn != nil {
		in.fn = fn
		return
	}
	switch {
	case in.whole:
		return
	case in.class == LDS, in.class == VMEM, in.class == Scratch:
	case in.class != VALU, in.name == "v_nop", in.name == "v_pipeflush":
		return
	}
	h := &halves{fn: in.fn, upper: *in}
	h.copies = append(h.copies, [2]uint16{sExec, sExec + 1})
	if in.dst == kindMask && in.class == VALU {
		h.masks = append(h.masks, in.d)
	}
	if in.carries() {
		h.masks = append(h.masks, in.d2)
	}
	if strings.HasPrefix(in.name, "v_cmpx") && in.d != sExec { // of gfx942
		h.masks = append(h.masks, sExec)
	}
	h.always = len(h.masks) > 0
	readsVCC := strings.HasPrefix(in.name, "v_div_fmas")
	if readsVCC {
		h.copies = append(h.copies, [2]uint16{sVCC, sVCC + 1})
	}
	if strings.HasPrefix(in.name, "v_movrel") || in.name == "v_swaprel_b32" {
		h.copies = append(h.copies, [2]uint16{sM0, sM0})
	}
	for k := range in.s {
		d.widenSource(h, &h.upper.s[k], readsVCC)
	}
	if in.sbase != sNull {
		h.copies = append(h.copies, [2]uint16{in.sbase, in.sbase}, [2]uint16{in.sbase + 1, in.sbase + 1})
	}
	if in.fromBuffer() {
		for r := in.s[1].reg; r < in.s[1].reg+4; r++ {
			h.copies = append(h.copies, [2]uint16{r, r})
		}
	}
	if row := upperRows[in.name]; row != nil {
		h.upper.fn = row.runner(in, d.flush)
		if in.dpp != nil {
			h.upper.fn = runDPP(h.upper.fn)
		}
	}
	if in.sdwa != nil {
		upper := *in.sdwa
		upper.inner.s[2] = h.upper.s[2]
		h.upper.sdwa = &upper
	}
	in.halves, in.fn = h, runHalves
	if in.moves != nil {
		in.fn = runMoves
	}
}

// widenSource gives an operand of the upper half a register that has its value.
func (d *decoder) widenSource(h *halves, o *operand, readsVCC bool) {
	place := o.place
	if place == placeModified {
		place = o.base
	}
	switch {
	case place == placeSCC, o.typ == 0:
		return
	case place == placeVCCZ, place == placeEXECZ:
		d.reject("vccz or execz as an operand, in a wave of 64")
	case place == placeConst && o.typ == kindMask && uint32(o.val) != 0 && uint32(o.val) != allLanes:
		d.reject("a constant as a mask, in a wave of 64")
	case place != placeSGPR:
		return
	}
	from := o.reg
	switch {
	case o.typ == kindMask:
		from++
		o.reg++
	case from == sExec || from == sExec+1:
		o.reg = from - sExec + sExecAgain
	case readsVCC && (from == sVCC || from == sVCC+1):
		o.reg = from - sVCC + sVCCAgain
	}
	for i := range uint16(o.typ.words()) {
		h.copies = append(h.copies, [2]uint16{o.reg + i, from + i})
	}
}

// ready copies the scalar registers that the upper half needs to execute an instruction.
func (h *halves) ready(w *wave) *wave {
	u := w.upper
	for _, c := range h.copies {
		u.s[c[0]] = w.s[c[1]]
	}
	u.scc, u.denorm = w.scc, w.denorm
	u.pc, u.code, u.fn = w.pc, w.code, w.fn
	return u
}

// runHalves executes an instruction for both halves. The scalar registers are read for the upper half before the lower
// half writes to them.
func runHalves(w *wave, in *inst) {
	h := in.halves
	u := h.ready(w)
	if h.always || w.s[sExec] != 0 {
		h.fn(w, in)
	}
	if h.always || u.s[sExec] != 0 {
		h.upper.fn(u, &h.upper)
	}
	for _, d := range h.masks {
		w.s[d+1] = u.s[d]
	}
}

// acrossHalves are the instructions that access all 64 lanes. Those on matrices, and those that count lanes, are added
// by init.
var acrossHalves = map[string]execFn{
	"v_readfirstlane_b32": readFirstLane64,
	"v_readlane_b32":      readLane64,
	"v_writelane_b32":     writeLane64,
	"v_permlane64_b32":    swapHalves,
	"ds_bpermute_b32":     permuteBackward64,
	"ds_permute_b32":      permuteForward64,
}

// upperRows are the instructions that differ in the upper half: those that count the mask bits of lower lanes.
var upperRows = map[string]*vop{
	"v_mbcnt_lo_u32_b32": {sig: "u=uu", fn: lanewise.Each2(func(a, b uint32) uint32 { return uint32(bits.OnesCount32(a)) + b })},
	"v_mbcnt_hi_u32_b32": {sig: "u=uu", fn: lanewise.Op2(countBelow)},
}

// wideBranches are the branches that test a mask of 64 bits.
var wideBranches = map[string]execFn{
	"s_cbranch_vccz":   branch(func(w *wave) bool { return w.pair(sVCC) == 0 }),
	"s_cbranch_vccnz":  branch(func(w *wave) bool { return w.pair(sVCC) != 0 }),
	"s_cbranch_execz":  branch(func(w *wave) bool { return w.pair(sExec) == 0 }),
	"s_cbranch_execnz": branch(func(w *wave) bool { return w.pair(sExec) != 0 }),
}

// half returns the half of a lane, and the lane's index in it.
func (w *wave) half(lane uint32) (*wave, uint32) {
	if lane&32 != 0 {
		return w.upper, lane & 31
	}
	return w, lane & 31
}

func readFirstLane64(w *wave, in *inst) {
	first := uint32(0)
	if e := w.pair(sExec); e != 0 {
		first = uint32(bits.TrailingZeros64(e))
	}
	w.readLane(in, first)
}

func readLane64(w *wave, in *inst) { w.readLane(in, w.s32(&in.s[1])) }

func (w *wave) readLane(in *inst, lane uint32) {
	h, i := w.half(lane)
	if in.s[0].place != placeVGPR {
		h = w // the same in all lanes
	}
	w.s[in.d] = h.src(&in.s[0], 0)[i]
}

func writeLane64(w *wave, in *inst) {
	h, i := w.half(w.s32(&in.s[1]))
	h.v[in.d][i] = w.s32(&in.s[0])
}

// swapHalves gives each lane the value of the lane 32 away.
func swapHalves(w *wave, in *inst) {
	u := w.upper
	lo, hi := w.v[in.s[0].reg], u.v[in.s[0].reg]
	lane.Choose(&w.v[in.d], &w.v[in.d], &hi, w.s[sExec])
	lane.Choose(&u.v[in.d], &u.v[in.d], &lo, w.s[sExec+1])
}

// permuteBackward64 is permuteBackward over all 64 lanes, as on GPUs whose waves always have 64 lanes. On a Radeon it
// stays within a half.
func permuteBackward64(w *wave, in *inst) {
	u, e := w.upper, w.pair(sExec)
	x := [2]lanes{w.v[in.data], u.v[in.data]}
	for i := range uint32(64) {
		x[i/32][i%32] &= -uint32(e >> i & 1)
	}
	for k, h := range []*wave{w, u} {
		a := &h.v[in.s[0].reg]
		for i := range h.out {
			from := (a[i] + uint32(in.off)) >> 2 & 63
			h.out[i] = x[from/32][from%32]
		}
		lane.Choose(&h.v[in.d], &h.v[in.d], &h.out, w.s[sExec+k])
	}
}

// permuteForward64 is permuteForward over all 64 lanes.
func permuteForward64(w *wave, in *inst) {
	u := w.upper
	var t [2]lanes
	for k, h := range []*wave{w, u} {
		a, x, e := &h.v[in.s[0].reg], &h.v[in.data], w.s[sExec+k]
		for i := range x {
			if e>>uint(i)&1 != 0 {
				to := (a[i] + uint32(in.off)) >> 2 & 63
				t[to/32][to%32] = x[i]
			}
		}
	}
	for k, h := range []*wave{w, u} {
		lane.Choose(&h.v[in.d], &h.v[in.d], &t[k], w.s[sExec+k])
	}
}
