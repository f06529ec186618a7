package emulator

import (
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
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
			return lane.Compare(p, &x, &y)
		}))
		add(16+p, name+"_f32", "m=ff", cmp32(func(a, b *lanes) uint32 { return lane.Compare(p, lane.As[float32](a), lane.As[float32](b)) }))
		add(32+p, name+"_f64", "m=dd", cmp64(func(a, b *wide) uint32 { return lane.Compare(p, lane.AsWide[float64](a), lane.AsWide[float64](b)) }))
	}
	for i, name := range intPreds {
		p := i
		if i == 7 {
			p = lane.PredT
		}
		if i != 0 && i != 7 {
			add(48+i, name+"_i16", "m=ss", cmp32(func(a, b *lanes) uint32 {
				x, y := lane.Narrowed[int16](a), lane.Narrowed[int16](b)
				return lane.Compare(p, &x, &y)
			}))
			add(56+i, name+"_u16", "m=ss", cmp32(func(a, b *lanes) uint32 {
				x, y := lane.Narrowed[uint16](a), lane.Narrowed[uint16](b)
				return lane.Compare(p, &x, &y)
			}))
		}
		add(64+i, name+"_i32", "m=uu", cmp32(func(a, b *lanes) uint32 { return lane.Compare(p, lane.As[int32](a), lane.As[int32](b)) }))
		add(72+i, name+"_u32", "m=uu", cmp32(func(a, b *lanes) uint32 { return lane.Compare(p, lane.As[uint32](a), lane.As[uint32](b)) }))
		add(80+i, name+"_i64", "m=ll", cmp64(func(a, b *wide) uint32 { return lane.Compare(p, lane.AsWide[int64](a), lane.AsWide[int64](b)) }))
		add(88+i, name+"_u64", "m=qq", cmp64(func(a, b *wide) uint32 { return lane.Compare(p, lane.AsWide[uint64](a), lane.AsWide[uint64](b)) }))
	}
	add(125, "class_f16", "m=hs", cmp32(func(a, b *lanes) uint32 {
		return lane.Mask(func(i int) bool { return number.Class(uint64(a[i]&0xffff), 5, 10)&b[i] != 0 })
	}))
	add(126, "class_f32", "m=fu", cmp32(func(a, b *lanes) uint32 {
		return lane.Mask(func(i int) bool { return number.Class(uint64(a[i]), 8, 23)&b[i] != 0 })
	}))
	add(127, "class_f64", "m=du", cmp64(func(a, b *wide) uint32 {
		return lane.Mask(func(i int) bool { return number.Class(a[i], 11, 52)&uint32(b[i]) != 0 })
	}))
	return t
}
