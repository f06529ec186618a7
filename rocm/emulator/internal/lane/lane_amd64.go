//go:build !purego

package lane

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// HasAVX2 says that the functions in assembly can be called.
var HasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C

func init() {
	if HasAVX2 {
		Fill, Choose, AddCarry, OffsetMax, Gather = fillAVX2, selectAVX2, addCarryAVX2, offsetMaxAVX2, gatherAVX2
		Join, Split = joinAVX2, splitAVX2
		Halves, Multiply, Widen, Narrow = halvesAVX2, multiplyAVX2, widenAVX2, narrowAVX2
		Gather2, Gather4, Store4 = gather2AVX2, gather4AVX2, store4AVX2
		Steps = func(a *Vector, step uint32) bool { return stepsAVX2(a, step) == 255 }
	}
}

// Operations of single instructions: d is the result, or the lanes in which a comparison holds.

//go:noescape
func AddF32(d, a, b *Vector)

//go:noescape
func SubF32(d, a, b *Vector)

//go:noescape
func MulF32(d, a, b *Vector)

//go:noescape
func FmaF32(d, a, b, c *Vector)

//go:noescape
func AddU32(d, a, b *Vector)

//go:noescape
func SubU32(d, a, b *Vector)

//go:noescape
func MulU32(d, a, b *Vector)

//go:noescape
func AndU32(d, a, b *Vector)

//go:noescape
func OrU32(d, a, b *Vector)

//go:noescape
func XorU32(d, a, b *Vector)

//go:noescape
func MinI32(d, a, b *Vector)

//go:noescape
func MaxI32(d, a, b *Vector)

//go:noescape
func MinU32(d, a, b *Vector)

//go:noescape
func MaxU32(d, a, b *Vector)

//go:noescape
func ShlU32(d, a, b *Vector)

//go:noescape
func ShrU32(d, a, b *Vector)

//go:noescape
func SarI32(d, a, b *Vector)

//go:noescape
func LtF32(a, b *Vector) uint32

//go:noescape
func LeF32(a, b *Vector) uint32

//go:noescape
func EqF32(a, b *Vector) uint32

//go:noescape
func UnF32(a, b *Vector) uint32

//go:noescape
func GtI32(a, b *Vector) uint32

//go:noescape
func EqU32(a, b *Vector) uint32

//go:noescape
func GeU32(a, b *Vector) uint32

//go:noescape
func fillAVX2(t *Vector, x uint32)

//go:noescape
func selectAVX2(d, a, b *Vector, m uint32)

//go:noescape
func addCarryAVX2(d, a, b *Vector, carry uint32) uint32

//go:noescape
func offsetMaxAVX2(d, a *Vector, k uint32) uint32

//go:noescape
func gatherAVX2(d *Vector, base unsafe.Pointer, off *Vector)

//go:noescape
func gather2AVX2(d *[2]Vector, base unsafe.Pointer, off *Vector)

//go:noescape
func gather4AVX2(d *[4]Vector, base unsafe.Pointer, off *Vector)

//go:noescape
func store4AVX2(base unsafe.Pointer, x *[4]Vector)

func halvesAVX2(m *Matrix, regs *[8]Vector, flip uint32, brain bool) {
	if brain {
		bf16AVX2(m, regs, flip)
	} else {
		f16AVX2(m, regs, flip)
	}
}

//go:noescape
func f16AVX2(m *Matrix, regs *[8]Vector, flip uint32)

//go:noescape
func bf16AVX2(m *Matrix, regs *[8]Vector, flip uint32)

//go:noescape
func multiplyAVX2(s, a, b *Matrix)

//go:noescape
func widenAVX2(f *Floats, v *Vector)

//go:noescape
func narrowAVX2(v *Vector, f *Floats)

//go:noescape
func stepsAVX2(a *Vector, step uint32) uint32

//go:noescape
func joinAVX2(t *Wide, lo, hi *Vector)

//go:noescape
func splitAVX2(lo, hi *Vector, t *Wide)
