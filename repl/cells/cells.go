package cells

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The kinds of cells, named as notebooks name them.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// Cell is a piece of a file.
type Cell struct {
	Kind   string // Code, Markdown or Raw; only code is run
	Title  string // what stands after // %%
	Source string
	Line   int    // where Source starts in its file, from 1; 0 in notebooks
	ID     string // a notebook's name of the cell
	Meta   json.RawMessage
	// Attachments are a notebook's pictures of a Markdown cell.
	Attachments json.RawMessage
}

// File is a list of cells and where they come from.
type File struct {
	Name  string // for messages: the path, or standard input
	Cells []Cell
	Meta  json.RawMessage // of the notebook, when it was one
}

// Read reads a .ipynb file as a notebook, and any other as Go in cells.
func Read(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	if info.Mode()&os.ModeDevice != 0 {
		return File{}, fmt.Errorf("%s is a device: cells are read from files", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	data, err := ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return Parse(path, data)
}

// maxSize is how many bytes a script or a notebook may have. A notebook holds its pictures.
const maxSize = 256 << 20

// ReadAll reads a script or a notebook up to its end. It returns an error when that has more than 256 MiB, as what has
// no end does.
func ReadAll(r io.Reader) ([]byte, error) { return readAll(r, maxSize) }

func readAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("more than %d bytes: a script or a notebook has less", most)
	}
	return data, err
}

// Parse splits the content of a file that is named path, which decides how.
func Parse(path string, data []byte) (File, error) {
	if strings.EqualFold(filepath.Ext(path), ".ipynb") {
		return parseNotebook(path, data)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return File{}, fmt.Errorf("%s is not UTF-8 text: a script is Go source with // %%%% lines, or a .ipynb file",
			path)
	}
	source := withoutInterpreter(newlines.Replace(string(data)))
	if list, ok := splitJupytext(source); ok {
		return File{Name: path, Cells: list}, nil
	}
	blanked, line, ok := Program(source)
	if !ok {
		return File{Name: path, Cells: split(source, nil)}, nil
	}
	within := insideTokens(source)
	if asTyped := split(source, within); len(asTyped) > 1 && isProgram(asTyped[0]) {
		return File{Name: path, Cells: asTyped}, nil
	}
	s := File{Name: path, Cells: split(blanked, within)}
	if line > 0 {
		s.Cells = append(s.Cells, Cell{Kind: Code, Source: "main()", Line: line})
	}
	return s, nil
}

// isProgram reports whether a cell is a whole program by itself, whose main a session calls.
func isProgram(c Cell) bool {
	_, main, _ := Program(c.Source)
	return c.Kind == Code && main > 0
}

// newlines makes every line end in a newline alone, as Go's own scanner takes them.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// withoutInterpreter empties a first line that starts with #!.
func withoutInterpreter(source string) string {
	if !strings.HasPrefix(source, "#!") {
		return source
	}
	if end := strings.IndexByte(source, '\n'); end >= 0 {
		return source[end:]
	}
	return ""
}

// Mark begins a line of Go that begins a cell.
const Mark = "// %%"

// split cuts Go source into cells at the marks, but for those on lines that begin within a string or a comment. Cells
// without any code are left out.
func split(source string, within map[int]bool) (cells []Cell) {
	cell, lines := Cell{Kind: Code, Line: 1}, []string(nil)
	flush := func() {
		if cell.Kind == Markdown {
			lines = uncomment(lines)
		}
		start, end := 0, len(lines)
		for start < end && strings.TrimSpace(lines[start]) == "" {
			start++
		}
		for end > start && strings.TrimSpace(lines[end-1]) == "" {
			end--
		}
		if start < end {
			cell.Line += start
			cell.Source = strings.Join(lines[start:end], "\n")
			cells = append(cells, cell)
		}
		lines = nil
	}
	for i, line := range strings.Split(source, "\n") {
		if title, ok := strings.CutPrefix(line, Mark); ok && !within[i+1] {
			flush()
			cell = Cell{Kind: Code, Title: strings.TrimSpace(title), Line: i + 2}
			if rest, ok := strings.CutPrefix(cell.Title, "[markdown]"); ok {
				cell.Kind, cell.Title = Markdown, strings.TrimSpace(rest)
			}
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return cells
}

// uncomment removes // from the lines of a Markdown cell.
func uncomment(lines []string) (out []string) {
	for _, line := range lines {
		if text, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "//"); ok {
			line = strings.TrimPrefix(text, " ")
		}
		out = append(out, line)
	}
	return out
}

// Format writes cells as Go in cells, the form that Parse reads.
func Format(cells []Cell) []byte {
	var b bytes.Buffer
	for i, c := range cells {
		if i > 0 {
			b.WriteByte('\n')
		}
		title := c.Title
		if c.Kind != Code {
			title = strings.TrimSpace("[markdown] " + title)
		}
		b.WriteString(strings.TrimRight(Mark+" "+title, " ") + "\n")
		for _, line := range strings.Split(c.Source, "\n") {
			if c.Kind != Code {
				line = strings.TrimRight("// "+line, " ")
			}
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes()
}
