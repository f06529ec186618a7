package display

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// nested is a slice of slices (of slices …) of scalars, drawn in brackets with aligned columns.
type nested struct {
	v       reflect.Value
	format  func(reflect.Value) string
	columns span
	widths  []int // of the columns that are shown
	number  bool
	elided  bool
}

// nestedOf returns v as nested rows, or nil when it is something else.
func nestedOf(v reflect.Value) *nested {
	depth, leaf := 0, v.Type()
	for (leaf.Kind() == reflect.Slice || leaf.Kind() == reflect.Array) && !hasMethod(leaf) && depth < maxLevels {
		depth, leaf = depth+1, leaf.Elem()
	}
	if depth < 2 || !isScalar(leaf) || v.Len() == 0 {
		return nil
	}
	n := &nested{v: v, number: isNumber(leaf), format: leafFormat(leaf)}
	longest := 0
	n.leaves(v, func(row reflect.Value) { longest = max(longest, row.Len()) })
	n.columns = spanOf(longest, maxCols, colsHead, colsTail)
	if n.measure() > lineWidth() {
		n.columns = spanOf(longest, narrowHead+narrowTail+1, narrowHead, narrowTail)
		n.measure()
	}
	return n
}

// measure computes the width of each displayed column and returns the width of a row.
func (n *nested) measure() (total int) {
	n.widths = make([]int, n.columns.n)
	n.leaves(n.v, func(row reflect.Value) {
		n.cells(row, func(i int, s string) { n.widths[i] = max(n.widths[i], textWidth(s)) }, func() {})
	})
	for _, w := range n.widths {
		if w > 0 {
			total += 1 + w
		}
	}
	return total
}

func leafFormat(leaf reflect.Type) func(reflect.Value) string {
	p := &printer{visiting: map[visit]bool{}, left: maxText}
	switch {
	case hasMethod(leaf):
		return func(v reflect.Value) string { return p.inline(v, 1) }
	case leaf.Kind() == reflect.Float32, leaf.Kind() == reflect.Float64:
		return number
	case leaf.Kind() == reflect.String:
		return func(v reflect.Value) string { return strconv.Quote(cellText(v.String(), maxCell)) }
	}
	return func(v reflect.Value) string { return p.inline(v, 1) }
}

// leaves calls f for each innermost row that is shown.
func (n *nested) leaves(v reflect.Value, f func(row reflect.Value)) {
	if isScalar(v.Type().Elem()) {
		f(v)
		return
	}
	n.span(v).each(func(i int) { n.leaves(v.Index(i), f) }, func() {})
}

// span limits the elements of an outer level; levels above the rows show fewer.
func (n *nested) span(v reflect.Value) span {
	if isScalar(v.Type().Elem().Elem()) {
		return spanOf(v.Len(), maxRows, rowsHead, rowsTail)
	}
	return spanOf(v.Len(), colsHead, colsTail, 2)
}

// cells calls f for each shown cell of a row: rows of one value may have different lengths.
func (n *nested) cells(row reflect.Value, f func(i int, s string), gap func()) {
	columns := n.columns
	if row.Len() < columns.n {
		columns = spanOf(row.Len(), n.columns.head+n.columns.tail, n.columns.head, n.columns.tail)
	}
	columns.each(func(i int) { f(i, n.format(row.Index(i))) }, gap)
}

func (n *nested) text() string {
	var b strings.Builder
	n.write(&b, n.v, 1)
	if n.elided {
		b.WriteString("\n(" + n.shape() + ")")
	}
	return b.String()
}

func (n *nested) write(b *strings.Builder, v reflect.Value, indent int) {
	b.WriteByte('[')
	first := true
	if isScalar(v.Type().Elem()) {
		n.elided = n.elided || v.Len() > n.columns.head+n.columns.tail
		n.cells(v, func(i int, s string) {
			if !first {
				b.WriteByte(' ')
			}
			first = false
			if n.number {
				s = pad(s, n.widths[i], true)
			} else if i < v.Len()-1 {
				s = pad(s, n.widths[i], false)
			}
			b.WriteString(s)
		}, func() { b.WriteString(" …") })
		b.WriteByte(']')
		return
	}
	s := n.span(v)
	n.elided = n.elided || !s.whole()
	newline := func() {
		if !first {
			b.WriteString("\n" + strings.Repeat(" ", indent))
		}
		first = false
	}
	s.each(func(i int) {
		newline()
		n.write(b, v.Index(i), indent+1)
	}, func() {
		newline()
		b.WriteString("…")
	})
	b.WriteByte(']')
}

// shape describes the lengths along the first elements, like 1000 × 50.
func (n *nested) shape() string {
	var sizes []string
	for v := n.v; ; v = v.Index(0) {
		sizes = append(sizes, fmt.Sprint(v.Len()))
		if v.Len() == 0 || isScalar(v.Type().Elem()) {
			return strings.Join(sizes, " × ")
		}
	}
}
