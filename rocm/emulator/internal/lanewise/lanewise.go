// Package lanewise makes operations on all lanes of registers from functions of one lane.
package lanewise

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// Shapes of vector operations. A function computes all lanes; which of them are kept is its caller's business. The
// destination may be one of the sources.
type (
	Op1    func(d, a *lane.Vector)
	Op2    func(d, a, b *lane.Vector)
	Op3    func(d, a, b, c *lane.Vector)
	WideOp func(d, a, b, c *lane.Wide) // any mix of widths, sources zero-extended; unused sources are nil
)

// Each1, Each2 and Each3 make an operation from a function of one lane. They are for instructions that are not hot:
// the call costs more than the work.
func Each1(f func(a uint32) uint32) Op1 {
	return func(d, a *lane.Vector) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func Each2(f func(a, b uint32) uint32) Op2 {
	return func(d, a, b *lane.Vector) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func Each3(f func(a, b, c uint32) uint32) Op3 {
	return func(d, a, b, c *lane.Vector) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

// F32x1, F32x2 and F32x3 are Each1, Each2 and Each3 for functions of f32.
func F32x1(f func(a float32) float32) Op1 {
	return Each1(func(a uint32) uint32 { return math.Float32bits(f(math.Float32frombits(a))) })
}

func F32x2(f func(a, b float32) float32) Op2 {
	return Each2(func(a, b uint32) uint32 {
		return math.Float32bits(f(math.Float32frombits(a), math.Float32frombits(b)))
	})
}

func F32x3(f func(a, b, c float32) float32) Op3 {
	return Each3(func(a, b, c uint32) uint32 {
		return math.Float32bits(f(math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(c)))
	})
}

// F16x1, F16x2 and F16x3 compute in f32 and round once more. For +, -, × and √ that gives the correctly rounded f16.
func F16x1(f func(a float32) float32) Op1 {
	return Each1(func(a uint32) uint32 { return uint32(half.ToF16(f(half.FromF16(uint16(a))))) })
}

func F16x2(f func(a, b float32) float32) Op2 {
	return Each2(func(a, b uint32) uint32 {
		return uint32(half.ToF16(f(half.FromF16(uint16(a)), half.FromF16(uint16(b)))))
	})
}

func F16x3(f func(a, b, c float32) float32) Op3 {
	return Each3(func(a, b, c uint32) uint32 {
		return uint32(half.ToF16(f(half.FromF16(uint16(a)), half.FromF16(uint16(b)), half.FromF16(uint16(c)))))
	})
}

// Packed2 and Packed3 apply a function of 16-bit values to both halves.
func Packed2(f func(a, b uint16) uint16) Op2 {
	return Each2(func(a, b uint32) uint32 {
		return uint32(f(uint16(a), uint16(b))) | uint32(f(uint16(a>>16), uint16(b>>16)))<<16
	})
}

func Packed3(f func(a, b, c uint16) uint16) Op3 {
	return Each3(func(a, b, c uint32) uint32 {
		return uint32(f(uint16(a), uint16(b), uint16(c))) | uint32(f(uint16(a>>16), uint16(b>>16), uint16(c>>16)))<<16
	})
}

// F64x1 and F64x2 make operations on f64.
func F64x1(f func(a float64) float64) WideOp {
	return func(d, a, _, _ *lane.Wide) {
		for i := range d {
			d[i] = math.Float64bits(f(math.Float64frombits(a[i])))
		}
	}
}

func F64x2(f func(a, b float64) float64) WideOp {
	return func(d, a, b, _ *lane.Wide) {
		for i := range d {
			d[i] = math.Float64bits(f(math.Float64frombits(a[i]), math.Float64frombits(b[i])))
		}
	}
}

// Wide1, Wide2 and Wide3 make operations on 64-bit lanes from a function of one lane.
func Wide1(f func(a uint64) uint64) WideOp {
	return func(d, a, _, _ *lane.Wide) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func Wide2(f func(a, b uint64) uint64) WideOp {
	return func(d, a, b, _ *lane.Wide) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func Wide3(f func(a, b, c uint64) uint64) WideOp {
	return func(d, a, b, c *lane.Wide) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}
