package optimize

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// Loss is what LeastSquares sums instead of the squares z of residuals, so that few large residuals, outliers, do not
// determine the result.
type Loss int

// The losses ρ(z).
const (
	Linear Loss = iota // z: least squares
	SoftL1             // 2·(√(1+z) - 1), a smooth absolute value
	Huber              // z up to 1, then 2·√z - 1
	Cauchy             // log(1+z)
	Arctan             // atan(z), which bounds what a residual adds
)

func (l Loss) String() string {
	names := [...]string{"Linear", "SoftL1", "Huber", "Cauchy", "Arctan"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Loss(%d)", int(l))
	}
	return names[l]
}

// of returns ρ(z) and its first two derivatives, for each element of z; nil for those of Linear, which are 1 and 0.
func (l Loss) of(z *tensor.Tensor) (rho, first, second *tensor.Tensor) {
	switch l {
	case SoftL1:
		t := z.Add(1).Sqrt()
		return z.Mul(2).Div(t.Add(1)), t.Recip(), t.Powf(-3).Mul(-0.5)
	case Huber:
		large, t := z.Gt(1), z.Maximum(1).Sqrt()
		return large.WhereCond(t.Affine(2, -1), z), t.Recip(), large.WhereCond(t.Powf(-3).Mul(-0.5), 0)
	case Cauchy:
		first := z.Add(1).Recip()
		return z.Log1p(), first, first.Sqr().Neg()
	case Arctan:
		first := z.Sqr().Add(1).Recip()
		return z.Atan(), first, z.Mul(first.Sqr()).Mul(-2)
	}
	return z, nil, nil
}
