package lsp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/repl"
)

// place is where a question is asked.
type place struct {
	params placeParams
	d      *document
	list   []cell
	n      int // the cell
	off    int // the offset in it
}

func (p *place) cell() cell { return p.list[p.n] }

// locate finds the cell of a question. Without one the answer is null.
func (s *server) locate(params json.RawMessage) (p *place, err error) {
	p = &place{}
	if err := json.Unmarshal(params, &p.params); err != nil {
		return nil, failed(codeInvalidParams, "%v", err)
	}
	uri := p.params.Document.URI
	t := s.texts[uri]
	if t == nil || !t.goCell {
		return nil, nil
	}
	p.d, p.list = t.owner, s.cellsOf(t.owner)
	var ok bool
	if p.n, p.off, ok = p.d.at(p.list, uri, t.content, p.params.Position); !ok {
		return nil, nil
	}
	return p, nil
}

// ask locates a question and gets what is known before its cell.
func (s *server) ask(params json.RawMessage) (*place, *repl.Analysis, error) {
	p, err := s.locate(params)
	if p == nil || err != nil {
		return nil, nil, err
	}
	a, err := s.before(p.d, p.list, p.n)
	return p, a, err
}

func (s *server) completion(params json.RawMessage) (any, error) {
	p, a, err := s.ask(params)
	if p == nil || err != nil {
		return nil, err
	}
	c := p.cell()
	found, imports := a.Complete(c.code, p.off)
	list := completionList{Items: []completionItem{}}
	for i, m := range found.Matches {
		item := completionItem{Label: m.Text, Kind: itemKinds[m.Kind], Detail: m.Signature, Doc: m.Doc,
			Sort: fmt.Sprintf("%05d", i), Edit: textEdit{c.back(found.Start, found.End), m.Text}}
		if m.Kind == "command" {
			// JupyterLab, which ignores the edit, has % before the word that it completes. So what it inserts is what
			// it makes of the kernel's completion, and it lists the command once.
			item.Insert = strings.TrimLeft(m.Text, "%")
		}
		if imports {
			item.Also = []textEdit{{c.back(0, 0), fmt.Sprintf("import %q\n", m.Import)}}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func (s *server) hover(params json.RawMessage) (any, error) {
	p, a, err := s.ask(params)
	if p == nil || err != nil {
		return nil, err
	}
	text, ok := a.Inspect(p.cell().code, p.off)
	if !ok {
		return nil, nil
	}
	decl, doc, _ := strings.Cut(text, "\n\n")
	value := "```go\n" + decl + "\n```"
	if doc != "" {
		value += "\n\n" + doc
	}
	return hover{markup{"markdown", value}}, nil
}

// signatureHelp is made of the hint beside completions, which has the current parameter between ‹ and ›.
func (s *server) signatureHelp(params json.RawMessage) (any, error) {
	p, a, err := s.ask(params)
	if p == nil || err != nil {
		return nil, err
	}
	found, _ := a.Complete(p.cell().code, p.off)
	if found.Hint == "" {
		return nil, nil
	}
	before, rest, _ := strings.Cut(found.Hint, "‹")
	current, after, marked := strings.Cut(rest, "›")
	if !marked {
		return signatureHelp{Signatures: []signature{{found.Hint, []parameter{}}}}, nil
	}
	from := units(before)
	return signatureHelp{Signatures: []signature{{before + current + after,
		[]parameter{{[2]int{from, from + units(current)}}}}}}, nil
}
