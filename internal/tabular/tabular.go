// Package tabular draws tables of named, typed columns as text and as HTML. Packages display and frame, of which
// neither may import the other, use it.
package tabular

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Table is a table whose cells are asked for when they are drawn.
type Table struct {
	Rows    int
	Names   []string
	Types   []string
	Numbers []bool // columns that are aligned to the right
	Cell    func(row, column int) (text string, missing bool)
}

// Limits of what is shown of a table that is not shown in pages.
const (
	MaxRows            = 30 // of a longer table, headRows and tailRows are shown
	headRows, tailRows = 10, 5
	maxColumns         = 24 // of a wider table in HTML, headColumns and tailColumns
	headColumns        = 14
	tailColumns        = 6
	maxCell            = 40 // characters of a cell
	maxName            = 32
)

// Gap stands for rows or columns that are left out.
const Gap = -1

// Shown lists the rows that are shown of all: the first and the last of many, with Gap between them.
func (t Table) Shown() []int {
	if t.Rows <= MaxRows {
		return span(0, t.Rows)
	}
	return append(append(span(0, headRows), Gap), span(t.Rows-tailRows, t.Rows)...)
}

func span(lo, hi int) []int {
	out := make([]int, 0, hi-lo)
	for i := lo; i < hi; i++ {
		out = append(out, i)
	}
	return out
}

// Size says how large the table is.
func (t Table) Size() string {
	return fmt.Sprintf("%s × %s", count(t.Rows, "row"), count(len(t.Names), "column"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", grouped(n), what)
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Text draws rows with aligned columns, no wider than width if at least two columns fit, and says how large the table
// is.
func (t Table) Text(rows []int, width int) string {
	drawn := make([][]string, len(t.Names)) // by column: name, type, cells
	widths := make([]int, len(t.Names))
	column := func(j int) int {
		if drawn[j] == nil {
			drawn[j], widths[j] = t.column(j, rows)
		}
		return widths[j] + 2
	}
	index := indexOf(rows)
	cols := Fit(len(t.Names), width-indexWidth(index), column)
	var b strings.Builder
	for i := range len(rows) + 2 {
		var line strings.Builder
		line.WriteString(pad(index[i], indexWidth(index), false))
		for _, j := range cols {
			if j == Gap {
				line.WriteString("  …")
				continue
			}
			line.WriteString("  " + pad(drawn[j][i], widths[j], t.Numbers[j]))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	b.WriteString("(" + t.Size() + ")")
	return b.String()
}

func indexOf(rows []int) []string {
	out := []string{"", ""}
	for _, r := range rows {
		if r == Gap {
			out = append(out, "⋮")
		} else {
			out = append(out, strconv.Itoa(r))
		}
	}
	return out
}

func indexWidth(index []string) (width int) {
	for _, s := range index {
		width = max(width, runewidth.StringWidth(s))
	}
	return width
}

// column returns the texts of a column and their width.
func (t Table) column(j int, rows []int) (texts []string, width int) {
	texts = append(texts, Short(t.Names[j], maxName), t.Types[j])
	for _, r := range rows {
		text := "⋮"
		if r != Gap {
			text, _ = t.Cell(r, j)
		}
		texts = append(texts, Short(text, maxCell))
	}
	for _, s := range texts {
		width = max(width, runewidth.StringWidth(s))
	}
	return texts, width
}

// Fit lists those of n columns that fit in a width: the first and the last ones, in turn, with Gap between. All are
// listed if there are only two. column is the width of one.
func Fit(n, width int, column func(int) int) []int {
	all := 0
	for j := 0; j < n && all <= width; j++ {
		all += column(j)
	}
	if all <= width || n <= 2 {
		return span(0, n)
	}
	left, right := 1, n // columns before left and from right on
	used := column(0) + 3
	for left < right {
		fromEnd := n-right < left/2 // two from the start for one from the end
		next := left
		if fromEnd {
			next = right - 1
		}
		if used += column(next); used > width {
			break
		}
		if fromEnd {
			right--
		} else {
			left++
		}
	}
	return append(append(span(0, left), Gap), span(right, n)...)
}

// HTML draws rows in the classes that notebooks style, and says how large the table is.
func (t Table) HTML(rows []int) string { return t.HTMLRows(rows) + "\n<p>" + t.Size() + "</p>" }

// HTMLRows is HTML without the size.
func (t Table) HTMLRows(rows []int) string {
	cols := span(0, len(t.Names))
	if len(cols) > maxColumns {
		cols = append(append(span(0, headColumns), Gap), span(len(cols)-tailColumns, len(cols))...)
	}
	var b strings.Builder
	b.WriteString("<table class=\"dataframe\">\n<thead><tr><th></th>")
	for _, j := range cols {
		if j == Gap {
			b.WriteString("<th>…</th>")
			continue
		}
		fmt.Fprintf(&b, "<th%s>%s<br><span style=\"font-weight:normal;opacity:.6\">%s</span></th>", t.align(j),
			html.EscapeString(Short(t.Names[j], 2*maxName)), html.EscapeString(t.Types[j]))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range rows {
		b.WriteString("<tr><th>" + indexOf([]int{r})[2] + "</th>")
		for _, j := range cols {
			b.WriteString(t.cellHTML(r, j))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>")
	return b.String()
}

func (t Table) align(j int) string {
	if t.Numbers[j] {
		return ` style="text-align:right"`
	}
	return ` style="text-align:left"`
}

func (t Table) cellHTML(r, j int) string {
	switch {
	case j == Gap:
		return "<td>…</td>"
	case r == Gap:
		return "<td" + t.align(j) + ">⋮</td>"
	}
	text, missing := t.Cell(r, j)
	if missing {
		return "<td" + t.align(j) + `><i style="opacity:.5">` + html.EscapeString(text) + "</i></td>"
	}
	return "<td" + t.align(j) + ">" + html.EscapeString(Short(text, 2*maxCell)) + "</td>"
}

// Short makes a text fit a cell: one line, no control characters, at most limit characters.
func Short(s string, limit int) string {
	if len(s) > 4*limit {
		cut := 4 * limit
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '↵'
		case r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return utf8.RuneError
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

func pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-runewidth.StringWidth(s)))
	if right {
		return space + s
	}
	return s + space
}
