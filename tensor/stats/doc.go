// Package stats has covariances, histograms, counts, interpolation, integrals and derivatives, under the names of
// NumPy. Reductions are methods of tensor.Tensor: Std, Median, Quantile and so on.
//
//	x := dev.Randn(tensor.F32, 3, 1000) // three variables with 1000 observations
//	c := stats.Cov(x, 1)                                     // [3, 3]
//	counts, edges := stats.Histogram(x, 20, -3, 3)
//
// Functions compute on the device of their tensors. Mistakes panic with a *tensor.Error, as the methods of package
// tensor do. Cov, CorrCoef, Trapezoid, Gradient and Interp have gradients.
package stats
