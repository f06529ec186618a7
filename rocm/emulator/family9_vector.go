package emulator

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx9"
)

// vector9 decodes VOP1, VOP2, VOPC and VOP3 of gfx942.
func (d *decoder) vector9(in *inst, x *gfx9.Inst, row *vop) bool {
	dst := code9(x.Dst)
	if x.Dst.IsVector() {
		dst -= 256
	}
	if x.Carry != gfx9.None {
		in.d2 = scalarDest(code9(x.Carry))
	}
	src := [3]uint32{code9(x.Src[0]), code9(x.Src[1]), code9(x.Src[2])}
	if x.Src[1] == gfx9.Literal { // vector wants the two registers before the literal
		src[1] = src[2]
	}
	m := mods{abs: x.Abs, neg: x.Neg, sel: x.Sel, omod: x.Omod, clamp: x.Clamp}
	if x.SDWA != nil {
		d.sdwa9(in, x, row, dst, src, m)
	} else {
		d.vector(in, row, dst, src, m, false)
	}
	if strings.HasPrefix(in.name, "v_cmpx") {
		in.fn = alsoExec(in.fn)
	}
	if x.DPP != nil {
		d.dpp9(in, x)
	}
	if x.SDWA == nil && in.dst.is16() && !in.high && zeroes(x) {
		in.fn = zeroUpper(in.fn)
	}
	return true
}

// zeroes reports whether an instruction with a result of 16 bits makes the upper half of the register 0: those that
// gfx8 has do, those of VOP3 that came with gfx9 keep it.
func zeroes(x *gfx9.Inst) bool {
	return x.Format != gfx9.VOP3 || x.Code < 448 || strings.Contains(x.Name, "_legacy_")
}

// zeroUpper wraps an instruction that makes the upper half of its result 0.
func zeroUpper(inner execFn) execFn {
	return func(w *wave, in *inst) {
		inner(w, in)
		d, e := &w.v[in.d], w.s[sExec]
		for i := range d {
			d[i] &^= -(e >> uint(i) & 1) & 0xffff0000
		}
	}
}

// alsoExec wraps a compare that writes EXEC in addition to its destination.
func alsoExec(inner execFn) execFn {
	return func(w *wave, in *inst) {
		inner(w, in)
		w.s[sExec] = w.s[in.d]
	}
}

// sdwaRegisters are the registers behind selected.
const sdwaRegisters = 3

// sdwaControl is what an instruction with SDWA selects, and the instruction on whole registers in its middle.
type sdwaControl struct {
	gfx9.SDWA
	sources int // that have parts
	inner   inst
}

// sdwa9 decodes an instruction with SDWA. Its sources are copied to registers of their own, and so is its result.
func (d *decoder) sdwa9(in *inst, x *gfx9.Inst, row *vop, dst uint32, src [3]uint32, m mods) {
	c := &sdwaControl{SDWA: *x.SDWA, sources: min(x.N, 2), inner: inst{d2: in.d2}}
	inner := &c.inner
	for k := range c.sources {
		in.s[k] = d.source(src[k], kindU32)
		src[k] = 256 + selected + uint32(k)
	}
	if dst >= 256 || x.Dst.IsVector() {
		d.vector(inner, row, selected+2, src, m, false)
	} else {
		d.vector(inner, row, dst, src, m, false)
	}
	if strings.IndexByte(row.sig, byte(kindDest)) >= 0 || inner.dst.is64() {
		d.reject("%s with SDWA is not emulated", x.Name)
	}
	in.name, in.dst, in.s[2], in.d, in.fn, in.sdwa = row.name, inner.dst, inner.s[2], uint16(dst), runSDWA, c
	if strings.HasPrefix(in.name, "v_read") {
		d.reject("%s with SDWA is not emulated", x.Name)
	}
}

func runSDWA(w *wave, in *inst) {
	c := in.sdwa
	for k := range c.sources {
		a, t := w.src(&in.s[k], k), &w.v[selected+k]
		for i, u := range a {
			t[i] = gfx9.Select(u, c.Src[k], c.Sext[k])
		}
	}
	c.inner.fn(w, &c.inner)
	if in.dst == kindMask {
		return
	}
	mask := uint32(0xffffffff)
	if in.dst.is16() {
		mask = 0xffff
	}
	d, t := &w.v[in.d], &w.v[selected+2]
	for i := range t {
		w.out[i] = gfx9.Insert(d[i], t[i]&mask, c.Dst, c.Unused)
	}
	w.merge(in.d, &w.out)
}

