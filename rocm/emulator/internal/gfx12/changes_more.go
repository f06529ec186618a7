package gfx12

import "fmt"

// predicates of floats, in the order of their opcodes, without those that do not look at their operands.
var predicates = []string{"lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt"}

var sopc = func() (all []Change) {
	for i, p := range predicates {
		all = append(all, Change{Code: 65 + i, Name: "s_cmp_" + p + "_f32"},
			Change{Code: 81 + i, Name: "s_cmp_" + p + "_f16"})
	}
	return all
}()

var sopk = func() []Change {
	all := []Change{
		{Code: 15, Name: "s_addk_co_i32", As: "s_addk_i32"},
		{Code: 19, Name: "s_setreg_imm32_b32"},
	}
	return append(all, none(3, 14)...)
}()

var sopp = []Change{
	{Code: 1, Name: "s_setkill"},
	{Code: 4},
	{Code: 8, Name: "s_wait_alu", As: "s_waitcnt_depctr"},
	{Code: 19, Name: "s_singleuse_vdst"},
	{Code: 20, Name: "s_barrier_wait"},
	{Code: 21, Name: "s_barrier_leave"},
	{Code: 55, Name: "s_sendmsghalt"},
	{Code: 56, Name: "s_incperflevel"},
	{Code: 57, Name: "s_decperflevel"},
	{Code: 58, Name: "s_ttracedata"},
	{Code: 59, Name: "s_ttracedata_imm"},
	{Code: 61},
	{Code: 64, Name: "s_wait_loadcnt"},
	{Code: 65, Name: "s_wait_storecnt"},
	{Code: 66, Name: "s_wait_samplecnt"},
	{Code: 67, Name: "s_wait_bvhcnt"},
	{Code: 68, Name: "s_wait_expcnt"},
	{Code: 70, Name: "s_wait_dscnt"},
	{Code: 71, Name: "s_wait_kmcnt"},
	{Code: 72, Name: "s_wait_loadcnt_dscnt"},
	{Code: 73, Name: "s_wait_storecnt_dscnt"},
}

var vop1 = []Change{
	{Code: 108, Name: "v_cvt_f32_fp8", As: "v_cvt_f32_e4m3"},
	{Code: 109, Name: "v_cvt_f32_bf8", As: "v_cvt_f32_e5m2"},
	{Code: 110, Name: "v_cvt_pk_f32_fp8", As: "v_cvt_pk_f32_e4m3"},
	{Code: 111, Name: "v_cvt_pk_f32_bf8", As: "v_cvt_pk_f32_e5m2"},
}

var vop2 = []Change{
	{Code: 2, Name: "v_add_f64"},
	{Code: 6, Name: "v_mul_f64"},
	{Code: 13, Name: "v_min_num_f64", As: "v_min_f64"},
	{Code: 14, Name: "v_max_num_f64", As: "v_max_f64"},
	{Code: 15},
	{Code: 16},
	{Code: 21, Name: "v_min_num_f32", As: "v_min_f32"},
	{Code: 22, Name: "v_max_num_f32", As: "v_max_f32"},
	{Code: 31, Name: "v_lshlrev_b64"},
	{Code: 48, Name: "v_min_num_f16", As: "v_min_f16"},
	{Code: 49, Name: "v_max_num_f16", As: "v_max_f16"},
	{Code: 57},
	{Code: 58},
}

// none are opcodes that gfx12 does not have.
func none(first, last int) (all []Change) {
	for code := first; code <= last; code++ {
		all = append(all, Change{Code: code})
	}
	return all
}

// compares are the predicates that do not look at their operands, which gfx12 does not have, as v_cmp and v_cmpx.
func compares() (all []Change) {
	for _, code := range []int{0, 15, 16, 31, 32, 47, 64, 71, 72, 79, 80, 87, 88, 95} {
		all = append(all, Change{Code: code}, Change{Code: code + 128})
	}
	return all
}

