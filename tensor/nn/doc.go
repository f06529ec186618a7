// Package nn has the parts of neural networks: functions under the names of candle-nn, layers with named parameters,
// attention, caches, losses, optimizers and samplers. Functions take a tensor first and return a new
// one on the same device; mistakes panic with a *tensor.Error, as the methods of package tensor do.
//
//	p := nn.NewParams(tensor.F32, dev)                     // or nn.OpenParams("model.safetensors", …)
//	first := nn.NewLinear(784, 128, p.At("first"))
//	y := first.Forward(x).Silu()
//	a := nn.Attention(q, k, v, nn.Attend{Causal: true})
//	nn.BackwardStep(nn.NewAdamW(p.Vars(), nn.DefaultAdamW()), nn.CrossEntropy(y, labels)) // or nn.TrainStep, nn.NewTrainer
//	z := nn.MaxPool(nn.Conv(x, kernel, bias, nn.ConvOptions{Same: true}), []int{2, 2}, nn.PoolOptions{})
//
// Conv, ConvTranspose, the pools, Interpolate, GridSample, Unfold and Fold are of signals [batch channels n], images
// and volumes, with options for each dim: see docs/convolutions.md.
//
// F16, BF16 and F8E4M3 are computed in F32 and rounded at the end. Optimizers change variables (tensor.NewVar) by their
// gradients, in place and on a GPU in a few launches for all of them (package internal/optim).
package nn
