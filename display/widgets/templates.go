package widgets

import (
	"fmt"
	"slices"
	"strings"
)

// NewAppLayout arranges widgets as the parts of an application: a header, a footer, and between them the centre, with
// something to its left and right. A part may be nil: its neighbours take its room.
func NewAppLayout(header, left, center, right, footer Child) *Box {
	areas := [][]string{{"header", "header", "header"}, {"left-sidebar", "center", "right-sidebar"},
		{"footer", "footer", "footer"}}
	columns, rows := []string{"1fr", "2fr", "1fr"}, []string{"1fr", "3fr", "1fr"}
	parts, names := present([]Child{header, footer, left, right, center},
		"header", "footer", "left-sidebar", "right-sidebar", "center")
	if len(parts) == 1 {
		for _, row := range areas {
			row[0], row[1], row[2] = names[0], names[0], names[0]
		}
		return newTemplate(parts, names, areas, columns, rows)
	}
	middle := areas[1]
	if center == nil {
		for i, row := range areas {
			areas[i] = slices.Delete(row, 1, 2)
		}
		columns, middle = []string{"1fr", "1fr"}, areas[1]
	}
	if left == nil {
		middle[0] = middle[1]
	}
	if right == nil {
		middle[len(middle)-1] = middle[len(middle)-2]
	}
	if left == nil && center == nil && right == nil {
		areas, columns, rows = [][]string{{"header"}, {"footer"}}, []string{"1fr"}, []string{"1fr", "1fr"}
	}
	if header == nil {
		areas, rows = areas[1:], rows[1:]
	}
	if footer == nil {
		areas, rows = areas[:len(areas)-1], rows[:len(rows)-1]
	}
	return newTemplate(parts, names, areas, columns, rows)
}

// NewTwoByTwoLayout arranges up to four widgets in two rows and two columns. One may be nil: the one above or below it
// takes its room, or, where a column is empty, the other column.
func NewTwoByTwoLayout(topLeft, topRight, bottomLeft, bottomRight Child) *Box {
	areas := [][]string{{"top-left", "top-right"}, {"bottom-left", "bottom-right"}}
	parts, names := present([]Child{topLeft, topRight, bottomLeft, bottomRight},
		"top-left", "top-right", "bottom-left", "bottom-right")
	if len(parts) == 1 {
		areas[0][0], areas[1][0] = names[0], names[0]
	}
	for i, column := range [][2]Child{{topLeft, bottomLeft}, {topRight, bottomRight}} {
		switch {
		case len(parts) == 1:
			areas[0][1], areas[1][1] = names[0], names[0]
		case column[0] == nil && column[1] == nil:
			areas[0][i], areas[1][i] = areas[0][1-i], areas[1][1-i]
		case column[0] == nil:
			areas[0][i] = areas[1][i]
		case column[1] == nil:
			areas[1][i] = areas[0][i]
		}
	}
	return newTemplate(parts, names, areas, []string{"1fr", "1fr"}, []string{"1fr", "1fr"})
}

// Cell is a widget with its place in a grid of equal cells: its first row and column, from 0, and how many of them it
// covers, at least one.
type Cell struct {
	Widget        Child
	Row, Column   int
	Rows, Columns int
}

// NewGridspecLayout arranges widgets in a grid of equal rows and columns. It panics for a cell outside the grid, and
// for two that cover the same place.
func NewGridspecLayout(rows, columns int, cells ...Cell) *Box {
	if rows < 1 || columns < 1 {
		panic(fmt.Errorf("widgets: a grid of %d rows and %d columns has no place: give at least 1", rows, columns))
	}
	areas := make([][]string, rows)
	for r := range areas {
		areas[r] = slices.Repeat([]string{"."}, columns)
	}
	var parts []Child
	var names []string
	for i, c := range cells {
		high, wide := max(c.Rows, 1), max(c.Columns, 1)
		if c.Row < 0 || c.Column < 0 || c.Row+high > rows || c.Column+wide > columns {
			panic(fmt.Errorf("widgets: cell %d covers rows %d to %d and columns %d to %d: the grid has %d rows and %d columns",
				i, c.Row, c.Row+high-1, c.Column, c.Column+wide-1, rows, columns))
		}
		name := fmt.Sprintf("widget%03d", i+1)
		parts, names = append(parts, c.Widget), append(names, name)
		for r := c.Row; r < c.Row+high; r++ {
			for k := c.Column; k < c.Column+wide; k++ {
				if areas[r][k] != "." {
					panic(fmt.Errorf("widgets: cell %d covers row %d, column %d, where another one is", i, r, k))
				}
				areas[r][k] = name
			}
		}
	}
	equal := func(n int) []string { return []string{fmt.Sprintf("repeat(%d, 1fr)", n)} }
	return newTemplate(parts, names, areas, equal(columns), equal(rows))
}

// present are the widgets that are not nil, with the names of their areas.
func present(all []Child, areas ...string) (parts []Child, names []string) {
	for i, c := range all {
		if c != nil {
			parts, names = append(parts, c), append(names, areas[i])
		}
	}
	return parts, names
}

// newTemplate makes a grid with named areas.
func newTemplate(parts []Child, names []string, areas [][]string, columns, rows []string) *Box {
	for i, c := range parts {
		c.Base().layout.set("grid_area", names[i])
	}
	b := NewGridBox(parts...)
	if len(parts) == 0 {
		return b
	}
	lines := make([]string, len(areas))
	for i, row := range areas {
		lines[i] = `"` + strings.Join(row, " ") + `"`
	}
	b.layout.set("grid_template_areas", strings.Join(lines, "\n"))
	b.layout.set("grid_template_columns", strings.Join(columns, " "))
	b.layout.set("grid_template_rows", strings.Join(rows, " "))
	return b
}
