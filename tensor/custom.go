package tensor

import (
	"errors"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Operations that programs define. An op computes on tensors: on the host through Data, Float64s and FromSlice or
// with other operations, on a GPU mostly with a kernel of its own (rocm.Compile). Further methods extend an op beyond
// the host: ROCmForward1 and Backward1, and their like for two and three tensors.

// CustomOp1 is an operation of one tensor, for ApplyOp1.
//
//	type double struct{}
//
//	func (double) Name() string { return "double" }
//	func (double) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error) { return x.Mul(2), nil }
//
//	tensor.Of(1, 2).ApplyOp1(double{}) // [2, 4] f32
type CustomOp1 interface {
	// Name is the operation's name in errors.
	Name() string
	// CPUForward returns a new tensor on the CPU. Its arguments are not nil and have any layout.
	CPUForward(x *Tensor) (*Tensor, error)
}

// ROCmForward1 is implemented by a CustomOp1 that computes on GPUs too, AMD's and NVIDIA's: HIP source serves both.
// The result is on the device of x.
type ROCmForward1 interface {
	ROCmForward(x *Tensor) (*Tensor, error)
}

// Backward1 is implemented by a CustomOp1 that has a gradient: from its operand, its result and the gradient of the
// result it returns the gradient of the operand, or nil for none.
type Backward1 interface {
	Backward(x, result, grad *Tensor) (*Tensor, error)
}

// BackwardByOperations is implemented by a custom op whose method Backward does nothing but operations of tensors on
// what it is given, so that its gradients have gradients. Those of other custom ops have none: see BackwardGraph.
type BackwardByOperations interface{ BackwardByOperations() }

// CustomOp2 is an operation of two tensors, for ApplyOp2. See CustomOp1.
type CustomOp2 interface {
	Name() string
	CPUForward(x, y *Tensor) (*Tensor, error)
}

// ROCmForward2 is implemented by a CustomOp2 that computes on GPUs too. See ROCmForward1.
type ROCmForward2 interface {
	ROCmForward(x, y *Tensor) (*Tensor, error)
}

// Backward2 is implemented by a CustomOp2 that has gradients. See Backward1.
type Backward2 interface {
	Backward(x, y, result, grad *Tensor) (dx, dy *Tensor, err error)
}

// CustomOp3 is an operation of three tensors, for ApplyOp3. See CustomOp1.
type CustomOp3 interface {
	Name() string
	CPUForward(x, y, z *Tensor) (*Tensor, error)
}

// ROCmForward3 is implemented by a CustomOp3 that computes on GPUs too. See ROCmForward1.
type ROCmForward3 interface {
	ROCmForward(x, y, z *Tensor) (*Tensor, error)
}

// Backward3 is implemented by a CustomOp3 that has gradients. See Backward1.
type Backward3 interface {
	Backward(x, y, z, result, grad *Tensor) (dx, dy, dz *Tensor, err error)
}

// ApplyOp1 returns the result of op for t, on the device of t. It panics with ErrDevice when op has no ROCmForward
// and t is on a GPU, and with the error that op returns.
func (t *Tensor) ApplyOp1(op CustomOp1) *Tensor {
	gpu, _ := op.(ROCmForward1)
	x := t.plain()
	y := must(applyCustom(op.Name(), []*Tensor{x}, gpu != nil, func(cpu bool) (*Tensor, error) {
		if cpu {
			return op.CPUForward(x)
		}
		return gpu.ROCmForward(x)
	}))
	var grads func(g *Tensor) ([]*Tensor, error)
	if back, ok := op.(Backward1); ok {
		grads = func(g *Tensor) ([]*Tensor, error) {
			dx, err := back.Backward(x, y, g)
			return []*Tensor{dx}, err
		}
	}
	return y.byCustom(op, []*Tensor{t}, grads)
}

// ApplyOp2 returns the result of op for t and y, which must be on one device. It panics as ApplyOp1 does.
func (t *Tensor) ApplyOp2(y *Tensor, op CustomOp2) *Tensor {
	gpu, _ := op.(ROCmForward2)
	a, b := t.plain(), y.plain()
	out := must(applyCustom(op.Name(), []*Tensor{a, b}, gpu != nil, func(cpu bool) (*Tensor, error) {
		if cpu {
			return op.CPUForward(a, b)
		}
		return gpu.ROCmForward(a, b)
	}))
	var grads func(g *Tensor) ([]*Tensor, error)
	if back, ok := op.(Backward2); ok {
		grads = func(g *Tensor) ([]*Tensor, error) {
			da, db, err := back.Backward(a, b, out, g)
			return []*Tensor{da, db}, err
		}
	}
	return out.byCustom(op, []*Tensor{t, y}, grads)
}

// ApplyOp3 returns the result of op for t, y and z, which must be on one device. It panics as ApplyOp1 does.
func (t *Tensor) ApplyOp3(y, z *Tensor, op CustomOp3) *Tensor {
	gpu, _ := op.(ROCmForward3)
	a, b, c := t.plain(), y.plain(), z.plain()
	out := must(applyCustom(op.Name(), []*Tensor{a, b, c}, gpu != nil, func(cpu bool) (*Tensor, error) {
		if cpu {
			return op.CPUForward(a, b, c)
		}
		return gpu.ROCmForward(a, b, c)
	}))
	var grads func(g *Tensor) ([]*Tensor, error)
	if back, ok := op.(Backward3); ok {
		grads = func(g *Tensor) ([]*Tensor, error) {
			da, db, dc, err := back.Backward(a, b, c, out, g)
			return []*Tensor{da, db, dc}, err
		}
	}
	return out.byCustom(op, []*Tensor{t, y, z}, grads)
}

// byCustom returns t, the result of a custom op, as a node of the gradient graph. grads returns the gradients of the
// operands, some of them nil. It is nil itself when the op has none, which is an error only if somebody asks for
// them.
func (t *Tensor) byCustom(
	op interface{ Name() string }, operands []*Tensor, grads func(g *Tensor) ([]*Tensor, error),
) *Tensor {
	_, twice := op.(BackwardByOperations)
	if grads == nil {
		return t.byFunction(op.Name(), operands, !twice, nil)
	}
	return t.byFunction(op.Name(), operands, !twice, func(g *Tensor) (ds []*Tensor, err error) {
		g.store.MarkKept() // the program may hold it
		scope.Outside(func() { ds, err = grads(g) })
		return ds, err
	})
}

// byFunction is byCustom for a function, which says with once that its results have no gradients.
func (t *Tensor) byFunction(
	op string, operands []*Tensor, once bool, grads func(g *Tensor) ([]*Tensor, error),
) *Tensor {
	var from []*Tensor
	var at []int
	for i, x := range operands {
		if tracked(x) {
			from, at = append(from, x), append(at, i)
		}
	}
	if len(from) == 0 {
		return t
	}
	out := t.Detach() // the op may have kept its result, or returned an operand
	out.note(op, from, func(g *Tensor) ([]*Tensor, error) {
		if grads == nil {
			return nil, fault(op, ErrGradient, []*Tensor{g}, "the operation has no gradient").
				note("a method Backward on it makes one: see tensor.Backward%d; x.Detach() keeps gradients from being computed", len(operands))
		}
		all, err := grads(g)
		if err != nil {
			return nil, customError(op, g, err)
		}
		ds := make([]*Tensor, len(at))
		for k, i := range at {
			ds[k] = all[i]
		}
		return ds, nil
	})
	if out.made != nil {
		out.made.Once, t.origin = once, out.made
	}
	return out
}

// applyCustom runs a custom op on the device of its operands and checks its result.
func applyCustom(op string, ts []*Tensor, hasGPU bool, run func(cpu bool) (*Tensor, error)) (*Tensor, error) {
	out, err := runCustom(op, ts, hasGPU, run)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, fault(op, ErrShape, ts, "the operation returned no tensor and no error")
	}
	if out.dev != ts[0].dev {
		return nil, fault(op, ErrDevice, append(ts, out),
			"the operation was given tensors on %v and returned one on %v", ts[0].dev, out.dev)
	}
	return out, nil
}

