package host

import (
	"github.com/gorocm/gorocm/internal/timeline"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// timed begins the span of an operation in a timeline, if one is recorded; the function that it returns ends it. The
// operation writes so many bytes and reads the operands.
func timed(name string, dt kernels.DType, written int, operands ...backend.Operand) (end func()) {
	return timedProduct(name, dt, 0, written, operands...)
}

// timedProduct is timed for an operation that multiplies and adds.
func timedProduct(name string, dt kernels.DType, flops, written int, operands ...backend.Operand) (end func()) {
	if !timeline.Active() {
		return func() {}
	}
	for _, o := range operands {
		written += elementBytes(o)
	}
	return timeline.Op(name+"_"+dt.String(), timeline.Work{Bytes: written, Flops: flops})
}

// timed is timed for a chain that writes so many bytes after the results that it keeps.
func (p *program) timed(written int) (end func()) {
	if !timeline.Active() {
		return func() {}
	}
	for i := range p.inputs {
		written += elementBytes(p.inputs[i].o)
	}
	for i := range p.steps {
		if s := &p.steps[i]; s.keep {
			written += p.n * s.size
		}
	}
	return timeline.Op("fused chain", timeline.Work{Steps: len(p.steps), Bytes: written})
}

// elementBytes is how many bytes the elements of an operand have, those that are broadcast counted once.
func elementBytes(o backend.Operand) int {
	n := o.DType.Size()
	for i, size := range o.Layout.Shape {
		if o.Layout.Strides[i] != 0 {
			n *= size
		}
	}
	return n
}

// sizeFor is how many bytes a result has that has as many elements as an operand.
func sizeFor(o backend.Operand, dt kernels.DType) int { return o.Layout.ElemCount() * dt.Size() }
