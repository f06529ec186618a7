package lane

import "unsafe"

// Predicates of float compares, in the order of their opcodes; integer compares use the first seven and PredT.
const (
	PredF = iota
	PredLT
	PredEQ
	PredLE
	PredGT
	PredLG
	PredGE
	PredO
	PredU
	PredNGE
	PredNLG
	PredNGT
	PredNLE
	PredNEQ
	PredNLT
	PredT
)

// As views a register as lanes of another 32-bit type.
func As[T int32 | uint32 | float32](a *Vector) *[32]T { return (*[32]T)(unsafe.Pointer(a)) }

// AsWide does so for a pair of registers.
func AsWide[T int64 | uint64 | float64](a *Wide) *[32]T { return (*[32]T)(unsafe.Pointer(a)) }

// Narrowed has the lower halves of lanes.
func Narrowed[T int16 | uint16](a *Vector) (t [32]T) {
	for i := range t {
		t[i] = T(a[i])
	}
	return t
}

// Mask has a bit for each lane: whether f holds.
func Mask(f func(i int) bool) uint32 {
	var m uint32
	for i := range 32 {
		m |= b2u(f(i)) << uint(i)
	}
	return m
}

// Compare returns the lanes in which the predicate holds. Predicates with n are the negations of others: true for NaN.
func Compare[T int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](pred int, a, b *[32]T) uint32 {
	var m uint32
	switch pred {
	case PredLT:
		for i := range a {
			m |= b2u(a[i] < b[i]) << uint(i)
		}
	case PredEQ:
		for i := range a {
			m |= b2u(a[i] == b[i]) << uint(i)
		}
	case PredLE:
		for i := range a {
			m |= b2u(a[i] <= b[i]) << uint(i)
		}
	case PredGT:
		return Compare(PredLT, b, a)
	case PredLG: // also the integers' ne
		return ^(Compare(PredEQ, a, b) | Compare(PredU, a, b))
	case PredGE:
		return Compare(PredLE, b, a)
	case PredO:
		return ^Compare(PredU, a, b)
	case PredU:
		for i := range a {
			m |= b2u(a[i] != a[i] || b[i] != b[i]) << uint(i)
		}
	case PredNGE:
		return ^Compare(PredLE, b, a)
	case PredNLG:
		return Compare(PredEQ, a, b) | Compare(PredU, a, b)
	case PredNGT:
		return ^Compare(PredLT, b, a)
	case PredNLE:
		return ^Compare(PredLE, a, b)
	case PredNEQ:
		return ^Compare(PredEQ, a, b)
	case PredNLT:
		return ^Compare(PredLT, a, b)
	case PredT:
		return 0xffffffff
	}
	return m
}

func b2u(b bool) uint32 {
	var u uint32
	if b {
		u = 1
	}
	return u
}
