package emulator

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Shapes of vector operations. A function computes all lanes; which of them are kept is the runner's business. The
// destination may be one of the sources.
type (
	lanes1 func(d, a *lanes)
	lanes2 func(d, a, b *lanes)
	lanes3 func(d, a, b, c *lanes)
	wideOp func(d, a, b, c *wide) // any mix of widths, sources zero-extended; unused sources are nil
	cmp32  func(a, b *lanes) uint32
	cmp64  func(a, b *wide) uint32
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
	case lanes1:
		return func(w *wave, in *inst) {
			f(&w.out, w.src(&in.s[0], 0))
			w.finish(in)
		}
	case lanes2:
		return func(w *wave, in *inst) {
			f(&w.out, w.src(&in.s[0], 0), w.src(&in.s[1], 1))
			w.finish(in)
		}
	case lanes3:
		return func(w *wave, in *inst) {
			f(&w.out, w.src(&in.s[0], 0), w.src(&in.s[1], 1), w.src(&in.s[2], 2))
			w.finish(in)
		}
	case wideOp:
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
	case lanes1:
		v.fast = func(w *wave, in *inst) {
			a := w.src(&in.s[0], 0)
			if w.s[sExec] == allLanes {
				f(&w.v[in.d], a)
				return
			}
			f(&w.out, a)
			w.merge(in.d, &w.out)
		}
	case lanes2:
		v.fast = func(w *wave, in *inst) {
			a, b := w.src(&in.s[0], 0), w.src(&in.s[1], 1)
			if w.s[sExec] == allLanes {
				f(&w.v[in.d], a, b)
				return
			}
			f(&w.out, a, b)
			w.merge(in.d, &w.out)
		}
	case lanes3:
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

// each1, each2 and each3 make an operation from a function of one lane. They are for instructions that are not hot:
// the call costs more than the work.
func each1(f func(a uint32) uint32) lanes1 {
	return func(d, a *lanes) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func each2(f func(a, b uint32) uint32) lanes2 {
	return func(d, a, b *lanes) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func each3(f func(a, b, c uint32) uint32) lanes3 {
	return func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

// f32x1, f32x2 and f32x3 are each1, each2 and each3 for functions of f32.
func f32x1(f func(a float32) float32) lanes1 {
	return each1(func(a uint32) uint32 { return bf(f(fb(a))) })
}

func f32x2(f func(a, b float32) float32) lanes2 {
	return each2(func(a, b uint32) uint32 { return bf(f(fb(a), fb(b))) })
}

func f32x3(f func(a, b, c float32) float32) lanes3 {
	return each3(func(a, b, c uint32) uint32 { return bf(f(fb(a), fb(b), fb(c))) })
}

// f16x1, f16x2 and f16x3 compute in f32 and round once more. For +, -, × and √ that gives the correctly rounded f16.
func f16x1(f func(a float32) float32) lanes1 {
	return each1(func(a uint32) uint32 { return uint32(half.ToF16(f(half.FromF16(uint16(a))))) })
}

func f16x2(f func(a, b float32) float32) lanes2 {
	return each2(func(a, b uint32) uint32 {
		return uint32(half.ToF16(f(half.FromF16(uint16(a)), half.FromF16(uint16(b)))))
	})
}

func f16x3(f func(a, b, c float32) float32) lanes3 {
	return each3(func(a, b, c uint32) uint32 {
		return uint32(half.ToF16(f(half.FromF16(uint16(a)), half.FromF16(uint16(b)), half.FromF16(uint16(c)))))
	})
}

// packed2 and packed3 apply a function of 16-bit values to both halves.
func packed2(f func(a, b uint16) uint16) lanes2 {
	return each2(func(a, b uint32) uint32 {
		return uint32(f(uint16(a), uint16(b))) | uint32(f(uint16(a>>16), uint16(b>>16)))<<16
	})
}

func packed3(f func(a, b, c uint16) uint16) lanes3 {
	return each3(func(a, b, c uint32) uint32 {
		return uint32(f(uint16(a), uint16(b), uint16(c))) | uint32(f(uint16(a>>16), uint16(b>>16), uint16(c>>16)))<<16
	})
}

// f64x1 and f64x2 make operations on f64.
func f64x1(f func(a float64) float64) wideOp {
	return func(d, a, _, _ *wide) {
		for i := range d {
			d[i] = math.Float64bits(f(math.Float64frombits(a[i])))
		}
	}
}

func f64x2(f func(a, b float64) float64) wideOp {
	return func(d, a, b, _ *wide) {
		for i := range d {
			d[i] = math.Float64bits(f(math.Float64frombits(a[i]), math.Float64frombits(b[i])))
		}
	}
}

// wide1, wide2 and wide3 make operations on 64-bit lanes from a function of one lane.
func wide1(f func(a uint64) uint64) wideOp {
	return func(d, a, _, _ *wide) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func wide2(f func(a, b uint64) uint64) wideOp {
	return func(d, a, b, _ *wide) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func wide3(f func(a, b, c uint64) uint64) wideOp {
	return func(d, a, b, c *wide) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

func fb(u uint32) float32  { return math.Float32frombits(u) }
func bf(f float32) uint32  { return math.Float32bits(f) }
func dfb(u uint64) float64 { return math.Float64frombits(u) }
func dbf(f float64) uint64 { return math.Float64bits(f) }
