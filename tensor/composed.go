package tensor

import "github.com/gorocm/gorocm/kernels"

// Elementwise operations that are composed of others, from which they have their gradients.

// lerp computes from the end that is nearer, so that the weights 0 and 1 give the ends exactly.
func (t *Tensor) lerp(end *Tensor, weight any) (*Tensor, error) {
	const op = "lerp"
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	start, end, err := t.pair(op, end)
	if err != nil {
		return nil, err
	}
	if w, ok := weight.(*Tensor); ok && w != nil {
		w, start, err := w.pair(op, start)
		if err != nil {
			return nil, err
		}
		return Try(func() *Tensor {
			d := end.Sub(start)
			return w.Lt(0.5).WhereCond(start.Add(d.Mul(w)), end.Sub(d.Mul(w.Affine(-1, 1))))
		})
	}
	s, err := start.operandNumber(op, weight)
	if err != nil {
		return nil, err
	}
	return Try(func() *Tensor {
		d := end.Sub(start)
		if s.Float >= 0.5 {
			return end.Sub(d.Mul(1 - s.Float))
		}
		return start.Add(d.Mul(s.Float))
	})
}

func (t *Tensor) addcmul(a, b *Tensor, value float64) (*Tensor, error) {
	return t.addScaled("addcmul", "mul", a, b, value)
}

func (t *Tensor) addcdiv(a, b *Tensor, value float64) (*Tensor, error) {
	return t.addScaled("addcdiv", "div", a, b, value)
}

// addScaled is t plus value times an operation of a and b.
func (t *Tensor) addScaled(op, name string, a, b *Tensor, value float64) (*Tensor, error) {
	if a == nil || b == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "an operand is nil")
	}
	y, err := a.binary(name, b)
	if err == nil && value != 1 {
		y, err = y.binary("mul", value)
	}
	if err != nil {
		return nil, err
	}
	return t.binary("add", y)
}

// nanToNum leaves integers, which have neither.
func (t *Tensor) nanToNum() (*Tensor, error) {
	switch {
	case t.dtype.IsInt(), t.dtype == Bool:
		return t.copied("nan to num")
	case t.dtype.IsComplex():
		return asComplex(t.asReal().nanToNum())
	}
	most := kernels.Largest(t.dtype)
	return Try(func() *Tensor {
		x := t.Ne(t).WhereCond(0, t)
		x = x.Gt(most).WhereCond(most, x)
		return x.Lt(-most).WhereCond(-most, x)
	})
}
