package emulator

import (
	"math"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// Matrix instructions compute D = A×B + C for 16×16 matrices. Lanes l and l+16 (and l+32 and l+48 in a wave of 64)
// hold row l of A and column l of B. C and D have 8 registers in a wave of 32, in which register r of lane l is row
// 2r+l/16, column l%16, and 4 registers in a wave of 64, in which it is row 4r+l/16.

// matrix is A by rows, or B by columns.
type matrix [16][16]float64

// Modifiers of matrix instructions, in inst.off: neg_lo and neg_hi, 3 bits each, and whether 16-bit results are in the
// upper halves of registers.
const (
	matrixNegHi = 3
	matrixUpper = 1 << 6
)

// load reads 16 values of 16 bits for each row. neg_lo and neg_hi negate those with even and with odd numbers.
func (m *matrix) load(w *wave, in *inst, k int, convert func(uint16) float32) {
	even, odd := uint32(in.off)>>k&1<<15, uint32(in.off)>>(matrixNegHi+k)&1<<31
	flip := even | odd
	for r := range 8 {
		regs := &w.v[in.s[k].reg+uint16(r)]
		for l := range 16 {
			x := regs[l] ^ flip
			m[l][2*r], m[l][2*r+1] = float64(convert(uint16(x))), float64(convert(uint16(x>>16)))
		}
	}
}

// accumulator returns register r of C for a half of a wave.
func (w *wave) accumulator(in *inst, r int) *lanes {
	c := &in.s[2]
	acc := operand{place: c.place, base: c.base, typ: kindU32, reg: c.reg, val: c.val, c: c.c}
	if acc.place == placeVGPR {
		acc.reg += uint16(r)
	}
	return w.src(&acc, 2)
}

// halves lists a wave and, of 64 lanes, its upper half.
func (w *wave) halves(n int) []*wave { return []*wave{w, w.upper}[:n] }

// signOfC applies the modifiers of C to a float: neg_hi takes the absolute value, and then neg_lo negates.
func signOfC(in *inst, x float64) float64 {
	if in.off>>(matrixNegHi+2)&1 != 0 {
		x = math.Abs(x)
	}
	if in.off>>2&1 != 0 {
		x = -x
	}
	return x
}

// wmmaF32 makes the instructions that add f32. Sums are made in float64 and rounded once.
func wmmaF32(convert func(uint16) float32, halves int) execFn {
	return func(w *wave, in *inst) {
		var a, b matrix
		a.load(w, in, 0, convert)
		b.load(w, in, 1, convert)
		for h, u := range w.halves(halves) {
			var d [8]lanes
			for r := range 8 / halves {
				c := u.accumulator(in, r)
				if in.off>>2&(1|1<<matrixNegHi) != 0 {
					for i, x := range c {
						w.t[3][i] = bf(float32(signOfC(in, float64(fb(x)))))
					}
					c = &w.t[3]
				}
				row := 2*halves*r + 2*h
				multiplyRow((*[16]uint32)(d[r][:16]), (*[16]uint32)(c[:16]), &a[row], &b)
				multiplyRow((*[16]uint32)(d[r][16:]), (*[16]uint32)(c[16:]), &a[row+1], &b)
			}
			copy(u.v[in.d:], d[:8/halves])
		}
	}
}

// multiplyRow computes a row of D.
func multiplyRow(d, c *[16]uint32, row *[16]float64, b *matrix) {
	for l := 0; l < 16; l += 4 { // four sums that do not wait for one another
		b0, b1, b2, b3 := &b[l], &b[l+1], &b[l+2], &b[l+3]
		s0, s1, s2, s3 := float64(fb(c[l])), float64(fb(c[l+1])), float64(fb(c[l+2])), float64(fb(c[l+3]))
		for k, x := range row {
			s0 += x * b0[k]
			s1 += x * b1[k]
			s2 += x * b2[k]
			s3 += x * b3[k]
		}
		d[l], d[l+1], d[l+2], d[l+3] = bf(float32(s0)), bf(float32(s1)), bf(float32(s2)), bf(float32(s3))
	}
}

// wmma16 makes the instructions whose C and D have 16 bits, in one half of each register; the other half keeps its
// value.
func wmma16(from func(uint16) float32, to func(float64) uint16, halves int) execFn {
	return func(w *wave, in *inst) {
		var a, b matrix
		a.load(w, in, 0, from)
		b.load(w, in, 1, from)
		shift := 0
		if in.off&matrixUpper != 0 {
			shift = 16
		}
		var d [2][8]lanes
		for h, u := range w.halves(halves) {
			for r := range 8 / halves {
				c := u.accumulator(in, r)
				for i := range c {
					row := &a[2*halves*r+2*h+i/16]
					s := signOfC(in, float64(from(uint16(c[i]>>shift))))
					for k, x := range row {
						s += x * b[i%16][k]
					}
					d[h][r][i] = u.v[in.d+uint16(r)][i]&^(0xffff<<shift) | uint32(to(s))<<shift
				}
			}
		}
		for h, u := range w.halves(halves) {
			copy(u.v[in.d:], d[h][:8/halves])
		}
	}
}

// wmmaInteger makes the instructions that multiply integers of so many bits, which neg_lo says to be signed, and add to
// i32; with clamp, sums that do not fit become the nearest that does.
func wmmaInteger(width uint, halves int) execFn {
	words := uint16(16 * width / 32)
	return func(w *wave, in *inst) {
		signed := [2]bool{in.off&1 != 0, in.off&2 != 0}
		var d [2][8]lanes
		for h, u := range w.halves(halves) {
			for r := range 8 / halves {
				c := u.accumulator(in, r)
				for i := range c {
					s := int64(int32(c[i]))
					for k := range words {
						s += int64(dot(w.v[in.s[0].reg+k][2*halves*r+2*h+i/16], w.v[in.s[1].reg+k][i%16], width,
							signed[0], signed[1]))
					}
					if in.clamp {
						s = min(max(s, math.MinInt32), math.MaxInt32)
					}
					d[h][r][i] = uint32(s)
				}
			}
		}
		for h, u := range w.halves(halves) {
			copy(u.v[in.d:], d[h][:8/halves])
		}
	}
}

// sumToBF16 rounds a sum to bf16 once.
func sumToBF16(x float64) uint16 { return half.ToBF16(half.OddF32(x)) }

// wmma are the rows of the matrix instructions, for waves of 32 and of 64.
func wmma(halves int) []vop {
	return []vop{
		{op: 64, name: "v_wmma_f32_16x16x16_f16", sig: "f=uuf", fn: wmmaF32(half.FromF16, halves)},
		{op: 65, name: "v_wmma_f32_16x16x16_bf16", sig: "f=uuf", fn: wmmaF32(half.FromBF16, halves)},
		{op: 66, name: "v_wmma_f16_16x16x16_f16", sig: "u=uuh", fn: wmma16(half.FromF16, half.OddToF16, halves)},
		{op: 67, name: "v_wmma_bf16_16x16x16_bf16", sig: "u=uus", fn: wmma16(half.FromBF16, sumToBF16, halves)},
		{op: 68, name: "v_wmma_i32_16x16x16_iu8", sig: "u=uuu", fn: wmmaInteger(8, halves)},
		{op: 69, name: "v_wmma_i32_16x16x16_iu4", sig: "u=uuu", fn: wmmaInteger(4, halves)},
	}
}

// matrix finishes the decoding of a matrix instruction.
func (d *decoder) matrix(in *inst, sel, neg, negHi uint32, clamp bool) {
	c := &in.s[2]
	integer := strings.Contains(in.name, "_iu")
	half := strings.Contains(in.name, "f16_16x16x16") // of C and D
	switch {
	case in.s[0].place != placeVGPR, in.s[1].place != placeVGPR, c.place != placeVGPR && c.place != placeConst:
		d.reject("%s: a matrix that is not in vector registers", in.name)
	case sel&3 != 0 || sel != 0 && (!half || c.place == placeConst && c.val != 0):
		d.reject("%s: op_sel %d", in.name, sel)
	case integer && (neg>>2 != 0 || negHi != 0):
		d.reject("%s: neg of integers", in.name)
	case clamp && !integer:
		d.reject("%s: clamp is not emulated for this instruction", in.name)
	}
	if c.place == placeConst && c.val>>16 != 0 && in.name == "v_wmma_bf16_16x16x16_bf16" {
		typ := c.typ
		*c = d.constOperand(c.val>>16, kindU32) // the upper half of the f32
		c.typ = typ
	}
	in.clamp = clamp
	in.off = int64(neg | negHi<<matrixNegHi | sel>>2*matrixUpper)
}

// matrixWords are the registers of D (and C), A and B of a matrix instruction.
func matrixWords(name string, wide bool) (d, a int) {
	d, a = 8, 8
	if wide {
		d = 4
	}
	switch name[len(name)-3:] {
	case "iu8":
		a = 4
	case "iu4":
		a = 2
	}
	return d, a
}
