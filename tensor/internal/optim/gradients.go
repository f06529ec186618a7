package optim

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// Wanted says what Scaled returns.
type Wanted int

const (
	WithNorm Wanted = iota // the norm and scaled gradients
	OnlyNorm
	NoNorm // scaled gradients, which no norm limits
)

// Scaled returns the Euclidean norm of all gradients, F64 of shape [] on the device of the first of them, and new ones
// that are dense, scaled and clamped.
func Scaled(
	op string, gradients []*tensor.Tensor, before Before, what Wanted,
) (norm *tensor.Tensor, to []*tensor.Tensor) {
	slots := make([]Slot, len(gradients))
	for i, g := range gradients {
		slots[i].G = g
		if what != OnlyNorm {
			slots[i].W = g.Device().Empty(g.DType(), g.Dims()...)
			to = append(to, slots[i].W)
		}
	}
	list := batches(op, slots)
	defer free(list)
	var s Steps
	if what != NoNorm {
		s.prepare(op, list, SGD{}, before, nil)
		norm = s.controls[list[0].dev].Get(kernels.ControlNorm)
	}
	if what != OnlyNorm {
		for _, b := range list {
			b.scale(op, s.controls[b.dev], before)
		}
	}
	return norm, to
}

// scale writes the gradients of b, scaled and clamped, to its variables.
func (b *batch) scale(op string, t *tensor.Tensor, before Before) {
	if isGPU(b.dev) {
		for part := range b.tables() {
			launch(op, b.dev, "grad_scale", b.dtype, part.blocks(), func(args *rocm.Args) {
				part.add(args)
				optional(args, op, t).F64(before.Factor).F64(before.Value)
			})
		}
		return
	}
	b.update(assign{}, hostControl(t, before))
}

// assign makes the gradient the variable.
type assign struct{ SGD }

func (assign) update32(_ *control, e *elements[float32]) { copy(e.w, e.g) }
func (assign) update64(_ *control, e *elements[float64]) { copy(e.w, e.g) }

// sums returns, for each device, sums of squares and of faults of the gradients on all of them: F64 [n 2].
func sums(op string, list []*batch) map[*tensor.Device]*tensor.Tensor {
	of := map[*tensor.Device]*tensor.Tensor{}
	for _, b := range list {
		parts := b.sums(op)
		if before := of[b.dev]; before != nil {
			parts = tensor.Cat([]*tensor.Tensor{before, parts}, 0)
		}
		of[b.dev] = parts
	}
	if len(of) < 2 {
		return of
	}
	total := tensor.CPU().Zeros(tensor.F64, 1, 2)
	for _, b := range list { // in an order that does not change
		if parts := of[b.dev]; parts != nil {
			total = total.Add(parts.ToDevice(tensor.CPU()).SumKeepDim(0))
			delete(of, b.dev)
		}
	}
	for _, b := range list {
		if of[b.dev] == nil {
			of[b.dev] = total.ToDevice(b.dev).Copy()
		}
	}
	return of
}

// sums returns sums of squares and of faults of the gradients of b.
func (b *batch) sums(op string) *tensor.Tensor {
	if !isGPU(b.dev) {
		return b.hostSums()
	}
	const most = 1024 // blocks of a launch
	blocks := 0
	for part := range b.tables() {
		blocks += min(part.blocks(), most)
	}
	out := b.dev.Empty(tensor.F64, blocks, 2)
	at := 0
	for part := range b.tables() {
		n := min(part.blocks(), most)
		launch(op, b.dev, "grad_norm", b.dtype, n, func(args *rocm.Args) {
			part.add(args)
			rows(args, op, out, at)
		})
		at += n
	}
	return out
}
