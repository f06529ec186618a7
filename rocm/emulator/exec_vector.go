package emulator

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Comparisons of all lanes.
type (
	cmp32 func(a, b *lanes) uint32
	cmp64 func(a, b *wide) uint32
)

// vop is a row of an opcode table: number, name without encoding suffix, signature (destination=sources, see kind),
// operation.
type vop struct {
	op       int
	name     string
	sig      string
	fn       any
	fast     execFn // for 32-bit results without output modifiers
	portable any    // fn in Go, where an assembly version has replaced it
}

// runner returns the function that executes v; in carries the modifiers, flush says that f32 results may need flushing.
func (v *vop) runner(in *inst, flush bool) execFn {
	if v.fast != nil && in.omod == 0 && !in.clamp && !in.dst.is16() && !(flush && in.dst == kindF32) {
		return v.fast
	}
	switch f := v.fn.(type) {
	case execFn:
		return f
	case lanewise.Op1:
		return func(w *wave, in *inst) {
			f(&w.out, w.src(&in.s[0], 0))
			w.finish(in)
		}
	case lanewise.Op2:
		return func(w *wave, in *inst) {
			f(&w.out, w.src(&in.s[0], 0), w.src(&in.s[1], 1))
			w.finish(in)
		}
	case lanewise.Op3:
		return func(w *wave, in *inst) {
			f(&w.out, w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.src(&in.s[2], 2))
			w.finish(in)
		}
	case lanewise.WideOp:
		n := len(v.sig) - 2
		return func(w *wave, in *inst) {
			var src [3]*wide
			for k := range n {
				src[k] = w.wideSrc(&in.s[k], k)
			}
			t := &w.tw[3]
			f(t, src[0], src[1], src[2])
			w.finishWide(in, t)
		}
	case cmp32:
		return func(w *wave, in *inst) {
			w.s[in.d] = f(w.src(&in.s[0], 0), w.src(&in.s[1], 1)) & w.s[sExec]
		}
	case cmp64:
		return func(w *wave, in *inst) {
			w.s[in.d] = f(w.wideSrc(&in.s[0], 0), w.wideSrc(&in.s[1], 1)) & w.s[sExec]
		}
	}
	return nil
}

// prepare sets the fast runner of a row.
func (v *vop) prepare() {
	switch f := v.fn.(type) {
	case lanewise.Op1:
		v.fast = func(w *wave, in *inst) {
			a := w.src(&in.s[0], 0)
			if w.s[sExec] == allLanes {
				f(&w.v[in.d], a)
				return
			}
			f(&w.out, a)
			w.merge(in.d, &w.out)
		}
	case lanewise.Op2:
		v.fast = func(w *wave, in *inst) {
			a, b := w.src(&in.s[0], 0), w.src(&in.s[1], 1)
			if w.s[sExec] == allLanes {
				f(&w.v[in.d], a, b)
				return
			}
			f(&w.out, a, b)
			w.merge(in.d, &w.out)
		}
	case lanewise.Op3:
		v.fast = func(w *wave, in *inst) {
			a, b, c := w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.src(&in.s[2], 2)
			if w.s[sExec] == allLanes {
				f(&w.v[in.d], a, b, c)
				return
			}
			f(&w.out, a, b, c)
			w.merge(in.d, &w.out)
		}
	}
}

// finish writes w.out to the destination after output modifiers.
func (w *wave) finish(in *inst) {
	t := &w.out
	switch in.dst {
	case kindF32:
		if in.omod != 0 || in.clamp {
			scale, clamp := omodScale[in.omod], in.clamp
			for i, x := range t {
				t[i] = math.Float32bits(outF32(math.Float32frombits(x)*scale, clamp))
			}
		}
		if w.denorm&3 == 0 {
			flushF32(t)
		}
	case kindF16:
		if in.omod != 0 || in.clamp {
			scale, clamp := omodScale[in.omod], in.clamp
			for i, x := range t {
				t[i] = uint32(half.ToF16(outF32(half.FromF16(uint16(x))*scale, clamp)))
			}
		}
	}
	if in.dst.is16() {
		d := &w.v[in.d]
		if in.high {
			for i, x := range t {
				t[i] = d[i]&0xffff | x<<16
			}
		} else {
			for i, x := range t {
				t[i] = d[i]&^0xffff | x&0xffff
			}
		}
	}
	if w.s[sExec] == allLanes {
		w.v[in.d] = *t
		return
	}
	w.merge(in.d, t)
}

// finishWide writes a result that was computed in 64-bit lanes.
func (w *wave) finishWide(in *inst, t *wide) {
	if !in.dst.is64() {
		for i, x := range t {
			w.out[i] = uint32(x)
		}
		w.finish(in)
		return
	}
	if in.dst == kindF64 && (in.omod != 0 || in.clamp) {
		scale := float64(omodScale[in.omod])
		for i, x := range t {
			f := math.Float64frombits(x) * scale
			if in.clamp {
				f = number.Clamp01(f)
			}
			t[i] = math.Float64bits(f)
		}
	}
	w.putWide(in.d, t)
}

var omodScale = [4]float32{1, 2, 4, 0.5}

func outF32(x float32, clamp bool) float32 {
	if clamp {
		return number.Clamp01(x)
	}
	return x
}

func fb(u uint32) float32  { return math.Float32frombits(u) }
func bf(f float32) uint32  { return math.Float32bits(f) }
func dfb(u uint64) float64 { return math.Float64frombits(u) }
func dbf(f float64) uint64 { return math.Float64bits(f) }
