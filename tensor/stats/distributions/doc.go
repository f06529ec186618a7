// Package distributions has probability distributions: densities, distribution functions, quantiles, moments, entropies
// and random variates, on every device, as scipy.stats and torch.distributions have them.
//
//	d := distributions.Gamma(2, 3)                 // shape 2, scale 3
//	d.CDF(x)                                       // of each element of a tensor, or of a Go number
//	d.Quantile(0.95)
//	d.Sample([]int{1000}, random.New(1))
//	loss := distributions.Normal(mean, deviation).LogProb(y).Sum().Neg() // gradients by mean and deviation
//
// Parameters are Go numbers or tensors, which are broadcast; those outside of their domain are an ErrValue that names
// the parameter and the number. To check the elements of a tensor a constructor waits for the device. Parameters have
// the names and the meaning of package random: scales and not rates, probabilities of success, and counts of failures.
//
// Results are on the device of the tensors, in their type together; of Go numbers alone on DefaultDevice with
// DefaultDType. A number outside of the support has the probability 0, and the logarithm minus infinity. Densities and
// distribution functions that need special functions compute in F64 and round once. Survival is not 1 - CDF: it has
// full relative precision in the upper tail, as CDF has in the lower one, and Upper is its inverse.
//
// # Gradients
//
// LogProb, Prob, Mean, Variance, Entropy and KL have gradients by the values and by all parameters. CDF, Survival and
// Quantile have those that are elementary, and of gamma and beta distributions (with chi-square, Student's t, F,
// Poisson and the like) those by the values, but not by the shape parameters. Sample has the gradients of torch's
// rsample.
//
//	distribution.go  Distribution and its methods
//	family.go        what a family of distributions defines
//	normal.go …      families
//	counts.go        discrete ones
//	vectors.go       distributions of vectors and of categories
//	divergence.go    KL
package distributions
