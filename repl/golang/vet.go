package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/vet"
)

// SetVet says whether cells get notes on what go vet would find. At first they do.
func (e *Engine) SetVet(on bool) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	e.unvetted = !on
}

// Vets reports whether cells get such notes.
func (e *Engine) Vets() bool {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	return !e.unvetted
}

// vet lists what go vet would say of a checked cell.
func (e *Engine) vet(ck *check.Checked) (notes []string) {
	if e.unvetted || !ck.KeepsLast {
		return nil
	}
	var decls []ast.Decl
	var shown ast.Node // what the cell shows, which is a use of it
	for _, d := range ck.Decls {
		if g, ok := d.Node.(*ast.GenDecl); ok && d.Cell == ck.Cell.Name {
			decls = append(decls, g)
		}
	}
	for _, f := range ck.Funcs {
		if f.Decl.Cell == ck.Cell.Name {
			decls = append(decls, f.Syntax)
		}
	}
	if b := ck.Body; b != nil && len(b.List) > 0 {
		name := &ast.Ident{NamePos: b.Lbrace, Name: "_"}
		ck.Info.Defs[name] = types.NewFunc(b.Lbrace, e.scope.Pkg, "_",
			types.NewSignatureType(nil, nil, nil, nil, nil, false))
		decls = append(decls, &ast.FuncDecl{Name: name, Type: &ast.FuncType{Func: b.Lbrace, Params: &ast.FieldList{}},
			Body: b})
		if last, ok := b.List[len(b.List)-1].(*ast.ExprStmt); ok && ck.Shows {
			shown = last
		}
	}
	for _, f := range vet.Check(e.scope.Fset, decls, ck.Info) {
		p := e.scope.Fset.Position(f.Pos)
		if p.Filename != ck.Cell.Name || shown != nil && f.Pos >= shown.Pos() && f.Pos < shown.End() &&
			strings.HasPrefix(f.Message, "result of ") {
			continue
		}
		notes = append(notes, fmt.Sprintf("vet: line %d: %s", p.Line, check.UserText(f.Message)))
	}
	return notes
}
