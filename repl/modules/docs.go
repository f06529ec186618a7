package modules

import (
	"go/ast"
	"go/token"
)

// takeDocs moves the comments of a file into the docs: what is made of the syntax later must not carry them along.
// Without docs they are removed.
func takeDocs(f *ast.File, docs map[string]string) {
	note := func(name string, groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if text := g.Text(); text != "" && docs != nil && docs[name] == "" {
				docs[name] = text
			}
		}
	}
	note("", f.Doc)
	f.Doc, f.Comments = nil, nil
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			note(funcName(d), d.Doc)
			d.Doc = nil
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					note(s.Name.Name, s.Doc, only(d), s.Comment)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						note(n.Name, s.Doc, s.Comment, d.Doc)
					}
				}
			}
			d.Doc = nil
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ImportSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.GenDecl:
			n.Doc = nil
		}
		return true
	})
}

// only is the comment of a declaration, where it declares a single type.
func only(d *ast.GenDecl) *ast.CommentGroup {
	if d.Tok == token.TYPE && len(d.Specs) == 1 {
		return d.Doc
	}
	return nil
}
