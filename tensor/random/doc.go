// Package random has random number generators: independent, seedable and splittable, with the same numbers on every
// device. tensor.Rand and tensor.Randn use the default generator of a device.
//
//	g := random.New(42)
//	x := g.Normal(0, 1, []int{1000}, tensor.F32, dev)        // standard normal
//	dice := g.Integers(1, 7, []int{10}, tensor.I64, dev)     // 1 to 6
//	p := g.Permutation(5, dev)                               // 0 to 4 in random order
//	workers := g.Split(8)                                    // independent generators
//
// # Numbers
//
// The bits are those of Philox4x32-10 for the seed and a counter, which each call advances; package kernels and
// tensor/random/internal/sample say how numbers are made of them. A number depends on the seed, on the calls before,
// and on its position in the result, not on the device: integers, counts, gamma and truncated normal variates have
// the same bits everywhere, other floats agree within a few units in the last place.
//
// Parameters that are typed any are Go numbers, or tensors on the device of the result that are broadcast to its
// shape. Those outside of their domain are an ErrValue. To check the elements of a tensor the call waits for the
// device.
//
// # Gradients
//
// Uniform, Normal, LogNormal, MultivariateNormal, Exponential, Laplace, Cauchy, Gamma, Beta, ChiSquared, F, Dirichlet,
// StudentT, Weibull, Pareto, Logistic, Gumbel, Rayleigh and Triangular have gradients with respect to parameters that
// are tensors: those of rsample in PyTorch. Counts, booleans and indices have none.
//
// # Files
//
//	generator.go   Generator, and what its calls share
//	parameters.go  parameters
//	uniform.go     uniform numbers, integers, booleans
//	normal.go      normal variates and what is made of them
//	exponential.go exponential variates and what is made of them
//	gamma.go       gamma variates and what is made of them
//	inverse.go     variates of other distributions with elementary quantiles
//	counts.go      Poisson, binomial, hypergeometric, geometric and negative binomial variates
//	order.go       permutations, and choices from a population
//	sobol.go       Sobol sequences
package random
