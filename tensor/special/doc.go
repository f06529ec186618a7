// Package special has special functions under the names of scipy.special and torch.special, beside the methods of
// tensors: Erf, Erfc, Erfinv, Lgamma, Digamma, Trigamma, I0, I1, Sinc, Sigmoid, Softplus, LogSumExp and LogAddExp.
//
//	x := dev.Linspace(tensor.F64, 0.5, 4, 8)
//	special.GammaInc(3, x)  // the distribution function of a gamma variate of shape 3
//	special.BetaIncInv(2, 5, 0.95)
//
// Operands are tensors or Go numbers, which are broadcast. Functions compute in F64 on the device of the tensors and
// round once to the type of the result, that of the tensors together; integers give DefaultDType. GPUs run the same
// code as the host, which has vector instructions for the commonest functions: the last digits may differ. Numbers
// outside of the domain of a function give NaN, as in SciPy.
//
// # Accuracy
//
// Relative errors are at most 4e-15 where nothing else is said, beside those of rounding the operands. Incomplete
// functions have an absolute error of 2e-14 in their logarithm, of any probability, relative to that logarithm where it
// is larger than 1; tails do not lose digits. Probabilities next to 1 are complements.
//
// # Gradients
//
// All functions have gradients by x, p or q; the gamma and beta functions, XLogY, XLog1PY and the like by all operands.
// There are none by the parameters a and b of incomplete functions, nor by the order s of Zeta: Backward panics with
// ErrGradient when these depend on variables.
package special
