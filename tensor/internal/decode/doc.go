// Package decode launches the kernels by which decoders read one token on a GPU: products of a matrix and a row with
// the norm before and the residual or the gate after them, and the rotation of heads on their way to the cache. There
// is one launch for what takes several of tensor's operations.
package decode
