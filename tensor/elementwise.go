package tensor

import (
	"math"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
)

// accepts checks that an op takes a dtype.
func accepts(op string, t *Tensor, on []DType) error {
	if slices.Contains(on, t.dtype) {
		return nil
	}
	e := fault(op, ErrDType, []*Tensor{t}, "not defined for %v; it takes %v", t.dtype, on)
	switch {
	case t.dtype.IsComplex():
		complexNote(e, op)
	case t.dtype == Bool && slices.Contains(on, I64):
		e.note("convert first, as in %s", converted("x", I64))
	case !t.dtype.IsFloat():
		e.note("convert first, as in %s", converted("x", dtypes.Common(t.dtype, F32)))
	case !slices.ContainsFunc(on, DType.IsFloat):
		e.note("convert first, as in %s", converted("x", I64))
	}
	return e
}

// forFloats returns t for an op whose results are fractions: integers and Bool as DefaultDType.
func (t *Tensor) forFloats(op string, on []DType) (*Tensor, error) {
	exact := !t.dtype.IsFloat() && !t.dtype.IsComplex()
	t = t.inAutocast(op)
	if dt := DefaultDType(); exact && !slices.Contains(on, I64) && slices.Contains(on, dt) {
		return t.toDType(op, dt)
	}
	return t, accepts(op, t, on)
}

func (t *Tensor) unary(name string) (*Tensor, error) {
	op := backend.UnaryOps[name]
	if t.dtype.IsComplex() {
		return t.complexUnary(name)
	}
	if t.dtype == Bool && name == "bitnot" {
		return t.compare("eq", 0)
	}
	t, err := t.ToDType(dtypes.BelowZero(name, t.dtype)).forFloats(name, op.On)
	if err != nil {
		return nil, err
	}
	y, err := t.result(name, t.dtype, func() (backend.Storage, error) {
		return t.dev.backend.Unary(op, t.deferrable())
	})
	if err == nil && tracked(t) {
		y.by(name, formulaVias(name, y, named{"x", t})...)
	}
	return y, err
}

func (t *Tensor) param(name string, p float64) (*Tensor, error) {
	op := backend.ParamOps[name]
	if t.dtype.IsComplex() && name == "powf" {
		return t.binary("pow", p)
	}
	t, err := t.forFloats(name, op.On)
	if err != nil {
		return nil, err
	}
	y, err := t.result(name, t.dtype, func() (backend.Storage, error) {
		return t.dev.backend.Param(op, t.deferrable(), p)
	})
	if err == nil && tracked(t) {
		y.by(name, formulaVias(name, y, named{"x", t}, named{"p", p})...)
	}
	return y, err
}

// result runs an operation whose result has the shape of t. Without elements there is nothing to run.
func (t *Tensor) result(op string, dt DType, run func() (backend.Storage, error)) (*Tensor, error) {
	if t.ElemCount() == 0 {
		return empty(op, t.layout.Shape, dt, t.dev)
	}
	if err := checkMemory(op, t.layout.Shape, dt, t.dev); err != nil {
		return nil, err
	}
	s, err := run()
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	if t.layout.Offset == 0 && t.layout.IsDense() { // layouts never change, so both share one
		return result(t.dev, dt, t.layout, s), nil
	}
	return dense(t.dev, dt, t.layout.Shape, s), nil
}

// other returns the second operand of an operation that has the type of t: a tensor as it is, a Go number as a scalar.
func (t *Tensor) other(op string, y any) (*Tensor, error) {
	if o, ok := y.(*Tensor); ok && o != nil {
		return o, nil
	} else if ok || y == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "the other operand is nil")
	}
	if !govalue.IsNumber(y) {
		e := fault(op, ErrDType, []*Tensor{t}, "want a tensor or a number, not a %T", y)
		if kind := reflect.TypeOf(y).Kind(); kind == reflect.Slice || kind == reflect.Array {
			e.note("x.Device().New(y) makes a tensor of a slice")
		}
		return nil, e
	}
	s, err := t.operandNumber(op, y)
	if err != nil {
		return nil, err
	}
	return t.dev.number(op, t.dtype, s)
}

func (t *Tensor) binary(name string, y any) (*Tensor, error) {
	op := backend.BinaryOps[name]
	if err := t.checkCount(name, y); err != nil {
		return nil, err
	}
	a, b, err := t.inAutocast(name).pair(name, y)
	if err != nil {
		return nil, err
	}
	if a.dtype.IsComplex() {
		return a.complexBinary(name, b)
	}
	if a.dtype == Bool && boolOps[name] != "" {
		op = backend.BinaryOps[boolOps[name]]
	} else {
		if a, err = a.forFloats(name, op.On); err != nil {
			return nil, err
		}
		if b, err = b.toDType(name, a.dtype); err != nil {
			return nil, err
		}
	}
	out, err := a.result(name, a.dtype, func() (backend.Storage, error) {
		return a.dev.backend.Binary(op, a.deferrable(), b.deferrable())
	})
	if err == nil && tracked(a, b) {
		out.by(name, formulaVias(name, out, named{"a", a}, named{"b", b})...)
	}
	return out, err
}

