package emulator

import (
	"math"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx12"
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Matrix instructions compute D = A×B + C for 16×16 matrices. Lanes l and l+16 (and l+32 and l+48 in a wave of 64)
// hold row l of A and column l of B. C and D have 8 registers in a wave of 32, in which register r of lane l is row
// 2r+l/16, column l%16, and 4 registers in a wave of 64, in which it is row 4r+l/16.

// matrix is A by columns, or B by rows; or C and D by rows.
type matrix = lane.Matrix

// Modifiers of matrix instructions, in inst.off: neg_lo and neg_hi, 3 bits each, and whether 16-bit results are in the
// upper halves of registers.
const (
	matrixNegHi = 3
	matrixUpper = 1 << 6
)

// loadMatrix reads 16 values of 16 bits from each of 16 lanes: m[k] has value k of all lanes. neg_lo and neg_hi negate
// those with even and with odd numbers.
func (w *wave) loadMatrix(m *matrix, in *inst, k int, brain bool) {
	even, odd := uint32(in.off)>>k&1<<15, uint32(in.off)>>(matrixNegHi+k)&1<<31
	lane.Halves(m, (*[8]lanes)(w.v[in.s[k].reg:]), even|odd, brain)
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

// matrices are the operands and the sums of a matrix instruction, of which a worker executes one at a time.
type matrices struct {
	a, b, sums matrix
	in         inst // of gfx12, as gfx11 has it
}

// product computes the sums of a matrix instruction. They begin with C, as from makes it of a register.
func (w *wave) product(in *inst, brain bool, halves int, from func(*lane.Floats, *lanes)) *matrices {
	m := &w.worker.matrices
	w.loadMatrix(&m.a, in, 0, brain)
	w.loadMatrix(&m.b, in, 1, brain)
	for h, u := range w.halves(halves) {
		for r := range 8 / halves {
			from(m.rows(halves, h, r), u.accumulator(in, r))
		}
	}
	lane.Multiply(&m.sums, &m.a, &m.b)
	return m
}

// rows are the two rows of sums in register r of a half.
func (m *matrices) rows(halves, h, r int) *lane.Floats {
	return (*lane.Floats)(unsafe.Pointer(&m.sums[2*halves*r+2*h]))
}

// wmmaF32 makes the instructions that add f32. Sums are made in float64 and rounded once.
func wmmaF32(brain bool, halves int) execFn {
	return func(w *wave, in *inst) {
		from := lane.Widen
		if in.off>>2&(1|1<<matrixNegHi) != 0 {
			from = func(sums *lane.Floats, c *lanes) {
				for i, x := range c {
					sums[i] = signOfC(in, float64(fb(x)))
				}
			}
		}
		m := w.product(in, brain, halves, from)
		for h, u := range w.halves(halves) {
			for r := range 8 / halves {
				lane.Narrow(&u.v[in.d+uint16(r)], m.rows(halves, h, r))
			}
		}
	}
}

// wmma16 makes the instructions whose C and D have 16 bits, in one half of each register; the other half keeps its
// value.
func wmma16(brain bool, from func(uint16) float32, to func(float64) uint16, halves int) execFn {
	return func(w *wave, in *inst) {
		shift := 0
		if in.off&matrixUpper != 0 {
			shift = 16
		}
		m := w.product(in, brain, halves, func(sums *lane.Floats, c *lanes) {
			for i, x := range c {
				sums[i] = signOfC(in, float64(from(uint16(x>>shift))))
			}
		})
		for h, u := range w.halves(halves) {
			for r := range 8 / halves {
				d := &u.v[in.d+uint16(r)]
				for i, x := range m.rows(halves, h, r) {
					d[i] = d[i]&^(0xffff<<shift) | uint32(to(x))<<shift
				}
			}
		}
	}
}

// wmmaInteger makes the instructions that multiply integers of so many bits, which neg_lo says to be signed, and add to
// i32; with clamp, sums that do not fit become the nearest that does. words are those of A and B.
func wmmaInteger(width uint, words uint16, halves int) execFn {
	return func(w *wave, in *inst) {
		signed := [2]bool{in.off&1 != 0, in.off&2 != 0}
		var d [2][8]lanes
		for h, u := range w.halves(halves) {
			for r := range 8 / halves {
				c := u.accumulator(in, r)
				for i := range c {
					s := int64(int32(c[i]))
					for k := range words {
						s += int64(number.Dot(w.v[in.s[0].reg+k][2*halves*r+2*h+i/16], w.v[in.s[1].reg+k][i%16], width,
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
		{op: 64, name: "v_wmma_f32_16x16x16_f16", sig: "f=uuf", fn: wmmaF32(false, halves)},
		{op: 65, name: "v_wmma_f32_16x16x16_bf16", sig: "f=uuf", fn: wmmaF32(true, halves)},
		{op: 66, name: "v_wmma_f16_16x16x16_f16", sig: "u=uuh", fn: wmma16(false, half.FromF16, half.OddToF16, halves)},
		{op: 67, name: "v_wmma_bf16_16x16x16_bf16", sig: "u=uus", fn: wmma16(true, half.FromBF16, sumToBF16, halves)},
		{op: 68, name: "v_wmma_i32_16x16x16_iu8", sig: "u=uuu", fn: wmmaInteger(8, 4, halves)},
		{op: 69, name: "v_wmma_i32_16x16x16_iu4", sig: "u=uuu", fn: wmmaInteger(4, 2, halves)},
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
	case strings.HasPrefix(in.name, gfx12.MatrixPrefix) && (d.wide || sel != 0 ||
		half && c.place == placeConst && c.val != 0 || strings.Contains(in.name, "f8_") && (neg|negHi)&3 != 0):
		d.reject("%s in waves of 64, with op_sel, a constant of 16 bits or negated f8 is not emulated", d.nameOf(in.name))
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
	if l := gfx12.MatrixLayout(name); l != nil {
		return l.Sums, l.Words
	}
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
