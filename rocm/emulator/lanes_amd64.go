//go:build !purego

package emulator

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// accelerate replaces the hottest operations by versions for AVX2, where the host has it.
func accelerate() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return
	}
	fill, choose, addLanes, offsetMax, gather = fillAVX2, selectAVX2, addCarryAVX2, offsetMaxAVX2, gatherAVX2
	join, split = joinAVX2, splitAVX2
	steps = func(a *lanes, step uint32) bool { return stepsAVX2(a, step) == 255 }
	for _, table := range [][]vop{vop2, vop3, vopc} {
		for i := range table {
			name := strings.Replace(table[i].name, "cmpx", "cmp", 1)
			if f, ok := avx2[name]; ok {
				table[i].portable, table[i].fn = table[i].fn, f
			}
		}
	}
}

// avx2 has the rows of the opcode tables that are computed in assembly.
var avx2 = map[string]any{
	"v_add_f32":       lanes2(addF32AVX2),
	"v_sub_f32":       lanes2(subF32AVX2),
	"v_subrev_f32":    lanes2(func(d, a, b *lanes) { subF32AVX2(d, b, a) }),
	"v_mul_f32":       lanes2(mulF32AVX2),
	"v_fma_f32":       lanes3(fmaF32AVX2),
	"v_fmac_f32":      lanes3(fmaF32AVX2),
	"v_fmamk_f32":     lanes3(fmaF32AVX2),
	"v_fmaak_f32":     lanes3(fmaF32AVX2),
	"v_add_nc_u32":    lanes2(addU32AVX2),
	"v_sub_nc_u32":    lanes2(subU32AVX2),
	"v_subrev_nc_u32": lanes2(func(d, a, b *lanes) { subU32AVX2(d, b, a) }),
	"v_add_nc_i32":    lanes2(addU32AVX2),
	"v_sub_nc_i32":    lanes2(subU32AVX2),
	"v_mul_lo_u32":    lanes2(mulU32AVX2),
	"v_and_b32":       lanes2(andU32AVX2),
	"v_or_b32":        lanes2(orU32AVX2),
	"v_xor_b32":       lanes2(xorU32AVX2),
	"v_min_i32":       lanes2(minI32AVX2),
	"v_max_i32":       lanes2(maxI32AVX2),
	"v_min_u32":       lanes2(minU32AVX2),
	"v_max_u32":       lanes2(maxU32AVX2),
	"v_lshlrev_b32":   lanes2(shlU32AVX2),
	"v_lshrrev_b32":   lanes2(shrU32AVX2),
	"v_ashrrev_i32":   lanes2(sarI32AVX2),
	"v_cmp_lt_f32":    cmp32(ltF32AVX2),
	"v_cmp_le_f32":    cmp32(leF32AVX2),
	"v_cmp_eq_f32":    cmp32(eqF32AVX2),
	"v_cmp_u_f32":     cmp32(unF32AVX2),
	"v_cmp_gt_f32":    cmp32(func(a, b *lanes) uint32 { return ltF32AVX2(b, a) }),
	"v_cmp_ge_f32":    cmp32(func(a, b *lanes) uint32 { return leF32AVX2(b, a) }),
	"v_cmp_nlt_f32":   cmp32(func(a, b *lanes) uint32 { return ^ltF32AVX2(a, b) }),
	"v_cmp_nle_f32":   cmp32(func(a, b *lanes) uint32 { return ^leF32AVX2(a, b) }),
	"v_cmp_ngt_f32":   cmp32(func(a, b *lanes) uint32 { return ^ltF32AVX2(b, a) }),
	"v_cmp_nge_f32":   cmp32(func(a, b *lanes) uint32 { return ^leF32AVX2(b, a) }),
	"v_cmp_neq_f32":   cmp32(func(a, b *lanes) uint32 { return ^eqF32AVX2(a, b) }),
	"v_cmp_o_f32":     cmp32(func(a, b *lanes) uint32 { return ^unF32AVX2(a, b) }),
	"v_cmp_gt_i32":    cmp32(gtI32AVX2),
	"v_cmp_lt_i32":    cmp32(func(a, b *lanes) uint32 { return gtI32AVX2(b, a) }),
	"v_cmp_le_i32":    cmp32(func(a, b *lanes) uint32 { return ^gtI32AVX2(a, b) }),
	"v_cmp_ge_i32":    cmp32(func(a, b *lanes) uint32 { return ^gtI32AVX2(b, a) }),
	"v_cmp_eq_i32":    cmp32(eqU32AVX2),
	"v_cmp_eq_u32":    cmp32(eqU32AVX2),
	"v_cmp_ne_i32":    cmp32(func(a, b *lanes) uint32 { return ^eqU32AVX2(a, b) }),
	"v_cmp_ne_u32":    cmp32(func(a, b *lanes) uint32 { return ^eqU32AVX2(a, b) }),
	"v_cmp_ge_u32":    cmp32(geU32AVX2),
	"v_cmp_le_u32":    cmp32(func(a, b *lanes) uint32 { return geU32AVX2(b, a) }),
	"v_cmp_lt_u32":    cmp32(func(a, b *lanes) uint32 { return ^geU32AVX2(a, b) }),
	"v_cmp_gt_u32":    cmp32(func(a, b *lanes) uint32 { return ^geU32AVX2(b, a) }),
}

//go:noescape
func addF32AVX2(d, a, b *lanes)

//go:noescape
func subF32AVX2(d, a, b *lanes)

//go:noescape
func mulF32AVX2(d, a, b *lanes)

//go:noescape
func fmaF32AVX2(d, a, b, c *lanes)

//go:noescape
func addU32AVX2(d, a, b *lanes)

//go:noescape
func subU32AVX2(d, a, b *lanes)

//go:noescape
func mulU32AVX2(d, a, b *lanes)

//go:noescape
func andU32AVX2(d, a, b *lanes)

//go:noescape
func orU32AVX2(d, a, b *lanes)

//go:noescape
func xorU32AVX2(d, a, b *lanes)

//go:noescape
func minI32AVX2(d, a, b *lanes)

//go:noescape
func maxI32AVX2(d, a, b *lanes)

//go:noescape
func minU32AVX2(d, a, b *lanes)

//go:noescape
func maxU32AVX2(d, a, b *lanes)

//go:noescape
func shlU32AVX2(d, a, b *lanes)

//go:noescape
func shrU32AVX2(d, a, b *lanes)

//go:noescape
func sarI32AVX2(d, a, b *lanes)

//go:noescape
func ltF32AVX2(a, b *lanes) uint32

//go:noescape
func leF32AVX2(a, b *lanes) uint32

//go:noescape
func eqF32AVX2(a, b *lanes) uint32

//go:noescape
func unF32AVX2(a, b *lanes) uint32

//go:noescape
func gtI32AVX2(a, b *lanes) uint32

//go:noescape
func eqU32AVX2(a, b *lanes) uint32

//go:noescape
func geU32AVX2(a, b *lanes) uint32

//go:noescape
func fillAVX2(t *lanes, x uint32)

//go:noescape
func selectAVX2(d, a, b *lanes, m uint32)

//go:noescape
func addCarryAVX2(d, a, b *lanes, carry uint32) uint32

//go:noescape
func offsetMaxAVX2(d, a *lanes, k uint32) uint32

//go:noescape
func gatherAVX2(d *lanes, base unsafe.Pointer, off *lanes)

//go:noescape
func stepsAVX2(a *lanes, step uint32) uint32

//go:noescape
func joinAVX2(t *wide, lo, hi *lanes)

//go:noescape
func splitAVX2(lo, hi *lanes, t *wide)