// boolOps are the operations that take Bool, each with the one that does the same to bytes of 0 and 1.
var boolOps = map[string]string{"add": "maximum", "mul": "minimum", "maximum": "maximum", "minimum": "minimum",
	"bitand": "bitand", "bitor": "bitor", "bitxor": "bitxor"}

// checkCount refuses negative numbers as the counts of shifts.
func (t *Tensor) checkCount(name string, y any) error {
	if name != "shift_left" && name != "shift_right" || !govalue.IsNumber(y) {
		return nil
	}
	n, err := t.operandNumber(name, y)
	if err == nil && n.Int < 0 {
		other := map[string]string{"shift_left": "ShiftRight", "shift_right": "ShiftLeft"}[name]
		return fault(name, ErrDType, []*Tensor{t}, "a count of %v bits: it must not be negative", y).
			note("x.%s(%d) shifts in the other direction", other, -n.Int)
	}
	return err
}

func (t *Tensor) compare(name string, y any) (*Tensor, error) {
	op := backend.CompareOps[name]
	if side := govalue.Outside(y, t.dtype); side != 0 { // all elements are less than y, or greater
		truth := name == "ne" || side > 0 && name[0] == 'l' || side < 0 && name[0] == 'g'
		return full(name, truth, t.layout.Shape, Bool, t.dev)
	}
	a, b, err := t.pair(name, y)
	if err != nil {
		return nil, err
	}
	if a.dtype.IsComplex() {
		return a.complexCompare(name, b)
	}
	return a.result(name, Bool, func() (backend.Storage, error) {
		return a.dev.backend.Compare(op, a.deferrable(), b.deferrable())
	})
}

// pair returns t and the second operand of a binary operation, in the type of the result and broadcast to one shape.
func (t *Tensor) pair(name string, y any) (a, b *Tensor, err error) {
	t, o, err := t.beside(name, y)
	if err != nil {
		return nil, nil, err
	}
	if t.dtype != o.dtype || t.dtype != dtypes.BelowZero(name, t.dtype) {
		if t, o, err = t.promoted(name, o, "a", "b"); err != nil {
			return nil, nil, err
		}
	}
	if o.dev == t.dev && o.dtype == t.dtype && slices.Equal(o.layout.Shape, t.layout.Shape) && !t.IsFreed() &&
		!o.IsFreed() {
		return t, o, nil // the usual case
	}
	ts, err := broadcastTogether(name, t, o)
	if err != nil {
		return nil, nil, err
	}
	return ts[0], ts[1], nil
}

// promoted converts two operands to the type of their result.
func (t *Tensor) promoted(op string, y *Tensor, nameT, nameY string) (a, b *Tensor, err error) {
	if err := sameDevice(op, t, y); err != nil {
		return nil, nil, err
	}
	dt, err := resultType(op, t, y, nameT, nameY)
	if err != nil {
		return nil, nil, err
	}
	if a, err = t.toDType(op, dt); err != nil {
		return nil, nil, err
	}
	b, err = y.toDType(op, dt)
	return a, b, err
}

// Affine returns x·mul + add for every element x. Both numbers are first converted to the dtype; an integer type takes
// only whole numbers.
func (t *Tensor) Affine(mul, add float64) *Tensor {
	if t.dtype.IsComplex() {
		return t.Mul(mul).Add(add)
	}
	check(accepts("affine", t, kernels.Numbers))
	m, err := t.operandNumber("affine", mul)
	check(err)
	a, err := t.operandNumber("affine", add)
	check(err)
	y := must(t.result("affine", t.dtype,
		func() (backend.Storage, error) { return t.dev.backend.Affine(t.deferrable(), m, a) }))
	if tracked(t) {
		y.by("affine", via{t, func(g *Tensor) *Tensor { return g.Mul(mul) }})
	}
	return y
}

// Clamp returns every element, or lo where it is less and hi where it is greater. lo and hi are numbers or tensors.
// The gradient is 0 from elements that are not between numbers lo and hi, or equal one of them.
func (t *Tensor) Clamp(lo, hi any) *Tensor {
	if govalue.Outside(lo, t.dtype) < 0 { // all elements are above it
		lo, _ = backend.IntRange(t.dtype)
	}
	if govalue.Outside(hi, t.dtype) > 0 {
		_, hi = backend.IntRange(t.dtype)
	}
	if y := t.clampedOnce(lo, hi); y != nil {
		return y
	}
	if tracked(t) && t.dtype.IsFloat() && govalue.IsNumber(lo) && govalue.IsNumber(hi) {
		x := t.plain()
		return t.Detach().Clamp(lo, hi).by("clamp", via{t, func(g *Tensor) *Tensor {
			return x.Gt(lo).And(x.Lt(hi)).WhereCond(g, 0)
		}})
	}
	return must(must(t.binary("maximum", lo)).binary("minimum", hi))
}

