package repl

import (
	"fmt"
	"strings"

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
func (e *Error) Text(colour bool) string {
	paint := func(c, s string) string {
		if !colour || s == "" {
			return s
		}
		return c + s + reset
	}
	var b strings.Builder
	b.WriteString(paint(bold+red, visible.Text(e.title())) + ": " + visible.Text(e.Message))
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
			b.WriteString("\n    " + line)
			if i == 0 && f.Column > 0 {
				b.WriteString("\n    " + paint(red, caret))
			}
		}
	}
	for _, n := range e.Notes {
		b.WriteString("\n  " + paint(dim, "note:") + " " + strings.ReplaceAll(visible.Text(n), "\n", "\n  "))
	}
	return b.String()
}

// sourceLine returns a source line without its indentation and a caret under the column, which counts bytes from 1.
func sourceLine(src string, column int) (line, caret string) {
	line = strings.TrimLeft(src, " \t")
	n := min(max(column-1-(len(src)-len(line)), 0), len(line))
	line = strings.ReplaceAll(line, "\t", " ")
	before := visible.Text(line[:n])
	return before + visible.Text(line[n:]), strings.Repeat(" ", len([]rune(before))) + "^"
}
