package repl

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/golang"
)

// Analysis checks cells and answers questions about them without running anything, for editors. Its methods must not be
// called at the same time.
type Analysis struct {
	s *Local
	// Declared are the names that commands declare, such as the kernels of %%hip.
	Declared map[string]bool
	// Vague says that a command may declare more names: instances of kernels, those of a file that is not there.
	Vague bool
	// Dir is the folder of the document, for files that commands name; empty where it is not known.
	Dir   string
	depth int // of files that %run names inside one another
}

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
	return &Analysis{s: s, Declared: map[string]bool{}}, nil
}

// Declare checks a cell and makes known what it declares: see golang.Engine.Declare. Of commands in it, the names that
// they declare become known.
func (a *Analysis) Declare(ctx context.Context, name, code string) ([]Finding, []string, []Mention) {
	e := a.s.current()
	before, after := a.ofCommands(code)
	for _, text := range before {
		a.hidden(ctx, name, text)
	}
	found, notes, mentions := e.Declare(ctx, name, a.onlyGo(code))
	for _, text := range after {
		a.hidden(ctx, name, text)
	}
	return found, notes, mentions
}

// hidden declares what a command of a cell declares. What is wrong with it is the command's business.
func (a *Analysis) hidden(ctx context.Context, name, text string) {
	_, _, mentions := a.s.current().Declare(ctx, name+" command", text)
	for _, m := range mentions {
		if m.Top {
			a.Declared[m.Name] = true
		}
	}
}

// kernelHeads finds those of a source of HIP.
var kernelHeads = regexp.MustCompile(`__global__\s+` + launchBounds + `void\s+` + launchBounds + `(\w+)\s*\(`)

const launchBounds = `(?:__launch_bounds__\s*\([^)]*\)\s*)?`

// mostFiles is how deep files of %run are followed.
const mostFiles = 8

// ofCommands is the Go that says what commands of a cell declare, for the Go of the cell and those behind it.
func (a *Analysis) ofCommands(code string) (before, after []string) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(code), "%%"); ok {
		line, body, _ := strings.Cut(rest, "\n")
		switch name, args := firstWord(line); {
		case name == "capture" && token.IsIdentifier(args):
			after = append(after, args+" := session.LastCaptured()")
		case name == "hip":
			var names []string
			templates := strings.Contains(body, "template")
			a.Vague = a.Vague || templates
			for _, m := range kernelHeads.FindAllStringSubmatch(body, -1) {
				names = append(names, m[1])
			}
			if len(names) > 0 {
				after = append(after, kernelDefinitions(names, "", templates))
			}
		}
		return nil, after
	}
	for line := range strings.Lines(code) {
		name, args := firstWord(line)
		switch words := strings.Fields(args); {
		case name == "%import" && len(words) > 0:
			as := ""
			if len(words) == 2 && !strings.ContainsAny(words[0], "/\"`") &&
				!slices.Contains(a.s.current().Packages(), words[0]) {
				as, words = words[0], words[1:]
			}
			for _, w := range words {
				before = append(before, fmt.Sprintf("import %s %q", as, strings.Trim(w, "\"`")))
			}
		case name == "%run" && len(words) > 0:
			before = append(before, a.ofFile(words[0])...)
		}
	}
	return before, nil
}

// ofFile is the Go of the cells of a file that %run runs, and of the commands in it.
func (a *Analysis) ofFile(path string) (list []string) {
	if path = expand(path); !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	f, err := os.Open(path)
	if err != nil || a.depth == mostFiles {
		a.Vague = true
		return nil
	}
	defer f.Close()
	data, err := cells.ReadAll(f)
	if err != nil {
		return nil
	}
	file, err := cells.Parse(path, data)
	if err != nil {
		return nil
	}
	a.depth++
	defer func() { a.depth-- }()
	for _, c := range file.Cells {
		if c.Kind == cells.Code {
			before, after := a.ofCommands(c.Source)
			list = append(append(append(list, before...), a.onlyGo(c.Source)), after...)
		}
	}
	return list
}

// Commands is the text of a cell's commands, but for those of the shell, and for the Go that they run: the names in it
// are not understood.
func (a *Analysis) Commands(code string) string {
	text, left := []byte(code), a.onlyGo(code)
	for i := range text {
		if i < len(left) && left[i] == text[i] && text[i] != '\n' {
			text[i] = ' '
		}
	}
	lines := strings.Split(string(text), "\n")
	whole := strings.HasPrefix(strings.TrimSpace(code), "%%")
	for i, line := range lines {
		if !whole && !strings.ContainsAny(line, "%?") || whole && i > 0 {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// LibraryInterface is an interface of a compiled package that has a method of a name: see golang.Engine.
func (a *Analysis) LibraryInterface(method string, has func(method string) bool) string {
	return golang.LibraryInterface(a.s.current(), method, has)
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
