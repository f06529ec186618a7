package check

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"reflect"
)

// NodeText is a declaration's source in one spelling: comments and layout do not count.
func NodeText(n any) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, token.NewFileSet(), n) // a tree that the parser made prints; a bytes.Buffer takes it
	return b.String()
}

// SignatureText is the source of a function's type and receiver.
func SignatureText(d ast.Decl) string {
	fd := *d.(*ast.FuncDecl)
	fd.Body, fd.Doc = nil, nil
	return NodeText(&fd)
}

// renamed is a copy of an expression with identifiers renamed.
func renamed(x ast.Expr, names map[string]string) ast.Expr {
	c := Copier{Hook: func(n ast.Node) (ast.Node, bool) {
		if id, ok := n.(*ast.Ident); ok {
			if to, ok := names[id.Name]; ok {
				return &ast.Ident{NamePos: id.NamePos, Name: to}, true
			}
		}
		return nil, false
	}, keepPos: true}
	return c.Clone(x).(ast.Expr)
}

// Copier copies syntax trees. The hook may give another node for one.
type Copier struct {
	Hook    func(ast.Node) (ast.Node, bool)
	keepPos bool
	Done    func(from, to ast.Node) // told of every copy
}

func (c *Copier) Clone(n ast.Node) ast.Node {
	if n == nil || reflect.ValueOf(n).IsNil() {
		return n
	}
	r, ok := c.Hook(n)
	if !ok {
		r = c.CopyNode(n)
	}
	if c.Done != nil {
		c.Done(n, r)
	}
	return r
}

func (c *Copier) CopyNode(n ast.Node) ast.Node {
	v := reflect.ValueOf(n).Elem()
	r := reflect.New(v.Type())
	for i := range v.NumField() {
		r.Elem().Field(i).Set(c.copyValue(v.Field(i)))
	}
	return r.Interface().(ast.Node)
}

var posType = reflect.TypeFor[token.Pos]()

func (c *Copier) copyValue(f reflect.Value) reflect.Value {
	switch f.Kind() {
	case reflect.Interface, reflect.Pointer:
		if f.IsNil() {
			return f
		}
		n, ok := f.Interface().(ast.Node)
		if !ok {
			return reflect.Zero(f.Type()) // *ast.Object, *ast.Scope
		}
		if _, ok := n.(*ast.CommentGroup); ok {
			return reflect.Zero(f.Type())
		}
		r := reflect.New(f.Type()).Elem()
		if rv := reflect.ValueOf(c.Clone(n)); rv.Type().AssignableTo(f.Type()) {
			r.Set(rv)
		} else {
			r.Set(f)
		}
		return r
	case reflect.Slice:
		if f.IsNil() {
			return f
		}
		s := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
		for i := range f.Len() {
			s.Index(i).Set(c.copyValue(f.Index(i)))
		}
		return s
	}
	if f.Type() == posType && !c.keepPos && f.Int() != 0 {
		return reflect.ValueOf(token.Pos(1)) // printed without layout
	}
	return f
}
