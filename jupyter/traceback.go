package jupyter

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/repl"
)

// errorOf is a session's error as clients want it: a name, a line, and coloured text.
func errorOf(e *repl.Error) errorReply {
	return errorReply{statusError, e.Name, e.Message, traceback(e)}
}

const (
	red   = "\x1b[31m"
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// traceback renders an error as coloured lines.
func traceback(e *repl.Error) []string {
	lines := []string{red + bold + e.Name + plain + ": " + e.Message}
	for _, f := range e.Frames {
		place := fmt.Sprintf("%s:%d", f.Cell, f.Line)
		if f.Column > 0 {
			place += fmt.Sprintf(":%d", f.Column)
		}
		lines = append(lines, "  "+faint+place+plain+" "+f.Func)
		if f.Source != "" {
			lines = append(lines, "      "+strings.ReplaceAll(f.Source, "\t", " "))
			if f.Column > 0 {
				lines = append(lines, "      "+strings.Repeat(" ", f.Column-1)+red+"^"+plain)
			}
		}
	}
	for _, n := range e.Notes {
		lines = append(lines, "  note: "+n)
	}
	return lines
}
