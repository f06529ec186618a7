package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Layout maps the indices of a tensor's elements to its storage: element (i, j, …) is at offset + i·stride₀ +
// j·stride₁ + … Offset and strides count elements, not bytes. A stride of 0 repeats an element. A Layout never
// changes and knows neither data nor device; a view is the same storage with another Layout.
type Layout struct{ l backend.Layout }

// Shape returns the size of every dim.
func (l Layout) Shape() []int { return slices.Clone(l.l.Shape) }

// Strides returns, for every dim, the distance of neighbours in the storage, in elements.
func (l Layout) Strides() []int { return slices.Clone(l.l.Strides) }

// Offset returns the index of the first element in the storage, in elements.
func (l Layout) Offset() int { return l.l.Offset }

// Rank returns the number of dims.
func (l Layout) Rank() int { return l.l.Rank() }

// ElemCount returns the number of elements: the product of the shape, 1 for rank 0.
func (l Layout) ElemCount() int { return l.l.ElemCount() }

// IsContiguous reports whether the elements are in row-major order without gaps, at any offset. The strides of dims
// of size 1 do not matter; a layout without elements is contiguous.
func (l Layout) IsContiguous() bool { return l.l.IsContiguous() }

// String returns shape, strides and offset.
func (l Layout) String() string { return l.l.String() }
