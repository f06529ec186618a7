// Package gradients launches the kernels of training on GPUs, which read and write their tensors once: losses, and the
// gradients of operations on rows. Operands are dense unless a function says otherwise, and in memory. Callers compose
// operations where a function reports that it has no kernel, and where gradients have gradients.
//
//	launch.go         arguments and grids
//	cross_entropy.go  kernels/loss.hip
//	norm.go           kernels/slopes.hip: gradients of RmsNorm and LayerNorm
//	softmax.go        of Softmax and LogSoftmax
//	silu_mul.go       of SiluMul
//	pool.go           kernels/pool.hip: of pools
//	select.go         of IndexSelect, as in embeddings
//	channels.go       kernels/channels.hip: sums over channels, for norms of batches
package gradients
