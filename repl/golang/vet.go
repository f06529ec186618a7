package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
	kept := cancelKept(e, ck.Body)
	for _, f := range vet.Check(e.scope.Fset, decls, ck.Info) {
		p := e.scope.Fset.Position(f.Pos)
		if p.Filename != ck.Cell.Name || kept(f.Pos, f.Message) ||
			shown != nil && f.Pos >= shown.Pos() && f.Pos < shown.End() && ofShowing(f.Message) {
			continue
		}
		notes = append(notes, fmt.Sprintf("vet: line %d: %s", p.Line, check.UserText(f.Message)))
	}
	return notes
}

// ofShowing recognises what is said of the call that shows a value.
func ofShowing(message string) bool {
	return strings.HasPrefix(message, "result of ") || strings.HasPrefix(message, "call of "+check.OutName)
}

// cancelKept recognises what is said of cancel functions in variables of the session, which later cells may call.
func cancelKept(e *Engine, body *ast.BlockStmt) func(at token.Pos, message string) bool {
	places, texts := map[token.Pos]bool{}, []string{}
	if body != nil {
		for _, s := range body.List {
			for _, id := range definedBy(s) {
				places[id.Pos()] = true
				texts = append(texts,
					fmt.Sprintf("using the %s var defined on line %d", id.Name, e.scope.Fset.Position(id.Pos()).Line))
			}
		}
	}
	return func(at token.Pos, message string) bool {
		return places[at] && strings.Contains(message, "not used on all paths") ||
			slices.ContainsFunc(texts, func(t string) bool { return strings.HasSuffix(message, t) })
	}
}

// definedBy are the variables that a statement defines.
func definedBy(s ast.Stmt) (list []*ast.Ident) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok {
				list = append(list, id)
			}
		}
	case *ast.DeclStmt:
		if g, ok := s.Decl.(*ast.GenDecl); ok {
			for _, sp := range g.Specs {
				if v, ok := sp.(*ast.ValueSpec); ok {
					list = append(list, v.Names...)
				}
			}
		}
	}
	return list
}
