package display

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/gorocm/gorocm/internal/tabular"
)

// table holds rows of cells with a header; both may be abridged. Index cells name the rows.
type table struct {
	header []string
	index  []string
	rows   [][]string
	number []bool // columns that are aligned to the right
	size   string // said below when rows or columns are left out
}

// tableOf returns v as a table, or nil: slices of structs (or of pointers to them), maps, and slices of rows.
func tableOf(v reflect.Value) *table {
	if !v.IsValid() || v.Kind() != reflect.Slice && v.Kind() != reflect.Array && v.Kind() != reflect.Map {
		return nil
	}
	return tableRows(v, spanOf(v.Len(), maxRows, rowsHead, rowsTail))
}

// tableRows is tableOf for the displayed rows.
func tableRows(v reflect.Value, rows span) *table {
	if !v.IsValid() || v.CanInterface() && hasMethod(v.Type()) {
		return nil
	}
	switch v.Kind() {
	case reflect.Map:
		return mapTable(v, rows)
	case reflect.Slice, reflect.Array:
		if v.Len() == 0 {
			return nil
		}
		if isStruct(v.Type().Elem()) {
			return structTable(v, rows)
		}
		if isRow(v.Type().Elem()) {
			return gridTable(v, rows)
		}
	}
	return nil
}

func isStruct(t reflect.Type) bool {
	if hasMethod(t) {
		return false
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && t.NumField() > 0 && !hasMethod(t)
}

func isRow(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && isScalar(t.Elem()) && !hasMethod(t)
}

func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String:
		return true
	}
	return isNumber(t)
}

func isNumber(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Complex128 }

// cells prints the values of one table with a shared limit.
func cells() func(v reflect.Value) string {
	p := &printer{visiting: map[visit]bool{}, left: maxText}
	return func(v reflect.Value) string {
		for v.IsValid() && v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if !v.IsValid() {
			return "nil"
		}
		if s, ok := p.tensorCell(v); ok {
			return s
		}
		if s, ok := p.method(v); ok {
			return cellText(s, maxCell)
		}
		switch v.Kind() {
		case reflect.String:
			return cellText(v.String(), maxCell)
		case reflect.Float32, reflect.Float64:
			return number(v)
		}
		return cellText(p.inline(v, 1), maxCell)
	}
}

// tensorCell prints a tensor as one cell: the elements of a few in a row, otherwise the shape and the dtype.
func (p *printer) tensorCell(v reflect.Value) (string, bool) {
	if !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false
	}
	x, ok := v.Interface().(tensorLike)
	if !ok {
		return "", false
	}
	if len(x.Dims()) <= 1 && x.ElemCount() <= cellElements {
		if s, ok := p.method(v); ok {
			row, _, _ := strings.Cut(s, "\n")
			return cellText(row, maxCell), true
		}
	}
	return describeTensor(x), true
}

// number prints a float with at most six significant digits, unless it is short anyway.
func number(v reflect.Value) string {
	f := v.Float()
	if f == math.Trunc(f) && math.Abs(f) < 1e9 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

func structTable(v reflect.Value, rows span) *table {
	t := &table{}
	columns := t.structColumns(v.Type().Elem())
	cell := cells()
	rows.each(func(i int) {
		t.index = append(t.index, strconv.Itoa(i))
		t.rows = append(t.rows, structRow(v.Index(i), columns, cell))
	}, t.gapRow)
	t.describe(rows, columns)
	return t
}

// structColumns makes a column for each field of a struct, or of a pointer to one, and returns the fields.
func (t *table) structColumns(typ reflect.Type) span {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	columns := spanOf(typ.NumField(), maxCols, colsHead, colsTail)
	columns.each(func(i int) { t.column(fieldName(typ, i), typ.Field(i).Type) }, t.gapColumn)
	return columns
}

// column adds a column for values of a type.
func (t *table) column(name string, typ reflect.Type) {
	t.header = append(t.header, name)
	t.number = append(t.number, isNumber(typ) && !hasMethod(typ))
}

func structRow(v reflect.Value, columns span, cell func(reflect.Value) string) (row []string) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	field := func(i int) {
		if !v.IsValid() {
			row = append(row, "nil")
			return
		}
		row = append(row, cell(v.Field(i)))
	}
	columns.each(field, func() { row = append(row, "…") })
	return row
}

