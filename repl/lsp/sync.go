package lsp

import (
	"encoding/json"
	"slices"
)

func parse[T any](params json.RawMessage) (v T, err error) {
	if err := json.Unmarshal(params, &v); err != nil {
		return v, failed(codeInvalidParams, "%v", err)
	}
	return v, nil
}

// open makes a text known. owner is its notebook, nil for one by itself.
func (s *server) open(t textItem, owner *document) {
	if owner == nil {
		owner = &document{uri: t.URI}
		s.documents[t.URI] = owner
	}
	s.texts[t.URI] = &text{t.Text, t.Version, owner, t.Language == "go" || t.Language == ""}
	owner.changed = true
}

// forget closes a text, whose diagnostics are taken back.
func (s *server) forget(uri string) {
	if s.texts[uri] == nil {
		return
	}
	delete(s.texts, uri)
	s.notify("textDocument/publishDiagnostics", diagnosticsParams{URI: uri, Diagnostics: []diagnostic{}})
}

func (s *server) change(id documentID, changes []contentChange) {
	if t := s.texts[id.URI]; t != nil {
		t.content, t.version = edited(t.content, changes), id.Version
		t.owner.changed = true
	}
}

func (s *server) didOpen(params json.RawMessage) (any, error) {
	p, err := parse[struct {
		Document textItem `json:"textDocument"`
	}](params)
	if err == nil {
		s.open(p.Document, nil)
	}
	return nil, err
}

func (s *server) didChange(params json.RawMessage) (any, error) {
	p, err := parse[struct {
		Document documentID      `json:"textDocument"`
		Changes  []contentChange `json:"contentChanges"`
	}](params)
	if err == nil {
		s.change(p.Document, p.Changes)
	}
	return nil, err
}

func (s *server) didClose(params json.RawMessage) (any, error) {
	p, err := parse[struct {
		Document documentID `json:"textDocument"`
	}](params)
	if err == nil {
		delete(s.documents, p.Document.URI)
		s.forget(p.Document.URI)
	}
	return nil, err
}

func (s *server) notebookOpen(params json.RawMessage) (any, error) {
	p, err := parse[notebookOpen](params)
	if err != nil {
		return nil, err
	}
	d := &document{uri: p.Notebook.URI, cells: []string{}, changed: true}
	s.documents[d.uri] = d
	for _, c := range p.Notebook.Cells {
		d.cells = append(d.cells, c.Document)
	}
	for _, t := range p.Texts {
		s.open(t, d)
	}
	return nil, nil
}

func (s *server) notebookChange(params json.RawMessage) (any, error) {
	p, err := parse[notebookChange](params)
	if err != nil {
		return nil, err
	}
	d := s.documents[p.Notebook.URI]
	if d == nil {
		return nil, failed(codeInvalidParams, "the notebook %s is not open", p.Notebook.URI)
	}
	d.changed = true
	change := p.Change.Cells
	if x := change.Structure; x != nil {
		from := min(max(x.Array.Start, 0), len(d.cells))
		to := min(from+max(x.Array.Delete, 0), len(d.cells))
		var added []string
		for _, c := range x.Array.Cells {
			added = append(added, c.Document)
		}
		d.cells = slices.Replace(d.cells, from, to, added...)
		d.good = nil // which goes by numbers
		for _, t := range x.Open {
			s.open(t, d)
		}
		for _, t := range x.Close {
			s.forget(t.URI)
		}
	}
	for _, t := range change.Texts {
		s.change(t.Document, t.Changes)
	}
	return nil, nil
}

func (s *server) notebookClose(params json.RawMessage) (any, error) {
	p, err := parse[notebookClose](params)
	if err != nil {
		return nil, err
	}
	if d := s.documents[p.Notebook.URI]; d != nil {
		for _, uri := range d.cells {
			s.forget(uri)
		}
		delete(s.documents, d.uri)
	}
	return nil, nil
}
