package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// complexUnary computes an operation on complex elements.
func (t *Tensor) complexUnary(name string) (*Tensor, error) {
	switch name {
	case "neg":
		return asComplex(t.asReal().unary(name))
	case "sqr":
		return t.complexBinary("mul", t)
	case "abs":
		return t.Real().binary("hypot", t.Imag())
	}
	if y, err := Try(func() *Tensor { return t.complexSteps(name) }); y != nil || err != nil {
		return y, err
	}
	op := backend.ComplexOps[name]
	if op == nil {
		return nil, t.notComplex(name, backend.UnaryOps[name].On)
	}
	y, err := t.complexResult(op, t)
	if err == nil && tracked(t) {
		switch name {
		case "conj":
			y.by(name, via{t, (*Tensor).Conj})
		case "sign":
			y.by(name, via{t, func(g *Tensor) *Tensor { return signGradient(t.plain(), y.plain(), g) }})
		default:
			y.by(name, conjugated(formulaVias(name, y, named{"x", t}))...)
		}
	}
	return y, err
}

// signGradient is the gradient of the sign s of complex x: the part of g at a right angle to x, divided by |x|; 0 at 0.
func signGradient(x, s, g *Tensor) *Tensor {
	size := x.Abs()
	zero := size.Eq(0)
	across := g.Sub(s.Mul(g.Mul(s.Conj()).Real()))
	return zero.WhereCond(0, across.Div(zero.WhereCond(1, size)))
}

// complexSteps computes functions that are made of others; it returns nil for the rest.
func (t *Tensor) complexSteps(name string) *Tensor {
	switch name {
	case "log2":
		return must(asComplex(t.Log().asReal().binary("mul", math.Log2E))) // of the parts: infinity·0 is NaN
	case "log10":
		return must(asComplex(t.Log().asReal().binary("mul", math.Log10E)))
	case "rsqrt":
		return t.Sqrt().Recip()
	case "sigmoid":
		return t.Neg().Exp().Add(1).Recip()
	}
	return nil
}

// complexBinary computes an operation on complex operands of one type and shape.
func (t *Tensor) complexBinary(name string, y *Tensor) (*Tensor, error) {
	if name == "add" || name == "sub" {
		return asComplex(t.asReal().binary(name, y.asReal()))
	}
	op := backend.ComplexOps[name]
	if op == nil {
		return nil, t.notComplex(name, backend.BinaryOps[name].On)
	}
	out, err := t.complexResult(op, t, y)
	if err == nil && tracked(t, y) {
		out.by(name, conjugated(formulaVias(name, out, named{"a", t}, named{"b", y}))...)
	}
	return out, err
}

func (t *Tensor) complexResult(op *kernels.ComplexOp, operands ...*Tensor) (*Tensor, error) {
	return t.result(op.Name, t.dtype, func() (backend.Storage, error) {
		in := make([]backend.Operand, len(operands))
		for i, x := range operands {
			in[i] = x.operand()
		}
		return t.dev.backend.Complex(op, in...)
	})
}

// conjugated makes the gradients of real functions, products of g with a derivative, those of holomorphic functions:
// products with the conjugate of the derivative.
func conjugated(vias []via) []via {
	for i, v := range vias {
		vias[i].back = func(g *Tensor) *Tensor { return v.back(g.Conj()).Conj() }
	}
	return vias
}

// complexCompare compares complex operands of one type and shape. Only equality is defined.
func (t *Tensor) complexCompare(name string, y *Tensor) (*Tensor, error) {
	if name != "eq" && name != "ne" {
		return nil, t.notComplex(name, kernels.All)
	}
	join := map[string]string{"eq": "bitand", "ne": "bitor"}[name]
	return Try(func() *Tensor {
		x, y := t.plain(), y.plain()
		return must(must(x.Real().compare(name, y.Real())).binary(join, must(x.Imag().compare(name, y.Imag()))))
	})
}

// complexReduce folds resolved dims of complex elements.
func (t *Tensor) complexReduce(name string, dims []int, keep bool) (*Tensor, error) {
	switch name {
	case "sum", "mean":
		return asComplex(t.asReal().reduce(name, dims, keep))
	case "any", "all":
		truth, err := t.truth(name)
		if err != nil {
			return nil, err
		}
		return truth.reduce(name, dims, keep)
	case "prod":
		return Try(func() *Tensor { return t.complexProduct(dims, keep) })
	}
	return nil, t.notComplex(name, backend.ReduceOps[name].On)
}

// complexProduct multiplies halves until one element is left.
func (t *Tensor) complexProduct(dims []int, keep bool) *Tensor {
	var order, sizes, shape []int
	n := 1
	for d, size := range t.layout.Shape {
		switch {
		case !slices.Contains(dims, d):
			order, sizes, shape = append(order, d), append(sizes, size), append(shape, size)
			continue
		case keep:
			shape = append(shape, 1)
		}
		n *= size
	}
	if n == 0 {
		return t.dev.Ones(t.dtype, shape...)
	}
	x := t.Permute(append(order, dims...)...).Reshape(append(sizes, n)...)
	for ; n > 1; n = x.Dim(-1) {
		rest := x.Narrow(-1, n/2*2, n%2)
		x = x.Narrow(-1, 0, n/2).Mul(x.Narrow(-1, n/2, n/2))
		if n%2 == 1 {
			x = Cat([]*Tensor{x, rest}, -1)
		}
	}
	return x.Reshape(shape...).Copy()
}

// complexMatmul is one product of real matrices: of the rows (re, im, …) of t and of a matrix that has for each row of
// b the row itself and its product with i.
func (t *Tensor) complexMatmul(op string, b *Tensor) (*Tensor, error) {
	row := max(b.Rank()-2, 0) // the dim of the inner size
	return asComplex(Try(func() *Tensor {
		byI := Complex(b.Imag().Neg(), b.Real())
		rows := Stack([]*Tensor{b, byI}, row+1).asReal() // [… k 2 … 2]
		rows = rows.Flatten(row, row+1)
		if b.Rank() > 1 {
			rows = rows.Flatten(-2, -1)
		}
		y := must(t.asReal().Flatten(-2, -1).matmul(op, rows)) // [… m 2k] × [… 2k 2n]
		if b.Rank() == 1 {
			return y
		}
		return y.Reshape(append(y.Dims()[:y.Rank()-1], y.Dim(-1)/2, 2)...)
	}))
}