// runCustom runs a custom op, in place or not, after checking the devices of its operands.
func runCustom(op string, ts []*Tensor, hasGPU bool, run func(cpu bool) (*Tensor, error)) (*Tensor, error) {
	for i, t := range ts {
		if t == nil {
			return nil, fault(op, ErrShape, ts[:1], "operand %d is nil", i+1)
		}
	}
	if err := sameDevice(op, ts...); err != nil {
		return nil, err
	}
	for _, t := range ts {
		t.store.MarkKept() // a program's operation may hold its operands
	}
	cpu := ts[0].dev.IsCPU()
	if !cpu && !hasGPU {
		return nil, fault(op, ErrDevice, ts, "the operation computes on the CPU only, and its operand is on %v",
			ts[0].dev).
			note("x.To(\"cpu\") computes on the host; a method ROCmForward with the parameters of CPUForward makes it run on GPUs")
	}
	var out *Tensor
	var err error
	scope.Outside(func() { out, err = run(cpu) })
	if err != nil {
		return nil, customError(op, ts[0], err)
	}
	return out, nil
}

// customError returns the error of a custom op as a tensor error.
func customError(op string, t *Tensor, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	e = caused(&Error{Op: op, Kind: ErrDriver, Devices: []string{t.dev.Location()}}, err)
	e.Message = strings.TrimPrefix(e.Message, "rocm: ")
	return e
}
