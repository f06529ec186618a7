package emulator

import (
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx12"
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// Instructions that gfx12 has and gfx1100 has not.

// rows12 makes the rows of package gfx12's operations, and of waits and barriers.
func rows12() (scalars []sop, vectors []vop) {
	add := func(name, sig string, fn any) {
		vectors = append(vectors, vop{op: len(vectors), name: name, sig: sig, fn: fn})
	}
	for _, op := range gfx12.Ops {
		switch {
		case strings.HasPrefix(op.Name, "s_"):
			scalars = append(scalars, sop{0, op.Name, op.Sig, scalarFloat(op.F)})
		case strings.HasPrefix(op.Name, "v_s_"):
			add(op.Name, op.Sig, execFn(func(w *wave, in *inst) { w.s[in.d] = op.F(w.src(&in.s[0], 0)[0], 0, 0) }))
		case strings.HasPrefix(op.Name, "v_cvt_f32_e"):
			add(op.Name, op.Sig, execFn(func(w *wave, in *inst) {
				for i, x := range w.src(&in.s[0], 0) {
					w.out[i] = op.F(x>>(8*in.n), 0, 0)
				}
				w.finish(in)
			}))
		default:
			add(op.Name, op.Sig, lanewise.Each3(op.F))
		}
	}
	for _, op := range gfx12.Ops64 {
		if strings.HasPrefix(op.Name, "s_") {
			scalars = append(scalars, sop{0, op.Name, op.Sig, func(w *wave, in *inst) {
				w.setPair(in.d, op.F(w.s64(&in.s[0]), w.s64(&in.s[1])))
			}})
		} else {
			add(op.Name, op.Sig, lanewise.WideOp(func(d, a, b, _ *wide) {
				if b == nil {
					b = a
				}
				for i := range d {
					d[i] = op.F(a[i], b[i])
				}
			}))
		}
	}
	for name, fn := range wmma12() {
		add(name, map[bool]string{true: "u=uuu", false: "f=uuf"}[strings.Contains(name, "_iu")], fn)
	}
	for name, f := range gfx12.Compares() {
		scalars = append(scalars, sop{0, "s_cmp_" + name + "_f32", "=ff", func(w *wave, in *inst) {
			w.scc = f(fb(scalarNumber(w, &in.s[0])), fb(scalarNumber(w, &in.s[1])))
		}}, sop{0, "s_cmp_" + name + "_f16", "=hh", func(w *wave, in *inst) {
			w.scc = f(half.FromF16(uint16(w.s32(&in.s[0]))), half.FromF16(uint16(w.s32(&in.s[1]))))
		}})
	}
	for _, name := range []string{"load", "store", "sample", "bvh", "exp", "ds", "km"} {
		scalars = append(scalars, sop{name: "s_wait_" + name + "cnt"})
	}
	return append(scalars, sop{name: "s_wait_loadcnt_dscnt"}, sop{name: "s_wait_storecnt_dscnt"},
		sop{0, "s_barrier_signal", "=u", signalBarrier}, sop{0, "s_barrier_wait", "", waitAtBarrier},
		sop{0, "s_sleep_var", "=u", sleep}), vectors
}

// scalarNumber reads a scalar operand; a denormal f32 is zero if the wave's mode says so.
func scalarNumber(w *wave, o *operand) uint32 { return flushed(w, w.s32(o), o.typ) }

func flushed(w *wave, x uint32, t kind) uint32 {
	if t == kindF32 && w.denorm&3 == 0 && x&0x7f800000 == 0 {
		return x & (1 << 31)
	}
	return x
}

// scalarFloat makes a scalar instruction on floats.
func scalarFloat(f func(a, b, c uint32) uint32) execFn {
	return func(w *wave, in *inst) {
		var x [3]uint32
		for k := range x {
			if in.s[k].typ != 0 {
				x[k] = scalarNumber(w, &in.s[k])
			}
		}
		w.s[in.d] = flushed(w, f(x[0], x[1], x[2]), in.dst)
	}
}

// signalBarrier notes that the wave has come to the workgroup's barrier; waitAtBarrier waits until all have.
func signalBarrier(w *wave, in *inst) {
	if n := int32(w.s32(&in.s[0])); n != -1 {
		w.fail(CodeLaunchFailure, "barrier %d is not emulated: -1 is that of the workgroup", n)
	}
	w.signalled = true
}

func waitAtBarrier(w *wave, in *inst) {
	switch {
	case int16(in.off) != -1:
		w.fail(CodeLaunchFailure, "barrier %d is not emulated: -1 is that of the workgroup", int16(in.off))
	case w.passes:
		w.passes = false
	case !w.signalled:
		w.fail(CodeLaunchFailure, "a wave waits at a barrier that it has not signalled")
	default:
		w.halt = haltBarrier
	}
}

// loadScalarPart executes s_load_u8, s_load_i8, s_load_u16 and s_load_i16.
func loadScalarPart(w *wave, in *inst) {
	addr := w.s64(&in.s[0]) + uint64(in.off)
	if in.sbase != sNull {
		addr += uint64(w.s[in.sbase])
	}
	addr &^= uint64(in.size - 1)
	checkScalar(w, in, addr)
	p := w.group.gpu.mem.Pointer(addr)
	switch {
	case in.size == 1 && in.high:
		w.s[in.d] = uint32(*(*int8)(p))
	case in.size == 1:
		w.s[in.d] = uint32(*(*uint8)(p))
	case in.high:
		w.s[in.d] = uint32(*(*int16)(unsafe.Pointer(p)))
	default:
		w.s[in.d] = uint32(*(*uint16)(p))
	}
}

// atomics12 are atomic operations that gfx12 has in addition.
var atomics12 = []access{{0, "atomic_cond_sub_u32", 4, modify32(number.CondSub)}}

var sharedAtomics12 = []access{
	{0, "ds_cond_sub_u32", 4, modify32(number.CondSub)},
	{1, "ds_cond_sub_rtn_u32", 4, modify32(number.CondSub)},
	{2, "ds_sub_clamp_u32", 4, modify32(number.SubClamp)},
	{3, "ds_sub_clamp_rtn_u32", 4, modify32(number.SubClamp)},
}

// Vector registers where the matrices of gfx12 are as gfx11 has them. They are numbers of gfx942's registers.
const (
	matrixA = accumulators + 8*iota
	matrixB
	matrixC
)

// wmma12 are the matrix instructions, which are gfx11's after their operands have been moved to its layout.
func wmma12() map[string]execFn {
	all := map[string]execFn{}
	for name, f := range map[string]execFn{
		"f32_16x16x16_f16": wmmaF32(false, 1), "f32_16x16x16_bf16": wmmaF32(true, 1),
		"f16_16x16x16_f16":   wmma16(false, half.FromF16, half.OddToF16, 1),
		"bf16_16x16x16_bf16": wmma16(true, half.FromBF16, sumToBF16, 1),
		"i32_16x16x16_iu8":   wmmaInteger(8, 4, 1), "i32_16x16x16_iu4": wmmaInteger(4, 2, 1), "i32_16x16x32_iu4": wmmaInteger(4, 4, 1),
		"f32_16x16x16_fp8_fp8": wmmaF32(false, 1), "f32_16x16x16_fp8_bf8": wmmaF32(false, 1),
		"f32_16x16x16_bf8_fp8": wmmaF32(false, 1), "f32_16x16x16_bf8_bf8": wmmaF32(false, 1),
	} {
		name = gfx12.MatrixPrefix + name
		l := gfx12.MatrixLayout(name)
		all[name] = func(w *wave, in *inst) {
			y := &w.worker.matrices.in
			*y = *in
			l.Rows(w.v[matrixA:][:8], w.v[in.s[0].reg:][:l.Words])
			l.Columns(w.v[matrixB:][:8], w.v[in.s[1].reg:][:l.Words])
			y.s[0].reg, y.s[1].reg = matrixA, matrixB
			if l.Sums == 8 {
				f(w, y)
				return
			}
			if y.d = matrixC; y.s[2].place == placeVGPR {
				y.s[2].reg = matrixC
				l.Unpack(w.v[matrixC:][:8], w.v[in.s[2].reg:][:l.Sums])
			}
			f(w, y)
			l.Pack(w.v[in.d:][:l.Sums], w.v[matrixC:][:8])
		}
	}
	return all
}
