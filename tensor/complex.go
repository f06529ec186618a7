package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
)

// A complex tensor is one of twice as many real numbers to all operations that treat the parts alike: sums, negation,
// copies. Its gradients are those with respect to the parts, as a complex number: PyTorch's convention.

// ViewAsReal returns a complex tensor as a real one with a last dim of size 2, for the real and the imaginary part. The
// elements are shared. It panics with ErrDType when t is real.
//
//	tensor.New([]complex64{1 + 2i}).ViewAsReal().FlattenAll() // [1, 2] f32
func (t *Tensor) ViewAsReal() *Tensor {
	check(wantComplex("view as real", t))
	return t.asReal()
}

func wantComplex(op string, t *Tensor) error {
	if t.dtype.IsComplex() {
		return nil
	}
	return fault(op, ErrDType, []*Tensor{t}, "the elements are real: %v; it takes %v", t.dtype, kernels.Complex).
		note("convert first, as in %s", converted("x", dtypes.ComplexOf(t.dtype)))
}

func (t *Tensor) asReal() *Tensor {
	v := newTensor(t.dev, t.dtype.Real(), t.layout.Pairs(), t.store)
	if tracked(t) {
		v.by("view as real", via{t, (*Tensor).ViewAsComplex})
	}
	return v
}

// ViewAsComplex returns a tensor of F32 or F64 whose last dim has size 2 as a complex one without that dim, of C64 or
// C128: the inverse of ViewAsReal. The elements are shared if the parts of each element are adjacent and elements are
// an even number of parts apart; otherwise they are copied. It panics with ErrShape when the last dim has another
// size, and with ErrDType for other types.
//
//	tensor.Of(1, 2, 3, 4).Reshape(2, 2).ViewAsComplex() // [1+2i, 3+4i] c64
func (t *Tensor) ViewAsComplex() *Tensor { return must(t.viewAsComplex()) }

func (t *Tensor) viewAsComplex() (*Tensor, error) {
	const op = "view as complex"
	if err := accepts(op, t, []DType{F32, F64}); err != nil {
		return nil, err
	}
	if r := t.Rank(); r == 0 || t.layout.Shape[r-1] != 2 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "want a last dim of size 2, not shape %v", t.layout.Shape).
			note("tensor.Complex(re, im) joins two tensors")
	}
	l, ok := t.layout.FromPairs()
	x := t
	if !ok {
		var err error
		if x, err = t.plain().copied(op); err != nil {
			return nil, err
		}
		l, _ = x.layout.FromPairs()
	}
	v := newTensor(t.dev, dtypes.ComplexOf(t.dtype), l, x.store)
	if tracked(t) {
		v.by(op, via{t, (*Tensor).ViewAsReal})
	}
	return v, nil
}

// asComplex is viewAsComplex for a result.
func asComplex(t *Tensor, err error) (*Tensor, error) {
	if err != nil {
		return nil, err
	}
	return t.viewAsComplex()
}

// Real returns the real parts of a complex tensor, as a view of type F32 or F64 that shares its elements. Of a real
// tensor it is t itself.
func (t *Tensor) Real() *Tensor {
	if !t.dtype.IsComplex() {
		return t
	}
	return t.asReal().GetOnDim(-1, 0)
}

// Imag returns the imaginary parts of a complex tensor, as a view of type F32 or F64 that shares its elements. It
// panics with ErrDType when t is real.
func (t *Tensor) Imag() *Tensor {
	check(wantComplex("imag", t))
	return t.asReal().GetOnDim(-1, 1)
}

// Conj returns the complex conjugates of the elements. Of a real tensor it is t itself.
func (t *Tensor) Conj() *Tensor {
	if !t.dtype.IsComplex() {
		return t
	}
	return must(t.complexUnary("conj"))
}

// H returns the conjugate transpose: the last two dims are swapped, and the elements conjugated. Of a real tensor it is
// T, a view. It panics with ErrShape below rank 2.
func (t *Tensor) H() *Tensor { return t.T().Conj() }

// Angle returns the angles of complex numbers in radians, from -π to π, as F32 or F64. Of real numbers the angle is 0,
// or π for negative ones.
func (t *Tensor) Angle() *Tensor {
	const op = "angle"
	if !t.dtype.IsComplex() {
		x := must(t.forFloats(op, kernels.Floats))
		return x.ZerosLike().Atan2(x)
	}
	return t.Imag().Atan2(t.Real())
}

