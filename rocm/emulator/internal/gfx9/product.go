package gfx9

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// Register is a vector register of a wave of 64.
type Register [64]uint32

// Why says why an instruction's product is not computed, and is empty if it is: sparse matrices, xf32, whose rounding
// AMD does not document, and the modifiers that make blocks and lanes share values.
func (in *Inst) Why() string {
	m := in.Matrix
	switch {
	case m.Sparse:
		return "a sparse matrix"
	case m.A == "xf32":
		return "a product of xf32"
	case in.Cbsz|in.Abid|in.Blgp != 0:
		return "cbsz, abid or blgp"
	}
	return ""
}

// Multiply computes a product from registers. Products and sums of one element are made in float64 and rounded once;
// those of f64 are a chain of multiply-adds.
func (m *MFMA) Multiply(d, a, b, c []Register) {
	left, right := m.gather(a, m.A, m.M), m.gather(b, m.B, m.N)
	for value := range m.Results() {
		for lane := range 64 {
			block, row, column := m.Output(lane, value)
			x, y := left[(block*m.M+row)*m.K:][:m.K], right[(block*m.N+column)*m.K:][:m.K]
			m.put(d, lane, value, m.element(x, y, element(c, m.D, lane, value)))
		}
	}
}

// element computes one element of D.
func (m *MFMA) element(x, y []float64, sum float64) float64 {
	if m.D == "f64" {
		for k := range x {
			sum = math.FMA(x[k], y[k], sum)
		}
		return sum
	}
	for k := range x {
		sum += x[k] * y[k]
	}
	return sum
}

// gather reads A by rows, or B by columns: all blocks, one after the other.
func (m *MFMA) gather(r []Register, typ string, rows int) []float64 {
	all := make([]float64, m.Blocks*rows*m.K)
	for block := range m.Blocks {
		for i := range rows {
			for k := range m.K {
				lane, value := m.Input(block, i, k)
				all[(block*rows+i)*m.K+k] = element(r, typ, lane, value)
			}
		}
	}
	return all
}

// element reads a value of a lane.
func element(r []Register, typ string, lane, value int) float64 {
	switch typ {
	case "f16":
		return float64(half.FromF16(uint16(r[value/2][lane] >> (16 * (value % 2)))))
	case "bf16":
		return float64(half.FromBF16(uint16(r[value/2][lane] >> (16 * (value % 2)))))
	case "i8":
		return float64(int8(r[value/4][lane] >> (8 * (value % 4))))
	case "fp8":
		return float64(FromFP8(uint8(r[value/4][lane] >> (8 * (value % 4)))))
	case "bf8":
		return float64(FromBF8(uint8(r[value/4][lane] >> (8 * (value % 4)))))
	case "i32":
		return float64(int32(r[value][lane]))
	case "f64":
		return math.Float64frombits(uint64(r[2*value][lane]) | uint64(r[2*value+1][lane])<<32)
	}
	return float64(math.Float32frombits(r[value][lane]))
}

// put writes a result of a lane.
func (m *MFMA) put(d []Register, lane, value int, x float64) {
	switch m.D {
	case "f64":
		u := math.Float64bits(x)
		d[2*value][lane], d[2*value+1][lane] = uint32(u), uint32(u>>32)
	case "i32": // sums wrap; a float64 holds them exactly
		d[value][lane] = uint32(int64(x))
	default:
		d[value][lane] = math.Float32bits(float32(x))
	}
}

// FromFP8 is a number of four exponent and three fraction bits as CDNA 3 has them: no infinities, and the only NaN
// where others have -0.
func FromFP8(x uint8) float32 { return fromFNUZ(x, 3, 8) }

// FromBF8 is FromFP8 for five exponent and two fraction bits.
func FromBF8(x uint8) float32 { return fromFNUZ(x, 2, 16) }

func fromFNUZ(x uint8, fraction, bias int) float32 {
	if x == 0x80 {
		return float32(math.NaN())
	}
	exponent, f := int(x&0x7f)>>fraction, int(x)&(1<<fraction-1)
	if exponent == 0 {
		exponent = 1
	} else {
		f |= 1 << fraction
	}
	v := float32(math.Ldexp(float64(f), exponent-bias-fraction))
	if x&0x80 != 0 {
		return -v
	}
	return v
}
