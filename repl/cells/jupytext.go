package cells

import (
	"regexp"
	"strings"
)

// jupytext comments out commands in the .go files that it writes, as no Go compiler takes them, and says in a header
// that it has written the file. Files without the header are read as they are: a command in a comment stays one there.

// header is the beginning of such a file.
const header = "// ---\n// jupyter:\n"

// escaped is a command that jupytext has commented out; every further // is one that the cell had.
var escaped = regexp.MustCompile(`^(?:// |//)+(?:!\*?|%{1,3})[a-zA-Z]`)

// language is what jupytext makes of a cell that %%NAME begins. Its lines are comments.
var language = regexp.MustCompile(`^language="(\w+)"(?: magic_args="((?:[^"\\]|\\.)*)")?`)

// splitJupytext is split for a file that jupytext has written; ok is false for any other.
func splitJupytext(source string) (cells []Cell, ok bool) {
	if !strings.HasPrefix(source, header) {
		return nil, false
	}
	lines := strings.Split(source, "\n")
	var c *rawCell
	for i, line := range lines {
		title, marked := strings.CutPrefix(line, Mark)
		if marked && (title == "" || title[0] == ' ' || title[0] == '%') {
			cells = c.appendTo(cells)
			c = &rawCell{title: strings.TrimSpace(title), line: i + 1}
			continue
		}
		if c != nil { // before the first mark is the header
			c.lines = append(c.lines, line)
		}
	}
	return c.appendTo(cells), true
}

// rawCell is a cell as jupytext writes it.
type rawCell struct {
	title string
	line  int // of its mark
	lines []string
}

func (c *rawCell) appendTo(list []Cell) []Cell {
	if c == nil {
		return list
	}
	r := Cell{Kind: Code, Title: c.title, Line: c.line + 1}
	switch m := language.FindStringSubmatch(c.title); {
	case strings.HasPrefix(c.title, "[markdown]"), strings.HasPrefix(c.title, "[md]"),
		strings.HasPrefix(c.title, "[raw]"):
		r.Kind = Markdown
		if strings.HasPrefix(c.title, "[raw]") {
			r.Kind = Raw
		}
		r.Title = strings.TrimSpace(c.title[strings.IndexByte(c.title, ']')+1:])
		c.lines = uncomment(c.lines)
	case m != nil:
		command := strings.TrimSpace("%%" + m[1] + " " + strings.ReplaceAll(m[2], `\"`, `"`))
		r.Title, r.Line = "", c.line
		c.lines = append([]string{command}, uncomment(c.lines)...)
	default:
		for i, line := range c.lines {
			if escaped.MatchString(line) {
				c.lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
			}
		}
	}
	first, end := 0, len(c.lines)
	for first < end && strings.TrimSpace(c.lines[first]) == "" {
		first++
	}
	for end > first && strings.TrimSpace(c.lines[end-1]) == "" {
		end--
	}
	if first == end {
		return list
	}
	r.Line += first
	r.Source = strings.Join(c.lines[first:end], "\n")
	return append(list, r)
}
