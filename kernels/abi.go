package kernels

// MaxDims is the highest rank that a kernel accepts. Hosts merge adjacent dimensions before they launch.
const MaxDims = 8

// Flags of a layout argument.
const (
	// FlagContiguous: every operand is dense in row-major order, so the flat index is the offset.
	FlagContiguous = 1 << iota
	// FlagIndex32: the element count and every offset are below 2^31, so 32-bit index arithmetic is enough.
	FlagIndex32
)

// Layout1 is the by-value layout argument of a kernel with one strided operand; it mirrors struct Layout1 in prelude.h.
// Strides count elements; offsets are part of the pointers. Unused dims are 1, unused strides 0.
type Layout1 struct {
	Rank  int32
	Flags uint32
	Dims  [MaxDims]int64
	A     [MaxDims]int64
}

// Layout2 is Layout1 for two strided operands of the same dims.
type Layout2 struct {
	Rank  int32
	Flags uint32
	Dims  [MaxDims]int64
	A, B  [MaxDims]int64
}

// Layout3 is Layout1 for three strided operands of the same dims.
type Layout3 struct {
	Rank    int32
	Flags   uint32
	Dims    [MaxDims]int64
	A, B, C [MaxDims]int64
}

// MatMul is the by-value argument of matmul_T: C[b] = A[b] B[b] with A m×k, B k×n, C m×n, for b below Batch. Strides
// count elements: row and column of each matrix, and from one matrix of the batch to the next (0 repeats a matrix);
// devices take the latter for A and B from a Layout2, so that a batch may have several. C's columns are dense.
type MatMul struct {
	M, N, K, Batch   int64
	ARow, ACol, ABat int64
	BRow, BCol, BBat int64
	CRow, CBat       int64
}

// MatVec is the by-value argument of matvec_N_T and matvec_transposed_N_T: Vectors products of a matrix of Rows × Cols
// elements, for each of a Batch. 1 << Shift threads share a row, or a column; see matvec.hip.
type MatVec struct {
	Rows, Cols, Vectors, Batch  int64
	WRow, WCol, XVector, XStep  int64
	OutRow, OutVector, OutBatch int64
	Shift                       int64
}

// Attention is the by-value argument of attention_D_T and attention_parts_N_T: Heads/Groups heads share keys and
// values. Strides count elements, in the order batch, head or group, query or key, element; those of Mask batch, head,
// query, key.
type Attention struct {
	Heads, Groups, Queries, Keys, Size, ValueSize int64
	Q, K, V, Out, Mask                            [4]int64
	Batch, Window                                 int64 // Window: how many keys a causal query sees, 0 for all
	// Sharing: Heads/Groups; Part: how many keys a block takes, at least if Masked is 3; Parts: how many parts that
	// makes, at most
	Sharing, Part, Parts int64
	// Masked: 1 for bytes, where 1 hides a key, 2 for F32 that are added, 3 for the U32 index of the last key
	Causal, Masked       int32
	Scale, Softcap, Bend float32 // Bend: 2·Scale/Softcap·log₂e
	_                    int32
}

// AttentionBackward is the by-value argument of attention_dot_T, attention_keys_D_T and attention_queries_D_T: the
// attention, and the strides of the gradient of its result and of those of its operands.
type AttentionBackward struct {
	Of               Attention
	DOut, DQ, DK, DV [4]int64
}

// PagedAttention is the by-value argument of paged_attention_N_T: attention of a batch of sequences with at most so
// many queries and keys each. The strides of keys and values are those of blocks, groups, positions in a block and
// elements. Block tables are TableStep entries apart; blocks have 1 << BlockShift positions.
type PagedAttention struct {
	Of         Attention
	TableStep  int64
	BlockShift int32
	_          int32
}

// PagedAppend is the by-value argument of paged_append_bN: rows of keys and values for Tokens, with strides of tokens,
// groups and elements, and the pool that they go to, with strides of blocks, groups, positions in a block and elements.
type PagedAppend struct {
	Tokens, Groups, Size, ValueSize, BlockShift int64
	K, V                                        [3]int64
	Keys, Values                                [4]int64
}

// Scatter is the by-value argument of scatter_I_bN and scatter_add_I_T: Count ids along the dim, Size elements of the
// result, and the stride of each operand along it.
type Scatter struct {
	Count, Size               int64
	IDsStep, SrcStep, OutStep int64
}

