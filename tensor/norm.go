package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (t *Tensor) rmsNorm(alpha *Tensor, eps float64) (*Tensor, error) {
	return t.normed("rms norm", alpha, nil, eps)
}

// addRmsNorm adds, and normalises the sums. Both results have the bits of the single operations.
func (t *Tensor) addRmsNorm(y, alpha *Tensor, eps float64) (sum, normed *Tensor, err error) {
	const op = "add rms norm"
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, nil, err
	}
	if y == nil {
		return nil, nil, fault(op, ErrShape, []*Tensor{t}, "the other tensor is nil")
	}
	if err := t.sameKind(op, y); err != nil {
		return nil, nil, err
	}
	if !slices.Equal(t.layout.Shape, y.layout.Shape) {
		return nil, nil, fault(op, ErrShape, []*Tensor{t, y}, "shapes differ: %v and %v", t.layout.Shape,
			y.layout.Shape)
	}
	if t.Rank() > 0 {
		if alpha, err = t.rowVector(op, "alpha", alpha); err != nil {
			return nil, nil, err
		}
		if sum, normed, err := t.addNormKernel(op, y, alpha, eps); sum != nil || err != nil {
			return sum, normed, err
		}
	}
	if sum, err = t.binary("add", y); err != nil {
		return nil, nil, err
	}
	normed, err = sum.rmsNorm(alpha, eps)
	return sum, normed, err
}

// addNormKernel is addRmsNorm by one kernel. It returns nil where there is none.
func (t *Tensor) addNormKernel(op string, y, alpha *Tensor, eps float64) (sum, normed *Tensor, err error) {
	b, ok := t.dev.backend.(backend.AddNormer)
	if !ok {
		return nil, nil, nil
	}
	s, n, ok, err := b.AddNorm(t.deferrable(), y.deferrable(), alpha.deferrable(), eps)
	if !ok || err != nil {
		return nil, nil, failure(op, t.dev, err)
	}
	sum, normed = t.holding(s).by("add", via{t, same}, via{y, same}), t.holding(n)
	return sum, normed.byFunction(op, []*Tensor{sum, alpha}, false, normGradients(sum, alpha, nil, eps)), nil
}

func (t *Tensor) layerNorm(alpha, beta *Tensor, eps float64) (*Tensor, error) {
	const op = "layer norm"
	if beta == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "beta is nil")
	}
	return t.normed(op, alpha, beta, eps)
}

func (t *Tensor) normed(op string, alpha, beta *Tensor, eps float64) (*Tensor, error) {
	t, alpha, beta = t.inAutocast(op), alpha.inAutocast(op), beta.inAutocast(op)
	y, err := t.plain().normalized(op, alpha.plain(), beta.plain(), eps)
	if err == nil && tracked(t, alpha, beta) {
		y = y.byFunction(op, []*Tensor{t, alpha, beta}, false, normGradients(t, alpha, beta, eps))
	}
	return y, err
}

func (t *Tensor) normalized(op string, alpha, beta *Tensor, eps float64) (*Tensor, error) {
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	d, err := t.axis(op, -1)
	if err != nil {
		return nil, err
	}
	cols := t.layout.Shape[d]
	if alpha, err = t.rowVector(op, "alpha", alpha); err != nil {
		return nil, err
	}
	var shift *backend.Operand
	if beta != nil {
		if beta, err = t.rowVector(op, "beta", beta); err != nil {
			return nil, err
		}
		o := beta.operand()
		shift = &o
	}
	x, err := t.forKernel(op)
	if err != nil {
		return nil, err
	}
	return x.result(op, t.dtype, func() (backend.Storage, error) {
		return t.dev.backend.Norm(x.operand(), alpha.operand(), shift, x.ElemCount()/cols, cols, eps)
	})
}

// rowVector checks a vector with one element per column of t, and makes it dense where kernels need that.
func (t *Tensor) rowVector(op, name string, v *Tensor) (*Tensor, error) {
	if v == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%s is nil", name)
	}
	if err := t.sameKind(op, v); err != nil {
		return nil, err
	}
	if want := t.layout.Shape[t.Rank()-1:]; !slices.Equal(v.layout.Shape, want) {
		return nil, fault(op, ErrShape, []*Tensor{t, v},
			"%s has shape %v, want %v: one for each element of a row of %v", name, v.layout.Shape, want, t.layout.Shape)
	}
	return v.forKernel(op)
}

// sameKind checks that v has the device and the dtype of t.
func (t *Tensor) sameKind(op string, v *Tensor) error {
	if err := sameDevice(op, t, v); err != nil {
		return err
	}
	if v.dtype != t.dtype {
		return dtypesDiffer(op, t, v, "a", "b")
	}
	return nil
}
