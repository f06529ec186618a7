package display

import (
	"reflect"

	"github.com/gorocm/gorocm/internal/tabular"
)

// tableCells is implemented by tables of named, typed columns, such as a *frame.Frame. Its results are the number of
// rows; for each column its name, its type and whether it is aligned to the right; and the text of a cell, with whether
// its value is missing.
type tableCells interface {
	TableCells() (
		rows int, names, types []string, numbers []bool, cell func(row, column int) (text string, missing bool),
	)
}

// tabularOf returns a value as a table of columns, if it is one.
func tabularOf(v any) (t tabular.Table, ok bool) {
	cells, ok := v.(tableCells)
	if !ok || isNil(v) {
		return t, false
	}
	t.Rows, t.Names, t.Types, t.Numbers, t.Cell = cells.TableCells()
	return t, true
}

// tabularBundle renders a table of columns: its first and last rows.
func tabularBundle(v any) Bundle {
	t, ok := tabularOf(v)
	if !ok {
		return nil
	}
	rows := t.Shown()
	return Bundle{MIMEText: t.Text(rows, lineWidth()), MIMEHTML: t.HTML(rows)}
}

// columnPart draws rows of a page of a table of columns.
type columnPart struct {
	t    tabular.Table
	rows []int
}

func (p columnPart) text() string { return p.t.Text(p.rows, lineWidth()) }

func (p columnPart) html() string { return p.t.HTMLRows(p.rows) }

// drawing is a table, or a part of one, as text and as HTML.
type drawing interface {
	text() string
	html() string
}

// rowsOf returns how many rows a value that Table shows has, if it is one.
func rowsOf(v any) (rows int, ok bool) {
	if t, ok := tabularOf(v); ok {
		return t.Rows, true
	}
	r := reflect.ValueOf(v)
	if v == nil || tableOf(r) == nil {
		return 0, false
	}
	return r.Len(), true
}
