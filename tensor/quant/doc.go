// Package quant has ggml's block formats, in which the weights of language models are stored: a few bits for each element, and a
// scale for each block of them.
//
//	w := quant.Quantize(weights, quant.Q4K) // [rows cols], cols a multiple of 256
//	y := w.MatMul(x)                        // x·wᵀ, on the device of x
//	v := w.Dequantize(dev)                  // as an F32 tensor
//
// Blocks are laid out byte for byte as ggml does it, and those of the formats without K are also chosen as its reference code
// chooses them. The packed blocks stay on the host; products run on the device, on dequantized weights.
package quant
