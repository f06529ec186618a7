package devicetest

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// complexGradientCases go through complex numbers from real operands to a real result, so that differences of the real
// ones check the gradients of complex operations.
func complexGradientCases() (list []typeCase) {
	add := func(name string, run func(z, w *tensor.Tensor) *tensor.Tensor) {
		list = append(list, typeCase{name: "complex " + name, run: func(o operands) *tensor.Tensor {
			z := tensor.Complex(o.x(2, 3).Mul(0.25), o.y(2, 3).Mul(0.25))
			w := tensor.Complex(o.y(3).Mul(0.5), o.x(3).Mul(-0.25))
			y := run(z, w)
			if !y.DType().IsComplex() {
				return y
			}
			return y.Real().Mul(0.75).Add(y.Imag())
		}})
	}
	for _, op := range kernels.Unary {
		if c := kernels.ComplexOps; op.Name != "sign" && isIn(c, op.Name) {
			add(op.Method, func(z, _ *tensor.Tensor) *tensor.Tensor { return call(z, op.Method) })
		}
	}
	for _, op := range kernels.Binary {
		if isIn(kernels.ComplexOps, op.Name) {
			add(op.Method, func(z, w *tensor.Tensor) *tensor.Tensor { return call(z, op.Method, w) })
		}
	}
	add("Abs", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Abs() })
	add("Angle", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Angle() })
	add("Conj and H", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Conj().Mul(w).H() })
	add("Neg, Add and Sub", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Neg().Add(w).Sub(z.Mul(2i)) })
	add("Powf", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Powf(1.5) })
	add("Sqr and a number on the right", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Sqr().Div(3 - 1i) })
	add("MatMul", func(z, w *tensor.Tensor) *tensor.Tensor { return z.MatMul(z.H()).MatMul(z).MatMul(w) })
	add("Sum and Mean", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Sum(0).Mul(w).Mean() })
	add("Prod and Var", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Prod(1).Mul(z.Var(1)) })
	add("Log2 and Log10", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Log2().Mul(w.Log10()) })
	add("Rsqrt and Sigmoid", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Rsqrt().Mul(w.Sigmoid()) })
	add("CumSum", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.CumSum(1).Sqr() })
	add("CumProd", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.CumProd(1) })
	add("Acosh left of 0", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Mul(-1 + 0.5i).Acosh() })
	add("WhereCond", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Real().Gt(0.6).WhereCond(z, w).Exp() })
	add("MaskedSelect", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.Sqr().MaskedSelect(z.Real().Gt(0.6)) })
	add("Gather and IndexAdd", func(z, w *tensor.Tensor) *tensor.Tensor {
		return z.IndexAdd(idsOn(z, 1, 1), z.IndexSelect(idsOn(z, 1, 0), 0).Mul(w), 0)
	})
	add("a real factor", func(z, w *tensor.Tensor) *tensor.Tensor { return z.Mul(w.Real()).Sqr() })
	add("ViewAsReal", func(z, _ *tensor.Tensor) *tensor.Tensor { return z.ViewAsReal().Sqr() })
	add("Polar", func(z, _ *tensor.Tensor) *tensor.Tensor { return tensor.Polar(z.Real(), z.Imag()).Sqr() })
	return list
}

func isIn(ops []kernels.ComplexOp, name string) bool {
	for _, op := range ops {
		if op.Name == name {
			return true
		}
	}
	return false
}
