package show

import (
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// maxShown bounds how many elements are shown, approximately, whatever the options say.
const maxShown = 1 << 15

// Corner says which elements of a layout are shown: all of a small one; of a large one the first and the last of every
// dim.
type Corner struct {
	// View has the shown elements. The first and last elements of a dim are two equal runs at one distance, so that
	// the whole corner is one strided view, and one transfer.
	View backend.Layout

	options printing.Options
	shape   []int  // of the layout
	dims    []int  // how many are shown of each dim
	cut     []bool // whether a dim has more than its shown elements
	edge    int    // how many elements of an elided dim are shown at each end
}

// CornerOf chooses the elements of a layout that are shown with the printing options in force.
func CornerOf(l backend.Layout) Corner {
	o := printing.Get()
	c := Corner{View: l, options: o, shape: l.Shape, edge: o.EdgeItems,
		dims: append([]int{}, l.Shape...), cut: make([]bool, l.Rank())}
	if l.ElemCount() <= o.Threshold {
		return c
	}
	for c.edge > 1 && shownOf(l.Shape, c.edge) > maxShown {
		c.edge--
	}
	edge := c.edge
	c.View = backend.Layout{Offset: l.Offset}
	for d, n := range l.Shape {
		step := l.Strides[d]
		if n > 2*edge {
			c.View.Shape = append(c.View.Shape, 2, edge)
			c.View.Strides = append(c.View.Strides, (n-edge)*step, step)
			c.dims[d], c.cut[d] = 2*edge, true
		} else {
			c.View.Shape = append(c.View.Shape, n)
			c.View.Strides = append(c.View.Strides, step)
		}
	}
	return c
}

// shownOf is how many elements of a shape are shown when up to 2·edge of each dim are.
func shownOf(shape []int, edge int) int {
	n := 1
	for _, d := range shape {
		n *= min(d, 2*edge)
	}
	return n
}

// Text returns the elements in nested brackets, aligned. raw are those of View, in row-major order.
func (c Corner) Text(dt kernels.DType, raw []byte) string {
	return c.sample(texts(dt, raw, c.options.Precision)).String()
}

// sample is a Corner with the text of its elements, in one width.
type sample struct {
	Corner
	text  []string
	width int
}

func (c Corner) sample(text []string) sample {
	s := sample{Corner: c, text: text}
	for _, v := range s.text {
		s.width = max(s.width, utf8.RuneCountInString(v))
	}
	for i, v := range s.text {
		s.text[i] = strings.Repeat(" ", s.width-utf8.RuneCountInString(v)) + v
	}
	return s
}

// String returns the elements in brackets. One element without dims has none.
func (s sample) String() string {
	if len(s.dims) == 0 {
		return s.text[0]
	}
	var b strings.Builder
	s.write(&b, 0, 0, 1)
	return b.String()
}

// write writes the part of the sample that begins at element first of dim d, indented by the brackets before it.
// Lines are no wider than the options say, with the brackets and the comma that may end them, where one element fits.
func (s sample) write(b *strings.Builder, d, first, indent int) {
	b.WriteByte('[')
	last := d == len(s.dims)-1
	step := backend.Product(s.dims[d+1:])
	newLine := ",\n" + strings.Repeat(" ", indent)
	room := s.options.LineWidth - len(s.dims) // up to a bracket of each dim, or a comma in the place of the last one
	column := indent
	item := func(text string, width int) {
		switch {
		case column == indent:
		case column+2+width > room:
			b.WriteString(newLine)
			column = indent
		default:
			b.WriteString(", ")
			column += 2
		}
		b.WriteString(text)
		column += width
	}
	for i := range s.dims[d] {
		gap := s.cut[d] && i == s.edge
		switch {
		case last && gap:
			item("...", 3)
		case !last && gap:
			b.WriteString(newLine + "..." + newLine[1:])
		case !last && i > 0:
			b.WriteString(newLine)
		}
		if last {
			item(s.text[first+i], s.width)
		} else {
			s.write(b, d+1, first+i*step, indent+1)
		}
	}
	b.WriteByte(']')
}
