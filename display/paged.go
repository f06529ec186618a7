package display

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
)

// Pages is a table with all rows of a value, in pages, made by Table.
type Pages struct {
	v    reflect.Value
	rows int
	page int // that the text form shows
	size int // rows of a page
}

// maxTable is the largest number of rows of a table in HTML, because a notebook stores all of them.
const maxTable = 10000

// Table displays every row of v, 25 a page, whereas Render displays only the first and the last. v is a *frame.Frame,
// a slice of structs or of pointers to structs, a slice of rows, or a map, whose keys are sorted. In notebooks a click
// opens another page; in terminals Page selects it. It panics when v is something else.
func Table(v any) *Pages {
	rows, ok := rowsOf(v)
	if !ok {
		panic(fmt.Sprintf("display.Table: %T is not a table: want a frame, a slice of structs or rows, or a map", v))
	}
	return &Pages{v: reflect.ValueOf(v), rows: rows, size: 25}
}

// PageSize returns the table with n rows a page. It panics when n is not positive.
func (t *Pages) PageSize(n int) *Pages {
	if n < 1 {
		panic(fmt.Sprintf("Pages.PageSize: want at least one row, not %d", n))
	}
	out := *t
	out.size, out.page = n, 0
	return &out
}

// Page returns the table with page i as its text form, counted from 0; negative i count from the end. Beyond the last
// page, the last page is used.
func (t *Pages) Page(i int) *Pages {
	out := *t
	if i < 0 {
		i += t.pages()
	}
	out.page = max(0, min(t.pages()-1, i))
	return &out
}

func (t *Pages) pages() int { return max(1, (t.rows+t.size-1)/t.size) }

// part returns the rows of one page.
func (t *Pages) part(page int) drawing {
	first, last := page*t.size, min(t.rows, (page+1)*t.size)
	if cols, ok := tabularOf(t.v.Interface()); ok {
		rows := make([]int, last-first)
		for i := range rows {
			rows[i] = first + i
		}
		return columnPart{cols, rows}
	}
	return tableRows(t.v, span{first: first, head: last - first, n: last - first})
}

// String returns one page with its number.
func (t *Pages) String() string {
	text := t.part(t.page).text()
	if t.pages() > 1 {
		text += fmt.Sprintf("\n(page %d of %d, rows %d to %d of %d; Page chooses another)",
			t.page, t.pages(), t.page*t.size, min(t.rows, (t.page+1)*t.size)-1, t.rows)
	}
	return text
}

// HTML shows the first page and opens the others by a click, one at a time, without scripts.
func (t *Pages) HTML() string {
	hash := fnv.New32a()
	var b strings.Builder
	pages := min(t.pages(), (maxTable+t.size-1)/t.size)
	for i := range pages {
		page := t.part(i).html()
		if pages == 1 {
			return page
		}
		if i == 0 {
			_, _ = hash.Write([]byte(page)) // never fails
		}
		open := ""
		if i == 0 {
			open = " open"
		}
		fmt.Fprintf(&b, "<details name=\"table-%08x\"%s><summary style=\"font-family:monospace;opacity:.8;cursor:pointer\">rows %d to %d</summary>\n%s</details>\n",
			hash.Sum32(), open, i*t.size, min(t.rows, (i+1)*t.size)-1, page)
	}
	fmt.Fprintf(&b, "<p>%d rows", t.rows)
	if pages < t.pages() {
		fmt.Fprintf(&b, ", the first %d of them here", maxTable)
	}
	return b.String() + "</p>"
}

func (t *Pages) bundle() Bundle { return Bundle{MIMEText: t.String(), MIMEHTML: t.HTML()} }
