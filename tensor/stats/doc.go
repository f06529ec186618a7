// Package stats has tests, correlations, covariances, quantiles, histograms, counts, interpolation, integrals and
// derivatives, under the names of scipy.stats and NumPy. Reductions are methods of tensor.Tensor: Std, Median and so
// on; package distributions has distributions.
//
//	x := dev.Randn(tensor.F32, 3, 1000) // three variables with 1000 observations
//	c := stats.Cov(x, 1)                                     // [3, 3]
//	counts, edges := stats.Histogram(x, 20, -3, 3)
//	t := stats.TTestInd(x.Get(0), x.Get(1), false, stats.TwoSided)
//	fmt.Println(t.Statistic, t.P)
//
// Functions compute on the device of their tensors. Mistakes panic with a *tensor.Error, as the methods of package
// tensor do. Cov, CorrCoef, Trapezoid, Gradient, Interp, Quantile, ZScore, Moment, Skew, Kurtosis, SEM and IQR have
// gradients. Tests compute in F64, and have none: they wait for the device and return Go numbers. NaN among the
// elements gives NaN.
//
//	counts.go covariance.go curves.go  histograms, covariances, integrals and the like
//	describe.go quantile.go            moments and quantiles
//	result.go                          what tests return
//	means.go ranks.go kolmogorov.go    tests of means, of ranks, of distributions
//	tables.go normality.go             tests of tables of counts, of normality
//	correlation.go                     correlations and lines
//	multiple.go bootstrap.go           probabilities of several tests, intervals by resampling
package stats
