package repl

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/golang"
)

func (s *Local) save(c *Call) *Error {
	set, rest, wrong := c.options("f")
	if wrong != nil {
		return wrong
	}
	name, list := firstWord(rest)
	if name == "" {
		return c.wrong("a file is missing")
	}
	numbers, err := spans(list)
	if err != nil {
		return c.wrong("%v", err)
	}
	var chosen []ran
	for _, r := range s.ran {
		if len(numbers) == 0 || within(numbers, r.number) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return c.failed(errors.New("there is nothing to save: no Go has run in these cells since the session began or was reset"))
	}
	path := expand(name)
	if filepath.Ext(path) == "" {
		path += ".go"
	}
	var data []byte
	var notes []string
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ipynb":
		data, err = s.notebookOf(chosen)
	case ".go":
		data, notes, err = s.programOf(chosen)
	default:
		return c.wrong("%s is no .go and no .ipynb file", path)
	}
	if err != nil {
		return c.failed(fmt.Errorf("this does not make a program: %w", err))
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if _, force := set['f']; force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if errors.Is(err, os.ErrExist) {
		e := c.failed(fmt.Errorf("%s is there already", path))
		e.Notes = []string{"%save -f " + rest + " replaces it"}
		return e
	}
	if err != nil {
		return c.failed(openError(err))
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return c.failed(err)
	}
	for _, n := range notes {
		s.sink.event(Event{Kind: Notice, Text: n})
	}
	s.print("%s: %s, %d lines\n", path, count(cellCount(chosen), "cell"), bytes.Count(data, []byte("\n")))
	return nil
}

// cellCount is the number of cells that the parts are of, without those that failed.
func cellCount(list []ran) int {
	seen, n := map[int]bool{}, 0
	for _, r := range list {
		if !r.failed && (r.number == 0 || !seen[r.number]) {
			n++
			seen[r.number] = true
		}
	}
	return n
}

// programOf writes what has run as a Go program. Where later cells need what a failed one has defined, its statements before the
// one that failed are kept.
func (s *Local) programOf(list []ran) ([]byte, []string, error) {
	text, notes, err := s.programWith(list, false)
	if len(notes) > 0 {
		if t, n, e := s.programWith(list, true); e == nil && (err != nil || len(n) < len(notes)) {
			text, notes, err = t, n, e
			for _, r := range list {
				if r.failed && r.line > 1 {
					notes = append(notes, fmt.Sprintf("%s failed at line %d: what stands above that line is kept", cellLabel(r.number), r.line))
				}
			}
		}
	}
	if how := s.howToRun(text); err == nil && how != "" {
		first, rest, _ := strings.Cut(string(text), "\n")
		text = []byte(first + "\n//\n// In a module of its own: " + how + "\n" + rest)
	}
	return text, notes, err
}

// howToRun says how a program comes by the modules that it imports, "" when it imports none.
func (s *Local) howToRun(text []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return ""
	}
	own, others := false, false
	for _, i := range f.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		host, _, _ := strings.Cut(path, "/")
		switch {
		case strings.HasPrefix(path, modulePath+"/"):
			own = true
		case strings.Contains(host, "."):
			others = true
		}
	}
	how := []string{"go mod init session"}
	if own {
		version := s.opt.Version
		if !strings.HasPrefix(version, "v") || strings.Contains(version, "+") {
			version = "latest"
		}
		how = append(how, "go get "+modulePath+"@"+version)
	}
	if others {
		how = append(how, "go mod tidy")
	}
	if len(how) == 1 {
		return ""
	}
	return strings.Join(append(how, "go run ."), " && ")
}

// programWith is programOf, with the statements of failed cells that have run, or without.
func (s *Local) programWith(list []ran, failed bool) ([]byte, []string, error) {
	e, err := s.newEngine(io.Discard, io.Discard)
	if err != nil {
		return nil, nil, err
	}
	var steps []golang.Step
	last := 0
	for _, r := range list {
		step := golang.Step{Code: r.code, Cell: r.number, Failed: r.failed}
		if failed {
			step.Line = r.line
		}
		if r.number > 0 && r.number != last {
			step.Label = cellLabel(r.number)
		}
		last = r.number
		steps = append(steps, step)
	}
	return e.Program(steps, "A gorocm session, saved as a program.")
}

func cellLabel(n int) string { return fmt.Sprintf("cell[%d]", n) }

// notebookOf writes the cells that have run as a notebook, as they were typed and without outputs.
func (s *Local) notebookOf(list []ran) ([]byte, error) {
	typed := map[int]string{}
	s.mu.Lock()
	for _, h := range s.history {
		typed[h.Number] = h.Code
	}
	s.mu.Unlock()
	var f cells.File
	done := map[int]bool{}
	for _, r := range list {
		if r.failed || done[r.number] {
			continue
		}
		text := r.code
		if r.number > 0 {
			done[r.number], text = true, typed[r.number]
		}
		f.Cells = append(f.Cells, cells.Cell{Kind: cells.Code, Source: strings.Trim(text, "\n")})
	}
	var b bytes.Buffer
	err := cells.WriteNotebook(&b, f, nil)
	return b.Bytes(), err
}
