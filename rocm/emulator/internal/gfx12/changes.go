package gfx12

// Format is an encoding whose opcodes gfx11 has, too.
type Format uint8

// The encodings. Memory is what global, flat, scratch and buffer instructions have in common, Shared is DS.
const (
	SOP1 Format = iota
	SOP2
	SOPC
	SOPK
	SOPP
	VOP1
	VOP2
	VOPC
	VOP3
	VOP3P
	Memory
	Shared
	SMEM
)

// Change is an opcode that is not what it is on gfx11, or has another name.
type Change struct {
	Format Format
	Code   int
	Name   string // LLVM's; that of Memory is the part behind the prefix; empty if gfx12 has no such instruction
	As     string // the emulator's name, which is gfx11's where it has the instruction; empty if it is the same
}

// Changes lists the opcodes of Format in which gfx12 differs from gfx11, in order.
var Changes = list()

func list() (all []Change) {
	for format, rows := range map[Format][]Change{SOP1: sop1, SOP2: sop2, SOPC: sopc, SOPK: sopk, SOPP: sopp,
		VOP1: vop1, VOP2: vop2, VOPC: compares(), VOP3: vop3, VOP3P: vop3p, Memory: memory, Shared: shared} {
		for _, c := range rows {
			c.Format = format
			all = append(all, c)
		}
	}
	return all
}

// names are LLVM's names by the emulator's.
var names = func() map[string]string {
	m := map[string]string{"v_dual_max_f32": "v_dual_max_num_f32", "v_dual_min_f32": "v_dual_min_num_f32"}
	for _, c := range Changes {
		if c.As == "" {
			continue
		}
		prefixes := []string{""}
		if c.Format == Memory {
			prefixes = []string{"global_", "flat_", "scratch_", "buffer_"}
		}
		for _, p := range prefixes {
			m[p+c.As] = p + c.Name
		}
	}
	return m
}()

// Name returns LLVM's name of an instruction that the emulator has by another name.
func Name(as string) string {
	if name, ok := names[as]; ok {
		return name
	}
	return as
}

var sop1 = []Change{
	{Code: 74, Name: "s_rfe_b64"},
	{Code: 78, Name: "s_barrier_signal"},
	{Code: 79, Name: "s_barrier_signal_isfirst"},
	{Code: 80, Name: "s_get_barrier_state"},
	{Code: 81, Name: "s_barrier_init"},
	{Code: 82, Name: "s_barrier_join"},
	{Code: 83, Name: "s_alloc_vgpr"},
	{Code: 87, Name: "s_wakeup_barrier"},
	{Code: 88, Name: "s_sleep_var"},
	{Code: 96, Name: "s_ceil_f32"},
	{Code: 97, Name: "s_floor_f32"},
	{Code: 98, Name: "s_trunc_f32"},
	{Code: 99, Name: "s_rndne_f32"},
	{Code: 100, Name: "s_cvt_f32_i32"},
	{Code: 101, Name: "s_cvt_f32_u32"},
	{Code: 102, Name: "s_cvt_i32_f32"},
	{Code: 103, Name: "s_cvt_u32_f32"},
	{Code: 104, Name: "s_cvt_f16_f32"},
	{Code: 105, Name: "s_cvt_f32_f16"},
	{Code: 106, Name: "s_cvt_hi_f32_f16"},
	{Code: 107, Name: "s_ceil_f16"},
	{Code: 108, Name: "s_floor_f16"},
	{Code: 109, Name: "s_trunc_f16"},
	{Code: 110, Name: "s_rndne_f16"},
}

var sop2 = []Change{
	{Code: 0, Name: "s_add_co_u32", As: "s_add_u32"},
	{Code: 1, Name: "s_sub_co_u32", As: "s_sub_u32"},
	{Code: 2, Name: "s_add_co_i32", As: "s_add_i32"},
	{Code: 3, Name: "s_sub_co_i32", As: "s_sub_i32"},
	{Code: 4, Name: "s_add_co_ci_u32", As: "s_addc_u32"},
	{Code: 5, Name: "s_sub_co_ci_u32", As: "s_subb_u32"},
	{Code: 64, Name: "s_add_f32"},
	{Code: 65, Name: "s_sub_f32"},
	{Code: 66, Name: "s_min_num_f32"},
	{Code: 67, Name: "s_max_num_f32"},
	{Code: 68, Name: "s_mul_f32"},
	{Code: 69, Name: "s_fmaak_f32"},
	{Code: 70, Name: "s_fmamk_f32"},
	{Code: 71, Name: "s_fmac_f32"},
	{Code: 72, Name: "s_cvt_pk_rtz_f16_f32"},
	{Code: 73, Name: "s_add_f16"},
	{Code: 74, Name: "s_sub_f16"},
	{Code: 75, Name: "s_min_num_f16"},
	{Code: 76, Name: "s_max_num_f16"},
	{Code: 77, Name: "s_mul_f16"},
	{Code: 78, Name: "s_fmac_f16"},
	{Code: 79, Name: "s_minimum_f32"},
	{Code: 80, Name: "s_maximum_f32"},
	{Code: 81, Name: "s_minimum_f16"},
	{Code: 82, Name: "s_maximum_f16"},
	{Code: 83, Name: "s_add_nc_u64"},
	{Code: 84, Name: "s_sub_nc_u64"},
	{Code: 85, Name: "s_mul_u64"},
}