// Window maps, along one dimension of an image, position o of the result and tap k of a convolution to an element:
// (o·OutStep + Offset + k·TapStep) / InStep, if that is an integer and below In.
type Window struct {
	In, Out, Taps                    int64
	OutStep, Offset, TapStep, InStep int64
}

// Conv is the by-value argument of im2col_bN, depthwise_T and depthwise_K_S_T: Planes images times channels of the
// input, and Multiplier results for each of the Channels.
type Conv struct {
	Planes, Multiplier, Channels int64
	Y, X                         Window
}

// Steps is the by-value argument with the strides of images between rows and between elements of a row; it accompanies
// a Layout1 of the first element of each image.
type Steps struct{ Row, Col int64 }

// Taps is the by-value argument of depthwise_T and depthwise_K_S_T with the strides between kernels, their rows, and
// the elements of a row.
type Taps struct{ Kernel, Row, Col int64 }

// Norm is the by-value argument of rms_norm_T and layer_norm_T: Rows of Cols elements with stride Step, and the
// strides of alpha and beta.
type Norm struct {
	Rows, Cols                int64
	Step, AlphaStep, BetaStep int64
	Eps                       float64
}

// CrossEntropy is the by-value argument of cross_entropy_T and cross_entropy_gradient_T: dense Rows of Classes logits,
// Step apart, and targets of TargetSize bytes, TargetStep apart. Rows whose target is Ignored do not count if Ignores
// is 1.
type CrossEntropy struct {
	Rows, Classes       int64
	Step, TargetStep    int64
	Ignored             int64
	Smoothing           float64
	TargetSize, Ignores int32
}

// RowGradient is the by-value argument of the kernels of slopes.hip: Rows of Cols elements, and for norms the Count of
// parts of the sums over rows, and Eps.
type RowGradient struct {
	Rows, Cols, Count int64
	Eps               float64
}

// Channels is the by-value argument of channel_sums_T and channel_products_T: Channels of Outer · Inner elements, of
// which the inner ones are adjacent, or, if Last is 1, the channels; and the Parts of a channel that have sums of their
// own.
type Channels struct{ Outer, Channels, Inner, Parts, Last int64 }

// Angles is the by-value argument of rope_T with the stride of a row's elements, and the strides of the cosines and
// sines between batches, positions and pairs.
type Angles struct {
	Step     int64
	Cos, Sin [3]int64
}

// Pool is the by-value argument of the kernels of pools: windows of KH × KW elements that are DH and DW apart, with
// strides SH and SW, over Planes of H × W. The first window begins PH rows and PW columns before the image; what of a
// window is outside counts for nothing, but a mean is divided by the number of elements in rows CountH[0] to
// CountH[1]-1 and columns CountW[0] to CountW[1]-1.
type Pool struct {
	Planes, H, W, OH, OW int64
	KH, KW, SH, SW       int64
	PH, PW, DH, DW       int64
	CountH, CountW       [2]int64
}

// NewPool returns the windows that lie within images of h × w, with elements side by side.
func NewPool(h, w, kh, kw, sh, sw int) Pool {
	return Pool{
		H: int64(h), W: int64(w), OH: int64((h-kh)/sh + 1), OW: int64((w-kw)/sw + 1),
		KH: int64(kh), KW: int64(kw), SH: int64(sh), SW: int64(sw), DH: 1, DW: 1,
		CountH: [2]int64{0, int64(h)}, CountW: [2]int64{0, int64(w)},
	}
}

// Plain reports whether p is a result of NewPool, but for Planes.
func (p Pool) Plain() bool {
	q := NewPool(int(p.H), int(p.W), int(p.KH), int(p.KW), int(p.SH), int(p.SW))
	q.Planes = p.Planes
	return p == q
}

// Resize is the by-value argument of upsample_nearest_bN and upsample_bilinear_T: Planes of H × W become OH × OW. The
// scales are the distances, in elements of the input, between adjacent elements of the result; Aligned is 1 to align
// the corners.
type Resize struct {
	Planes, H, W, OH, OW int64
	Aligned              int64
	ScaleH, ScaleW       float64
}

// Rope is the by-value argument of rope_T: Rows of 2·Half elements, of which row r is at position r/PerPosition mod
// Positions of batch r/PerBatch. BatchStep is the stride of the angles between batches on the host, 0 for shared
// angles. The elements of a pair are adjacent if Interleaved is 1, else half a row apart. The result is dense, or, if
// InPlace is 1, replaces the operand.
type Rope struct {
	Rows, Half, PerPosition, Positions, PerBatch, BatchStep, Interleaved, InPlace int64
}
