package lane

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// Matrix is a matrix of 16 × 16 numbers of 16 bits, or their sums, as float64, in which products of such numbers are
// exact.
type Matrix [16][16]float64

// Floats are the float64 of as many f32 as a register has: two rows of a matrix.
type Floats [32]float64

// These functions are replaced by assembly where the host has it.
var (
	Halves   = halves
	Multiply = multiply
	Widen    = widen
	Narrow   = narrow
)

// widen converts the f32 of a register; narrow rounds to them.
func widen(f *Floats, v *Vector) {
	for i, x := range v {
		f[i] = float64(math.Float32frombits(x))
	}
}

func narrow(v *Vector, f *Floats) {
	for i, x := range f {
		v[i] = math.Float32bits(float32(x))
	}
}

// halves reads the 16 numbers of 16 bits that eight registers have for each of the lanes 0 to 15, f16 or bf16 (brain):
// m[k] has number k of all lanes. The bits of flip are inverted in each register.
func halves(m *Matrix, regs *[8]Vector, flip uint32, brain bool) {
	convert := half.FromF16
	if brain {
		convert = half.FromBF16
	}
	for r := range regs {
		for l := range 16 {
			x := regs[r][l] ^ flip
			m[2*r][l], m[2*r+1][l] = float64(convert(uint16(x))), float64(convert(uint16(x>>16)))
		}
	}
}

// multiply adds to each sum s[i][j] the products of a[k][i] and b[k][j], in the order of k.
func multiply(s, a, b *Matrix) {
	for i := range s {
		for j, x := range s[i] {
			for k := range a {
				x += a[k][i] * b[k][j]
			}
			s[i][j] = x
		}
	}
}
