package modules

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash"
	"os"
	"slices"
	"sync"
)

// source is a file of a package, and where its declarations are in positions.
type source struct {
	file string // absolute
	text []byte
	tok  *token.File // once it is parsed
}

// span is a part of a file, by offsets.
type span struct{ start, end int }

// body is the body of a function: which of the file's functions, and where.
type body struct {
	function int
	span
}

// readSources reads the files of a package, and returns the beginning of its key, which has them.
func readSources(p *Package) ([]*source, hash.Hash, error) {
	h := startKey(p)
	r := make([]*source, len(p.Files))
	for i, file := range p.Files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, failure(fmt.Sprintf("%s cannot be read: %v", p.Path, err))
		}
		addFile(h, file, text)
		r[i] = &source{file: file, text: text}
	}
	return r, h, nil
}

// parse parses the file. What skip names is left out: bodies and the elements of tables are blank.
func (s *source) parse(fset *token.FileSet, p *Package, mode parser.Mode, skip *outlined) (*ast.File, error) {
	text := s.text
	if skip != nil && len(skip.bodies)+len(skip.tables) > 0 {
		text = bytes.Clone(text)
		for _, b := range skip.bodies {
			blank(text, b.span)
		}
		for _, t := range skip.tables {
			blank(text, t.span)
			copy(text[t.room(text):], t.length)
		}
	}
	f, err := parser.ParseFile(fset, p.display(s.file), text, mode|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s.tok = fset.File(f.FileStart)
	return f, nil
}

// room is where a line of the text of a table has room for the length, negative where none has.
func (t *table) room(text []byte) int {
	at := t.start
	for line := range bytes.Lines(text[t.start:t.end]) {
		if len(bytes.TrimSuffix(line, []byte("\n"))) >= len(t.length) {
			return at
		}
		at += len(line)
	}
	return -1
}

// blank overwrites a part of a text with spaces, and keeps its lines.
func blank(text []byte, at span) {
	part := text[at.start:at.end]
	for len(part) > 0 {
		n := bytes.IndexByte(part, '\n')
		if n < 0 {
			n = len(part)
		}
		for i := range n {
			part[i] = ' '
		}
		part = part[min(n+1, len(part)):]
	}
}

// What stands before the text of a body, or of the elements of a table, so that it can be parsed by itself. None begins
// earlier in a file.
const (
	bodyPrefix  = "package p;func _()"
	tablePrefix = "package p;var _=x{"
)

// parseBody parses a body that was left out. Its positions are those that it has in the file.
func (s *source) parseBody(at span) (*ast.BlockStmt, error) {
	d, err := s.parsePart(bodyPrefix, at, "")
	if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
		return fd.Body, nil
	}
	return nil, cmp.Or(err, errForeign)
}

// parseTable parses the elements of a table, as parseBody does.
func (s *source) parseTable(at span) ([]ast.Expr, error) {
	d, err := s.parsePart(tablePrefix, at, "}")
	if g, ok := d.(*ast.GenDecl); ok {
		if v := g.Specs[0].(*ast.ValueSpec); len(v.Values) == 1 {
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
				return lit.Elts, nil
			}
		}
	}
	return nil, cmp.Or(err, errForeign)
}

// parsePart parses a part of the file as the end of a declaration.
func (s *source) parsePart(before string, at span, after string) (ast.Decl, error) {
	base := s.tok.Base() + at.start - len(before)
	if base < 1 {
		return nil, errForeign
	}
	scratch := token.NewFileSet()
	if base > 1 {
		scratch.AddFile("", 1, base-2)
	}
	text := slices.Concat([]byte(before), s.text[at.start:at.end], []byte(after))
	f, err := parser.ParseFile(scratch, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if len(f.Decls) != 1 {
		return nil, errForeign
	}
	return f.Decls[0], nil
}

// span is the part of the file between two positions.
func (s *source) span(from, to token.Pos) span { return span{s.tok.Offset(from), s.tok.Offset(to)} }

// setsLines reports whether a part of the file has comments that set the lines of what follows.
func (s *source) setsLines(at span) bool {
	part := s.text[at.start:at.end]
	return bytes.Contains(part, []byte("//line ")) || bytes.Contains(part, []byte("/*line "))
}

// lazyDocs parses the files once more for their comments, when one is asked for.
func lazyDocs(sources []*source) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		r := map[string]string{}
		for _, s := range sources {
			f, err := parser.ParseFile(token.NewFileSet(), "", s.text, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil { // it has been parsed before
				takeDocs(f, r)
			}
		}
		return r
	})
}
