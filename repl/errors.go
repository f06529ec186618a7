package repl

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/visible"
)

// Error is one line: the name and the message.
func (e *Error) Error() string { return e.Name + ": " + e.Message }

// deadlock is the name of the error of a cell whose goroutines all wait for each other.
const deadlock = "Deadlock"

// Status is the exit status of a program that ends with the error: 2 of a deadlock, as of a compiled program,
// otherwise 1.
func (e *Error) Status() int {
	if e.Name == deadlock {
		return 2
	}
	return 1
}

// title is the name under which the error is shown: of a deadlock, what Go's runtime prints.
func (e *Error) title() string {
	if e.Name == deadlock {
		return "fatal error"
	}
	return e.Name
}

// The colours of Error.Text.
const (
	red   = "\x1b[31m"
	dim   = "\x1b[2m"
	bold  = "\x1b[1m"
	reset = "\x1b[0m"
)

// Text draws the error as every front end shows it: name and message, the place with its source line and a caret,
// outer frames, notes. It ends without a newline. Colours are ANSI escapes; other control characters, which a message
// may have from a file or a server, are written out.
func (e *Error) Text(colour bool) string { return e.TextIn(colour, 0) }

// TextIn is Text for a terminal of that many columns: of lines of source that are wider it has the part with the caret.
func (e *Error) TextIn(colour bool, columns int) string { return e.text(bold+red, colour, columns) }

// Traceback is the error for notebooks. Its name is bold alone: front ends draw errors on a red background, where their
// intense red is hard to read in a dark theme.
func (e *Error) Traceback() []string { return strings.Split(e.text(bold, true, 0), "\n") }

func (e *Error) text(title string, colour bool, columns int) string {
	paint := func(c, s string) string {
		if !colour || s == "" {
			return s
		}
		return c + s + reset
	}
	var b strings.Builder
	b.WriteString(paint(title, visible.Text(e.title())) + ": " + visible.Text(e.Message))
	for i, f := range e.Frames {
		where := f.Cell
		if f.Line > 0 {
			where += fmt.Sprintf(", line %d", f.Line)
		}
		if f.Func != "" {
			where += ", in " + f.Func
		}
		b.WriteString("\n  " + paint(dim, visible.Text(where)))
		if f.Source != "" {
			line, caret := sourceLine(f.Source, f.Column)
			line, caret = fitting(line, caret, columns-4)
			b.WriteString("\n    " + line)
			if i == 0 && f.Column > 0 {
				b.WriteString("\n    " + paint(red, caret))
			}
		}
	}
	for _, n := range e.Notes {
		n = fittingNote(visible.Text(n), columns-4)
		b.WriteString("\n  " + paint(dim, "note:") + " " + strings.ReplaceAll(n, "\n", "\n  "))
	}
	return b.String()
}

// fittingNote has the lines of source in a note, which carets follow, in at most that many columns.
func fittingNote(note string, columns int) string {
	lines := strings.Split(note, "\n")
	for i := 1; i < len(lines); i++ {
		if bare := strings.TrimLeft(lines[i], " "); bare == "^" {
			lines[i-1], lines[i] = fitting(lines[i-1], lines[i], columns)
		}
	}
	return strings.Join(lines, "\n")
}

// fitting cuts a line of source to that many columns, around the caret. All of it stays when they are 0 or fewer.
func fitting(line, caret string, columns int) (string, string) {
	if columns <= 0 || printing.Width(line) <= columns {
		return line, caret
	}
	at := len(caret) - 1
	from := 0
	if at >= columns*3/4 {
		from = at - columns/2
	}
	var b strings.Builder
	column, first := 0, -1
	for _, r := range line {
		width := printing.Width(string(r))
		if column >= from && column+width <= from+columns-2 { // an ellipsis on each side
			b.WriteRune(r)
			if first < 0 {
				first = column
			}
		}
		column += width
	}
	text := b.String()
	if from > 0 {
		text = "…" + text
		at++
	}
	if from+columns-2 < column {
		text += "…"
	}
	return text, strings.Repeat(" ", at-first) + "^"
}

// sourceLine returns a source line without its indentation and a caret under the column, which counts bytes from 1.
func sourceLine(src string, column int) (line, caret string) {
	line = strings.TrimLeft(src, " \t")
	n := min(max(column-1-(len(src)-len(line)), 0), len(line))
	line = strings.ReplaceAll(line, "\t", " ")
	before := visible.Text(line[:n])
	return before + visible.Text(line[n:]), strings.Repeat(" ", printing.Width(before)) + "^"
}
