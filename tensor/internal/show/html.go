package show

import (
	"fmt"
	"html"
	"strings"

	"github.com/gorocm/gorocm/kernels"
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

// tables returns the elements as a table; those of a tensor of rank above 2 as one table for each matrix.
func (c Corner) tables(dt kernels.DType, raw []byte) string {
	var b strings.Builder
	c.sample(texts(dt, raw, c.options.Precision)).slices(&b, 0, 0, nil)
	return b.String()
}

// position is the index in the tensor of the shown element i of dim d.
func (s sample) position(d, i int) int {
	if s.cut[d] && i >= s.edge {
		return s.shape[d] - 2*s.edge + i
	}
	return i
}

// slices draws the matrices, each with its index above it.
func (s sample) slices(b *strings.Builder, d, first int, index []string) {
	if len(s.dims)-d <= 2 {
		if len(index) > 0 {
			fmt.Fprintf(b, `<div style="%s">[%s, :, :]</div>`, labelStyle, strings.Join(index, ", "))
		}
		s.table(b, d, first)
		return
	}
	step := backend.Product(s.dims[d+1:])
	for i := range s.dims[d] {
		if s.cut[d] && i == s.edge {
			fmt.Fprintf(b, `<div style="%s">⋮</div>`, labelStyle)
		}
		s.slices(b, d+1, first+i*step, append(index[:len(index):len(index)], fmt.Sprint(s.position(d, i))))
	}
}

// A vector of more than longestRow elements is drawn in rows of ten.
const longestRow, decade = 16, 10

// folded draws all elements of a vector: the index of one is the sum of the numbers of its row and of its column.
func (s sample) folded(b *strings.Builder) {
	fmt.Fprintf(b, `<table style="%s"><tr><th></th>`, tableStyle)
	for c := range decade {
		fmt.Fprintf(b, `<th style="%s">%d</th>`, headStyle, c)
	}
	for i, text := range s.text {
		if i%decade == 0 {
			fmt.Fprintf(b, `</tr><tr><th style="%s">%d</th>`, headStyle, i)
		}
		fmt.Fprintf(b, `<td style="%s">%s</td>`, cellStyle, html.EscapeString(strings.TrimLeft(text, " ")))
	}
	b.WriteString("</tr></table>")
}

// table draws the last two dims, or fewer.
func (s sample) table(b *strings.Builder, d, first int) {
	if len(s.dims) == 1 && s.dims[0] > longestRow && !s.cut[0] {
		s.folded(b)
		return
	}
	rows, cols := 1, 1
	colDim := len(s.dims) - 1
	if colDim >= 0 {
		cols = s.dims[colDim]
	}
	if colDim > d {
		rows = s.dims[d]
	}
	fmt.Fprintf(b, `<table style="%s">`, tableStyle)
	if colDim >= 0 {
		s.head(b, colDim, rows > 1 || colDim > d)
	}
	for r := range rows {
		if colDim > d && s.cut[d] && r == s.edge {
			s.gapRow(b, cols, colDim)
		}
		b.WriteString("<tr>")
		if colDim > d {
			fmt.Fprintf(b, `<th style="%s">%d</th>`, headStyle, s.position(d, r))
		}
		for c := range cols {
			if colDim >= 0 && s.cut[colDim] && c == s.edge {
				fmt.Fprintf(b, `<td style="%s">…</td>`, cellStyle)
			}
			fmt.Fprintf(b, `<td style="%s">%s</td>`, cellStyle,
				html.EscapeString(strings.TrimLeft(s.text[first+r*cols+c], " ")))
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
}

// head draws the column numbers.
func (s sample) head(b *strings.Builder, dim int, corner bool) {
	b.WriteString("<tr>")
	if corner {
		b.WriteString("<th></th>")
	}
	for c := range s.dims[dim] {
		if s.cut[dim] && c == s.edge {
			fmt.Fprintf(b, `<th style="%s">…</th>`, headStyle)
		}
		fmt.Fprintf(b, `<th style="%s">%d</th>`, headStyle, s.position(dim, c))
	}
	b.WriteString("</tr>")
}

func (s sample) gapRow(b *strings.Builder, cols, colDim int) {
	if s.cut[colDim] {
		cols++
	}
	fmt.Fprintf(b, `<tr><th style="%s">⋮</th>%s</tr>`, headStyle,
		strings.Repeat(fmt.Sprintf(`<td style="%s">⋮</td>`, cellStyle), cols))
}
