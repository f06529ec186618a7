package lsp

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/cells"
)

// document is a notebook, or a text that is one by itself.
type document struct {
	uri     string
	cells   []string // the URIs of a notebook's texts of Go; nil for a text by itself
	changed bool     // since it was analysed
	result  *result  // nil before
	good    []string // cells as they were when they had no mistakes, by their number
}

// text is an open text: a cell of a notebook, or a file.
type text struct {
	content string
	version int
	owner   *document
	goCell  bool
}

// cell is a piece of Go and its place in a text.
type cell struct {
	uri  string
	line int // of the text, from 0, on which it begins
	code string
}

// cells lists a document's cells, in order.
func (s *server) cellsOf(d *document) (list []cell) {
	if d.cells == nil {
		if t := s.texts[d.uri]; t != nil {
			return split(d.uri, t.content)
		}
		return nil
	}
	for _, uri := range d.cells {
		if t := s.texts[uri]; t != nil && t.goCell {
			list = append(list, cell{uri, 0, t.content})
		}
	}
	return list
}

// split takes a text apart, at marks of cells, or at two empty lines, which JupyterLab puts between cells. A Go file of
// another package than main is no text of cells.
func split(uri, content string) (list []cell) {
	if f, err := cells.Parse(name(uri), []byte(content)); err == nil && hasMark(content) {
		for _, c := range f.Cells {
			if c.Kind == cells.Code {
				list = append(list, cell{uri, c.Line - 1, c.Source})
			}
		}
		return list
	}
	if isPackage(content) {
		return nil
	}
	lines := strings.Split(content, "\n")
	begin := 0
	for i := 0; i+1 < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != "" || strings.TrimSpace(lines[i+1]) != "" {
			continue
		}
		if endsAt(lines[begin:], i-begin) {
			list = append(list, cell{uri, begin, strings.Join(lines[begin:i], "\n")})
			begin = i
		}
	}
	return append(list, cell{uri, begin, strings.Join(lines[begin:], "\n")})
}

// maxInside is the largest number of pairs of empty lines in a cell that are recognised as such.
const maxInside = 8

// endsAt reports whether the first cell of lines ends at line n, where two are empty. It goes on where an open bracket
// is closed later, so that all is complete; otherwise an unfinished cell would take in all that follow.
func endsAt(lines []string, n int) bool {
	code := strings.Join(lines[:n], "\n")
	if strings.TrimSpace(code) == "" || repl.GoStatus(code) != "incomplete" {
		return true
	}
	pairs := 0
	for i := n + 1; i <= len(lines) && pairs < maxInside; i++ {
		if i < len(lines) && (strings.TrimSpace(lines[i-1]) != "" || strings.TrimSpace(lines[i]) != "") {
			continue
		}
		pairs++
		if repl.GoStatus(strings.Join(lines[:i], "\n")) == "complete" {
			return false
		}
	}
	return true
}

// name is what a file is called, without the extension of a notebook: JupyterLab sends the text of one under it.
func name(uri string) string {
	base := uri
	if u, err := url.Parse(uri); err == nil {
		base = u.Path
	}
	return strings.TrimSuffix(path.Base(base), ".ipynb") + ".go"
}

// folder is that of a document in a file system, empty for any other.
func folder(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.Dir(filepath.FromSlash(u.Path))
}

func hasMark(content string) bool {
	return strings.HasPrefix(content, cells.Mark) || strings.Contains(content, "\n"+cells.Mark)
}

// isPackage reports whether a text begins as a file of a package, which is a matter of other servers.
func isPackage(content string) bool {
	_, _, program := cells.Program(content)
	return !program && cells.PackageName(content) != ""
}

// at finds the cell of a place, and the offset in it. ok is false between cells.
func (d *document) at(list []cell, uri, content string, p position) (n, off int, ok bool) {
	for i, c := range list {
		if c.uri != uri || p.Line < c.line || p.Line > c.line+strings.Count(c.code, "\n") {
			continue
		}
		return i, offset(c.code, position{p.Line - c.line, p.Character}), true
	}
	return 0, 0, false
}

// rangeOf is the range of n bytes from a line and a column, both from 1 and in bytes.
func (c cell) rangeOf(line, column, n int) textRange {
	from := min(lineAt(c.code, line-1)+column-1, len(c.code))
	to := min(from+n, len(c.code))
	a, b := positionAt(c.code, from), positionAt(c.code, to)
	a.Line += c.line
	b.Line += c.line
	return textRange{a, b}
}

// back is a range of the cell's code in its text.
func (c cell) back(from, to int) textRange {
	a, b := positionAt(c.code, from), positionAt(c.code, to)
	a.Line += c.line
	b.Line += c.line
	return textRange{a, b}
}