// Complex returns the tensor of the complex numbers re + im·i, of type C128 if one of the parts is F64, and C64
// otherwise. Integers are converted to DefaultDType. Shapes are broadcast.
//
//	tensor.Complex(tensor.Of(1, 2), tensor.Of(3)) // [1+3i, 2+3i] c64
func Complex(re, im *Tensor) *Tensor { return must(complexFrom("complex", re, im)) }

func complexFrom(op string, re, im *Tensor) (*Tensor, error) {
	for _, t := range []*Tensor{re, im} {
		if t == nil {
			return nil, &Error{Op: op, Kind: ErrShape, Message: "a part is nil"}
		}
		if t.dtype.IsComplex() {
			return nil, fault(op, ErrDType, []*Tensor{t}, "a part is complex: %v; parts are f32 or f64", t.dtype).
				note("x.Real() and x.Imag() are the parts of x")
		}
	}
	dt := dtypes.ComplexOf(partType(re))
	if dtypes.ComplexOf(partType(im)) == C128 {
		dt = C128
	}
	parts := []*Tensor{re, im}
	for i, t := range parts {
		var err error
		if parts[i], err = t.toDType(op, dt.Real()); err != nil {
			return nil, err
		}
	}
	parts, err := broadcastTogether(op, parts...)
	if err != nil {
		return nil, err
	}
	out, err := empty(op, parts[0].layout.Shape, dt, re.dev)
	if err != nil {
		return nil, err
	}
	for i, t := range parts {
		if t.ElemCount() == 0 {
			continue
		}
		if err := out.dev.backend.Copy(t.operand(), out.operand().Part(i)); err != nil {
			return nil, failure(op, out.dev, err)
		}
	}
	return out.by(op, via{parts[0], (*Tensor).Real}, via{parts[1], (*Tensor).Imag}), nil
}

// partType is the type of a real tensor as a part of complex numbers.
func partType(t *Tensor) DType {
	if t.dtype.IsFloat() {
		return t.dtype
	}
	return DefaultDType()
}

// Polar returns the complex numbers with these absolute values and angles in radians: abs·cos(angle) +
// abs·sin(angle)·i. Types and shapes are as for Complex.
//
//	tensor.Polar(tensor.Of(1, 2), tensor.Of(0)) // [1+0i, 2+0i] c64
func Polar(abs, angle *Tensor) *Tensor {
	if abs == nil || angle == nil {
		check(&Error{Op: "polar", Kind: ErrShape, Message: "the absolute values or the angles are nil"})
	}
	return must(complexFrom("polar", abs.Mul(angle.Cos()), abs.Mul(angle.Sin())))
}

// toComplex converts from or to a complex type.
func (t *Tensor) toComplex(op string, dt DType) (*Tensor, error) {
	switch {
	case !dt.IsComplex():
		return nil, fault(op, ErrDType, []*Tensor{t}, "%v to %v would lose the imaginary parts", t.dtype, dt).
			note("x.Real() and x.Imag() are the parts, x.Abs() and x.Angle() the polar form; each is %v",
				t.dtype.Real())
	case t.dtype.IsComplex():
		return asComplex(t.asReal().toDType(op, dt.Real()))
	}
	re, err := t.toDType(op, dt.Real())
	if err != nil {
		return nil, err
	}
	zero, err := t.dev.number(op, dt.Real(), backend.Scalar{})
	if err != nil {
		return nil, err
	}
	return complexFrom(op, re, zero)
}

// complexNote is what an error says of an operation that complex numbers lack.
func complexNote(e *Error, op string) *Error {
	if ordered[op] {
		return e.note("complex numbers have no order; x.Abs() and x.Real() have")
	}
	return e.note("x.Real(), x.Imag(), x.Abs() and x.Angle() are real")
}

// ordered are the operations that need an order of the elements.
var ordered = map[string]bool{"lt": true, "le": true, "gt": true, "ge": true, "maximum": true, "minimum": true,
	"fmax": true, "fmin": true, "max": true, "min": true, "argmax": true, "argmin": true}

// notComplex is the error for an operation that is not defined for complex numbers.
func (t *Tensor) notComplex(op string, on []DType) error {
	return complexNote(fault(op, ErrDType, []*Tensor{t}, "not defined for %v; it takes %v", t.dtype, on), op)
}
