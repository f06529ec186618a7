package kernels

import (
	"fmt"
	"slices"
)

// BlockFormats are the block formats of quantized tensors that devices read, as kernel names have them.
var BlockFormats = []string{"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q8_1", "q2k", "q3k", "q4k", "q5k", "q6k", "q8k",
	"iq4_nl", "iq4_xs", "mxfp4"}

// blockTypes are the element types to which blocks are unpacked, of what products take beside them, and of what they
// give.
var blockTypes = []DType{F32, F16, BF16}

// BlockProduct is the by-value argument of matvec1_F, matvec4_F and matmul_F: Rows and Cols of the result, and how many
// parts of 32 elements a row has; of 8 for matvec1_T and matvec4_T. Type is that of the result, from BlockResult.
type BlockProduct struct{ Rows, Cols, Parts, Type uint64 }

// BlockResult returns the number of an element type that products of quantized tensors give, and false for others,
// which hosts convert to.
func BlockResult(t DType) (uint64, bool) {
	i := slices.Index(blockTypes, t)
	return uint64(max(i, 0)), i >= 0
}

// BlockPartBytes is how much memory quantize_q8_0_T and quantize_q8k_T write for 32 elements: struct Part in quant.h.
const BlockPartBytes = 48

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
			kernel{f, "matvec1_" + f, fmt.Sprintf("MATVEC(%s, 1)", f)},
			kernel{f, "matvec4_" + f, fmt.Sprintf("MATVEC(%s, 4)", f)},
			kernel{f, "matmul_" + f, fmt.Sprintf("MATMUL_BLOCKS(%s)", f)})
	}
	return ks
}
