// Package gpu computes Fourier transforms on GPUs.
//
//	tensors.go  transforms of tensors: Complex along dims, Forward and Backward for rows of real numbers
//	library.go  transforms by hipFFT or cuFFT, where there is one
//	blocks.go   lengths that a block has room for, and longer ones as matrices, with the kernels of fft.hip
//	chirp.go    lengths with large prime factors, by Bluestein's algorithm
//	tables.go   roots of unity in device memory, kept for the next transform
package gpu
