package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// This file lists the kernels of each .hip file from the rows of the op table.

func unaryKernels() (ks []kernel) {
	for _, op := range Unary {
		for _, t := range op.On {
			ks = append(ks, kernel{op.Name, symbol(op.Name, t), fmt.Sprintf("UNARY(%s, %s, %s)", op.Name, t, op.C)})
		}
	}
	return ks
}

func gateKernels() (ks []kernel) {
	silu := Unary[slices.IndexFunc(Unary, func(op UnaryOp) bool { return op.Name == "silu" })]
	for _, t := range silu.On {
		ks = append(ks, kernel{"", symbol("silu_mul", t), fmt.Sprintf("SILU_MUL(%s, %s)", t, silu.C)})
	}
	return ks
}

func paramKernels() (ks []kernel) {
	for _, op := range Params {
		for _, t := range op.On {
			ks = append(ks, kernel{op.Name, symbol(op.Name, t), fmt.Sprintf("PARAM(%s, %s, %s)", op.Name, t, op.C)})
		}
	}
	return ks
}

func affineKernels() (ks []kernel) {
	for _, t := range Numbers {
		ks = append(ks, kernel{"", symbol("affine", t), fmt.Sprintf("AFFINE(%s, %s)", t, wide(t))})
	}
	return ks
}

func binaryKernels() (ks []kernel) {
	for _, op := range Binary {
		for _, t := range op.On {
			ks = append(ks, kernel{op.Name, symbol(op.Name, t), fmt.Sprintf("BINARY(%s, %s, %s)", op.Name, t, op.C)})
		}
	}
	return ks
}

func compareKernels() (ks []kernel) {
	for _, op := range Compare {
		for _, t := range Numbers {
			ks = append(ks, kernel{op.Name, symbol(op.Name, t), fmt.Sprintf("COMPARE(%s, %s, %s)", op.Name, t, op.C)})
		}
	}
	return ks
}

func complexKernels() (ks []kernel) {
	for _, op := range ComplexOps {
		for _, t := range Complex {
			ks = append(ks, kernel{op.Name, symbol(op.Name, t), fmt.Sprintf("COMPLEX%d(%s, %s, %s)", op.Operands(),
				op.Name, t, op.C)})
		}
	}
	return ks
}

func whereKernels() (ks []kernel) {
	for _, c := range indexTypes {
		for _, b := range widths {
			ks = append(ks, kernel{"", fmt.Sprintf("where_%s_%s", c, b), fmt.Sprintf("WHERE(%s, %s)", c, b)})
		}
	}
	return ks
}

func castKernels() (ks []kernel) {
	for _, s := range Numbers {
		for _, d := range Numbers {
			if s != d {
				ks = append(ks, kernel{s.String(), fmt.Sprintf("cast_%s_%s", s, d), fmt.Sprintf("CAST(%s, %s)", s, d)})
			}
		}
	}
	return ks
}

func bitsKernels(name, macro string) (ks []kernel) {
	for _, b := range widths {
		ks = append(ks, kernel{"", name + "_" + b, fmt.Sprintf("%s(%s)", macro, b)})
	}
	return ks
}

func arangeKernels() (ks []kernel) {
	for _, t := range Numbers {
		macro := "ARANGE_INT"
		if t.IsFloat() {
			macro = "ARANGE_FLOAT"
		}
		ks = append(ks, kernel{"", symbol("arange", t), fmt.Sprintf("%s(%s)", macro, t)})
	}
	return ks
}

func randomKernels() (ks []kernel) {
	for _, t := range Floats {
		ks = append(ks,
			kernel{"", symbol("rand", t), fmt.Sprintf("RAND(%s)", t)},
			kernel{"", symbol("randn", t), fmt.Sprintf("RANDN(%s)", t)})
	}
	return ks
}

// Samplers are the types in which samplers give their numbers; others are converted from these.
var Samplers = []DType{F32, F64}

