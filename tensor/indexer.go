package tensor

import (
	"errors"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// indexMark is an index that is neither number nor range.
type indexMark string

// Further indices of Tensor.I, besides numbers, ranges, ids and masks.
var (
	NewAxis  = indexMark("newaxis") // NewAxis adds a dim of size 1.
	Ellipsis = indexMark("...")     // Ellipsis stands for as many All as there are dims that no other index is for.
)

// String returns what the index is in Python.
func (p indexMark) String() string { return string(p) }

func (t *Tensor) i(index ...any) (*Tensor, error) {
	const op = "index"
	index, err := t.indices(op, index)
	if err != nil {
		return nil, err
	}
	out, marks, err := t.basic(op, index)
	if err != nil || len(marks) == 0 {
		return out, err
	}
	return out.byIDs(op, marks)
}

// basic applies the numbers, ranges and new dims of an index, whose result is a view unless a step is negative. It
// returns the ids and masks with the dims that they have in the view.
func (t *Tensor) basic(op string, index []any) (out *Tensor, marks []idsOf, err error) {
	out, d, dim := t, 0, 0 // the next index is for dim of t, which is d of out
	for _, x := range index {
		switch x := x.(type) {
		case int:
			if out, err = out.picked(op, t, dim, d, x); err != nil {
				return nil, nil, err
			}
			dim++
			continue
		case Range:
			if x != All {
				out, err = out.slice(op, t, dim, d, x)
			}
		case *Tensor:
			marks = append(marks, idsOf{d, x})
			d, dim = d+indexedDims(x)-1, dim+indexedDims(x)-1
		case indexMark:
			out = out.reshaped(out.layout.InsertDim(d))
		}
		if err != nil {
			return nil, nil, err
		}
		d++
		if x != NewAxis {
			dim++
		}
	}
	return out, marks, nil
}

// isMask reports whether a tensor of indices is a mask, as comparisons return. Others have ids.
func isMask(x *Tensor) bool { return x.dtype == Bool }

// pickedBy returns the elements that a mask of dims d, d+1, … selects, along one dim that replaces those.
func (t *Tensor) pickedBy(op string, mask *Tensor, d int) (*Tensor, error) {
	shape, r := t.layout.Shape, mask.Rank()
	if err := t.fitsMask(op, mask, d); err != nil {
		return nil, err
	}
	if r == t.Rank() {
		return t.maskedSelect(mask)
	}
	if err := sameDevice(op, t, mask); err != nil {
		return nil, err
	}
	marked, err := mask.reshape(op, []int{mask.ElemCount()})
	if err != nil {
		return nil, err
	}
	if marked, err = marked.nonzero(); err != nil {
		return nil, err
	}
	rows, err := t.reshape(op, slices.Replace(slices.Clone(shape), d, d+r, mask.ElemCount()))
	if err != nil {
		return nil, err
	}
	return rows.indexSelect(op, marked.view(marked.layout.DropDim(1)), d)
}

// fitsMask checks that a mask has the sizes of dims d, d+1, … of t.
func (t *Tensor) fitsMask(op string, mask *Tensor, d int) error {
	r := mask.Rank()
	if r > 0 && slices.Equal(mask.layout.Shape, t.layout.Shape[d:d+r]) {
		return nil
	}
	return fault(op, ErrShape, []*Tensor{t, mask}, "a mask of shape %v for shape %v", mask.layout.Shape,
		t.layout.Shape[d:]).
		note("a mask has the sizes of the dims that it picks from; ids are integers")
}

// picked returns element i of dim d of t. Errors name dim of whole, from which it came.
func (t *Tensor) picked(op string, whole *Tensor, dim, d, i int) (*Tensor, error) {
	n := t.layout.Shape[d]
	if i < -n || i >= n {
		return nil, fault(op, ErrIndex, []*Tensor{whole}, "no element %d in dim %d, which has %d, of shape %v", i, dim,
			n, whole.layout.Shape)
	}
	one := t.part(d, (i+n)%n, 1, 1)
	return one.reshaped(one.layout.DropDim(d)), nil
}

// indices parses strings, replaces the ellipsis, makes tensors of lists, and checks that there are not too many.
func (t *Tensor) indices(op string, given []any) ([]any, error) {
	var index []any
	for _, x := range given {
		switch x := x.(type) {
		case int, Range, indexMark:
			index = append(index, x)
		case []int:
			index = append(index, t.dev.New(x))
		case []bool:
			index = append(index, t.dev.New(x))
		case *Tensor:
			if x == nil {
				return nil, fault(op, ErrShape, []*Tensor{t}, "an index is a nil tensor")
			}
			index = append(index, x)
		case string:
			parsed, err := t.parseIndex(op, x)
			if err != nil {
				return nil, err
			}
			index = append(index, parsed...)
		default:
			return nil, fault(op, ErrDType, []*Tensor{t}, "cannot index with a %T", x).note("%s", indexKinds)
		}
	}
	used, gap := 0, -1
	for i, x := range index {
		switch {
		case x == Ellipsis && gap >= 0:
			return nil, fault(op, ErrShape, []*Tensor{t}, "more than one ellipsis in the index")
		case x == Ellipsis:
			gap = i
		case x != NewAxis:
			used += indexedDims(x)
		}
	}
	if used > t.Rank() {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%d indices for shape %v, which has %d dims", used,
			t.layout.Shape, t.Rank())
	}
	if gap >= 0 {
		rest := make([]any, t.Rank()-used)
		for i := range rest {
			rest[i] = All
		}
		index = slices.Replace(index, gap, gap+1, rest...)
	}
	return index, nil
}

// indexedDims is how many dims an index is for.
func indexedDims(index any) int {
	if x, ok := index.(*Tensor); ok && isMask(x) {
		return x.Rank()
	}
	return 1
}

const indexKinds = "an index is an int, a range such as tensor.R(1, 3), []int or a tensor of ids, a mask such as " +
	"x.Gt(0), tensor.NewAxis, tensor.Ellipsis, or a string such as \"1:3, -1\""

// parseIndex reads indices as Python writes them between brackets.
func (t *Tensor) parseIndex(op, text string) (index []any, _ error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		bounds, n, err := shapes.ParseRange(part)
		switch {
		case part == "...":
			index = append(index, Ellipsis)
		case part == "newaxis" || part == "None":
			index = append(index, NewAxis)
		case errors.Is(err, shapes.ErrStep):
			return nil, fault(op, ErrShape, []*Tensor{t}, "%q %v", part, err).note("a step of -1 reverses a dim")
		case err != nil:
			return nil, fault(op, ErrShape, []*Tensor{t}, "%q %v", part, err).note("%s", indexKinds)
		case n == 1:
			index = append(index, bounds[0])
		default:
			index = append(index, Range{bounds[0], bounds[1], bounds[2]})
		}
	}
	return index, nil
}
