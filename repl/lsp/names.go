package lsp

import (
	"encoding/json"
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl"
)

// mention is a name in one of a document's cells.
type mention struct {
	cell cell
	repl.Mention
}

func (m mention) location() location {
	return location{m.cell.uri, m.cell.rangeOf(m.Line, m.Column, len(m.Name))}
}

// named finds the name at a place, and all mentions of what it stands for. The document is analysed before.
func (s *server) named(params json.RawMessage) (here *mention, all []mention, err error) {
	p, err := s.locate(params)
	if p == nil || err != nil {
		return nil, nil, err
	}
	if p.d.changed {
		s.publish()
	}
	r := p.d.result
	if r == nil || p.n >= len(r.checks) {
		return nil, nil, nil
	}
	for _, m := range r.checks[p.n].mentions {
		from := lineAt(p.cell().code, m.Line-1) + m.Column - 1
		if from <= p.off && p.off <= from+len(m.Name) {
			here = &mention{r.cells[p.n], m}
		}
	}
	if here == nil {
		return nil, nil, nil
	}
	for i, k := range r.checks {
		for _, m := range k.mentions {
			if m.Declared == here.Declared {
				all = append(all, mention{r.cells[i], m})
			}
		}
	}
	return here, all, nil
}

// declaration is the first mention of a name, which declares it, or declares it again.
func declaration(all []mention) mention { return all[0] }

func (s *server) definition(params json.RawMessage) (any, error) {
	here, all, err := s.named(params)
	if here == nil || err != nil {
		return nil, err
	}
	return declaration(all).location(), nil
}

func (s *server) references(params json.RawMessage) (any, error) {
	here, all, err := s.named(params)
	if here == nil || err != nil {
		return nil, err
	}
	var p placeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, failed(codeInvalidParams, "%v", err)
	}
	list := []location{}
	for i, m := range all {
		if i > 0 || p.Context.Declaration {
			list = append(list, m.location())
		}
	}
	return list, nil
}

func (s *server) highlights(params json.RawMessage) (any, error) {
	here, all, err := s.named(params)
	if here == nil || err != nil {
		return nil, err
	}
	list := []highlight{}
	for _, m := range all {
		if m.cell.uri == here.cell.uri {
			list = append(list, highlight{m.location().Range})
		}
	}
	return list, nil
}

func (s *server) prepareRename(params json.RawMessage) (any, error) {
	here, _, err := s.named(params)
	if here == nil || err != nil {
		return nil, err
	}
	return map[string]any{"range": here.location().Range, "placeholder": here.Name}, nil
}

// rename renames what a name stands for in all cells. It refuses what would change the meaning of the cells as far as
// it can tell: a document with mistakes, and a new name that any cell mentions already.
func (s *server) rename(params json.RawMessage) (any, error) {
	here, all, err := s.named(params)
	if err != nil {
		return nil, err
	}
	if here == nil {
		return nil, failed(codeRequestFailed, "there is no name here that a cell declares")
	}
	var p placeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, failed(codeInvalidParams, "%v", err)
	}
	if !token.IsIdentifier(p.NewName) || p.NewName == "_" {
		return nil, failed(codeInvalidParams, "%q is not a name", p.NewName)
	}
	if types.Universe.Lookup(p.NewName) != nil {
		return nil, failed(codeRequestFailed, "%s is a name of Go's own", p.NewName)
	}
	r := s.texts[p.Document.URI].owner.result
	for _, list := range r.found {
		for _, d := range list {
			if d.Severity == severityError {
				return nil, failed(codeRequestFailed, "a cell has a mistake, so not all uses of %s are known: %s",
					here.Name, d.Message)
			}
		}
	}
	for _, c := range r.cells {
		for _, name := range identifiers.FindAllString(c.code, -1) {
			if name == p.NewName {
				return nil, failed(codeRequestFailed, "a cell mentions %s already", p.NewName)
			}
		}
	}
	for _, k := range r.checks {
		for _, m := range k.mentions {
			if here.Top && m.Top && m.Name == here.Name && m.Declared != here.Declared {
				return nil, failed(codeRequestFailed, "%s is declared more than once, with different meanings", m.Name)
			}
		}
	}
	if err := r.refuses(*here, p.NewName); err != nil {
		return nil, err
	}
	edit := workspaceEdit{map[string][]textEdit{}}
	for _, m := range all {
		l := m.location()
		edit.Changes[l.URI] = append(edit.Changes[l.URI], textEdit{l.Range, p.NewName})
	}
	return edit, nil
}

// refuses says why a name cannot be renamed although no cell has a mistake: it is a method that an interface has, or
// commands use or declare it, whose text is not understood.
func (r *result) refuses(here mention, newName string) error {
	if here.Top && r.commanded(here.Name) {
		return failed(codeRequestFailed, "a command declares %s", here.Name)
	}
	for _, c := range r.cells {
		for _, name := range identifiers.FindAllString(r.analysis.Commands(c.code), -1) {
			if name == here.Name {
				return failed(codeRequestFailed, "a command mentions %s", here.Name)
			}
		}
	}
	if !here.Method {
		return nil
	}
	methods := map[string]bool{}
	for _, k := range r.checks {
		for _, m := range k.mentions {
			methods[m.Name] = methods[m.Name] || m.Method
			if m.Method && m.Name == here.Name && m.Declared != here.Declared && (m.Abstract || here.Abstract) {
				return failed(codeRequestFailed, "%s is a method of an interface and of types, which may implement it", m.Name)
			}
		}
	}
	for _, name := range []string{here.Name, newName} {
		if i := r.analysis.LibraryInterface(name, func(n string) bool { return methods[n] }); i != "" {
			return failed(codeRequestFailed, "%s is a method of %s: compiled code may call it", name, i)
		}
	}
	return nil
}
