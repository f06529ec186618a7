package term

import (
	"go/token"
	"strings"
)

// enter ends the cell if it is one, and starts a new line otherwise.
func (e *editor) enter() (done bool) {
	b := e.buf
	text := b.String()
	if e.asking || strings.TrimSpace(text) == "" {
		return true
	}
	if !b.onLastLine() {
		e.newline()
		return false
	}
	if head, ok := goesOn(text); ok && b.pos == len(b.text) {
		b.changing(other)
		b.text = []rune(head)
		b.pos = len(b.text)
		e.newline()
		return false
	}
	if _, _, ok := question(text); ok || e.asks.IsComplete(text).Status != "incomplete" {
		return true
	}
	e.newline()
	return false
}

// goesOn reports whether a cell ends with a backslash that is not part of a string, a comment or a command, and returns
// the cell without it.
func goesOn(cell string) (head string, ok bool) {
	head, ok = strings.CutSuffix(cell, "\\")
	if !ok {
		return cell, false
	}
	list := tokens([]rune(cell))
	if last := list[len(list)-1]; last.token != token.ILLEGAL || last.text != "\\" {
		return cell, false
	}
	return strings.TrimRight(head, " \t"), true
}

// newline starts a line, indented as the session says.
func (e *editor) newline() {
	b := e.buf
	indent := b.indent()
	if state := e.asks.IsComplete(b.before()); state.Status == "incomplete" {
		indent = state.Indent
	}
	for b.pos < len(b.text) && (b.text[b.pos] == ' ' || b.text[b.pos] == '\t') {
		b.cut(b.pos, b.pos+1, typed)
	}
	closes := b.pos < len(b.text) && strings.ContainsRune("})]", b.text[b.pos])
	if closes && strings.HasSuffix(indent, "\t") {
		// the cursor between two brackets: each on a line of its own
		if at := b.pos - 1; at >= 0 && strings.ContainsRune("{([", b.text[at]) {
			b.Insert("\n"+indent+"\n"+indent[:len(indent)-1], typed)
			b.pos -= len(indent)
			return
		}
		indent = indent[:len(indent)-1]
	}
	b.Insert("\n"+indent, typed)
}

// dedent takes a tab away before a closing bracket, and before case and default, as gofmt writes them.
func (e *editor) dedent(key rune) {
	b := e.buf
	start := b.lineStart(b.pos)
	if start == 0 || !strings.ContainsRune("})]:", key) {
		return
	}
	line := strings.TrimSpace(string(b.text[start:b.pos]))
	switch {
	case key != ':' && len([]rune(line)) == 1:
	case key == ':' && (strings.HasPrefix(line, "case ") || line == "default:"):
	default:
		return
	}
	if state := e.asks.IsComplete(string(b.text[:start-1])); state.Status == "incomplete" &&
		strings.HasSuffix(state.Indent, "\t") && e.buf.indent() == state.Indent {
		b.reindent(state.Indent[:len(state.Indent)-1])
	}
}
