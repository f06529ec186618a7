package repl

import (
	"context"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
)

// Analysis checks cells and answers questions about them without running anything, for editors. Its methods must not be
// called at the same time.
type Analysis struct{ s *Local }

// The outcome of a check: mistakes, and the names that cells declare.
type (
	Finding = golang.Finding
	Mention = golang.Mention
)

// NewAnalysis begins with no cell. modules is the folder of the module whose packages cells can import; empty for
// none.
func NewAnalysis(modules string) (*Analysis, error) {
	s, err := New(Options{Modules: modules})
	if err != nil {
		return nil, err
	}
	return &Analysis{s}, nil
}

// Declare checks a cell and makes known what it declares: see golang.Engine.Declare. Commands in it are passed over.
func (a *Analysis) Declare(ctx context.Context, name, code string) ([]Finding, []string, []Mention) {
	return a.s.current().Declare(ctx, name, a.onlyGo(code))
}

// Complete lists what may stand at a cell's cursor, after the cells that were declared. imports says that a match needs
// an import of its Import besides.
func (a *Analysis) Complete(code string, cursor int) (r Completion, imports bool) {
	cursor = min(max(cursor, 0), len(code))
	if c, ok := a.s.completeCommandLine(code, cursor); ok {
		return c, false
	}
	c := a.s.current().Complete(a.onlyGo(code), cursor)
	return a.s.matches(c), c.Imports
}

// Inspect tells what is known of the name or call at the cursor, as Session.Inspect does. Values are not known.
func (a *Analysis) Inspect(code string, cursor int) (text string, found bool) {
	cursor = min(max(cursor, 0), len(code))
	if in, ok := inspectCommand(code, cursor); ok {
		return in.Data.Text(), true
	}
	d, ok := a.s.current().Describe(a.onlyGo(code), cursor, 0)
	return d.Text(), ok
}

// GoStatus says whether Go is "complete", "incomplete" or "invalid", as the status of a Completeness does.
func GoStatus(code string) string {
	status, _ := golang.IsComplete(code)
	return status
}

// onlyGo makes what is not Go spaces: lines and columns stay where they are.
func (a *Analysis) onlyGo(code string) string {
	trimmed := strings.TrimSpace(code)
	if rest, ok := strings.CutPrefix(trimmed, "%%"); ok {
		name, _ := firstWord(rest)
		if c := commandNames[name]; c == nil || !c.Go && c.Name != "capture" {
			return blankText(code)
		}
	}
	text := a.s.onlyGo(code)
	if !strings.ContainsAny(text, "?!") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if _, ok := questionLine(strings.TrimSpace(line)); ok {
			lines[i] = blankText(line)
		} else if value, ok := a.s.shellValue(strings.TrimSpace(line), code); ok {
			indent := len(line) - len(strings.TrimLeft(line, " \t"))
			lines[i] = line[:indent] + value
		}
	}
	return strings.Join(lines, "\n")
}

// blankText is a text of spaces with the same lines.
func blankText(text string) string {
	b := []byte(text)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}
