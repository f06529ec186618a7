package linalg

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// MatrixPower returns the n-th powers of square matrices a [… m m]; negative ones are powers of the inverses.
func MatrixPower(a *tensor.Tensor, n int) *tensor.Tensor {
	const op = "matrix_power"
	m := squareOf(op, a)
	if n < 0 {
		return MatrixPower(Inv(a), -n)
	}
	var power *tensor.Tensor
	for square := a; n > 0; n /= 2 {
		if n%2 == 1 && power == nil {
			power = square
		} else if n%2 == 1 {
			power = power.MatMul(square)
		}
		if n > 1 {
			square = square.MatMul(square)
		}
	}
	if power == nil {
		return m.eye(m.n).ToDType(a.DType())
	}
	return extend.Own(power, a)
}

// MatrixExp returns the exponentials of square matrices a [… n n], Σ aᵏ/k!, by scaling and squaring with Padé
// approximants of degree 13. Source: N. J. Higham, The scaling and squaring method for the matrix exponential revisited
// (2005).
func MatrixExp(a *tensor.Tensor) *tensor.Tensor {
	m := squareOf("matrix_exp", a)
	if m.x.ElemCount() == 0 {
		return m.x.ToDType(m.dt)
	}
	norm := tensor.ToScalar[float64](m.x.Detach().Abs().Sum(-2).Max().ToDType(tensor.F64))
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		extend.Fail(m.op, ErrConvergence, []*tensor.Tensor{a}, notes[ErrConvergence],
			"a matrix has elements that are not finite")
	}
	squarings := 0
	const within = 5.371920351148152 // the norm up to which degree 13 is exact in F64
	if norm > within {
		squarings = int(math.Ceil(math.Log2(norm / within)))
	}
	x := m.x.Mul(math.Pow(2, -float64(squarings)))
	y := pade13(x, m.eye(m.n))
	for range squarings {
		y = y.MatMul(y)
	}
	return y.ToDType(m.dt)
}

// pade13 is the quotient of the Padé approximant's polynomials, p(x)/p(-x).
func pade13(x, one *tensor.Tensor) *tensor.Tensor {
	b := [...]float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
		10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}
	for i := range b { // F32 does not hold the products
		b[i] /= 64764752532480000
	}
	x2 := x.MatMul(x)
	x4 := x2.MatMul(x2)
	x6 := x4.MatMul(x2)
	sum := func(c6, c4, c2, c0 float64) *tensor.Tensor {
		s := x6.Mul(c6).Add(x4.Mul(c4)).Add(x2.Mul(c2))
		if c0 != 0 {
			s = s.Add(one.Mul(c0))
		}
		return s
	}
	odd := x.MatMul(x6.MatMul(sum(b[13], b[11], b[9], 0)).Add(sum(b[7], b[5], b[3], b[1])))
	even := x6.MatMul(sum(b[12], b[10], b[8], 0)).Add(sum(b[6], b[4], b[2], b[0]))
	return Solve(even.Sub(odd), even.Add(odd))
}
