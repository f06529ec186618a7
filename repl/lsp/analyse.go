package lsp

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl"
)

// result is what the checks of a document have found.
type result struct {
	cells    []cell
	mentions [][]repl.Mention // of each cell
	found    map[string][]diagnostic

	analysis  *repl.Analysis
	commanded map[string]bool // names that commands declare
}

var (
	identifiers = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	undefined   = regexp.MustCompile(`^undefined: ([\pL_][\pL\pN_]*)`)
	byNumber    = regexp.MustCompile(`^undefined: (_+\d*|In|Out)\b`)
	vetNote     = regexp.MustCompile(`^vet: line (\d+): (.*)`)
)

// cellName is what a cell is called while it is checked. It is no number of a cell that has run.
func cellName(i int) string { return fmt.Sprintf("code[%d]", i) }

// analyse checks all cells of a document, in their order.
func (s *server) analyse(d *document) error {
	list := s.cellsOf(d)
	a, err := repl.NewAnalysis(s.modules)
	if err != nil {
		return err
	}
	a.Dir = folder(d.uri)
	r := &result{cells: list, found: map[string][]diagnostic{}, analysis: a, commanded: a.Declared}
	for len(d.good) < len(list) {
		d.good = append(d.good, "")
	}
	unknown := map[string]bool{} // names that a cell with mistakes may declare
	for i, c := range list {
		found, notes, mentions := a.Declare(s.ctx, cellName(i), c.code)
		r.mentions = append(r.mentions, mentions)
		r.found[c.uri] = append(r.found[c.uri], diagnostics(c, known(a, found), notes, unknown)...)
		if len(found) == 0 {
			d.good[i] = c.code
			continue
		}
		for _, name := range identifiers.FindAllString(c.code, -1) {
			unknown[name] = true
		}
		if d.good[i] != "" {
			a.Declare(s.ctx, cellName(i), d.good[i])
		}
	}
	d.result, d.changed = r, false
	return nil
}

// known leaves out names that a command may have declared.
func known(a *repl.Analysis, found []repl.Finding) []repl.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f repl.Finding) bool {
		return a.Vague && undefined.MatchString(f.Message)
	})
}

// diagnostics are the findings of a cell and the notes of go vet, in terms of its text.
func diagnostics(c cell, found []repl.Finding, notes []string, unknown map[string]bool) (r []diagnostic) {
	for _, f := range found {
		if m := undefined.FindStringSubmatch(f.Message); m != nil && unknown[m[1]] || byNumber.MatchString(f.Message) {
			continue // the results of cells are known where they run
		}
		d := diagnostic{Range: c.rangeOf(max(f.Line, 1), max(f.Column, 1), 1), Severity: severityError,
			Source: "gorocm", Message: f.Message}
		if f.Line > 0 {
			d.Range = c.rangeOf(f.Line, f.Column, width(c, f))
		}
		if f.Module {
			d.Severity = severityInformation
		}
		if f.Hint != "" {
			d.Message += "\n" + f.Hint
		}
		r = append(r, d)
	}
	for _, n := range notes {
		m := vetNote.FindStringSubmatch(n)
		if m == nil {
			continue
		}
		line, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		text := lineOf(c.code, line)
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		r = append(r, diagnostic{Range: c.rangeOf(line, indent+1, len(text)-indent), Severity: severityWarning,
			Source: "vet", Message: m[2]})
	}
	return r
}

func lineOf(code string, line int) string {
	from := lineAt(code, line-1)
	text, _, _ := strings.Cut(code[from:], "\n")
	return text
}

// width is how many bytes a finding is about: a name, or one character.
func width(c cell, f repl.Finding) int {
	rest := c.code[min(lineAt(c.code, f.Line-1)+f.Column-1, len(c.code)):]
	if at := identifiers.FindStringIndex(rest); at != nil && at[0] == 0 {
		return at[1]
	}
	return 1
}

// publish sends the diagnostics of all documents that have changed.
func (s *server) publish() {
	for _, uri := range slices.Sorted(maps.Keys(s.documents)) {
		d := s.documents[uri]
		if !d.changed {
			continue
		}
		before := d.result
		if err := s.analyse(d); err != nil {
			s.log("cannot check %s: %v", d.uri, err)
			continue
		}
		uris := map[string]bool{}
		if before != nil {
			for u := range before.found {
				uris[u] = true // whose diagnostics may be gone
			}
		}
		for u := range d.result.found {
			uris[u] = true
		}
		for _, u := range slices.Sorted(maps.Keys(uris)) {
			if t := s.texts[u]; t != nil {
				list := append([]diagnostic{}, d.result.found[u]...)
				s.notify("textDocument/publishDiagnostics", diagnosticsParams{u, t.version, list})
			}
		}
	}
}

// prefix is what is known before a cell: that of the cells above it. The last one that was asked for is kept.
type prefix struct {
	key      string
	analysis *repl.Analysis
}

// before returns the analysis of the cells above the n-th.
func (s *server) before(d *document, list []cell, n int) (*repl.Analysis, error) {
	var key strings.Builder
	for i, c := range list[:n] {
		fmt.Fprintf(&key, "%q%q", c.code, d.goodOf(i))
	}
	if s.prefix.analysis != nil && s.prefix.key == key.String() {
		return s.prefix.analysis, nil
	}
	a, err := repl.NewAnalysis(s.modules)
	if err != nil {
		return nil, err
	}
	a.Dir = folder(d.uri)
	for i, c := range list[:n] {
		found, _, _ := a.Declare(context.Background(), cellName(i), c.code)
		if good := d.goodOf(i); len(found) > 0 && good != "" {
			a.Declare(context.Background(), cellName(i), good)
		}
	}
	s.prefix = prefix{key.String(), a}
	return a, nil
}

func (d *document) goodOf(i int) string {
	if i < len(d.good) {
		return d.good[i]
	}
	return ""
}
