package tensor

import (
	"fmt"
	"html"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Styles are inline, because notebooks keep nothing else, and set no colours, so that they suit light and dark
// themes.
const (
	tableStyle = "border-collapse:collapse;margin:2px 0 8px"
	cellStyle  = "text-align:right;padding:2px 8px;font-family:monospace;white-space:pre;border:1px solid " +
		"rgba(128,128,128,.3)"
	headStyle  = "text-align:right;padding:2px 8px;font-family:monospace;font-weight:normal;opacity:.6"
	labelStyle = "font-family:monospace;opacity:.8"
	factStyle  = "text-align:left;padding:0 12px 0 0;font-family:monospace;font-weight:normal"
)

// HTML returns a table of the elements with shape, dtype and device above it; a tensor of rank above 2 as one table
// for each matrix. As with String, only the first and last three elements of every dim are shown beyond 1000
// elements. A click on the line above opens further facts: size, strides, minimum, mean and maximum, how many
// elements are NaN or infinite, and a small histogram. For a large tensor they are computed on its device; on the
// emulated GPU they are those of a sample of evenly spaced elements, and the text says of how many.
func (t *Tensor) HTML() string {
	label := fmt.Sprintf("%s · %v · %s", shapeText(t.layout.Shape), t.dtype, t.dev.Location())
	var b strings.Builder
	s, err := t.sample("html")
	fmt.Fprintf(&b, `<div style="overflow-x:auto"><details><summary style="%s;cursor:pointer">%s</summary>`, labelStyle,
		html.EscapeString(label))
	if err == nil {
		t.facts(&b)
	}
	b.WriteString("</details>")
	switch {
	case err != nil:
		b.WriteString("<pre>" + html.EscapeString(err.Error()) + "</pre>")
	case t.ElemCount() > 0:
		p := page{sample: s, shape: t.layout.Shape}
		p.slices(&b, 0, 0, nil)
	}
	b.WriteString("</div>")
	return b.String()
}

func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", " × "), "[]")
}

// page draws a sample as tables.
type page struct {
	sample
	shape []int
}

// position is the index in the tensor of the shown element i of dim d.
func (p page) position(d, i int) int {
	if p.cut[d] && i >= p.edge {
		return p.shape[d] - 2*p.edge + i
	}
	return i
}

// slices draws the matrices, each with its index above it.
func (p page) slices(b *strings.Builder, d, first int, index []string) {
	if len(p.dims)-d <= 2 {
		if len(index) > 0 {
			fmt.Fprintf(b, `<div style="%s">[%s, :, :]</div>`, labelStyle, strings.Join(index, ", "))
		}
		p.table(b, d, first)
		return
	}
	step := backend.Product(p.dims[d+1:])
	for i := range p.dims[d] {
		if p.cut[d] && i == p.edge {
			fmt.Fprintf(b, `<div style="%s">⋮</div>`, labelStyle)
		}
		p.slices(b, d+1, first+i*step, append(index[:len(index):len(index)], fmt.Sprint(p.position(d, i))))
	}
}

// table draws the last two dims, or fewer.
func (p page) table(b *strings.Builder, d, first int) {
	rows, cols := 1, 1
	colDim := len(p.dims) - 1
	if colDim >= 0 {
		cols = p.dims[colDim]
	}
	if colDim > d {
		rows = p.dims[d]
	}
	fmt.Fprintf(b, `<table style="%s">`, tableStyle)
	if colDim >= 0 {
		p.head(b, colDim, rows > 1 || colDim > d)
	}
	for r := range rows {
		if colDim > d && p.cut[d] && r == p.edge {
			p.gapRow(b, cols, colDim)
		}
		b.WriteString("<tr>")
		if colDim > d {
			fmt.Fprintf(b, `<th style="%s">%d</th>`, headStyle, p.position(d, r))
		}
		for c := range cols {
			if colDim >= 0 && p.cut[colDim] && c == p.edge {
				fmt.Fprintf(b, `<td style="%s">…</td>`, cellStyle)
			}
			fmt.Fprintf(b, `<td style="%s">%s</td>`, cellStyle,
				html.EscapeString(strings.TrimLeft(p.text[first+r*cols+c], " ")))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
}

// head draws the column numbers.
func (p page) head(b *strings.Builder, dim int, corner bool) {
	b.WriteString("<tr>")
	if corner {
		b.WriteString("<th></th>")
	}
	for c := range p.dims[dim] {
		if p.cut[dim] && c == p.edge {
			fmt.Fprintf(b, `<th style="%s">…</th>`, headStyle)
		}
		fmt.Fprintf(b, `<th style="%s">%d</th>`, headStyle, p.position(dim, c))
	}
	b.WriteString("</tr>")
}

func (p page) gapRow(b *strings.Builder, cols, colDim int) {
	if p.cut[colDim] {
		cols++
	}
	fmt.Fprintf(b, `<tr><th style="%s">⋮</th>%s</tr>`, headStyle,
		strings.Repeat(fmt.Sprintf(`<td style="%s">⋮</td>`, cellStyle), cols))
}
