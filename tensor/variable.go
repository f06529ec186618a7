package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/graph"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// NewVar returns a variable with the elements of t: a tensor for which Backward computes a gradient, such as a weight.
// It has elements of its own, which Set and an optimizer write to; otherwise it is used as any tensor is. It panics
// with ErrDType when t has neither a float type nor a complex one.
//
//	w := tensor.NewVar(dev.Randn(tensor.F32, 10, 3).Mul(0.1))
func NewVar(t *Tensor) *Tensor {
	const op = "new var"
	if !t.dtype.IsFloat() && !t.dtype.IsComplex() {
		check(fault(op, ErrDType, []*Tensor{t}, "%v numbers have no gradients; variables have one of %v", t.dtype,
			slices.Concat(kernels.Floats, kernels.Complex)).
			note("convert first, as in %s", converted("x", dtypes.Common(t.dtype, F32))))
	}
	v := must(t.plain().copied(op))
	v.store.MarkKept()
	v.made = &node{ID: v.id, Number: v.id, Op: "variable", DType: v.dtype, Shape: v.layout.Shape,
		Variable: &graph.Variable{}}
	return v
}

// IsVariable reports whether NewVar has made t.
func (t *Tensor) IsVariable() bool { return t.made != nil && t.made.Variable != nil }

// TrackOp reports whether t is a variable or depends on one, so that Backward can be called.
func (t *Tensor) TrackOp() bool { return t.made != nil }

// Detach returns the same elements as a tensor that depends on no variable. The elements are shared.
func (t *Tensor) Detach() *Tensor { return t.view(t.layout) }

// Set replaces the elements of a variable by those of src, which has the same shape, dtype and device. It panics with
// ErrGradient when t is not a variable (CopySet writes to any tensor).
func (t *Tensor) Set(src *Tensor) {
	const op = "set"
	if !t.IsVariable() {
		check(fault(op, ErrGradient, []*Tensor{t},
			"the tensor is not a variable").note("tensor.NewVar makes one; x.CopySet writes to any tensor"))
	}
	if src != nil && !slices.Equal(src.layout.Shape, t.layout.Shape) {
		check(fault(op, ErrShape, []*Tensor{t, src}, "elements of shape %v for a variable of shape %v",
			src.layout.Shape, t.layout.Shape))
	}
	check(t.set(op, src.plain()))
}

// writable checks that the elements of t may change: gradients may need what was computed from variables. It counts
// the changes of a variable, and notes the write, unless it belongs to a gradient, as when Checkpoint computes again.
func (t *Tensor) writable(op string) error {
	if t.made != nil && t.made.Variable == nil {
		return fault(op, ErrGradient, []*Tensor{t},
			"the tensor was computed from variables (by %s): its gradient would be wrong", t.made.Op).
			note("x.Copy().Detach() has elements of its own; to change a part and keep the gradient, use SliceAssign, Scatter or WhereCond")
	}
	if t.made != nil {
		t.made.Variable.Version.Add(1)
	}
	if scope.Passed() == 0 {
		t.store.Written(lastID.Add(1))
	}
	return nil
}

// unwatched checks that the elements to write depend on no variable: that would be forgotten.
func unwatched(op string, t, src *Tensor) error {
	if !tracked(src) {
		return nil
	}
	if t.IsVariable() {
		return fault(op, ErrGradient, []*Tensor{t, src},
			"the other tensor depends on variables, and writing to a variable has no gradient").
			note("w.Set(src) gives a variable new elements, as an optimizer does")
	}
	return fault(op, ErrGradient, []*Tensor{src},
		"the other tensor depends on variables, and writing to a tensor has no gradient").
		note("src.Detach() is the same elements without gradients; to keep them, use SliceAssign, SliceScatter, Scatter or Cat")
}
