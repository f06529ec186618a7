package tensor

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// Tensor is an array of numbers of one element type on one device. Operations are methods; they return a new Tensor and
// never change their inputs. Views (T, Narrow, Reshape, …) share the elements of the tensor that they come from.
// A Tensor that nothing refers to any more gives its memory back. A Tensor may be used by several goroutines.
type Tensor struct {
	id     uint64
	dtype  DType
	layout backend.Layout
	store  backend.Storage
	dev    *Device
	made   *node  // its node of the gradient graph; nil when it depends on no variable
	origin *node  // the node of which the tensor has the elements: see plain
	parts  *parts // of a gradient of which only a part is known; nil otherwise
}

var lastID atomic.Uint64

func newTensor(dev *Device, dt DType, layout backend.Layout, s backend.Storage) *Tensor {
	id := lastID.Add(1)
	s.Made(id)
	return &Tensor{id: id, dtype: dt, layout: layout, store: s, dev: dev}
}

// dense wraps a backend's dense result.
func dense(dev *Device, dt DType, shape []int, s backend.Storage) *Tensor {
	return result(dev, dt, backend.Dense(shape), s)
}

// result wraps a backend's result, whose memory is new.
func result(dev *Device, dt DType, l backend.Layout, s backend.Storage) *Tensor {
	t := newTensor(dev, dt, l, s)
	scope.Record(s, t.id)
	return t
}

// view is the same elements with another layout, outside of the gradient graph.
func (t *Tensor) view(l backend.Layout) *Tensor { return newTensor(t.dev, t.dtype, l, t.store) }

// operand is t for a backend that reads its memory.
func (t *Tensor) operand() backend.Operand {
	return backend.Operand{Store: t.memory(), DType: t.dtype.Stored(), Layout: t.layout}
}

// writeOperand is operand for a backend that writes to t.
func (t *Tensor) writeOperand() backend.Operand {
	return backend.Operand{Store: t.prepareWrite(), DType: t.dtype.Stored(), Layout: t.layout}
}

// overwriteOperand is writeOperand for a backend that writes to all elements.
func (t *Tensor) overwriteOperand() backend.Operand {
	return backend.Operand{Store: t.prepareOverwrite(), DType: t.dtype.Stored(), Layout: t.layout}
}

// deferrable is operand for elementwise operations and reductions, which take deferred elements.
func (t *Tensor) deferrable() backend.Operand {
	check(t.alive("use"))
	return backend.Operand{Store: t.store, DType: t.dtype.Stored(), Layout: t.layout}
}

// ID returns a number that no other tensor of this process has.
func (t *Tensor) ID() uint64 { return t.id }

// DType returns the element type.
func (t *Tensor) DType() DType { return t.dtype }

// Device returns where the elements are.
func (t *Tensor) Device() *Device { return t.dev }

// Layout returns shape, strides and offset.
func (t *Tensor) Layout() Layout { return Layout{t.layout} }

// Dims returns the size of every dim; nil or empty for rank 0.
func (t *Tensor) Dims() []int { return slices.Clone(t.layout.Shape) }

// Shape returns the same as Dims.
func (t *Tensor) Shape() []int { return slices.Clone(t.layout.Shape) }

// Dim returns the size of dim i; negative i count from the end. It panics with ErrShape when there is no such dim.
func (t *Tensor) Dim(i int) int {
	d, err := t.axis("dim", i)
	check(err)
	return t.layout.Shape[d]
}

// Rank returns the number of dims.
func (t *Tensor) Rank() int { return t.layout.Rank() }

// ElemCount returns the number of elements.
func (t *Tensor) ElemCount() int { return t.layout.ElemCount() }

// Strides returns, for every dim, the distance of neighbours in memory, in elements.
func (t *Tensor) Strides() []int { return slices.Clone(t.layout.Strides) }

// IsContiguous reports whether the elements are in row-major order without gaps.
func (t *Tensor) IsContiguous() bool { return t.layout.IsContiguous() }

// Bytes returns the size of the elements of t in bytes. A view may keep a larger storage alive.
func (t *Tensor) Bytes() int { return t.ElemCount() * t.dtype.Size() }

// StorageBytes returns the size in bytes of the memory that t keeps alive, which views share: a part of a larger
// tensor keeps all of it. It counts neither padding nor what t keeps for gradients.
func (t *Tensor) StorageBytes() int { return t.store.Size() }

// axis resolves a dim, which may count from the end.
func (t *Tensor) axis(op string, dim int) (int, error) {
	rank := t.Rank()
	if dim >= -rank && dim < rank {
		return (dim + rank) % rank, nil
	}
	if rank == 0 {
		return 0, fault(op, ErrShape, []*Tensor{t}, "a scalar has no dim %d", dim)
	}
	return 0, fault(op, ErrShape, []*Tensor{t}, "no dim %d in a tensor of shape %v", dim, t.layout.Shape).
		note("dims are %d to %d; %d to -1 count from the end", 0, rank-1, -rank)
}

// axes resolves a list of dims; none means all. Duplicates are an error.
func (t *Tensor) axes(op string, dims []int) ([]int, error) {
	if len(dims) == 0 {
		all := make([]int, t.Rank())
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	seen := make([]bool, t.Rank())
	out := make([]int, len(dims))
	for i, dim := range dims {
		d, err := t.axis(op, dim)
		if err != nil {
			return nil, err
		}
		if seen[d] {
			return nil, fault(op, ErrShape, []*Tensor{t}, "dim %d is named twice in %v", dim, dims)
		}
		seen[d] = true
		out[i] = d
	}
	return out, nil
}

// label is the last line of the text form.
func (t *Tensor) label() string {
	parts := []string{fmt.Sprint(shapes.Commas(t.layout.Shape)), t.dtype.String()}
	if !t.dev.IsCPU() {
		parts = append(parts, t.dev.Location())
	}
	if t.IsVariable() {
		parts = append(parts, "variable")
	}
	return "Tensor[" + strings.Join(parts, ", ") + "]"
}
