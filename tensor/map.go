package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/mapping"
)

// Map returns the results of a function of numbers for the elements of the inputs, which are broadcast to one shape:
//
//	tensor.Map(func(x, y float32) float32 { return x*x + y }, a, b)
//
// f has a parameter for each input, of the Go type of its elements (float32 for F32, int or int64 for I64, bool for
// Bool, …), and one result, of the type of the new elements. It is called for every element, in no order, on several
// goroutines, and must do nothing but compute. In a session, a literal or a function by name becomes machine code, or a
// kernel of a GPU. In a compiled program f is called on the CPU, and GPUs have no Map. There is no gradient. It panics
// with ErrDType when f and the inputs do not fit, with ErrDevice when the GPU cannot run f, and as f does.
func Map(f any, inputs ...*Tensor) *Tensor { return must(mapped("map", f, inputs)) }

func mapped(op string, f any, inputs []*Tensor) (*Tensor, error) {
	types := make([]DType, len(inputs))
	for i, t := range inputs {
		if t == nil {
			return nil, fault(op, ErrShape, nil, "input %d is nil", i+1)
		}
		types[i] = t.dtype
	}
	m, err := mapping.New(f, types)
	if err != nil {
		return nil, faultBelow(op, err)
	}
	if err := sameDevice(op, inputs...); err != nil {
		return nil, err
	}
	ts, err := broadcastAll(op, slices.Clone(inputs)...)
	if err != nil {
		return nil, err
	}
	ins := make([]backend.Operand, len(ts))
	for i, t := range ts {
		ins[i] = backend.Operand{Store: t.memory(), DType: t.dtype, Layout: t.layout}
	}
	t := ts[0]
	y, err := t.result(op, m.Out(), func() (backend.Storage, error) {
		return m.Run(t.dev.backend, t.layout.Shape, ins)
	})
	if err != nil {
		return nil, err
	}
	return y.byFunction(op, inputs, true, func(g *Tensor) ([]*Tensor, error) {
		return nil, fault(op, ErrGradient, []*Tensor{g}, "a function over elements has no gradient").
			note("operations of tensors have gradients, and so has a CustomOp1 with a method Backward; " +
				"x.Detach() keeps gradients from being computed")
	}), nil
}
