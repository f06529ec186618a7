package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Complex computes in complex128, and rounds a complex64 once.
func (Backend) Complex(op *kernels.ComplexOp, operands ...backend.Operand) (backend.Storage, error) {
	defer timed(op.Name, operands[0].DType, sizeFor(operands[0], operands[0].DType), operands...)()
	if operands[0].DType == kernels.C64 {
		return complexRows[complex64](op, operands), nil
	}
	return complexRows[complex128](op, operands), nil
}

func complexRows[C complex64 | complex128](op *kernels.ComplexOp, operands []backend.Operand) backend.Storage {
	switch {
	case op.Binary == nil:
		return mapElems(operands[0], func(out, x []C) {
			for i, v := range x[:len(out)] {
				out[i] = C(op.Unary(complex128(v)))
			}
		})
	case op.Name == "mul":
		return zipElems(operands[0], operands[1], multiplyRow[C])
	}
	return zipElems(operands[0], operands[1], func(out, x, y []C) {
		y = y[:len(out)]
		for i, v := range x[:len(out)] {
			out[i] = C(op.Binary(complex128(v), complex128(y[i])))
		}
	})
}

// multiplyRow is the reference of mul, without a call for each element. The conversions keep a compiler from fusing a
// product and a sum.
func multiplyRow[C complex64 | complex128](out, x, y []C) {
	y = y[:len(out)]
	for i, v := range x[:len(out)] {
		a, b := complex128(v), complex128(y[i])
		out[i] = C(complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)),
			float64(real(a)*imag(b))+float64(imag(a)*real(b))))
	}
}
