package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

func (t *Tensor) rmsNorm(alpha *Tensor, eps float64) (*Tensor, error) {
	return t.normed("rms norm", alpha, nil, eps)
}

func (t *Tensor) layerNorm(alpha, beta *Tensor, eps float64) (*Tensor, error) {
	const op = "layer norm"
	if beta == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "beta is nil")
	}
	return t.normed(op, alpha, beta, eps)
}

func (t *Tensor) normed(op string, alpha, beta *Tensor, eps float64) (*Tensor, error) {
	y, err := t.plain().normalized(op, alpha.plain(), beta.plain(), eps)
	if err == nil && tracked(t, alpha, beta) {
		y.by(op, normGradients(t, alpha, beta, eps)...)
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
	cols := t.layout.shape[d]
	if alpha, err = t.rowVector(op, "alpha", alpha); err != nil {
		return nil, err
	}
	var shift *operand
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
	return x.result(op, t.dtype, func() (storage, error) {
		return t.dev.backend.norm(x.operand(), alpha.operand(), shift, x.ElemCount()/cols, cols, eps)
	})
}

// rowVector checks a vector that goes with the rows of t, and makes it dense.
func (t *Tensor) rowVector(op, name string, v *Tensor) (*Tensor, error) {
	if v == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%s is nil", name)
	}
	if err := t.sameKind(op, v); err != nil {
		return nil, err
	}
	if want := t.layout.shape[t.Rank()-1:]; !slices.Equal(v.layout.shape, want) {
		return nil, fault(op, ErrShape, []*Tensor{t, v}, "%s has shape %v, want %v: one for each element of a row of %v", name, v.layout.shape, want, t.layout.shape)
	}
	return v.forKernel(op)
}

// sameKind checks that v has the device and the dtype of t.
func (t *Tensor) sameKind(op string, v *Tensor) error {
	if err := sameDevice(op, t, v); err != nil {
		return err
	}
	if v.dtype != t.dtype {
		return fault(op, ErrDType, []*Tensor{t, v}, "dtypes differ: %v and %v", t.dtype, v.dtype).
			note("convert one of them first, as in b.ToDType(tensor.%s)", upper(t.dtype))
	}
	return nil
}

func (t *Tensor) rope(cos, sin *Tensor) (*Tensor, error)  { return t.turn("rope", cos, sin, 2, false) }
func (t *Tensor) ropeI(cos, sin *Tensor) (*Tensor, error) { return t.turn("rope i", cos, sin, 2, true) }
func (t *Tensor) ropeThd(cos, sin *Tensor) (*Tensor, error) {
	return t.turn("rope thd", cos, sin, 1, false)
}

// turn rotates pairs; dim is that of the positions.
func (t *Tensor) turn(op string, cos, sin *Tensor, dim int, interleaved bool) (*Tensor, error) {
	y, err := t.plain().turned(op, cos.plain(), sin.plain(), dim, interleaved)
	if err == nil && tracked(t, cos, sin) {
		y.by(op, turnGradients(op, t, cos, sin, dim, interleaved)...)
	}
	return y, err
}

func (t *Tensor) turned(op string, cos, sin *Tensor, dim int, interleaved bool) (*Tensor, error) {
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	shape := t.layout.shape
	if t.Rank() != 4 || shape[3]%2 != 0 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "want rank 4 and rows of even size, not shape %v", shape)
	}
	for i, v := range []*Tensor{cos, sin} {
		name := []string{"cos", "sin"}[i]
		if v == nil {
			return nil, fault(op, ErrShape, []*Tensor{t}, "%s is nil", name)
		}
		if err := t.sameKind(op, v); err != nil {
			return nil, err
		}
		s := v.layout.shape
		n := len(s)
		if n < 2 || n > 3 || s[n-1] != shape[3]/2 || s[n-2] < shape[dim] || n == 3 && s[0] != shape[0] {
			return nil, fault(op, ErrShape, []*Tensor{t, v}, "%s has shape %v, want [%d %d] or [%d %d %d], or more positions", name, s,
				shape[dim], shape[3]/2, shape[0], shape[dim], shape[3]/2)
		}
	}
	if !slices.Equal(cos.layout.shape, sin.layout.shape) {
		return nil, fault(op, ErrShape, []*Tensor{t, cos, sin}, "cos and sin have shapes %v and %v", cos.layout.shape, sin.layout.shape)
	}
	x, err := t.forKernel(op)
	if err != nil {
		return nil, err
	}
	if cos, err = cos.forKernel(op); err != nil {
		return nil, err
	}
	if sin, err = sin.forKernel(op); err != nil {
		return nil, err
	}
	p := kernels.Rope{
		Rows: int64(product(shape[:3])), Half: int64(shape[3] / 2), PerPosition: 1,
		Positions: int64(shape[dim]), PerBatch: int64(shape[1] * shape[2]),
	}
	if dim == 1 {
		p.PerPosition = int64(shape[2])
	}
	if cos.Rank() == 3 {
		p.BatchStep = int64(product(cos.layout.shape[1:]))
	}
	if interleaved {
		p.Interleaved = 1
	}
	return x.result(op, t.dtype, func() (storage, error) {
		return t.dev.backend.rope(x.operand(), cos.operand(), sin.operand(), p)
	})
}