// moves is a DPP control of gfx942, which moves values between all 64 lanes.
type moves64 struct {
	source [64]int8 // -1: none
	enable uint64   // lanes that the masks let write
	zero   bool     // lanes without a source read 0; otherwise they are off
}

func (d *decoder) dpp9(in *inst, x *gfx9.Inst) {
	m := &moves64{zero: x.DPP.Bound}
	for i := range m.source {
		j, ok := x.DPP.Source(i)
		if !ok {
			d.reject("%s with DPP control %#x", x.Name, x.DPP.Ctrl)
		}
		m.source[i] = int8(j)
		if x.DPP.Enabled(i) {
			m.enable |= 1 << i
		}
	}
	o := &in.s[0]
	if o.place == placeModified {
		o.base = placeDPP
	} else {
		o.place = placeDPP
	}
	in.moves = m
}

// runMoves executes an instruction with DPP for both halves, after moving source 0.
func runMoves(w *wave, in *inst) {
	m, h := in.moves, in.halves
	u := h.ready(w)
	e := w.pair(sExec)
	on, a, b := e&m.enable, &w.v[in.s[0].reg], &u.v[in.s[0].reg]
	for i, j := range m.source {
		value := uint32(0)
		switch {
		case j >= 0 && e>>uint(j)&1 != 0:
			value = a[j&31]
			if j >= 32 {
				value = b[j&31]
			}
		case !m.zero:
			on &^= 1 << i
		}
		if i < 32 {
			w.moved[i] = value
		} else {
			u.moved[i-32] = value
		}
	}
	w.s[sExec], u.s[sExec] = uint32(on), uint32(on>>32)
	h.fn(w, in)
	h.upper.fn(u, &h.upper)
	for _, d := range h.masks {
		w.s[d+1] = u.s[d]
	}
	if !strings.HasPrefix(in.name, "v_cmpx") {
		w.setPair(sExec, e)
	}
}

// packed9 decodes VOP3P of gfx942, without matrices.
func (d *decoder) packed9(in *inst, x *gfx9.Inst, row *vop) bool {
	dst := uint16(register9(x.Dst))
	src := [3]uint32{code9(x.Src[0]), code9(x.Src[1]), code9(x.Src[2])}
	if strings.HasPrefix(x.Name, "v_accvgpr") {
		return d.vector(in, row, uint32(dst), src, mods{}, false)
	}
	if !strings.HasPrefix(x.Name, "v_pk_") || row.sig[0] != byte(kindU64) {
		d.packed(in, row, dst, src, packedControl{x.Sel, x.SelHi, x.Neg, x.NegHi, x.Clamp})
		return true
	}
	if x.Clamp {
		d.reject("%s: clamp is not emulated for this instruction", x.Name)
	}
	in.name, in.dst, in.d = row.name, kindU64, dst
	in.off = mixControl(x.Sel, x.SelHi, x.Neg, x.NegHi)
	for k := range len(row.sig) - 2 {
		t := kindU64
		if src[k] < 256 && src[k] >= 128 { // a constant is the lower number alone; 0 is both
			if t = kindF32; (x.Sel|x.SelHi)>>k&1 != 0 && x.Src[k] != gfx9.Zero {
				d.reject("%s with the upper half of a constant", x.Name)
			}
		}
		in.s[k] = d.source(src[k], t)
	}
	in.fn = row.fn.(execFn)
	return true
}

// matrix9 decodes the instructions of matrix cores.
func (d *decoder) matrix9(in *inst, x *gfx9.Inst) bool {
	if why := x.Why(); why != "" {
		d.reject("%s: %s is not emulated", x.Name, why)
	}
	words, a, b := x.Matrix.Words()
	in.name, in.fn, in.whole, in.n = x.Name, multiplyMatrices, true, uint8(words)
	in.d, in.dst, in.matrix = register9(x.Dst), kindU32, x.Matrix
	for k, n := range []int{a, b, words} {
		t := kindF32
		if n > 1 && x.Src[k] < gfx9.VGPR && x.Matrix.D == "f64" {
			t = kindF64
		}
		in.s[k] = d.source(code9(x.Src[k]), t)
		if p := in.s[k].place; p != placeVGPR && (k < 2 || p != placeConst) {
			d.reject("%s: a matrix that is not in vector registers", x.Name)
		}
	}
	return true
}
