package emulator

import (
	"math"
	"math/big"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// References that share no code with the emulator.

func isFinite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return false
		}
	}
	return true
}

func exactFMA(x, y, z float64) *big.Float {
	f := func(v float64) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(v) }
	p := f(x)
	p.Mul(p, f(y))
	return p.Add(p, f(z))
}

// bigFMA computes x*y+z with unlimited precision and rounds once.
func bigFMA(x, y, z float32) float32 {
	if !isFinite(float64(x), float64(y), float64(z)) {
		return x*y + z
	}
	s := exactFMA(float64(x), float64(y), float64(z))
	if s.Sign() == 0 {
		return x*y + z // the sign of zero
	}
	r, _ := s.Float32()
	return r
}

func bigFMA16(x, y, z uint16) uint16 {
	a, b, c := float64(half.FromF16(x)), float64(half.FromF16(y)), float64(half.FromF16(z))
	if !isFinite(a, b, c) || exactFMA(a, b, c).Sign() == 0 {
		return refF16(float32(a*b + c))
	}
	return bigF16(exactFMA(a, b, c))
}

func refF16(x float32) uint16 {
	switch {
	case x != x:
		return 0x7e00
	case math.IsInf(float64(x), 0) || x == 0:
		return uint16(math.Float32bits(x)>>16&0x8000) | map[bool]uint16{true: 0, false: 0x7c00}[x == 0]
	}
	return bigF16(new(big.Float).SetFloat64(float64(x)))
}

// bigF16 rounds to the nearest multiple of the f16 spacing at that magnitude.
func bigF16(s *big.Float) uint16 {
	sign := uint16(0)
	if s.Sign() < 0 {
		sign = 0x8000
	}
	m := new(big.Float).Abs(s)
	e := max(m.MantExp(nil)-11, -24) // exponent of the last place
	q := new(big.Float).SetMantExp(m, -e)
	n, _ := q.Int(nil)
	rest := new(big.Float).SetPrec(2000).Sub(q, new(big.Float).SetInt(n))
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	v := math.Ldexp(float64(n.Int64()), e)
	if v >= 65520 {
		return sign | 0x7c00
	}
	if v < 0x1p-14 {
		return sign | uint16(v*0x1p24)
	}
	fr, ex := math.Frexp(v)
	return sign | uint16(ex+14)<<10 + uint16(fr*2048) - 1024
}

func refMax(x, y float32) float32 {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return float32(math.Max(float64(x), float64(y)))
}

func refMin(x, y float64) float64 {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return math.Min(x, y)
}

func refClass(x float32) uint32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return 1
	case math.IsInf(a, 0):
		return 2
	case a >= 0x1p-126:
		return 4
	}
	return 0
}

func refPackedMax(x, y uint32) uint32 {
	lo, hi := max(int16(x), int16(y)), max(int16(x>>16), int16(y>>16))
	return uint32(uint16(lo)) | uint32(uint16(hi))<<16
}

func packF16(h []uint16) []uint32 {
	var p []uint32
	for i := 0; i+1 < len(h); i += 2 {
		p = append(p, uint32(h[i])|uint32(h[i+1])<<16)
	}
	return p
}

// refPackedFMA is fma(x, y, -x.yx).
func refPackedFMA(x, y uint32) uint32 {
	lo := bigFMA16(uint16(x), uint16(y), uint16(x>>16)^0x8000)
	hi := bigFMA16(uint16(x>>16), uint16(y>>16), uint16(x)^0x8000)
	return uint32(lo) | uint32(hi)<<16
}

func samePackedF16(got, want uint32) bool {
	return sameF16(uint16(got), uint16(want)) && sameF16(uint16(got>>16), uint16(want>>16))
}
