package tensor

import (
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gradients"
)

// The gradients of softmax, norms, SiluMul and selections, for which GPUs have kernels that read the operands once.
// Gradients that have gradients are composed of operations, as on the CPU.

// gradientLauncher returns what launches the kernels of gradients on the device of these tensors. It reports false
// where there is none, and where the gradient depends on variables itself.
func gradientLauncher(ts ...*Tensor) (gradients.Launcher, bool) {
	l, ok := gradients.On(ts[0].dev.backend)
	return l, ok && !tracked(ts...) && ts[0].ElemCount() > 0
}

// gradientsOf are those that a kernel computes from these tensors or, where there is none, composed returns.
func gradientsOf(
	ts []*Tensor, kernel func(l gradients.Launcher) ([]*Tensor, error), composed func() []*Tensor,
) (ds []*Tensor, err error) {
	err = Catch(func() (err error) {
		if l, ok := gradientLauncher(ts...); ok {
			if ds, err = kernel(l); ds != nil || err != nil {
				return failure("gradient", ts[0].dev, err)
			}
		}
		ds = composed()
		return nil
	})
	return ds, err
}

// dense returns the elements of t one after another, in memory.
func (t *Tensor) dense() backend.Operand { return must(t.contiguous("gradient")).operand() }

// holding is a tensor like t of a storage, dense, and nil for none.
func (t *Tensor) holding(s backend.Storage) *Tensor {
	if s == nil {
		return nil
	}
	return dense(t.dev, t.dtype, t.layout.Shape, s)
}

// softmaxGradient is that of the result y of Softmax, or with log of LogSoftmax.
func softmaxGradient(y *Tensor, dim int, log bool) func(g *Tensor) *Tensor {
	return func(g *Tensor) *Tensor {
		y, last := y.plain(), y.Rank()-1
		ds, err := gradientsOf([]*Tensor{g, y}, func(l gradients.Launcher) ([]*Tensor, error) {
			if dim != last && dim != -1 {
				return nil, nil
			}
			cols := y.layout.Shape[last]
			s, err := gradients.Softmax(l, y.dense(), g.dense(), y.ElemCount()/cols, cols, log)
			return []*Tensor{g.holding(s)}, err
		}, func() []*Tensor {
			u, v := y.wide(), g.wide()
			if log {
				return []*Tensor{v.Sub(u.Exp().Mul(v.SumKeepDim(dim))).ToDType(g.dtype)}
			}
			weighted := v.Mul(u)
			return []*Tensor{weighted.Sub(u.Mul(weighted.SumKeepDim(dim))).ToDType(g.dtype)}
		})
		check(err)
		return ds[0]
	}
}

// normGradients are those of RmsNorm, or of LayerNorm if beta is not nil, as a function for all of these operands. x is
// the tensor that was normalised.
func normGradients(x, alpha, beta *Tensor, eps float64) func(g *Tensor) ([]*Tensor, error) {
	px, pa, layer := x.plain(), alpha.plain(), beta != nil
	ofRows, ofParameters := tracked(x), tracked(alpha, beta)
	return func(g *Tensor) ([]*Tensor, error) {
		return gradientsOf([]*Tensor{g, px, pa}, func(l gradients.Launcher) ([]*Tensor, error) {
			n := gradients.Norm{In: px.dense(), Grad: g.dense(), Alpha: pa.dense(), Cols: pa.ElemCount(),
				Rows: px.ElemCount() / pa.ElemCount(), Eps: eps, Layer: layer}
			if !n.Takes() {
				return nil, nil
			}
			ds, err := n.Gradients(l, ofRows, ofParameters)
			return []*Tensor{g.holding(ds[0]), pa.holding(ds[1]), pa.holding(ds[2])}, err
		}, func() []*Tensor { return composedNorm(g, px, pa, layer, eps) })
	}
}

// composedNorm are the gradients of the operands of a norm by operations of tensors.
func composedNorm(g, x, alpha *Tensor, layer bool, eps float64) []*Tensor {
	// h is x with mean 0 and variance 1, or with mean square 1; r is the factor that scaled it.
	h, v, vector := x.wide(), g.wide(), alpha.layout.Shape
	if layer {
		h = h.Sub(h.MeanKeepDim(-1))
	}
	r := h.Sqr().MeanKeepDim(-1).Affine(1, eps).Sqrt().Recip()
	h = h.Mul(r)
	d := v.Mul(alpha.wide())
	rest := d.Sub(h.Mul(d.Mul(h).MeanKeepDim(-1)))
	var ofBeta *Tensor
	if layer {
		rest, ofBeta = rest.Sub(d.MeanKeepDim(-1)), v.sumTo(vector).ToDType(g.dtype)
	}
	return []*Tensor{rest.Mul(r).ToDType(g.dtype), v.Mul(h).sumTo(vector).ToDType(g.dtype), ofBeta}
}

// siluMulGradients are those of SiluMul, as a function for both operands.
func siluMulGradients(x, y *Tensor) func(g *Tensor) ([]*Tensor, error) {
	px, py, wanted := x.plain(), y.plain(), [2]bool{tracked(x), tracked(y)}
	return func(g *Tensor) ([]*Tensor, error) {
		return gradientsOf([]*Tensor{g, px, py}, func(l gradients.Launcher) ([]*Tensor, error) {
			ds, err := gradients.SiluMul(l, px.dense(), py.dense(), g.dense(), g.ElemCount(), wanted)
			return []*Tensor{g.holding(ds[0]), g.holding(ds[1])}, err
		}, func() []*Tensor {
			v, a := g.wide(), px.wide()
			s, silu := a.Sigmoid(), a.Silu()
			slope := s.Add(silu.Mul(s.Affine(-1, 1)))
			return []*Tensor{v.Mul(py.wide()).Mul(slope).ToDType(g.dtype), v.Mul(silu).ToDType(g.dtype)}
		})
	}
}

// selectGradient is the gradient of a tensor of that shape, of which ids selected elements of a dim, with gradient g.
func (g *Tensor) selectGradient(op string, ids *Tensor, shape []int, dim int) *Tensor {
	ds, err := gradientsOf([]*Tensor{g}, func(l gradients.Launcher) ([]*Tensor, error) {
		if dim != 0 && dim != -len(shape) || !g.dtype.IsFloat() {
			return nil, nil
		}
		ids, err := g.checkIDs(op, ids)
		if err != nil {
			return nil, err
		}
		n := ids.ElemCount()
		s, err := gradients.Select(l, ids.dense(), g.dense(), n, shape[0], g.ElemCount()/n)
		return []*Tensor{dense(g.dev, g.dtype, shape, s)}, err
	}, func() []*Tensor { return []*Tensor{g.dev.Zeros(g.dtype, shape...).IndexAdd(ids, g, dim)} })
	check(err)
	return ds[0]
}
