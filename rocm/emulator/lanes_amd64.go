//go:build !purego

package emulator

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lanewise"
)

// accelerate replaces the hottest operations by versions for AVX2, where the host has it.
func accelerate() {
	if !lane.HasAVX2 {
		return
	}
	fuse = lane.FmaF32
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
	"v_add_f32":       lanewise.Op2(lane.AddF32),
	"v_sub_f32":       lanewise.Op2(lane.SubF32),
	"v_subrev_f32":    lanewise.Op2(func(d, a, b *lanes) { lane.SubF32(d, b, a) }),
	"v_mul_f32":       lanewise.Op2(lane.MulF32),
	"v_fma_f32":       lanewise.Op3(lane.FmaF32),
	"v_fmac_f32":      lanewise.Op3(lane.FmaF32),
	"v_fmamk_f32":     lanewise.Op3(lane.FmaF32),
	"v_fmaak_f32":     lanewise.Op3(lane.FmaF32),
	"v_add_nc_u32":    lanewise.Op2(lane.AddU32),
	"v_sub_nc_u32":    lanewise.Op2(lane.SubU32),
	"v_subrev_nc_u32": lanewise.Op2(func(d, a, b *lanes) { lane.SubU32(d, b, a) }),
	"v_add_nc_i32":    lanewise.Op2(lane.AddU32),
	"v_sub_nc_i32":    lanewise.Op2(lane.SubU32),
	"v_mul_lo_u32":    lanewise.Op2(lane.MulU32),
	"v_and_b32":       lanewise.Op2(lane.AndU32),
	"v_or_b32":        lanewise.Op2(lane.OrU32),
	"v_xor_b32":       lanewise.Op2(lane.XorU32),
	"v_min_i32":       lanewise.Op2(lane.MinI32),
	"v_max_i32":       lanewise.Op2(lane.MaxI32),
	"v_min_u32":       lanewise.Op2(lane.MinU32),
	"v_max_u32":       lanewise.Op2(lane.MaxU32),
	"v_lshlrev_b32":   lanewise.Op2(lane.ShlU32),
	"v_lshrrev_b32":   lanewise.Op2(lane.ShrU32),
	"v_ashrrev_i32":   lanewise.Op2(lane.SarI32),
	"v_cmp_lt_f32":    cmp32(lane.LtF32),
	"v_cmp_le_f32":    cmp32(lane.LeF32),
	"v_cmp_eq_f32":    cmp32(lane.EqF32),
	"v_cmp_u_f32":     cmp32(lane.UnF32),
	"v_cmp_gt_f32":    cmp32(func(a, b *lanes) uint32 { return lane.LtF32(b, a) }),
	"v_cmp_ge_f32":    cmp32(func(a, b *lanes) uint32 { return lane.LeF32(b, a) }),
	"v_cmp_nlt_f32":   cmp32(func(a, b *lanes) uint32 { return ^lane.LtF32(a, b) }),
	"v_cmp_nle_f32":   cmp32(func(a, b *lanes) uint32 { return ^lane.LeF32(a, b) }),
	"v_cmp_ngt_f32":   cmp32(func(a, b *lanes) uint32 { return ^lane.LtF32(b, a) }),
	"v_cmp_nge_f32":   cmp32(func(a, b *lanes) uint32 { return ^lane.LeF32(b, a) }),
	"v_cmp_neq_f32":   cmp32(func(a, b *lanes) uint32 { return ^lane.EqF32(a, b) }),
	"v_cmp_o_f32":     cmp32(func(a, b *lanes) uint32 { return ^lane.UnF32(a, b) }),
	"v_cmp_gt_i32":    cmp32(lane.GtI32),
	"v_cmp_lt_i32":    cmp32(func(a, b *lanes) uint32 { return lane.GtI32(b, a) }),
	"v_cmp_le_i32":    cmp32(func(a, b *lanes) uint32 { return ^lane.GtI32(a, b) }),
	"v_cmp_ge_i32":    cmp32(func(a, b *lanes) uint32 { return ^lane.GtI32(b, a) }),
	"v_cmp_eq_i32":    cmp32(lane.EqU32),
	"v_cmp_eq_u32":    cmp32(lane.EqU32),
	"v_cmp_ne_i32":    cmp32(func(a, b *lanes) uint32 { return ^lane.EqU32(a, b) }),
	"v_cmp_ne_u32":    cmp32(func(a, b *lanes) uint32 { return ^lane.EqU32(a, b) }),
	"v_cmp_ge_u32":    cmp32(lane.GeU32),
	"v_cmp_le_u32":    cmp32(func(a, b *lanes) uint32 { return lane.GeU32(b, a) }),
	"v_cmp_lt_u32":    cmp32(func(a, b *lanes) uint32 { return ^lane.GeU32(a, b) }),
	"v_cmp_gt_u32":    cmp32(func(a, b *lanes) uint32 { return ^lane.GeU32(b, a) }),
}
