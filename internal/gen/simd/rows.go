package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows writes the second pass of softmax and normalisation over a row, after its sums.
func rows(w width) {
	w.function("scale", "(out, x []float32, factor float32)", "sets out to x * factor.")
	factor := w.broadcast("factor")
	w.each("loop", length("out"), 4, []reg.Register{slice("out"), slice("x")}, func(at []Mem, m *mask) {
		v := w.load(at[1], m)
		VMULPS(factor, v, v)
		w.store(v, at[0], m)
	})
	end()

	for _, shifted := range []bool{true, false} {
		slices := []string{"out", "x", "scale", "shift"}
		name, signature := "standardize", "(out, x, scale, shift []float32, mean, factor float64)"
		doc := "sets out to (x - mean) * factor * scale + shift, computed in doubles."
		if !shifted {
			slices = slices[:3]
			name, signature, doc = "normalize", "(out, x, scale []float32, factor float64)",
				"sets out to x * factor * scale, computed in doubles."
		}
		w.function(name, signature, doc)
		var bases []reg.Register
		for _, s := range slices {
			bases = append(bases, slice(s))
		}
		var mean reg.VecVirtual
		if shifted {
			mean = w.broadcastDouble("mean")
		}
		factor := w.broadcastDouble("factor")
		w.each("loop", length("out"), 1, bases, func(at []Mem, m *mask) {
			halves := [2]reg.VecVirtual{}
			halves[0], halves[1] = w.loadWide(at[1], m)
			scale := [2]reg.VecVirtual{}
			scale[0], scale[1] = w.loadWide(at[2], m)
			for i, v := range halves {
				if shifted {
					VSUBPD(mean, v, v)
				}
				VMULPD(factor, v, v)
				VMULPD(scale[i], v, v)
			}
			if shifted {
				shift := [2]reg.VecVirtual{}
				shift[0], shift[1] = w.loadWide(at[3], m)
				for i, v := range halves {
					VADDPD(shift[i], v, v)
				}
			}
			w.store(w.narrow(halves[0], halves[1]), at[0], m)
		})
		end()
	}
}

// narrow is the opposite of widen.
func (w vectors) narrow(low, high reg.VecVirtual) reg.VecVirtual {
	v, a, b := w.vec(), w.half(), w.half()
	if w.wide() {
		VCVTPD2PS(low, a)
		VCVTPD2PS(high, b)
		z := ZMM()
		VMOVUPS(a, z.AsY())
		VINSERTF32X8(U8(1), b, z, v)
		return v
	}
	VCVTPD2PSY(low, a)
	VCVTPD2PSY(high, b)
	y := YMM()
	VMOVUPS(a, y.AsX())
	VINSERTF128(U8(1), b, y, v)
	return v
}
