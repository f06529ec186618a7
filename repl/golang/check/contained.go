package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// contents knows how many parts types have, from their syntax: fields and elements that are in the type itself, each
// counted as often as it occurs. The type checker looks at all of them, in search of types that contain themselves. It
// takes a name for what the cell, or the session, declares under it, wherever that is.
type contents struct {
	scope *Scope
	types map[string][]ast.Expr
	known map[string]int64
}

// tooManyParts is the problem of the first type of some nodes that contains too much.
func (sc *Scope) tooManyParts(nodes []ast.Node) []Problem {
	cs := contents{sc, map[string][]ast.Expr{}, map[string]int64{}}
	var specs []*ast.TypeSpec
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				specs = append(specs, s)
				cs.types[s.Name.Name] = append(cs.types[s.Name.Name], s.Type)
			}
			return true
		})
	}
	for _, s := range specs {
		if cs.of(s.Type) > maxParts {
			return []Problem{sc.typeProblem(s.Pos(), partsText)}
		}
	}
	return nil
}

var partsText = fmt.Sprintf("a type that is made of more than %d types, where each is counted as often as it occurs",
	maxParts)

func (sc *Scope) typeProblem(at token.Pos, message string) Problem {
	return Problem{Pos: sc.Fset.Position(at), name: "TypeError", Message: message}
}

func (cs *contents) of(x ast.Expr) int64 {
	n := int64(1)
	switch x := x.(type) {
	case *ast.ParenExpr:
		return cs.of(x.X)
	case *ast.Ident:
		return cs.named(x.Name)
	case *ast.ArrayType:
		if x.Len != nil {
			n += cs.of(x.Elt)
		}
	case *ast.StructType:
		for _, f := range x.Fields.List {
			n += times(cs.of(f.Type), int64(max(1, len(f.Names))))
			n = min(n, beyond)
		}
	case *ast.IndexExpr:
		n += cs.of(x.X) + cs.of(x.Index)
	case *ast.IndexListExpr:
		n += cs.of(x.X)
		for _, a := range x.Indices {
			n = min(n+cs.of(a), beyond)
		}
	}
	return min(n, beyond)
}

func (cs *contents) named(name string) int64 {
	if n, ok := cs.known[name]; ok {
		return n
	}
	cs.known[name] = 1 // it may contain itself, which is an error
	n := int64(1)
	for _, x := range cs.types[name] {
		n = max(n, cs.of(x))
	}
	if b := cs.scope.Bindings[name]; b != nil && cs.types[name] == nil {
		if t, ok := b.Object.(*types.TypeName); ok {
			n = layouts{}.of(t.Type()).parts
		}
	}
	cs.known[name] = n
	return n
}
