// Package attention runs the kernels of attention and of its backward pass on GPUs (kernels/attention.hip,
// kernels/attention_backward.hip and kernels/paged.hip).
//
//	attention.go  which kernel a call takes, and the forward pass by tiles of queries
//	parts.go      few queries of many keys, which blocks share
//	paged.go      several sequences, whose keys and values lie in blocks
//	backward.go   the gradients
package attention
