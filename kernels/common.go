package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// Common are the kernels that programs begin with: those of a first page, then those of a training step, and last
// those of products, for which most GPUs have a library. GPUs compile those for which they have no code objects ahead
// of time.
func Common() []string {
	var first, products []string
	for _, k := range slices.Concat(FirstPages, TrainingStep(BF16)) {
		if strings.HasPrefix(k, "matmul_") || strings.HasPrefix(k, "matvec_") {
			products = append(products, k)
		} else {
			first = append(first, k)
		}
	}
	return append(first, products...)
}

// FirstPages are the kernels of the cells of docs/arrays.md and docs/training.md (package repl tests that), by name.
var FirstPages = []string{
	"abs_f32", "abs_f64", "adamw_f32", "add_bf16", "add_f16", "add_f32", "add_f64", "add_i64", "affine_f32",
	"arange_f32", "arange_f64", "arange_i64", "argmax_f32", "argmax_f64", "bitand_u8", "bitor_u8", "cast_bf16_f32",
	"cast_f16_f32", "cast_f32_bf16", "cast_f32_f16", "cast_f32_f64", "cast_f64_f32", "cast_i64_f32", "cast_i64_f64",
	"cast_i64_u8", "cast_u32_i64", "copy_b32", "copy_b64", "cos_f32", "cross_entropy_f32",
	"cross_entropy_gradient_f32", "cross_entropy_total_f32", "cumsum_i64", "div_bf16", "div_f64", "eq_f32", "eq_f64",
	"eq_i64", "eq_u32", "fill_b16", "fill_b32", "fill_b64", "gather_i64_b32", "ge_f64", "ge_i64", "grad_control",
	"grad_norm_f32", "gt_f32", "gt_f64", "gt_i64", "index_select_i64_b64", "lt_i64", "mask_count", "mask_indices",
	"mask_select_b64", "matmul_bf16", "matmul_f16", "matmul_f32", "matvec_4_bf16", "matvec_4_f16", "matvec_4_f32",
	"matvec_transposed_4_bf16", "matvec_transposed_4_f16", "matvec_transposed_4_f32", "max_f32", "max_f64",
	"maximum_f32", "mean_f64", "min_u8", "mod_i64", "mul_bf16", "mul_f32", "mul_f64", "mul_i64", "ne_f64", "pow_f32",
	"powf_f32", "rand_f32", "randn_f32", "scatter_add_i64_i64", "sgd_f32", "sin_f32", "sort_tiles_f64", "sqr_f32",
	"sqr_f64", "sqrt_f32", "sqrt_f64", "sub_f32", "sub_f64", "sum_columns_f16", "sum_columns_f32", "sum_f16",
	"sum_f32", "sum_f64", "sum_i64", "sum_u8", "tanh_bf16", "tanh_f16", "tanh_f32", "where_u8_b32", "where_u8_b64",
}

// TrainingStep are further kernels of a GPT's step in F32, F16 or BF16 (TestTrainingStep of package models).
func TrainingStep(t DType) (list []string) {
	dt, bits := t.String(), fmt.Sprint("b", 8*t.Size())
	return []string{"index_select_u32_" + bits, "layer_norm_x2_" + dt, "attention_64_" + dt, "gelu_" + dt,
		"cross_entropy_" + dt, "cross_entropy_total_" + dt, "cross_entropy_gradient_" + dt,
		fmt.Sprintf("layer_norm_gradient_8_%d_%s", RowPack(t), dt), "norm_parameters_" + dt, "sum_columns_" + dt,
		"attention_dot_" + dt, "attention_keys_64_" + dt, "attention_queries_64_" + dt, "copy_" + bits,
		"sort_rows_x32_u32", "select_gradient_u32_" + dt, "adamw_" + dt, "sum_" + dt,
		// of small ones
		"layer_norm_" + dt, "sort_tiles_u32", "arange_u32"}
}
