// Package autograd has the derivatives of functions: gradients, Jacobians, Hessians and products with them.
//
//	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Powf(3).Sum() }
//	g := autograd.Grad(f, x)    // 3·x²
//	h := autograd.Hessian(f, x) // diag(6·x)
//
// Functions are of tensors with a float type, on any device, and are made of operations that have gradients. What they
// return may be differentiated again: calls can be nested, and a loss that contains a gradient has gradients for all
// variables that the function uses. An operation whose gradient has no gradient, as of most custom ops, is an
// error of kind tensor.ErrGradient where a second derivative is asked for. Mistakes panic with a *tensor.Error, as the
// methods of package tensor do.
package autograd

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// point is where a function is differentiated.
type point struct {
	op string
	xs []*tensor.Tensor // variables, or results of the tensors that were given
	y  *tensor.Tensor   // the value of the function
	// the result is differentiated further, or may be
	keep bool
}

// evaluate calls f with operands by which its value can be differentiated.
func evaluate(op string, f func(xs []*tensor.Tensor) *tensor.Tensor, at []*tensor.Tensor) point {
	p := point{op: op}
	own := map[uint64]bool{}
	for i, x := range at {
		if x == nil || !x.DType().IsFloat() {
			fail(op, x, "want float tensors: argument %d is not one", i+1)
		}
		if extend.Tracked(x) {
			p.keep = true
			x = extend.ByOperations(x.Detach(), "argument", []*tensor.Tensor{x},
				func(g, _ *tensor.Tensor, _ []*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{g} })
		} else {
			x = tensor.NewVar(x)
		}
		own[x.ID()] = true
		p.xs = append(p.xs, x)
	}
	if p.y = f(p.xs); p.y == nil {
		fail(op, nil, "the function returned no tensor")
	}
	for _, n := range p.y.SortedNodes() {
		p.keep = p.keep || n.Op == "variable" && !own[n.ID] // one that the function uses
	}
	return p
}

func fail(op string, x *tensor.Tensor, format string, args ...any) {
	var ts []*tensor.Tensor
	if x != nil {
		ts = append(ts, x)
	}
	extend.Shape(op, ts, format, args...)
}

// gradients are those of y by the arguments, from its gradient g. They are zeros for arguments that it does not use.
func (p point) gradients(g *tensor.Tensor, keep bool) []*tensor.Tensor {
	ds := make([]*tensor.Tensor, len(p.xs))
	if extend.Tracked(p.y) {
		ds = extend.Gradients(p.y, g, p.xs, keep)
	}
	for i, d := range ds {
		if d == nil {
			ds[i] = p.xs[i].Detach().ZerosLike()
		}
	}
	return ds
}

// scalar checks that y is one number.
func (p point) scalar() {
	if p.y.ElemCount() != 1 {
		extend.ShapeNoting(p.op, []*tensor.Tensor{p.y}, "autograd.Jacobian takes functions of any result",
			"want a function whose result is a scalar, not of shape %v", p.y.Dims())
	}
}

func one(f func(x *tensor.Tensor) *tensor.Tensor) func(xs []*tensor.Tensor) *tensor.Tensor {
	return func(xs []*tensor.Tensor) *tensor.Tensor { return f(xs[0]) }
}

// Grad returns the gradient at x of a function whose result is a scalar: the derivatives by the elements of x, in the
// shape of x.
//
//	curve := func(x *tensor.Tensor) *tensor.Tensor { return x.Sin().Sum() }
//	slope := func(x *tensor.Tensor) *tensor.Tensor { return autograd.Grad(curve, x).Sum() }
//	autograd.Grad(slope, x) // the second derivative, -sin x
func Grad(f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
	p := evaluate("grad", one(f), []*tensor.Tensor{x})
	p.scalar()
	return p.gradients(p.y.Detach().OnesLike(), p.keep)[0]
}

// Grads returns the gradients of a function of several tensors, whose result is a scalar, by each of them.
func Grads(f func(xs []*tensor.Tensor) *tensor.Tensor, xs ...*tensor.Tensor) []*tensor.Tensor {
	p := evaluate("grads", f, xs)
	p.scalar()
	return p.gradients(p.y.Detach().OnesLike(), p.keep)
}

// VJP returns f(x) and the product of g, which has its shape, with the Jacobian at x: the gradient of g·f(x), in the
// shape of x.
func VJP(f func(x *tensor.Tensor) *tensor.Tensor, x, g *tensor.Tensor) (y, product *tensor.Tensor) {
	p := evaluate("vjp", one(f), []*tensor.Tensor{x})
	return p.y, p.gradients(g, p.keep || extend.Tracked(g))[0]
}