// WhereCond returns the elements of a where t is true (not 0) and those of b elsewhere. t is Bool, as comparisons give,
// or has an integer type; a and b are tensors, of which the result has the Promote type, or one of them is a number.
// All three are broadcast to one shape, that of the result. It panics with ErrDType for other conditions, and for two
// numbers.
func (t *Tensor) WhereCond(a, b any) *Tensor {
	const op = "where"
	check(condition(op, t))
	t, err := t.forCondition()
	check(err)
	x, xIs := a.(*Tensor)
	y, yIs := b.(*Tensor)
	switch {
	case !xIs && !yIs:
		e := fault(op, ErrDType, []*Tensor{t}, "%T and %T: one of them must be a tensor, to give the dtype", a, b)
		if govalue.IsNumber(a) {
			e.note("t.Device().Full(tensor.F64, %v) is a tensor of that number", a)
		}
		check(e)
	case !xIs:
		y, x, err = y.beside(op, a)
	case !yIs:
		x, y, err = x.beside(op, b)
	}
	check(err)
	return must(t.where(op, x, y))
}

// beside returns t and the other operand in the type of the result, where that may be a Go number.
func (t *Tensor) beside(op string, y any) (a, b *Tensor, err error) {
	if o, ok := y.(*Tensor); ok && o != nil {
		return t, o, nil
	}
	if govalue.IsNumber(y) {
		dt := dtypes.BelowZero(op, govalue.Beside(y, t.dtype, DefaultDType()))
		if t, err = t.toDType(op, dt); err != nil {
			return nil, nil, err
		}
	}
	b, err = t.other(op, y)
	return t, b, err
}

// condition checks that elements of t can be true or false.
func condition(op string, t *Tensor) error {
	if !t.dtype.IsFloat() && !t.dtype.IsComplex() {
		return nil
	}
	return fault(op, ErrDType, []*Tensor{t}, "a condition of %v: it takes bool, as comparisons give, or integers",
		t.dtype).note("x.Ne(0) is where x is not 0")
}

// forCondition returns a condition in one of the types that conditions of kernels have.
func (t *Tensor) forCondition() (*Tensor, error) {
	switch t.dtype {
	case Bool, U8, U32, I64:
		return t, nil
	}
	return t.compare("ne", 0)
}

// where returns the elements of x where t is not 0, and those of y elsewhere.
func (t *Tensor) where(op string, x, y *Tensor) (*Tensor, error) {
	if err := sameDevice(op, t, x, y); err != nil {
		return nil, err
	}
	x, y, err := x.promoted(op, y, "a", "b")
	if err != nil {
		return nil, err
	}
	ts, err := broadcastAll(op, t, x, y)
	if err != nil {
		return nil, err
	}
	if x.dtype.IsComplex() {
		each := ts[0].view(ts[0].layout.InsertDim(ts[0].Rank()))
		return asComplex(each.where(op, ts[1].asReal(), ts[2].asReal()))
	}
	out, err := ts[1].result(op, x.dtype, func() (backend.Storage, error) {
		return t.dev.backend.Where(ts[0].deferrable(), ts[1].deferrable(), ts[2].deferrable())
	})
	if cond := ts[0]; err == nil && tracked(x, y) {
		out.by(op, via{ts[1], func(g *Tensor) *Tensor { return cond.WhereCond(g, 0) }},
			via{ts[2], func(g *Tensor) *Tensor { return cond.WhereCond(0, g) }})
	}
	return out, err
}

// RoundTo rounds every element to that many decimals; negative decimals round to tens, hundreds, …
func (t *Tensor) RoundTo(decimals int) *Tensor {
	check(accepts("round to", t, kernels.Floats))
	x, most, whole := t.wide(), 38, float64(1<<24) // from whole on all numbers are integers
	if t.dtype == F64 {
		most, whole = 308, 1<<53
	}
	scale := math.Pow10(min(max(decimals, -decimals), most))
	if decimals < 0 {
		return x.Div(scale).Round().Mul(scale).ToDType(t.dtype)
	}
	scaled := x.Mul(scale)
	return scaled.Abs().Lt(whole).WhereCond(scaled.Round().Div(scale), x).ToDType(t.dtype)
}

// clampedOnce is Clamp in one pass over the elements, for numbers as bounds. It returns nil where there is no such
// pass, and for gradients.
func (t *Tensor) clampedOnce(lo, hi any) *Tensor {
	b, ok := t.dev.backend.(backend.Clamper)
	if !ok || t.dtype.IsComplex() || tracked(t) || !govalue.IsNumber(lo) || !govalue.IsNumber(hi) {
		return nil
	}
	if f := DefaultDType(); govalue.Beside(lo, t.dtype, f) != t.dtype || govalue.Beside(hi, t.dtype, f) != t.dtype {
		return nil
	}
	lowest, highest := must(t.other("maximum", lo)), must(t.other("minimum", hi))
	check(t.alive("clamp"))
	return must(t.result("clamp", t.dtype, func() (backend.Storage, error) {
		return b.Clamp(t.operand(), lowest.operand(), highest.operand()), nil
	}))
}
