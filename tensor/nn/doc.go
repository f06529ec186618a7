// Package nn has the functions of neural networks, under the names that candle-nn gives them. Each takes a tensor first and
// returns a new one on the same device; mistakes panic with a *tensor.Error, as the methods of package tensor do.
//
//	x = nn.RmsNorm(x, weight, 1e-5)
//	q, k = nn.Rope(q, cos, sin), nn.Rope(k, cos, sin)
//	p := nn.SoftmaxLastDim(q.MatMul(k.T()))
//
// F16, BF16 and F8E4M3 are computed in F32 and rounded at the end. Optimizers change variables (tensor.NewVar) by their gradients.
package nn
