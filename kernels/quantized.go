package kernels

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// TokenStage is a stage of token_T and token_F_T, in device memory; it mirrors struct TokenStage in token.h. Addresses
// are of device memory.
type TokenStage struct {
	Kind, Other     uint64
	W, Alpha, X     uint64
	Plus, Out       uint64
	Rows, Cols      uint64
	Row, Piece      uint64
	Turn, Tag, TagX uint64
	Next, PlusIs    uint64
	Eps             float64
}

// Kinds of stages, and of what they add.
const (
	TokenProduct, TokenGated, TokenAttention = 0, 1, 2

	PlusNone, PlusWords, PlusElements, PlusRow = 0, 1, 2, 3
)

// Token is the by-value argument of token_T and token_F_T; it mirrors struct Token in token.h. Addresses are of device
// memory.
type Token struct {
	Stages, Rows, Logits, Parts, Cos, Sin            uint64
	Count, Tag, Room, Slots, Slot, ID, Position, Dim uint64
	Queries, Groups, Half, Interleaved, Window, Most uint64
	Scale                                            float64
}

const (
	// TokenNormed is the longest row that has a norm in token_F_T.
	TokenNormed = 8192
	// TokenSize is the largest size of a head.
	TokenSize = 256
	// TokenPartsBytes is how many bytes of shared memory the codes of 64 elements take: struct TwoParts in token.hip.
	TokenPartsBytes = 2*BlockPartBytes + 16
	// TokenDensePiece is how many bytes of a row of a dense matrix come at once.
	TokenDensePiece = 1024
)

// TokenRing returns how many slots for pieces of two rows, of at most piece bytes each, a group of threads has where a
// row takes room bytes of shared memory, and the bytes of a slot.
func TokenRing(piece, room int) (slots, slot uint64) {
	const shared, groups, most = 224 << 10, 8, 12
	slot = uint64(2 * piece)
	return min(uint64(shared-2*room)/(groups*slot), most), slot
}

// TokenPiece is how many bytes come at once of a row of `bytes` bytes for cols elements, in blocks: those of 2,048
// elements, or of 1,024 where these are many and can be copied.
func TokenPiece(bytes, cols int) int {
	const many, access = 1152, 16
	n := 2048 * bytes / cols
	if n > many && n/2%access == 0 {
		n /= 2
	}
	return n
}

// TokenFormats are the block formats of token_F_T: of a matrix each, or q6k.
var TokenFormats = []string{"q4_0", "q8_0", "q4k", "q5k", "q6k"}

func tokenKernels() (ks []kernel) {
	for _, t := range []DType{F16, BF16} {
		ks = append(ks, kernel{"floats", symbol("token", t), fmt.Sprintf("TOKEN(%s)", t)})
	}
	for _, f := range TokenFormats {
		for _, t := range []DType{F16, BF16} {
			ks = append(ks, kernel{f, symbol("token_"+f, t), fmt.Sprintf("TOKEN_PACKED(%s, q6k, %s)", f, t)})
		}
	}
	return ks
}

func linearKernels() (ks []kernel) {
	for _, t := range []DType{F16, BF16} {
		ks = append(ks, kernel{"floats", symbol("linear", t), fmt.Sprintf("LINEAR(%s)", t)})
	}
	for _, f := range BlockFormats {
		ks = append(ks, kernel{f, "linear_" + f, fmt.Sprintf("LINEAR_PACKED(%s)", f)})
	}
	return ks
}

// BlockTile is the number of rows and columns that a block of matmul_F computes on GPUs of an architecture, such as
// gfx1100 or sm_90: 32 on matrix cores, 64 by dot products of four bytes.
func BlockTile(arch string) int {
	if number, ok := strings.CutPrefix(arch, "sm_"); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 80 {
			return 32
		}
		return 64
	}
	for _, family := range []string{"gfx908", "gfx90a", "gfx94", "gfx9-4", "gfx950", "gfx12"} {
		if strings.HasPrefix(arch, family) {
			return 32
		}
	}
	return 64
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

// BlockCodes says what parts of a block format have beside their codes, as in matmul_codes_S, and how many numbers that
// is for each part: those that unpack_F writes. It is "" for formats of which there is no unpack_F: parts of q2k have
// four numbers, for which threads lack registers.
func BlockCodes(format string) (has string, numbers int) {
	switch format {
	case "q4_1", "q5_1", "q4k", "q5k":
		return "low", 2
	case "q3k", "q6k":
		return "halves", 2
	case "q2k":
		return "", 0
	}
	return "scaled", 1
}

// CodesTile is the number of rows and columns that a block of matmul_codes_S computes.
const CodesTile = 128

func codesKernels() (ks []kernel) {
	ks = append(ks, kernel{"unpack", "unpack_rows", "UNPACK_ROWS()"})
	for _, f := range BlockFormats {
		if has, _ := BlockCodes(f); has != "" {
			ks = append(ks, kernel{"unpack", "unpack_" + f, fmt.Sprintf("UNPACK(%s)", f)})
		}
	}
	return append(ks,
		kernel{"matmul", "matmul_codes_scaled", "MATMUL_CODES(scaled, false, false)"},
		kernel{"matmul", "matmul_codes_low", "MATMUL_CODES(low, false, true)"},
		kernel{"matmul", "matmul_codes_halves", "MATMUL_CODES(halves, true, false)"})
}
