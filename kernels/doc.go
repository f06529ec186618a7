// Package kernels holds the op table and the device code that is rendered from it.
//
// AMD and NVIDIA share one source: prelude.h contains every difference between the platforms, a .hip file holds kernels
// of one kind, and the rows of ops.go list the kernels. Kernels that are compiled together form a family: those of a
// .hip file, or of one op in a file with many. Source(family) renders a complete translation unit (prelude,
// templates, one instantiation line per row and dtype) for hiprtc, NVRTC or clang; Object(family) returns the code
// object that clang-19 compiled from it for the emulated gfx1100, embedded in compressed form.
//
// # Names and arguments
//
// Kernel names are computed, never typed: the op, then its dtypes (floor_f32, cast_f32_bf16, where_u8_b32). bN stands
// for any type of N bits. Arguments are packed in the order given, each at its natural alignment. Pointers already
// contain the offset of their layout. Counts are u64. Every kernel works for any grid (grid-stride loops), with blocks
// of 256 threads in x unless the row says otherwise, and for any wave width.
//
//	unary    OP_T(in, out, Layout1, n)                    out dense
//	affine   affine_T(in, out, Layout1, n, mul, add)      mul, add: f64 for float types, i64 for integer types
//	param    OP_T(in, out, Layout1, n, f64 param)         powf, elu
//	binary   OP_T(a, b, out, Layout2, n)
//	compare  OP_T(a, b, u8 *out, Layout2, n)              1 where true
//	where    where_C_bN(cond, t, f, out, Layout3, n)      C is u8, u32 or i64; layouts of cond, t, f
//	cast     cast_S_D(in, out, Layout1, n)                S and D differ: copy_bN serves one type
//	copy     copy_bN(in, out, Layout2, n)                 layouts of in and of out
//	fuse     fused_OP_OP…: several of the above in sequence, optionally with a reduction last; rendered for each chain (Fused)
//	fill     fill_bN(out, Layout1, n, u64 bits)           the low N bits are the value
//	arange   arange_T(out, n, start, step)                f64 for float types, i64 for integer types
//	random   rand_T(out, n, u64 seed, u64 counter, u64* base, f64 lo, f64 hi), randn_T(… f64 mean, f64 std)
//	sample   integers_bN(out, n, seed, counter, u64 low, u64 range, u64 threshold), order_ties, gamma_T, gamma_slope_f64,
//	         poisson_T, binomial_T, truncated_normal_T, sobol_T   T is f32 or f64; arguments as in sample.hip
//	special  special_F(f64 *x, u64 step, … of each argument, f64 *out, n)   a step is 0 for one number, or 1
//	choose   penalize(f32 *logits, u32 *which, f32 *by, n, u64 cols), choose(f32 *logits, f32 *top, u32 *ids, f64 *rules, u32 *out,
//	         u64 rows, u64 cols, u64 k)                   tokens drawn from rows of logits; rules as in choose.hip
//	sparse   csr_matvec_T, csr_matmul_T, csr_sampled_T    T is f32, f64, c64 or c128; arguments as in sparse.hip
//	reduce   OP_T(in, out, parts, u32 *counters, Layout1, u64 rows, u64 cols, u64 part)
//	                                                      dims permuted so that the last cols elements of each row are reduced;
//	                                                      argmin, argmax: u32 *out; if part is below cols, rows are split into parts of that many
//	                                                      elements, which need ReduceState bytes each and zeroed counters
//	         OP_columns_T(the same)                       for reductions of columns: the last dim has cols elements, the one before at least 8 contiguous ones
//	softmax  softmax_T, logsoftmax_T(in, out, Layout2, u64 rows, u64 cols, i64 in_step, i64 out_step)
//	                                                      layouts of the first elements of the rows; in_step and out_step are the strides in them;
//	                                                      softmax_x2_T, softmax_x4_T and the like: dense rows of up to 2 and 4 HeldRow(T)
//	matmul   matmul_T(a, b, c, Layout2, MatMul)           layouts of the matrices of a and b; grid: x tiles of n, y tiles of m, z batch
//	matvec   matvec_N_T, matvec_transposed_N_T(w, x, out, Layout2, MatVec)        matrices with dense rows, or transposed ones with dense columns;
//	                                                      N of few vectors at a time; layouts of the matrices and of the vectors of a batch
//	attention attention_D_T(q, k, v, mask, out, f32 *state, Attention)   D is 64, 128 or 256, the largest head size; grid: x tiles
//	                                                      of 64 queries, of 128 with matrix cores, waves of 32 and D up to 128, y
//	                                                      batches times heads; on Hopper its launch attributes replace the caller's:
//	                                                      rocm/launch_attributes.go; state is null, or takes what the next ones need
//	         attention_parts_N_T, attention_strided_N_T(q, k, v, mask, out, f32 *sums, f32 *tops, u32 *counters, Attention)
//	                                                      for few queries; grid: x parts of the keys, y batches times groups, z rows by N;
//	                                                      parts: rows that can be loaded eight elements at a time
//	attention_backward  attention_dot_T(out, dout, f32 *state, AttentionBackward), then
//	         attention_keys_D_T(q, k, v, mask, dout, f32 *state, dk, dv, AttentionBackward) and
//	         attention_queries_D_T(q, k, v, mask, dout, f32 *state, dq, AttentionBackward)   grid: x tiles of 64 keys or queries,
//	                                                      y batches times groups or heads; attention_general_keys_D_T and
//	                                                      attention_general_queries_D_T for masks, caps and negative scales
//	paged    paged_attention_N_T, paged_strided_N_T(q, k, v, u32 *tables, u32 *cu_seqlens, u32 *seq_lens, out, f32 *sums,
//	         f32 *tops, u32 *counters, PagedAttention)    few queries of each of several sequences, whose keys lie in blocks;
//	                                                      grid: x parts of the keys, y sequences times groups, z rows by N
//	         paged_append_bN(k, v, u32 *slots, keys, values, PagedAppend)   rows of k and v into slots of blocks
//	index    index_select_I_bN(ids, in, out, i64 step, u64 left, u64 size, u64 count, u64 right, u64 *fault)
//	                                                      I is u8, u32 or i64, step the stride of ids; in dense [left size right], out
//	                                                      [left count right]; for ids outside 0…size-1, *fault is 1 + the position of the first
//	index    gather_I_bN(ids, in, out, Layout2, n, u64 size, i64 step, u64 *fault)
//	                                                      layouts of ids and of in, with stride 0 in the gathered dim; out dense
//	scatter  scatter_I_bN, scatter_add_I_T(ids, src, out, Layout3, u64 lines, Scatter, u64 *fault)
//	                                                      layouts without the dim, along which one thread walks
//	         scatter_mul_i64_T, scatter_maximum_i64_T, scatter_minimum_i64_T, and …_sorted_i64_T, are the same for other operations
//	         scatter_sorted_I_bN, scatter_add_sorted_I_T(ids, u32 *from, src, out, Layout2, u64 lines, Scatter, u64 *fault)
//	                                                      ids sorted along the dim, and their original positions; one thread for each output element
//	mask     mask_count(u8 *mask, i64 *counts, Layout1, n)    the number of nonzero elements in each tile of MaskTile elements
//	         mask_select_bN(u8 *mask, in, i64 *ends, out, Layout2, n), mask_indices(u8 *mask, i64 *ends, u32 *out, Layout1, Layout1 dims, n)
//	                                                      ends are the inclusive prefix sums of the counts; layouts of mask and in; out dense
//	sort     sort_tiles_T(in, values, u32 *ids, Layout1, i64 step, u64 rows, u64 cols, u64 run, u64 keep, u64 descending)
//	                                                      layout of the first elements of the rows; results dense, the first `keep`
//	                                                      elements of each row; run, a power of two up to 1024, is at least cols
//	         sort_rows_xN_T(in, values, u32 *ids, Layout1, i64 step, u64 rows, u64 cols, u64 descending)
//	                                                      rows of up to 256·N elements, for the N of SortRows(T)
//	         radix_count_T, radix_scan_T, radix_scatter_T(in, values, u32 *ids, Layout1, i64 step, u64 rows, u64 cols,
//	                                                      keys, u32 *places, u32 *counts, u32 *totals, u64 *differs, u64 pass,
//	                                                      u64 passes, u64 descending): one of `passes` passes over rows of any
//	                                                      length, by eight bits of the keys, the lowest first; keys and places are as
//	                                                      large as values and ids, counts has 256 numbers for each RadixTile(T)
//	                                                      elements of a row, totals for each row, differs one for each byte of a key, zeroed
//	topk     topk_T(in, values, u32 *ids, u32 *from, Layout1, i64 step, u64 rows, u64 cols, u64 each, u64 keep, u64 descending)
//	                                                      the first `keep`, at most TopMost, of each part of `each` elements of each row,
//	                                                      and their indices in the row, or the values of from there; grid: x parts, y rows
//	scan     OP_T(in, out, Layout1, u64 rows, u64 cols)   for the rows of Scans: the last cols elements are a row; out dense, u32 for cummax and cummin
//	         OP_tiles_T(in, out, Layout1, u64 rows, u64 cols, u64 *turn, u64 *state)   the same for long rows: a block for each ScanOp.Tile(T)
//	                                                      elements of a row; state is ScanOp.TilesState(T, …) bytes, zeroed or left by the previous launch
//	search   searchsorted_T(sorted, values, u32 *out, u64 n, u64 size, u64 each, u64 right)   dense; sorted rows of `size` elements, `each` values a row
//	conv     im2col_bN(in, cols, Layout1, Steps, Conv), depthwise_T(in, weight, out, Layout1, Steps, Conv, Taps)
//	         depthwise_K_S_T(the same)                    for K × K taps and stride S: 3, 5 or 7 and 1 or 2; see conv.hip for the convolutions
//	pool     avg_pool2d_T, max_pool2d_T, max_pool2d_first_T(in, out, Layout1, Steps, Pool)
//	         avg_pool2d_gradient_T(g, out, Pool), max_pool2d_gradient_T(g, first, out, Pool)
//	         upsample_nearest_bN, upsample_bilinear_T(in, out, Layout1, Steps, Resize)
//	                                                      layout of the first elements of the images of in; results dense
//	norm     rms_norm_T(in, alpha, out, Layout1, Norm), layer_norm_T(in, alpha, beta, out, Layout1, Norm)
//	         rope_T(in, cos, sin, out, Layout1, Angles, Rope)
//	                                                      layout of the first elements of the rows of in; results dense;
//	                                                      rms_norm_x2_T and the like as for softmax
//	rope_put rope_put_T(heads, cos, sin, u32 *place, cache, RopePut)   a token's heads, keys and values to a cache
//	loss     cross_entropy_T, cross_entropy_total_T, cross_entropy_gradient_T: rows of logits and the numbers of their
//	                                                      classes; arguments as in loss.hip
//	slopes   rms_norm_gradient_E_V_T, layer_norm_gradient_E_V_T, norm_parameters_T, softmax_gradient_T,
//	         logsoftmax_gradient_T, select_gradient_I_T, silu_mul_gradient_T
//	                                                      gradients of operations on dense rows; arguments as in slopes.hip
//	channels channel_sums_T, channel_products_T, channel_totals_C   sums over the elements of channels; arguments as in
//	                                                      channels.hip
//	quant    dequantize_F_T(packed, out, u64 parts), quantize_q8_0_T, quantize_q8k_T(in, Part *out, u64 parts)
//	                                                      F is a block format; parts have 32 elements
//	         matvec1_F, matvec4_F, matvec8_F, matmul_F(packed, Part *x, f32 *out, BlockProduct)   out = x·packedᵀ; dense; a block of matmul_F
//	                                                      computes BlockTile(arch) rows and columns
//	         matvec1_T, matvec4_T(w, f32 *x, f32 *out, BlockProduct)                   T is f16 or bf16
//	codes    unpack_F(packed, u8 *codes, f32 *scales, u64 rows, u64 parts), unpack_rows(Part *x, …)   a byte for each element
//	         matmul_codes_S(codes, scales, codes of x, scales of x, out, BlockProduct)   a block computes CodesTile rows and
//	                                                      columns; S is the first result of BlockCodes
//	linear   linear_T, linear_F(w, x, alpha, plus, out, Linear)   one row x: out = w·rms_norm(x) + plus, or gated;
//	                                                      arguments as in linear.h; T is f16 or bf16, F a block format
//	factor   lu_W_T(in, lu, i32 *pivots, i32 *info, u32 m, u32 n, Spread, work), cholesky_W_T(in, l, i32 *info, u32 n, …),
//	         qr_W_T(in, q, r, u32 m, u32 n, u32 columns, …)   dense batches [batch m n]; T is f32, f64, c64 or c128; W says
//	                                                      where the matrices lie: groups of 32 threads or a block have one
//	                                                      each in shared memory, or a block has one in memory, in work
//	         lu_rows_T(as lu_groups_T)                    up to 32 rows and columns of f32 or f64
//	         lu_order(i32 *pivots, i64 *order, i64 *inverse, u64 batch, u32 m, u32 k)   the permutations of k exchanges of m
//	                                                      rows; a thread for each row
//	         triangular_wide_T, triangular_narrow_T(t, b, x, u64 batch, u32 n, u32 k, u32 flags)   a thread, or 32, have one
//	                                                      of the k right-hand sides
//	         clear_triangle_T(x, u64 elements, u32 m, u32 n, u32 above)   above or below the diagonals of dense matrices
//	         not_finite_T(in, i32 *flags, u64 batch, u32 m, u32 n, u32 lower)   to 1 for matrices with infinities or NaN
//	jacobi   svd_W_T(in, u, values, vh, i32 *info, u32 m, u32 n, u32 full, Spread, work),
//	         eigh_W_T(in, v, values, i32 *info, u32 n, …)   as those of factor; without vectors their pointers are null
//	fft      fft_T(in, out, roots, low, high, FFT)         n complex numbers of a transform, at most FFTRoom(T), in a block; the tables
//	                                                      are roots of unity: n of them, and for a dim by which results turn those of a larger order
//	         fft_weigh_T(in, weights, out, u64 rows, u64 from, u64 to, f64 scale, u64 conj), fft_whole_T(in, out, u64 rows, u64 n),
//	         fft_real_T, fft_half_T(in, low, high, out, u64 rows, u64 h, u64 shift)   steps for other lengths and for real numbers; dense
//	optim    adamw_T, sgd_T, rmsprop_T, adagrad_T, grad_scale_T, grad_norm_T(Tensors, …), grad_control(…)   arguments as in optim.hip;
//	                                                      Tensors is a table of up to OptimTensors dense tensors, a block has
//	                                                      OptimChunk elements of one at a time
//
// The first column is the .hip file. FamilyOf gives the family of a kernel name.
//
// # Results
//
// F16, BF16 and F8E4M3 are storage types: arithmetic is in F32, and results are rounded to nearest even. F8E4M3 has no
// infinities: values beyond ±448 saturate, infinities too, and NaN is 0x7f. Products and sums are rounded one by one
// (no contraction to fma) except where fma is written explicitly, so that compilers agree. Integer arithmetic wraps;
// division of an integer by zero gives 0. Casts from float to integer truncate and saturate; NaN becomes 0. Between
// integers they keep the low bits; to floats they round once. The rows of ops.go state the tolerances.
//
// Sums of F32 are computed in F64, sums of F16, BF16 and F8E4M3 in F32, in an order that depends on shape and layout
// alone; products of F32 in F64. NaN propagates through max, min, argmax, argmin, maximum and minimum; of equal
// elements argmax and argmin take the first, cummax and cummin the last. Softmax subtracts the maximum of its row.
// Softmax and norms add the elements in a thread's registers pairwise, and longer rows with Kahan's compensation, in
// the type that they compute in. So do gradients of rows; gradients of the parameters of norms are sums over up to 256
// groups of rows, which are then added. Losses of rows are added in F64. Sorting is stable, with NaN last in both
// directions. Matmul accumulates with fma, F16, BF16 and F8E4M3 in F32, on matrix cores where the GPU has them;
// integers are added modulo 2^32, I64 modulo 2^64, and results keep the low bits.
//
// # Random numbers
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) makes rand and randn give the same
// numbers on every device: element i uses lane i%4 of counter+i/4 with the key seed. F64 takes its lower bits from the
// same lane of counter+i/4+2^64. Uniform4 and Normal4 implement the same in Go, and their docs give the mapping from
// bits to values; randn agrees within a few units in the last place, rand in every bit. Integers, and variates that are
// found by rejection, are those of package tensor/random/internal/sample, in every bit.
//
// # Functions
//
// exp, log, sin, cos, tanh, erf and pow are our own (math32.h, math64.h, angle.h, math.h): no device library is needed,
// and AMD GPUs, the emulated one and clang for NVIDIA compute the same bits. With NVRTC its own functions are used.
package kernels