var vop3 = func() []Change {
	all := []Change{
		{Code: 537}, {Code: 540}, {Code: 543}, {Code: 585}, {Code: 588}, {Code: 591},
		{Code: 553, Name: "v_min3_num_f32", As: "v_min3_f32"},
		{Code: 554, Name: "v_max3_num_f32", As: "v_max3_f32"},
		{Code: 555, Name: "v_min3_num_f16", As: "v_min3_f16"},
		{Code: 556, Name: "v_max3_num_f16", As: "v_max3_f16"},
		{Code: 557, Name: "v_minimum3_f32"},
		{Code: 558, Name: "v_maximum3_f32"},
		{Code: 559, Name: "v_minimum3_f16"},
		{Code: 560, Name: "v_maximum3_f16"},
		{Code: 561, Name: "v_med3_num_f32", As: "v_med3_f32"},
		{Code: 562, Name: "v_med3_num_f16", As: "v_med3_f16"},
		{Code: 616, Name: "v_minmax_num_f32", As: "v_minmax_f32"},
		{Code: 617, Name: "v_maxmin_num_f32", As: "v_maxmin_f32"},
		{Code: 618, Name: "v_minmax_num_f16", As: "v_minmax_f16"},
		{Code: 619, Name: "v_maxmin_num_f16", As: "v_maxmin_f16"},
		{Code: 620, Name: "v_minimummaximum_f32"},
		{Code: 621, Name: "v_maximumminimum_f32"},
		{Code: 622, Name: "v_minimummaximum_f16"},
		{Code: 623, Name: "v_maximumminimum_f16"},
		{Code: 766, Name: "v_mad_co_u64_u32", As: "v_mad_u64_u32"},
		{Code: 767, Name: "v_mad_co_i64_i32", As: "v_mad_i64_i32"},
		{Code: 783, Name: "v_permlane16_var_b32"},
		{Code: 784, Name: "v_permlanex16_var_b32"},
		{Code: 828},
		{Code: 833, Name: "v_minimum_f64"},
		{Code: 834, Name: "v_maximum_f64"},
		{Code: 869, Name: "v_minimum_f32"},
		{Code: 870, Name: "v_maximum_f32"},
		{Code: 871, Name: "v_minimum_f16"},
		{Code: 872, Name: "v_maximum_f16"},
		{Code: 873, Name: "v_cvt_pk_fp8_f32"},
		{Code: 874, Name: "v_cvt_pk_bf8_f32"},
		{Code: 875, Name: "v_cvt_sr_fp8_f32"},
		{Code: 876, Name: "v_cvt_sr_bf8_f32"},
	}
	for i, name := range []string{"exp", "log", "rcp", "rsq", "sqrt"} {
		all = append(all, Change{Code: 640 + 2*i, Name: "v_s_" + name + "_f32"},
			Change{Code: 641 + 2*i, Name: "v_s_" + name + "_f16"})
	}
	return append(append(all, none(606, 609)...), none(807, 810)...)
}()

var vop3p = func() []Change {
	all := []Change{
		{Code: 17}, {Code: 18},
		{Code: 27, Name: "v_pk_min_num_f16", As: "v_pk_min_f16"},
		{Code: 28, Name: "v_pk_max_num_f16", As: "v_pk_max_f16"},
		{Code: 29, Name: "v_pk_minimum_f16"},
		{Code: 30, Name: "v_pk_maximum_f16"},
	}
	for i, name := range []string{"fp8_bf8", "bf8_fp8", "fp8_fp8", "bf8_bf8"} {
		all = append(all, Change{Code: 36 + i, Name: "v_dot4_f32_" + name})
	}
	for i, name := range []string{"f32_16x16x16_f16", "f32_16x16x16_bf16", "f16_16x16x16_f16", "bf16_16x16x16_bf16",
		"i32_16x16x16_iu8", "i32_16x16x16_iu4", "f32_16x16x16_fp8_fp8", "f32_16x16x16_fp8_bf8", "f32_16x16x16_bf8_fp8",
		"f32_16x16x16_bf8_bf8", "i32_16x16x32_iu4"} {
		all = append(all, Change{Code: 64 + i, Name: "v_wmma_" + name, As: MatrixPrefix + name})
	}
	for i, name := range []string{"f32_16x16x32_f16", "f32_16x16x32_bf16", "f16_16x16x32_f16", "bf16_16x16x32_bf16",
		"i32_16x16x32_iu8", "i32_16x16x32_iu4", "i32_16x16x64_iu4", "f32_16x16x32_fp8_fp8", "f32_16x16x32_fp8_bf8",
		"f32_16x16x32_bf8_fp8", "f32_16x16x32_bf8_bf8"} {
		all = append(all, Change{Code: 80 + i, Name: "v_swmmac_" + name})
	}
	return all
}()

