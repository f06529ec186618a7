package ndimage

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Label numbers the connected parts of what is not 0 in x, as scipy.ndimage.label: the labels, of the shape of x and
// I64, are 0 elsewhere and from 1 on in the order in which row-major order meets the parts, n of them. structure, 3
// elements along each dim and the same from both sides, is not 0 at the neighbours of its middle; nil is
// BinaryStructure(rank, 1). It panics with ErrShape for another shape of it, and with ErrValue for one that is not the
// same from both sides.
//
//	labels, n := ndimage.Label(x.Gt(0.5), nil)
//	labels, n = ndimage.Label(x.Gt(0.5), ndimage.BinaryStructure(2, 2)) // with diagonals
func Label(x, structure *tensor.Tensor) (labels *tensor.Tensor, n int) {
	const op = "label"
	Border{}.check(op, x)
	if structure == nil {
		structure = BinaryStructure(x.Rank(), 1)
	}
	before := earlier(op, x, structure)
	dims := x.Dims()
	strides := stridesOf(dims)
	inside := x.Detach().Ne(0).ToDType(tensor.U8).To(tensor.CPU()).Contiguous().Data().([]uint8)
	parent := make([]int, len(inside)) // of elements: an earlier one of the same part
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	at := make([]int, len(dims))
	for i, in := range inside {
		if in != 0 {
			parent[i] = i
		neighbours:
			for _, o := range before {
				other := i
				for d, v := range o {
					if at[d]+v < 0 || at[d]+v >= dims[d] {
						continue neighbours
					}
					other += v * strides[d]
				}
				if inside[other] != 0 {
					a, b := root(i), root(other)
					parent[max(a, b)] = min(a, b)
				}
			}
		}
		step(at, dims)
	}
	numbers := make([]int64, len(inside))
	for i, in := range inside {
		if in == 0 {
			continue
		}
		r := root(i)
		if r == i {
			n++
			numbers[i] = int64(n)
		} else {
			numbers[i] = numbers[r]
		}
	}
	return x.Device().FromSlice(numbers, dims...), n
}

// earlier returns the offsets of neighbours that come before the middle in row-major order.
func earlier(op string, x, structure *tensor.Tensor) [][]int {
	offsets := footprint(op, x, structure, false)
	has := map[string]bool{}
	key := func(o []int, sign int) string {
		k := make([]byte, len(o))
		for d, v := range o {
			k[d] = byte(1 + sign*v)
		}
		return string(k)
	}
	for _, n := range structure.Dims() {
		if n != 3 {
			extend.Shape(op, []*tensor.Tensor{x, structure}, "want a structure of 3 elements along each dim, not %v",
				structure.Dims())
		}
	}
	for _, o := range offsets {
		has[key(o, 1)] = true
	}
	out := [][]int{}
	for _, o := range offsets {
		if !has[key(o, -1)] {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x, structure}, "ndimage.BinaryStructure(rank, 1) is one",
				"the structure is not the same from both sides")
		}
		for _, v := range o {
			if v != 0 {
				if v < 0 {
					out = append(out, o)
				}
				break
			}
		}
	}
	return out
}

// step goes on to the next position in row-major order.
func step(at, dims []int) {
	for d := len(dims) - 1; d >= 0; d-- {
		if at[d]++; at[d] < dims[d] {
			return
		}
		at[d] = 0
	}
}

func stridesOf(dims []int) []int { return backend.Dense(dims).Strides }

// Box is a part of an image: from Start to before Stop along each dim.
type Box struct{ Start, Stop []int }

// Of returns the view of x in the box. It panics with ErrShape for an image that does not have it.
func (b Box) Of(x *tensor.Tensor) *tensor.Tensor {
	if len(b.Start) != x.Rank() {
		extend.Shape("box", []*tensor.Tensor{x}, "want an image of %d dims, not %v", len(b.Start), x.Dims())
	}
	for d := range b.Start {
		x = x.Narrow(d, b.Start[d], b.Stop[d]-b.Start[d])
	}
	return x
}

// FindObjects returns the least box around each of the labels 1 to n, as scipy.ndimage.find_objects. The box of a label
// that there is not is empty. It panics with ErrDType for labels that are not integers.
func FindObjects(labels *tensor.Tensor, n int) []Box {
	ids := whole("find objects", labels)
	dims := labels.Dims()
	boxes := make([]Box, n)
	at := make([]int, len(dims))
	for _, id := range ids {
		if id >= 1 && id <= int64(n) {
			b := &boxes[id-1]
			if b.Start == nil {
				b.Start, b.Stop = append([]int{}, at...), make([]int, len(dims))
			}
			for d, v := range at {
				b.Start[d], b.Stop[d] = min(b.Start[d], v), max(b.Stop[d], v+1)
			}
		}
		step(at, dims)
	}
	for i := range boxes {
		if boxes[i].Start == nil {
			boxes[i] = Box{make([]int, len(dims)), make([]int, len(dims))}
		}
	}
	return boxes
}

// whole returns labels, which are integers.
func whole(op string, labels *tensor.Tensor) []int64 {
	Border{}.check(op, labels)
	if dt := labels.DType(); dt.IsFloat() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{labels}, "ndimage.Label(x, nil) returns them",
			"want labels of an integer type, not %v", dt)
	}
	return labels.ToDType(tensor.I64).To(tensor.CPU()).Contiguous().Data().([]int64)
}
