package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

func (t *Tensor) rope(cos, sin *Tensor) (*Tensor, error) { return t.rotate("rope", cos, sin, 2, false) }
func (t *Tensor) ropeI(cos, sin *Tensor) (*Tensor, error) {
	return t.rotate("rope i", cos, sin, 2, true)
}
func (t *Tensor) ropeThd(cos, sin *Tensor) (*Tensor, error) {
	return t.rotate("rope thd", cos, sin, 1, false)
}

// rotate rotates pairs; dim is that of the positions.
func (t *Tensor) rotate(op string, cos, sin *Tensor, dim int, interleaved bool) (*Tensor, error) {
	y, err := t.plain().rotated(op, cos.plain(), sin.plain(), dim, interleaved)
	if err == nil && tracked(t, cos, sin) {
		y.by(op, rotationGradients(op, t, cos, sin, dim, interleaved)...)
	}
	return y, err
}

func (t *Tensor) rotated(op string, cos, sin *Tensor, dim int, interleaved bool) (*Tensor, error) {
	p, cos, sin, err := t.rotation(op, cos, sin, dim, interleaved)
	if err != nil {
		return nil, err
	}
	x, err := t.forKernel(op)
	if err != nil {
		return nil, err
	}
	return x.result(op, t.dtype, func() (backend.Storage, error) {
		return t.dev.backend.Rope(x.operand(), cos.operand(), sin.operand(), p)
	})
}

func (t *Tensor) ropeSet(cos, sin *Tensor) error  { return t.rotateSet("rope set", cos, sin, false) }
func (t *Tensor) ropeISet(cos, sin *Tensor) error { return t.rotateSet("rope i set", cos, sin, true) }

// rotateSet rotates pairs in place.
func (t *Tensor) rotateSet(op string, cos, sin *Tensor, interleaved bool) error {
	p, c, s, err := t.rotation(op, cos, sin, 2, interleaved)
	if err != nil {
		return err
	}
	for _, v := range []*Tensor{cos, sin} {
		if v.store == t.store {
			return fault(op, ErrShape, []*Tensor{t, v},
				"cos or sin share the elements that are written to").note("cos.Copy() has its own")
		}
		if err := unwatched(op, t, v); err != nil {
			return err
		}
	}
	if err := t.checkNoOverlap(op); err != nil {
		return err
	}
	if err := t.writable(op); err != nil || t.ElemCount() == 0 {
		return err
	}
	return failure(op, t.dev, t.dev.backend.RopeSet(t.writeOperand(), c.operand(), s.operand(), p))
}

// rotation checks the operands of a rotation, and returns the argument of kernels, cosines and sines as they take them.
func (t *Tensor) rotation(
	op string, cos, sin *Tensor, dim int, interleaved bool,
) (p kernels.Rope, c, s *Tensor, err error) {
	if err := accepts(op, t, kernels.Floats); err != nil {
		return p, nil, nil, err
	}
	shape := t.layout.Shape
	if t.Rank() != 4 || shape[3]%2 != 0 {
		return p, nil, nil, fault(op, ErrShape, []*Tensor{t}, "want rank 4 and rows of even size, not shape %v", shape)
	}
	for i, v := range []*Tensor{cos, sin} {
		name := []string{"cos", "sin"}[i]
		if v == nil {
			return p, nil, nil, fault(op, ErrShape, []*Tensor{t}, "%s is nil", name)
		}
		if err := t.sameKind(op, v); err != nil {
			return p, nil, nil, err
		}
		if p, err = shapes.Rope(shape, v.layout.Shape, dim, interleaved); err != nil {
			return p, nil, nil, fault(op, ErrShape, []*Tensor{t, v}, "%s has %v", name, err)
		}
	}
	if !slices.Equal(cos.layout.Shape, sin.layout.Shape) {
		return p, nil, nil, fault(op, ErrShape, []*Tensor{t, cos, sin}, "cos and sin have shapes %v and %v",
			cos.layout.Shape, sin.layout.Shape)
	}
	if cos, err = cos.forKernel(op); err != nil {
		return p, nil, nil, err
	}
	sin, err = sin.forKernel(op)
	return p, cos, sin, err
}