var memory = append(formats(), []Change{
	{Code: 40, Name: "load_addtid_b32"},
	{Code: 41, Name: "store_addtid_b32"},
	{Code: 43, Name: "inv"},
	{Code: 44, Name: "wb"},
	{Code: 55, Name: "atomic_sub_clamp_u32", As: "atomic_csub_u32"},
	{Code: 79, Name: "wbinv"},
	{Code: 80, Name: "atomic_cond_sub_u32"},
	{Code: 81, Name: "atomic_min_num_f32", As: "atomic_min_f32"},
	{Code: 82, Name: "atomic_max_num_f32", As: "atomic_max_f32"},
	{Code: 83, Name: "load_block"},
	{Code: 84, Name: "store_block"},
	{Code: 87, Name: "load_tr_b128"},
	{Code: 88, Name: "load_tr_b64"},
	{Code: 89, Name: "atomic_pk_add_f16"},
	{Code: 90, Name: "atomic_pk_add_bf16"},
	{Code: 115, Name: "atomic_ordered_add_b64"},
}...)

// formats are the buffer instructions that convert formats.
func formats() []Change {
	all := []Change{{Code: 38, Name: "load_d16_hi_format_x"}, {Code: 39, Name: "store_d16_hi_format_x"}}
	for i, kind := range []string{"load_format_", "store_format_", "load_d16_format_", "store_d16_format_"} {
		for j, parts := range []string{"x", "xy", "xyz", "xyzw"} {
			all = append(all, Change{Code: 4*i + j, Name: kind + parts})
		}
	}
	return all
}

var shared = func() (all []Change) {
	for _, c := range []Change{
		{Code: 17},
		{Code: 18, Name: "ds_min_num_f32", As: "ds_min_f32"},
		{Code: 19, Name: "ds_max_num_f32", As: "ds_max_f32"},
		{Code: 81},
		{Code: 82, Name: "ds_min_num_f64", As: "ds_min_f64"},
		{Code: 83, Name: "ds_max_num_f64", As: "ds_max_f64"},
	} {
		returning := Change{Code: c.Code + 32}
		if c.Name != "" {
			cut := len(c.Name) - len("_f32")
			returning.Name = c.Name[:cut] + "_rtn" + c.Name[cut:]
			cut = len(c.As) - len("_f32")
			returning.As = c.As[:cut] + "_rtn" + c.As[cut:]
		}
		all = append(all, c, returning)
	}
	for i, name := range []string{"cond_sub%s_u32", "sub_clamp%s_u32", "pk_add%s_f16", "pk_add%s_bf16"} {
		all = append(all, Change{Code: 152 + i, Name: "ds_" + fmt.Sprintf(name, "")},
			Change{Code: 168 + i, Name: "ds_" + fmt.Sprintf(name, "_rtn")})
	}
	all = append(all, Change{Code: 176, Name: "ds_store_addtid_b32"}, Change{Code: 177, Name: "ds_load_addtid_b32"})
	return append(all, Change{Code: 52}, Change{Code: 205, Name: "ds_bpermute_fi_b32"})
}()
