// Package special computes special functions of tensors that are not rows of the op table, for packages special and
// distributions: with the functions of packages vector and scalar on the host, and those of kernels/special.hip on
// GPUs.
//
// Its functions take and return F64, with operands that are broadcast, and have gradients. Where a function has no
// gradient by an operand, Backward panics with ErrGradient if that depends on a variable.
package special
