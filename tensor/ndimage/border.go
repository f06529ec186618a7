package ndimage

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// Mode is what an image is beyond its borders.
type Mode int

// The modes, of the row a b c d, by SciPy's names: the Reflect of package tensor, as that of PyTorch, is Mirror here.
const (
	Auto     Mode = iota // Reflect of filters, Constant of transforms
	Reflect              // b a | a b c d | d c
	Mirror               // c b | a b c d | c b
	Nearest              // a a | a b c d | d d
	Wrap                 // c d | a b c d | a b; that of transforms is SciPy's grid-wrap
	Constant             // v v | a b c d | v v
)

func (m Mode) String() string {
	if m < Auto || m > Constant {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return [...]string{"Auto", "Reflect", "Mirror", "Nearest", "Wrap", "Constant"}[m]
}

// Border is what an image is beyond its borders.
type Border struct {
	Mode  Mode
	Value float64 // of Constant
}

// index returns where the element at i of n is, -1 for the value of Constant.
func (m Mode) index(i, n int) int {
	if i >= 0 && i < n {
		return i
	}
	switch m {
	case Auto, Reflect:
		i = shapes.Padded("circular", i, 2*n)
		return min(i, 2*n-1-i)
	case Mirror:
		return shapes.Padded("reflect", i, n)
	case Nearest:
		return shapes.Padded("replicate", i, n)
	case Wrap:
		return shapes.Padded("circular", i, n)
	}
	return -1
}

// extended returns x with elements before and after each dim.
func (b Border) extended(x *tensor.Tensor, before, after []int) *tensor.Tensor {
	for d := range before {
		n := x.Dim(d)
		if before[d] == 0 && after[d] == 0 {
			continue
		}
		if b.Mode == Constant {
			x = x.Pad(d, before[d], after[d], b.Value)
			continue
		}
		extend.Room("border", tensor.I64, before[d]+n+after[d])
		ids := make([]int64, before[d]+n+after[d])
		for i := range ids {
			ids[i] = int64(b.Mode.index(i-before[d], n))
		}
		x = x.IndexSelect(x.Device().FromSlice(ids, len(ids)), d)
	}
	return x
}

// check panics for an image without dims, complex ones, and a mode that there is not.
func (b Border) check(op string, x *tensor.Tensor) {
	extend.SameDevice(op, x)
	if x.Rank() == 0 {
		extend.ShapeNoting(op, []*tensor.Tensor{x}, "x.Reshape(1) has a dim", "want an image, not a scalar")
	}
	if x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x}, "x.Real() and x.Imag() are its parts",
			"want real numbers, not %v", x.DType())
	}
	if b.Mode < Auto || b.Mode > Constant {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there is no mode %d", int(b.Mode))
	}
}

// window is a set of positions around each element of an image.
type window struct {
	offsets [][]int
	border  Border
}

// extended returns x with the elements beyond its borders that the window needs, and how many come before each dim.
func (w window) extended(x *tensor.Tensor) (wide *tensor.Tensor, before []int) {
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	for _, o := range w.offsets {
		for d, v := range o {
			before[d], after[d] = max(before[d], -v), max(after[d], v)
		}
	}
	return w.border.extended(x, before, after), before
}

// around returns views of x extended, one for each offset: each has the shape of x.
func (w window) around(x *tensor.Tensor) []*tensor.Tensor {
	wide, before := w.extended(x)
	views := make([]*tensor.Tensor, len(w.offsets))
	for i, o := range w.offsets {
		v := wide
		for d, n := range x.Dims() {
			if wide.Dim(d) > n {
				v = v.Narrow(d, before[d]+o[d], n)
			}
		}
		views[i] = v
	}
	return views
}

// grid returns the offsets of a box from its middle, in row-major order; of an even size the middle is the later one.
// Flipped ones are those of convolutions and dilations. It panics with ErrMemory when there is no room for them.
func grid(op string, sizes []int, flipped bool) [][]int {
	extend.Room(op, tensor.I64, append([]int{3 + len(sizes)}, sizes...)...)
	offsets := [][]int{{}}
	for _, n := range sizes {
		next := make([][]int, 0, len(offsets)*n)
		for _, o := range offsets {
			for i := range n {
				v := i - n/2
				if flipped {
					v = -v
				}
				next = append(next, append(o[:len(o):len(o)], v))
			}
		}
		offsets = next
	}
	return offsets
}

// sizesOf returns a size for each dim, given one for all or one for each.
func sizesOf(op string, x *tensor.Tensor, sizes []int) []int {
	out := make([]int, x.Rank())
	if len(sizes) != 1 && len(sizes) != len(out) {
		extend.ShapeNoting(op, []*tensor.Tensor{x}, "a size of 1 leaves a dim alone",
			"want a size for each of %d dims, or one for all, not %d", len(out), len(sizes))
	}
	for d := range out {
		out[d] = sizes[d%len(sizes)]
		if out[d] < 1 {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want sizes from 1 on, not %v", sizes)
		}
	}
	return out
}

// footprint returns the offsets of what is not 0 in a tensor of the rank of x.
func footprint(op string, x, mask *tensor.Tensor, flipped bool) [][]int {
	extend.SameDevice(op, mask)
	if mask.Rank() != x.Rank() || mask.ElemCount() == 0 {
		extend.Shape(op, []*tensor.Tensor{x, mask}, "want a footprint of %d dims, not %v", x.Rank(), mask.Dims())
	}
	offsets := [][]int{}
	all := grid(op, mask.Dims(), flipped)
	for i, v := range mask.ToDType(tensor.F64).Detach().Float64s() {
		if v != 0 {
			offsets = append(offsets, all[i])
		}
	}
	if len(offsets) == 0 {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x, mask}, "", "the footprint is empty")
	}
	return offsets
}
