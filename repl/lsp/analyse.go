package lsp

import (
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
	checks   []check // of each cell
	found    map[string][]diagnostic
	analysis *repl.Analysis
}

// check is what the check of one cell has found.
type check struct {
	code, good string // good is the cell as it was when it had no mistakes
	found      []repl.Finding
	notes      []string
	mentions   []repl.Mention
	declares   map[string]bool // names that it declares, or whose meaning it changes
	commanded  map[string]bool // those of them that commands declare
}

var (
	identifiers = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	undefined   = regexp.MustCompile(`^undefined: ([\pL_][\pL\pN_]*)`)
	byNumber    = regexp.MustCompile(`^undefined: (_+\d*|In|Out)\b`)
	vetNote     = regexp.MustCompile(`^vet: line (\d+): (.*)`)
)

// cellName is what a cell is called while it is checked. It is no number of a cell that has run.
func cellName(i int) string { return fmt.Sprintf("code[%d]", i) }

// analyse checks the cells of a document that may be otherwise than before, in their order.
func (s *server) analyse(d *document) error {
	r := &result{cells: s.cellsOf(d), found: map[string][]diagnostic{}}
	for len(d.good) < len(r.cells) {
		d.good = append(d.good, "")
	}
	err := s.checkChanged(d, r)
	if err != nil {
		return err
	}
	unknown := map[string]bool{} // names that a cell with mistakes may declare
	for i, c := range r.cells {
		k := r.checks[i]
		r.found[c.uri] = append(r.found[c.uri], diagnostics(c, k.found, k.notes, unknown)...)
		if len(k.found) > 0 {
			for _, name := range identifiers.FindAllString(c.code, -1) {
				unknown[name] = true
			}
		}
	}
	d.result, d.changed = r, false
	return nil
}

// checkCell checks a cell in an analysis of those before it, and makes known what it declares.
func (s *server) checkCell(a *repl.Analysis, d *document, i int, c cell) check {
	s.checked++
	before := maps.Clone(a.Declared)
	found, notes, mentions := a.Declare(s.ctx, cellName(i), c.code)
	k := check{code: c.code, found: known(a, found), notes: notes, mentions: mentions,
		declares: declared(cellName(i), mentions), commanded: map[string]bool{}}
	if len(found) > 0 && methodHead.MatchString(c.code) { // a method with a mistake in its body is known all the same
		for _, m := range mentions {
			k.declares[m.Name] = true
		}
	}
	if len(found) == 0 {
		d.good[i] = c.code
	} else if d.good[i] != "" {
		_, _, mentions = a.Declare(s.ctx, cellName(i), d.good[i])
		maps.Copy(k.declares, declared(cellName(i), mentions))
	}
	k.good = d.good[i]
	for name := range a.Declared {
		if !before[name] {
			k.commanded[name], k.declares[name] = true, true
		}
	}
	return k
}

// declared are the names that a cell declares. One that declares a method changes what the types are that it mentions.
func declared(cell string, mentions []repl.Mention) map[string]bool {
	m, methods := map[string]bool{}, false
	for _, x := range mentions {
		if strings.HasPrefix(x.Declared, cell+":") && (x.Top || x.Method) {
			m[x.Name], methods = true, methods || x.Method
		}
	}
	for _, x := range mentions {
		m[x.Name] = m[x.Name] || methods && x.Top
	}
	maps.DeleteFunc(m, func(_ string, is bool) bool { return !is })
	return m
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