func mapTable(v reflect.Value, rows span) *table {
	if v.Len() == 0 {
		return nil
	}
	t := &table{}
	elem := v.Type().Elem()
	var fields span
	if isStruct(elem) {
		fields = t.structColumns(elem)
	} else {
		t.column("value", elem)
	}
	cell := cells()
	limit := maxRows
	if rows.whole() {
		limit = rows.first + rows.n
	}
	entries, more := sortedEntries(v, limit)
	for _, e := range entries[min(rows.first, len(entries)):] {
		t.index = append(t.index, cell(e.key))
		if isStruct(elem) {
			t.rows = append(t.rows, structRow(e.value, fields, cell))
		} else {
			t.rows = append(t.rows, []string{cell(e.value)})
		}
	}
	if more && !rows.whole() {
		t.gapRow()
		t.size = fmt.Sprintf("%d entries", v.Len())
	}
	return t
}

func gridTable(v reflect.Value, rows span) *table {
	width := 0
	for i := range v.Len() {
		width = max(width, v.Index(i).Len())
	}
	if width == 0 {
		return nil
	}
	columns := spanOf(width, maxCols, colsHead, colsTail)
	t := &table{}
	columns.each(func(i int) { t.column(strconv.Itoa(i), v.Type().Elem().Elem()) }, t.gapColumn)
	cell := cells()
	rows.each(func(i int) {
		var row []string
		columns.each(func(j int) {
			if r := v.Index(i); j < r.Len() {
				row = append(row, cell(r.Index(j)))
			} else {
				row = append(row, "")
			}
		}, func() { row = append(row, "…") })
		t.index = append(t.index, strconv.Itoa(i))
		t.rows = append(t.rows, row)
	}, t.gapRow)
	t.describe(rows, columns)
	return t
}

func (t *table) gapColumn() {
	t.header = append(t.header, "…")
	t.number = append(t.number, false)
}

func (t *table) gapRow() {
	t.index = append(t.index, "⋮")
	row := make([]string, len(t.header))
	for i := range row {
		row[i] = "⋮"
	}
	t.rows = append(t.rows, row)
}

func (t *table) describe(rows, columns span) {
	if !rows.whole() || !columns.whole() {
		t.size = fmt.Sprintf("%d rows × %d columns", rows.n, columns.n)
	}
}

// text draws the table with aligned columns, no wider than lines are if at least two columns fit.
func (t *table) text() string { return t.draw(lineWidth()) }

func (t *table) draw(width int) string {
	indexWidth := 0
	for _, s := range t.index {
		indexWidth = max(indexWidth, textWidth(s))
	}
	widths := make([]int, len(t.header))
	for i, h := range t.header {
		widths[i] = textWidth(h)
		for _, row := range t.rows {
			widths[i] = max(widths[i], textWidth(row[i]))
		}
	}
	columns := tabular.Fit(len(widths), width-indexWidth, func(i int) int { return widths[i] + 2 })
	size := t.size
	if slices.Contains(columns, tabular.Gap) {
		columns = t.withoutGaps(columns)
		size = cmp.Or(size, fmt.Sprintf("%d columns", len(t.header)))
	}
	var b strings.Builder
	line := func(index string, cells []string) {
		row := pad(index, indexWidth, false)
		for _, i := range columns {
			if i == tabular.Gap {
				row += "  …"
				continue
			}
			row += "  " + pad(cells[i], widths[i], t.number[i])
		}
		b.WriteString(strings.TrimRight(row, " "))
		b.WriteByte('\n')
	}
	line("", t.header)
	for i, row := range t.rows {
		line(t.index[i], row)
	}
	if size != "" {
		b.WriteString("(" + size + ")\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// withoutGaps has the column that stands for others that are left out join a gap beside it.
func (t *table) withoutGaps(columns []int) []int {
	for k, i := range columns {
		if i != tabular.Gap && t.header[i] == "…" {
			columns[k] = tabular.Gap
		}
	}
	return slices.Compact(columns)
}

// html draws the table in the classes that notebooks style.
func (t *table) html() string {
	var b strings.Builder
	b.WriteString("<table class=\"dataframe\">\n<thead><tr><th></th>")
	for i, h := range t.header {
		fmt.Fprintf(&b, "<th%s>%s</th>", alignment(t.number[i]), html.EscapeString(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i, row := range t.rows {
		fmt.Fprintf(&b, "<tr><th>%s</th>", html.EscapeString(t.index[i]))
		for j, c := range row {
			fmt.Fprintf(&b, "<td%s>%s</td>", alignment(t.number[j]), html.EscapeString(c))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>")
	if t.size != "" {
		fmt.Fprintf(&b, "\n<p>%s</p>", html.EscapeString(t.size))
	}
	return b.String()
}

func alignment(number bool) string {
	if number {
		return ` style="text-align:right"`
	}
	return ` style="text-align:left"`
}

func textWidth(s string) int { return runewidth.StringWidth(s) }

func pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-textWidth(s)))
	if right {
		return space + s
	}
	return s + space
}
