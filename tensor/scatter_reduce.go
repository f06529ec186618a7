package tensor

import "github.com/gorocm/gorocm/kernels"

// scatterJoins are the operations of ScatterReduce by PyTorch's names.
var scatterJoins = map[string]string{"sum": "add", "mean": "add", "prod": "mul", "amax": "maximum", "amin": "minimum"}

func (t *Tensor) scatterReduce(ids, src *Tensor, dim int, reduce string, includeSelf bool) (*Tensor, error) {
	const op = "scatter reduce"
	join := scatterJoins[reduce]
	if join == "" {
		return nil, fault(op, ErrValue, []*Tensor{t}, "the reduction is %q: want sum, prod, mean, amax or amin", reduce)
	}
	if err := accepts(op, t, kernels.Numbers); err != nil {
		return nil, err
	}
	dim, ids, err := t.scatterArgs(op, ids, src, dim)
	if err != nil {
		return nil, err
	}
	return Try(func() *Tensor {
		dt, first := kernels.ScatterTo(t.dtype), src.ZerosLike()
		switch join {
		case "mul":
			first = src.OnesLike()
		case "maximum", "minimum":
			first = src.Detach() // which are among the extremes anyway
		}
		x, ids := t, ids.ToDType(I64)
		if !includeSelf {
			x = x.Scatter(ids, first, dim)
		}
		return x.ToDType(dt).scatterJoined(op, ids, src.ToDType(dt), dim, reduce, includeSelf).ToDType(t.dtype)
	})
}

func (t *Tensor) scatterJoined(op string, ids, src *Tensor, dim int, reduce string, includeSelf bool) *Tensor {
	x, s := t.plain(), src.plain()
	own := func() *Tensor { // 0 where the element of t is replaced, else 1
		if includeSelf {
			return x.OnesLike()
		}
		return x.OnesLike().Scatter(ids, s.ZerosLike(), dim)
	}
	switch sum := t.ScatterAdd; {
	case reduce == "mean" && t.dtype.IsInt():
		return sum(ids, src, dim).FloorDiv(own().ScatterAdd(ids, s.OnesLike(), dim))
	case reduce == "mean":
		return sum(ids, src, dim).Div(own().ScatterAdd(ids, s.OnesLike(), dim))
	case reduce == "sum":
		return sum(ids, src, dim)
	}
	y := must(x.scatteredTo(op, ids, s, dim, scatterJoins[reduce]))
	grads := func(g *Tensor) (*Tensor, *Tensor) { return g.extremesBack(x, y.plain(), ids, s, dim, own()) }
	if reduce == "prod" {
		grads = func(g *Tensor) (*Tensor, *Tensor) { return g.productsBack(x, y.plain(), ids, s, dim) }
	}
	return y.by(op, via{t, func(g *Tensor) *Tensor { dx, _ := grads(g); return dx }},
		via{src, func(g *Tensor) *Tensor { _, ds := grads(g); return ds }})
}

// productsBack returns the gradients of products y by the elements of x and of src: the products of the others. That of
// the only 0 for an id is a product without it.
func (t *Tensor) productsBack(x, y, ids, src *Tensor, dim int) (dx, ds *Tensor) {
	times := func(x, src *Tensor) *Tensor { return t.Mul(x.ScatterReduce(ids, src, dim, "prod", true)) }
	factor, isZero := x.Eq(0).WhereCond(1, x), src.Eq(0)
	zeros := x.ZerosLike().ScatterAdd(ids, isZero.ToDType(x.dtype), dim).Gather(ids, dim)
	only := isZero.And(zeros.Eq(1))
	others := t.Mul(y).Gather(ids, dim).Div(isZero.WhereCond(1, src))
	return times(factor, src).Div(factor), only.WhereCond(times(x, only.WhereCond(1, src)).Gather(ids, dim), others)
}

// extremesBack divides the gradient of extremes y among the elements of x and of src that are equal to them.
func (t *Tensor) extremesBack(x, y, ids, src *Tensor, dim int, own *Tensor) (dx, ds *Tensor) {
	mine, theirs := x.Eq(y).ToDType(x.dtype).Mul(own), src.Eq(y.Gather(ids, dim)).ToDType(x.dtype)
	share := t.Div(mine.ScatterAdd(ids, theirs, dim))
	return share.Mul(mine), share.Gather(ids, dim).Mul(theirs)
}