func sampleKernels() (ks []kernel) {
	for _, width := range widths {
		ks = append(ks, kernel{"integers", "integers_" + width, fmt.Sprintf("INTEGERS(%s)", width)})
	}
	ks = append(ks, kernel{"integers", "order_ties", "ORDER_TIES()"})
	for _, name := range []string{"gamma", "poisson", "binomial", "truncated_normal", "hypergeometric", "von_mises",
		"sobol"} {
		for _, t := range Samplers {
			ks = append(ks, kernel{name, symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
		}
		if name == "gamma" {
			ks = append(ks, kernel{name, symbol("gamma_slope", F64), "GAMMA_SLOPE(f64)"})
		}
	}
	return ks
}

// Special are the functions of special.hip by the number of their arguments.
var Special = [...][]string{
	1: {"log_ndtr", "ndtri", "gamma", "expi", "exp1", "bessel_j0", "bessel_j1", "bessel_i0e", "bessel_i1e", "bessel_k0e",
		"bessel_k1e"},
	2: {"gamma_density", "gamma_lower", "gamma_upper", "gamma_quantile", "gamma_quantile_upper", "log_beta",
		"zeta"},
	3: {"beta_odds", "beta_lower", "beta_logit"},
}

func specialKernels() (ks []kernel) {
	for n, names := range Special {
		for _, name := range names {
			ks = append(ks, kernel{"", "special_" + name, fmt.Sprintf("SPECIAL%d(%s)", n, name)})
		}
	}
	return ks
}

func chooseKernels() []kernel {
	return []kernel{{"", "penalize", "PENALIZE()"}, {"", "choose", "CHOOSE()"}}
}

// Sparse are the types of products with sparse matrices.
var Sparse = []DType{F32, F64, C64, C128}

func sparseKernels() (ks []kernel) {
	for _, t := range Sparse {
		for _, name := range []string{"csr_matvec", "csr_matmul", "csr_sampled"} {
			ks = append(ks, kernel{t.String(), symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
		}
	}
	return ks
}

// ReduceState is the largest number of bytes that a reduction needs for each part of a row.
const ReduceState = 16

func reduceKernels() (ks []kernel) {
	for _, op := range Reduce {
		for _, t := range op.Kernels() {
			part := op.Name + "_ints"
			if t.IsFloat() {
				part = op.Name + "_floats"
			}
			args := fmt.Sprintf("(%s_OP, %s, %s, %s)", strings.ToUpper(op.Name), op.Name, t, op.Out(t))
			ks = append(ks, kernel{part, symbol(op.Name, t), "REDUCE_ROWS" + args},
				kernel{part, symbol(op.Name+"_columns", t), "REDUCE_COLUMNS" + args})
		}
	}
	return ks
}

func softmaxKernels() (ks []kernel) {
	for _, t := range Floats {
		ks = append(ks,
			kernel{t.String(), symbol("softmax", t), fmt.Sprintf("SOFTMAX(%s)", t)},
			kernel{t.String(), symbol("logsoftmax", t), fmt.Sprintf("LOGSOFTMAX(%s)", t)})
		ks = append(ks, longRowKernels(t.String(), "softmax", t)...)
		ks = append(ks, longRowKernels(t.String(), "logsoftmax", t)...)
	}
	return ks
}

func matmulKernels() (ks []kernel) {
	for _, t := range Numbers {
		macro := "MATMUL"
		if t.IsSmallFloat() {
			macro = "MATMUL_SMALL"
		}
		ks = append(ks, kernel{t.String(), symbol("matmul", t), fmt.Sprintf("%s(%s)", macro, t)})
	}
	return ks
}

func matvecKernels() (ks []kernel) {
	for _, t := range []DType{F32, F64, F16, BF16} {
		for _, n := range []int{1, 4} {
			ks = append(ks,
				kernel{t.String(), symbol(fmt.Sprintf("matvec_%d", n), t), fmt.Sprintf("MATVEC_ROWS(%s, %d)", t, n)},
				kernel{t.String(), symbol(fmt.Sprintf("matvec_transposed_%d", n), t),
					fmt.Sprintf("MATVEC_COLUMNS(%s, %d)", t, n)})
		}
	}
	return ks
}

func indexKernels() (ks []kernel) {
	for _, i := range indexTypes {
		for _, b := range widths {
			ks = append(ks,
				kernel{"", fmt.Sprintf("index_select_%s_%s", i, b), fmt.Sprintf("INDEX_SELECT(%s, %s)", i, b)},
				kernel{"", fmt.Sprintf("gather_%s_%s", i, b), fmt.Sprintf("GATHER(%s, %s)", i, b)})
		}
	}
	return ks
}

// sumTypes are the types with kernels that add element by element: hosts convert F16, BF16 and F8E4M3 to F32 and back.
var sumTypes = slices.Concat(Ints, []DType{F32, F64})

func maskKernels() []kernel {
	return append(bitsKernels("mask_select", "MASK_SELECT"), kernel{"", "mask_count", "MASK_COUNT()"},
		kernel{"", "mask_indices", "MASK_INDICES()"})
}

// MaskTile is the number of elements that share one count in the mask kernels.
const MaskTile = 4096

func topKernels() (ks []kernel) {
	for _, t := range Numbers {
		ks = append(ks, kernel{t.String(), symbol("topk", t), fmt.Sprintf("TOPK(%s)", t)})
	}
	return ks
}

// TopMost is the largest k of topk_T, TopTile the number of elements that it examines at once.
const (
	TopMost = 256
	TopTile = 4096
)

func sortKernels() (ks []kernel) {
	for _, t := range Numbers {
		ks = append(ks, kernel{t.String(), symbol("sort_tiles", t), fmt.Sprintf("SORT_TILES(%s)", t)})
		for _, n := range SortRows(t) {
			ks = append(ks, kernel{t.String(), fmt.Sprintf("sort_rows_x%d_%s", n, t),
				fmt.Sprintf("SORT_ROWS(%s, %d)", t, n)})
		}
		for _, step := range []string{"radix_count", "radix_scan", "radix_scatter"} {
			ks = append(ks, kernel{t.String(), symbol(step, t), fmt.Sprintf("%s(%s)", strings.ToUpper(step), t)})
		}
	}
	return ks
}

// SortTile is the number of elements that sort_tiles_T sorts at once.
const SortTile = 1024

// SortRows lists the numbers N of the kernels sort_rows_xN_T: rows of up to 256·N elements.
func SortRows(t DType) []int {
	if t.Size() == 8 {
		return []int{4, 16}
	}
	return []int{4, 16, 32}
}

// RadixTile is the number of elements of a row that a block of the radix kernels processes.
func RadixTile(t DType) int {
	if t.Size() == 8 {
		return 256 * 16
	}
	return 256 * 32
}

func searchKernels() (ks []kernel) {
	for _, t := range Numbers {
		ks = append(ks, kernel{"", symbol("searchsorted", t), fmt.Sprintf("SEARCHSORTED(%s)", t)})
	}
	return ks
}

func convKernels() []kernel {
	ks := bitsKernels("im2col", "IM2COL")
	for i := range ks {
		ks[i].part = "im2col"
	}
	for _, t := range Numbers {
		ks = append(ks, kernel{t.String(), symbol("depthwise", t), fmt.Sprintf("DEPTHWISE(%s)", t)})
		for _, taps := range DepthwiseTaps(t) {
			for _, step := range []int{1, 2} {
				ks = append(ks, kernel{t.String(), fmt.Sprintf("depthwise_%d_%d_%s", taps, step, t),
					fmt.Sprintf("DEPTHWISE_STRIPS(%d, %d, %s)", taps, step, t)})
			}
		}
	}
	return ks
}

// DepthwiseTaps are the K of the kernels depthwise_K_S_T: few for integers, which are not used in training.
func DepthwiseTaps(t DType) []int {
	if t.IsInt() {
		return []int{3}
	}
	return []int{3, 5, 7}
}

// DepthwiseStrip is the number of rows and columns of results that a thread of depthwise_K_S_T computes at a time, for
// taps × taps, the given stride, and images that are read in packs or not.
func DepthwiseStrip(t DType, taps, step int, packs bool) (rows, cols int) {
	rows, cols = 1, 4
	if t.Size() == 8 {
		cols = 2
	}
	switch {
	case taps == 3 && step == 1:
		rows = 4
		if packs && t.Size() == 2 {
			cols = 8
		}
	case taps == 3 || step == 1:
		rows = 2
	}
	return rows, cols
}

func poolKernels() []kernel {
	ks := bitsKernels("upsample_nearest", "UPSAMPLE_NEAREST")
	for _, t := range Floats {
		ks = append(ks,
			kernel{"", symbol("upsample_bilinear", t), fmt.Sprintf("UPSAMPLE_BILINEAR(%s)", t)},
			kernel{"", symbol("avg_pool2d", t), fmt.Sprintf("AVG_POOL2D(%s)", t)},
			kernel{"", symbol("avg_pool2d_gradient", t), fmt.Sprintf("AVG_POOL2D_GRADIENT(%s)", t)},
			kernel{"", symbol("max_pool2d_gradient", t), fmt.Sprintf("MAX_POOL2D_GRADIENT(%s)", t)})
	}
	for _, t := range Numbers {
		ks = append(ks,
			kernel{"", symbol("max_pool2d", t), fmt.Sprintf("MAX_POOL2D(%s)", t)},
			kernel{"", symbol("max_pool2d_first", t), fmt.Sprintf("MAX_POOL2D_FIRST(%s)", t)})
	}
	return ks
}

func normKernels() (ks []kernel) {
	for _, t := range Floats {
		ks = append(ks,
			kernel{t.String(), symbol("rms_norm", t), fmt.Sprintf("RMS_NORM(%s)", t)},
			kernel{t.String(), symbol("layer_norm", t), fmt.Sprintf("LAYER_NORM(%s)", t)},
			kernel{t.String(), symbol("add_rms_norm", t), fmt.Sprintf("ADD_RMS_NORM(%s)", t)},
			kernel{t.String(), symbol("rope", t), fmt.Sprintf("ROPE(%s)", t)})
		ks = append(ks, longRowKernels(t.String(), "rms_norm", t)...)
		ks = append(ks, longRowKernels(t.String(), "layer_norm", t)...)
		ks = append(ks, longRowKernels(t.String(), "add_rms_norm", t)...)
	}
	return ks
}

func lossKernels() (ks []kernel) {
	for _, t := range Floats {
		for _, name := range []string{"cross_entropy", "cross_entropy_total", "cross_entropy_gradient"} {
			ks = append(ks, kernel{t.String(), symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
		}
	}
	return ks
}

// NormGradient returns what is in the names of the kernels rms_norm_gradient_E_V_T and layer_norm_gradient_E_V_T for
// rows of cols elements, aligned to whole packs or not: the elements of a row in each thread, and those of a pack. It
// reports false for rows that are too long.
func NormGradient(t DType, cols int, packed bool) (each, pack int, ok bool) {
	for _, k := range normGradients(t) {
		if cols <= 256*k[0] && packed == (k[1] > 1) {
			return k[0], k[1], true
		}
	}
	return 0, 0, false
}

func normGradients(t DType) [][2]int {
	if t == F64 { // more elements would be too many registers
		return [][2]int{{8, RowPack(t)}, {8, 1}}
	}
	return [][2]int{{8, RowPack(t)}, {16, RowPack(t)}, {32, RowPack(t)}, {8, 1}, {16, 1}}
}

// RopePut is the by-value argument of rope_put_T: heads of queries, and of keys or values, of 2·Half elements, and
// the positions that a cache has room for.
type RopePut struct{ Queries, Groups, Half, Capacity, Interleaved uint64 }

func ropePutKernels() (ks []kernel) {
	for _, t := range []DType{F32, F16, BF16} {
		ks = append(ks, kernel{"", symbol("rope_put", t), fmt.Sprintf("ROPE_PUT(%s)", t)})
	}
	return ks
}

func slopeKernels() (ks []kernel) {
	for _, t := range Floats {
		for _, name := range []string{"rms_norm_gradient", "layer_norm_gradient"} {
			for _, k := range normGradients(t) {
				ks = append(ks, kernel{t.String(), fmt.Sprintf("%s_%d_%d_%s", name, k[0], k[1], t),
					fmt.Sprintf("%s(%s, %d, %d)", strings.ToUpper(name), t, k[0], k[1])})
			}
		}
		for _, name := range []string{"norm_parameters", "softmax_gradient", "logsoftmax_gradient",
			"silu_mul_gradient"} {
			ks = append(ks, kernel{t.String(), symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
		}
		for _, i := range indexTypes {
			ks = append(ks, kernel{t.String(), fmt.Sprintf("select_gradient_%s_%s", i, t),
				fmt.Sprintf("SELECT_GRADIENT(%s, %s)", i, t)})
		}
	}
	return ks
}

func channelKernels() (ks []kernel) {
	for _, t := range Floats {
		names := []string{"channel_sums", "channel_products"}
		if t == F32 || t == F64 {
			names = append(names, "channel_totals")
		}
		for _, name := range names {
			ks = append(ks, kernel{t.String(), symbol(name, t), fmt.Sprintf("%s(%s)", strings.ToUpper(name), t)})
		}
	}
	return ks
}

// longRowKernels are an op's kernels for dense rows of up to twice and four times HeldRow.
func longRowKernels(part, op string, t DType) (ks []kernel) {
	for _, x := range []int{2, 4} {
		ks = append(ks, kernel{part, fmt.Sprintf("%s_x%d_%s", op, x, t),
			fmt.Sprintf("%s_X(%s, %d)", strings.ToUpper(op), t, x)})
	}
	return ks
}

// HeldRow is the longest dense row that softmax and norms hold in registers and so read only once. Kernels named
// OP_x2_T and OP_x4_T hold twice and four times as many elements.
func HeldRow(t DType) int {
	if t == F64 {
		return 2048
	}
	return 4096
}

func symbol(op string, t DType) string { return op + "_" + t.String() }

// wide is the type of the parameters of an operation on t.
func wide(t DType) DType {
	if t.IsFloat() {
		return F64
	}
	return I64
}
