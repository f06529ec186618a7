package emulator

import (
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Predicates of float compares, in the order of their opcodes; integer compares use the first seven and predT.
const (
	predF = iota
	predLT
	predEQ
	predLE
	predGT
	predLG
	predGE
	predO
	predU
	predNGE
	predNLG
	predNGT
	predNLE
	predNEQ
	predNLT
	predT
)

var (
	floatPreds = [16]string{"f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "t"}
	intPreds   = [8]string{"f", "lt", "eq", "le", "gt", "ne", "ge", "t"}
)

// vopc is the table of compares. They write VCC, a scalar register (VOP3) or, in the v_cmpx forms, EXEC.
var vopc = makeCompares()

func makeCompares() []vop {
	var t []vop
	add := func(op int, name, sig string, fn any) {
		t = append(t, vop{op: op, name: "v_cmp_" + name, sig: sig, fn: fn}, vop{op: op + 128, name: "v_cmpx_" + name, sig: sig, fn: fn})
	}
	for p, name := range floatPreds {
		add(p, name+"_f16", "m=hh", cmp32(func(a, b *lanes) uint32 {
			var x, y [32]float32
			for i := range x {
				x[i], y[i] = half.FromF16(uint16(a[i])), half.FromF16(uint16(b[i]))
			}
			return compare(p, &x, &y)
		}))
		add(16+p, name+"_f32", "m=ff", cmp32(func(a, b *lanes) uint32 { return compare(p, as[float32](a), as[float32](b)) }))
		add(32+p, name+"_f64", "m=dd", cmp64(func(a, b *wide) uint32 { return compare(p, asWide[float64](a), asWide[float64](b)) }))
	}
	for i, name := range intPreds {
		p := i
		if i == 7 {
			p = predT
		}
		if i != 0 && i != 7 {
			add(48+i, name+"_i16", "m=ss", cmp32(func(a, b *lanes) uint32 { x, y := narrow[int16](a), narrow[int16](b); return compare(p, &x, &y) }))
			add(56+i, name+"_u16", "m=ss", cmp32(func(a, b *lanes) uint32 { x, y := narrow[uint16](a), narrow[uint16](b); return compare(p, &x, &y) }))
		}
		add(64+i, name+"_i32", "m=uu", cmp32(func(a, b *lanes) uint32 { return compare(p, as[int32](a), as[int32](b)) }))
		add(72+i, name+"_u32", "m=uu", cmp32(func(a, b *lanes) uint32 { return compare(p, as[uint32](a), as[uint32](b)) }))
		add(80+i, name+"_i64", "m=ll", cmp64(func(a, b *wide) uint32 { return compare(p, asWide[int64](a), asWide[int64](b)) }))
		add(88+i, name+"_u64", "m=qq", cmp64(func(a, b *wide) uint32 { return compare(p, asWide[uint64](a), asWide[uint64](b)) }))
	}
	add(125, "class_f16", "m=hs", cmp32(func(a, b *lanes) uint32 {
		return mask(func(i int) bool { return number.Class(uint64(a[i]&0xffff), 5, 10)&b[i] != 0 })
	}))
	add(126, "class_f32", "m=fu", cmp32(func(a, b *lanes) uint32 {
		return mask(func(i int) bool { return number.Class(uint64(a[i]), 8, 23)&b[i] != 0 })
	}))
	add(127, "class_f64", "m=du", cmp64(func(a, b *wide) uint32 {
		return mask(func(i int) bool { return number.Class(a[i], 11, 52)&uint32(b[i]) != 0 })
	}))
	return t
}

// as views a register as lanes of another 32-bit type.
func as[T int32 | uint32 | float32](a *lanes) *[32]T { return (*[32]T)(unsafe.Pointer(a)) }

func asWide[T int64 | uint64 | float64](a *wide) *[32]T { return (*[32]T)(unsafe.Pointer(a)) }

func narrow[T int16 | uint16](a *lanes) (t [32]T) {
	for i := range t {
		t[i] = T(a[i])
	}
	return t
}

func mask(f func(i int) bool) uint32 {
	var m uint32
	for i := range 32 {
		m |= b2u(f(i)) << uint(i)
	}
	return m
}

// compare returns the lanes in which the predicate holds. Predicates with n are the negations of others: true for NaN.
func compare[T int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](pred int, a, b *[32]T) uint32 {
	var m uint32
	switch pred {
	case predLT:
		for i := range a {
			m |= b2u(a[i] < b[i]) << uint(i)
		}
	case predEQ:
		for i := range a {
			m |= b2u(a[i] == b[i]) << uint(i)
		}
	case predLE:
		for i := range a {
			m |= b2u(a[i] <= b[i]) << uint(i)
		}
	case predGT:
		return compare(predLT, b, a)
	case predLG: // also the integers' ne
		return ^(compare(predEQ, a, b) | compare(predU, a, b))
	case predGE:
		return compare(predLE, b, a)
	case predO:
		return ^compare(predU, a, b)
	case predU:
		for i := range a {
			m |= b2u(a[i] != a[i] || b[i] != b[i]) << uint(i)
		}
	case predNGE:
		return ^compare(predLE, b, a)
	case predNLG:
		return compare(predEQ, a, b) | compare(predU, a, b)
	case predNGT:
		return ^compare(predLT, b, a)
	case predNLE:
		return ^compare(predLE, a, b)
	case predNEQ:
		return ^compare(predEQ, a, b)
	case predNLT:
		return ^compare(predLT, a, b)
	case predT:
		return allLanes
	}
	return m
}
