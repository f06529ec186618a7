package check

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// byteOrders are variables of encoding/binary whose types have names that no declaration can write.
var byteOrders = []string{"LittleEndian", "BigEndian", "NativeEndian"}

// convertOrders gives variables of the session that are set to a byte order an interface type with all of its methods,
// since later cells could not have one of its own type: bo := binary.LittleEndian becomes the statement
// bo := (interface{ binary.ByteOrder; binary.AppendByteOrder })(binary.LittleEndian).
func convertOrders(k *Checker) {
	c := k.Result.Cell
	if c.Body == nil {
		return
	}
	defined := map[string]bool{}
	convert := func(names []string, values []ast.Expr) {
		for i, v := range values {
			sel, ok := v.(*ast.SelectorExpr)
			if !ok || !slices.Contains(byteOrders, sel.Sel.Name) {
				continue
			}
			if id, ok := sel.X.(*ast.Ident); ok && !defined[id.Name] && namesBinary(k, id.Name) {
				values[i] = withMethods(sel, id)
			}
		}
		for _, n := range names {
			defined[n] = true
		}
	}
	for _, s := range c.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				convert(namesOf(s.Lhs), s.Rhs)
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && v.Type == nil && s.Decl.(*ast.GenDecl).Tok == token.VAR {
					var names []ast.Expr
					for _, id := range v.Names {
						names = append(names, id)
					}
					convert(namesOf(names), v.Values)
				}
			}
		}
	}
}

func namesOf(list []ast.Expr) (names []string) {
	for _, x := range list {
		if id, ok := x.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}

// namesBinary reports whether a name of the cell is the package encoding/binary.
func namesBinary(k *Checker, name string) bool {
	const path = "encoding/binary"
	for _, g := range k.Result.Cell.Imports {
		for _, s := range g.Specs {
			if spec := s.(*ast.ImportSpec); k.importName(spec) == name {
				return spec.Path.Value == strconv.Quote(path)
			}
		}
	}
	if k.declared[name] {
		return false
	}
	if b := k.Scope.Bindings[name]; b != nil {
		return b.Object == nil && b.Path == path
	}
	return name == "binary"
}

// withMethods is a byte order as an interface with its methods.
func withMethods(order *ast.SelectorExpr, binary *ast.Ident) ast.Expr {
	at := order.Pos()
	in := &ast.InterfaceType{Interface: at, Methods: &ast.FieldList{Opening: at, Closing: at}}
	for _, name := range []string{"ByteOrder", "AppendByteOrder"} {
		in.Methods.List = append(in.Methods.List, &ast.Field{Type: &ast.SelectorExpr{
			X: &ast.Ident{NamePos: at, Name: binary.Name}, Sel: &ast.Ident{NamePos: at, Name: name}}})
	}
	return &ast.CallExpr{Fun: &ast.ParenExpr{Lparen: at, X: in, Rparen: at}, Lparen: at, Args: []ast.Expr{order},
		Rparen: order.End()}
}