// JVP returns f(x) and the product of the Jacobian at x with a direction v, which has the shape of x: the derivative of
// f in that direction, in the shape of f(x). It is computed as the gradient of VJP, which is linear in g.
func JVP(f func(x *tensor.Tensor) *tensor.Tensor, x, v *tensor.Tensor) (y, product *tensor.Tensor) {
	p := evaluate("jvp", one(f), []*tensor.Tensor{x})
	u := tensor.NewVar(p.y.Detach().OnesLike())
	back := p.gradients(u, true)[0]
	if !extend.Tracked(back) {
		return p.y, p.y.Detach().ZerosLike()
	}
	product = extend.Gradients(back, v, []*tensor.Tensor{u}, p.keep || extend.Tracked(v))[0]
	if product == nil {
		product = p.y.Detach().ZerosLike()
	}
	return p.y, product
}

// Jacobian returns the derivatives of all elements of f(x) by all elements of x: its shape is that of f(x), then that
// of x. It takes a backward pass for each element of f(x), or two for each of x where these are fewer.
func Jacobian(f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
	p := evaluate("jacobian", one(f), []*tensor.Tensor{x})
	m, n := p.y.ElemCount(), x.ElemCount()
	shape := append(p.y.Dims(), x.Dims()...)
	if m*n == 0 || !extend.Tracked(p.y) {
		return x.Device().Zeros(x.DType(), shape...)
	}
	if 2*n < m && p.y.DType() == x.DType() {
		j := p.byColumns(x)
		if slices.Equal(j.Dims(), shape) {
			return j // whose columns are contiguous
		}
		return j.Reshape(shape...)
	}
	rows := make([]*tensor.Tensor, m)
	for i := range rows {
		rows[i] = p.gradients(unit(p.y, i), p.keep)[0]
	}
	return tensor.Stack(rows, 0).Reshape(shape...)
}

// byColumns returns the Jacobian [m n] from its products with unit vectors.
func (p point) byColumns(x *tensor.Tensor) *tensor.Tensor {
	u := tensor.NewVar(p.y.Detach().OnesLike())
	back := p.gradients(u, true)[0]
	columns := make([]*tensor.Tensor, x.ElemCount())
	for i := range columns {
		var c *tensor.Tensor
		if extend.Tracked(back) {
			c = extend.Gradients(back, unit(x, i), []*tensor.Tensor{u}, p.keep)[0]
		}
		if c == nil {
			c = p.y.Detach().ZerosLike()
		}
		columns[i] = c.FlattenAll()
	}
	return tensor.Stack(columns, 0).T()
}

// unit returns zeros in the shape of x, but for a 1 at element i.
func unit(x *tensor.Tensor, i int) *tensor.Tensor {
	u := x.Detach().ZerosLike()
	u.FlattenAll().Narrow(0, i, 1).OneSet()
	return u
}

// HVP returns the gradient at x of a function whose result is a scalar, and the product of its Hessian with v, which
// has the shape of x. It takes two backward passes, whatever the size of x.
func HVP(f func(x *tensor.Tensor) *tensor.Tensor, x, v *tensor.Tensor) (grad, product *tensor.Tensor) {
	return VJP(func(x *tensor.Tensor) *tensor.Tensor { return Grad(f, x) }, x, v)
}

// Hessian returns the second derivatives of a function whose result is a scalar, by all pairs of elements of x: its
// shape is that of x, twice.
func Hessian(f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor) *tensor.Tensor {
	return Jacobian(func(x *tensor.Tensor) *tensor.Tensor { return Grad(f, x) }, x)
}

// Hook returns a view of x; when gradients are computed, f is called with the gradient of this result, and what it
// returns goes on to x in its place. It may print, clip, or scale, and returns a tensor of the same shape and dtype.
//
//	h := autograd.Hook(layer, func(g *tensor.Tensor) *tensor.Tensor { fmt.Println(g.Norm()); return g })
func Hook(x *tensor.Tensor, f func(g *tensor.Tensor) *tensor.Tensor) *tensor.Tensor {
	return extend.ByOperations(x.Detach(), "hook", []*tensor.Tensor{x},
		func(g, _ *tensor.Tensor, _ []*tensor.Tensor) []*tensor.Tensor {
			var d *tensor.Tensor
			scope.Outside(func() { d = f(g.Kept()) }) // f may hold it
			return []*tensor.Tensor{d}
		})
}
