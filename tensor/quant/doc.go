// Package quant implements ggml's block formats, in which the weights of language models are stored: a few bits for
// each element, and a scale for each block of them.
//
//	w := quant.Quantize(weights, quant.Q4K) // [rows cols], cols a multiple of 256
//	y := w.MatMul(x)                        // x·wᵀ, on the device of both
//	v := w.Dequantize(dev)                  // as an F32 tensor
//
// Blocks are laid out byte for byte as ggml does it, and those of the formats without K are also chosen as its
// reference code chooses them. A QTensor stays packed on one device, where products read the packed blocks; To moves
// it.
//
//	err := formats.WriteGGUF("tiny.gguf", []formats.Packed{{Name: "blk.0.weight", Tensor: w}}, nil)
//
// Mistakes panic with a *tensor.Error, as those of package tensor do; invalid bytes and names are error
// results.
package quant
