package display

import (
	"fmt"
	"reflect"
	"strings"
)

// matrix is a matrix of a library, such as gonum's, by the methods that all of those have.
type matrix struct {
	rows, columns int
	at            func(i, j int) string
	kind          string
}

// matrixOf returns v as a matrix, or nil if it is none.
func matrixOf(v any) *matrix {
	m := &matrix{kind: typeText(reflect.TypeOf(v))}
	switch x := v.(type) {
	case interface {
		Dims() (r, c int)
		At(i, j int) float64
	}:
		m.rows, m.columns = x.Dims()
		m.at = func(i, j int) string { return number(reflect.ValueOf(x.At(i, j))) }
	case interface {
		Dims() (r, c int)
		At(i, j int) complex128
	}:
		m.rows, m.columns = x.Dims()
		m.at = func(i, j int) string { return fmt.Sprintf("%.4g", x.At(i, j)) }
	default:
		return nil
	}
	return m
}

// text is the elements in aligned columns, and a line with the size and the type.
func (m *matrix) text() string {
	lines := m.lines(spanOf(m.columns, maxCols, colsHead, colsTail))
	if len(lines) > 0 && textWidth(lines[0]) > lineWidth() {
		lines = m.lines(spanOf(m.columns, narrowHead+narrowTail+1, narrowHead, narrowTail))
	}
	return strings.Join(append(lines, fmt.Sprintf("%s, %d × %d", m.kind, m.rows, m.columns)), "\n")
}

// lines are the rows that are shown, with columns of one width each.
func (m *matrix) lines(columns span) []string {
	if m.rows <= 0 || m.columns <= 0 {
		return nil
	}
	var table [][]string
	spanOf(m.rows, maxRows, rowsHead, rowsTail).each(func(i int) {
		var row []string
		columns.each(func(j int) { row = append(row, m.at(i, j)) }, func() { row = append(row, "…") })
		table = append(table, row)
	}, func() { table = append(table, []string{"…"}) })
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for j, cell := range row {
			if len(row) > 1 || len(widths) == 1 {
				widths[j] = max(widths[j], textWidth(cell))
			}
		}
	}
	lines := make([]string, len(table))
	for i, row := range table {
		for j := range row {
			row[j] = pad(row[j], widths[j], true)
		}
		lines[i] = " [" + strings.Join(row, " ") + "]"
	}
	lines[0] = "[" + lines[0][1:]
	lines[len(lines)-1] += "]"
	return lines
}
