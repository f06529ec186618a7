package kernels

import (
	"fmt"
	"slices"
)

// BlockFormats are the block formats of quantized tensors that devices read, as spelled in kernel names.
var BlockFormats = []string{"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q8_1", "q2k", "q3k", "q4k", "q5k", "q6k", "q8k",
	"iq4_nl", "iq4_xs", "mxfp4"}

// blockTypes are the element types of unpacked blocks, of the other operand of products, and of their results.
var blockTypes = []DType{F32, F16, BF16}

// BlockProduct is the by-value argument of matvec1_F, matvec4_F, matvec8_F and matmul_F: Rows and Cols of the result,
// and the number of parts of 32 elements in a row; of 8 for matvec1_T and matvec4_T. Type is the result's, from
// BlockResult.
type BlockProduct struct{ Rows, Cols, Parts, Type uint64 }

// BlockResult returns the number of a result type of products of quantized tensors, and false for types to which hosts
// have to convert.
func BlockResult(t DType) (uint64, bool) {
	i := slices.Index(blockTypes, t)
	return uint64(max(i, 0)), i >= 0
}

// BlockPartBytes is the number of bytes that quantize_q8_0_T and quantize_q8k_T write for 32 elements: struct Part in
// quant.h.
const BlockPartBytes = 48

// Linear is the by-value argument of linear_T and linear_F: a product of a matrix of Cols columns and one row, with
// Rows results; a gated one has a matrix of twice as many rows. Type is that of all but the matrix, from BlockResult.
// Eps is that of the norm.
type Linear struct {
	Rows, Cols, Type, Gated uint64
	Eps                     float64
}

// LinearLongest is the longest row that linear_T and linear_F take.
const LinearLongest = 16384

func linearKernels() (ks []kernel) {
	for _, t := range []DType{F16, BF16} {
		ks = append(ks, kernel{"floats", symbol("linear", t), fmt.Sprintf("LINEAR(%s)", t)})
	}
	for _, f := range BlockFormats {
		ks = append(ks, kernel{f, "linear_" + f, fmt.Sprintf("LINEAR_PACKED(%s)", f)})
	}
	return ks
}

func quantKernels() (ks []kernel) {
	for _, t := range blockTypes {
		ks = append(ks,
			kernel{"parts", symbol("quantize_q8_0", t), fmt.Sprintf("QUANTIZE(q8_0, 4, %s)", t)},
			kernel{"parts", symbol("quantize_q8k", t), fmt.Sprintf("QUANTIZE(q8k, 32, %s)", t)})
	}
	for _, t := range []DType{F16, BF16} {
		ks = append(ks,
			kernel{"floats", symbol("matvec1", t), fmt.Sprintf("MATVEC_FLOATS(%s, 1)", t)},
			kernel{"floats", symbol("matvec4", t), fmt.Sprintf("MATVEC_FLOATS(%s, 4)", t)})
	}
	for _, f := range BlockFormats {
		for _, t := range blockTypes {
			ks = append(ks, kernel{f, symbol("dequantize_"+f, t), fmt.Sprintf("DEQUANTIZE(%s, %s)", f, t)})
		}
		ks = append(ks,
			kernel{f, "matvec1_" + f, fmt.Sprintf("MATVEC(%s, 1, 1)", f)},
			kernel{f, "matvec4_" + f, fmt.Sprintf("MATVEC(%s, 4, 1)", f)},
			kernel{f, "matvec8_" + f, fmt.Sprintf("MATVEC(%s, 8, 2)", f)},
			kernel{f, "matmul_" + f, fmt.Sprintf("MATMUL_BLOCKS(%s)", f)})
	}
	return ks
}
