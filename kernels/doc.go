// Package kernels holds the op table and the device code that is rendered from it.
//
// One source serves AMD and NVIDIA: prelude.h has every difference between the platforms, one .hip file holds a family
// of kernels, and the rows of ops.go say which kernels a family has. Source(family) renders a complete translation unit
// (prelude, templates, one instantiation line per row and dtype) for hiprtc, NVRTC or clang; Object(family) returns the
// code object that clang-19 made of it for the emulated gfx1100, embedded in compressed form.
//
// # Names and arguments
//
// Kernel names are computed, never typed: the op, then its dtypes (floor_f32, cast_f32_bf16, where_u8_b32). bN stands for
// any type of N bits. Arguments are packed in the order given, each at its natural alignment. Pointers already contain the
// offset of their layout. Counts are u64. Every kernel works for any grid (grid-stride loops), with blocks of 256 threads
// in x unless the row says otherwise, and is told the wave width of no device.
//
//	unary    OP_T(in, out, Layout1, n)                    out dense
//	affine   affine_T(in, out, Layout1, n, mul, add)      mul, add: f64 for float types, i64 for integer types
//	powf, elu OP_T(in, out, Layout1, n, f64 param)
//	binary   OP_T(a, b, out, Layout2, n)
//	compare  OP_T(a, b, u8 *out, Layout2, n)              1 where true
//	where    where_C_bN(cond, t, f, out, Layout3, n)      C is u8, u32 or i64; layouts of cond, t, f
//	cast     cast_S_D(in, out, Layout1, n)
//	copy     copy_bN(in, out, Layout2, n)                 layouts of in and of out
//	fill     fill_bN(out, Layout1, n, u64 bits)           the low N bits are the value
//	arange   arange_T(out, n, start, step)                f64 for float types, i64 for integer types
//	random   rand_T(out, n, u64 seed, u64 counter, f64 lo, f64 hi), randn_T(… f64 mean, f64 std)
//	reduce   OP_T(in, out, Layout1, u64 rows, u64 cols)   dims permuted so that the last cols elements of each row are reduced;
//	                                                      argmin, argmax: u32 *out; one block per row at most
//	softmax  softmax_T, logsoftmax_T(in, out, u64 rows, u64 cols)   dense rows
//	matmul   matmul_T(a, b, c, MatMul)                    grid: x tiles of n, y tiles of m, z batch
//	index    index_select_I_bN(ids, in, out, u64 left, u64 size, u64 count, u64 right, u64 *fault)
//	                                                      I is u8, u32 or i64; in dense [left size right], out [left count right];
//	                                                      an id outside 0…size-1 stores 1+its position in *fault
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) makes rand and randn give the same
// numbers on every device: element i uses lane i%4 of counter+i/4 with the key seed.
package kernels
