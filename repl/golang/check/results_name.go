package check

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/astutil"
)

// NameResults makes one name of each Out[3] and In[3] that is there, which is then looked up as _3 is. What declares an
// Out or In of its own has that.
func (sc *Scope) NameResults(roots ...ast.Node) {
	own := map[string]bool{}
	for _, n := range []string{"Out", "In"} {
		own[n] = sc.Bindings[n] != nil || sc.Dots[n] != nil
	}
	mentioned := false
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			mentioned = mentioned || indexedResult(n) != nil
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					owns(own, x)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				owns(own, n.Key, n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				owns(own, id)
			}
		case *ast.TypeSpec:
			owns(own, n.Name)
		case *ast.FuncDecl:
			owns(own, n.Name)
		case *ast.FuncType:
			for _, list := range []*ast.FieldList{n.TypeParams, n.Params, n.Results} {
				if list == nil {
					continue
				}
				for _, f := range list.List {
					for _, id := range f.Names {
						owns(own, id)
					}
				}
			}
		}
		return true
	}
	for _, r := range roots {
		ast.Inspect(r, look)
	}
	for _, r := range roots {
		if !mentioned {
			return
		}
		astutil.Apply(r, func(c *astutil.Cursor) bool {
			x, ok := c.Node().(*ast.IndexExpr)
			if !ok {
				return true
			}
			id := indexedResult(x)
			if id == nil || own[x.X.(*ast.Ident).Name] {
				return true
			}
			if o, _, _ := sc.Results.Lookup(id.Name); o != nil { // otherwise Out is undefined, as go/types says
				c.Replace(id)
				return false
			}
			return true
		}, nil)
	}
}

func owns(own map[string]bool, xs ...ast.Expr) {
	for _, x := range xs {
		if id, ok := x.(*ast.Ident); ok && id != nil {
			own[id.Name] = true
		}
	}
}

// indexedAt is the name with the number that stands behind it at a place: Out[3] for Out.
func (k *Checker) indexedAt(name string, at token.Pos) string {
	k.inspect(func(n ast.Node) bool {
		if x, ok := n.(*ast.IndexExpr); ok && x.Pos() == at {
			if id := indexedResult(x); id != nil {
				name = id.Name
			}
		}
		return true
	})
	return name
}

// indexedResult is Out[3] or In[3] as a name, which is as long as what stands there; nil for any other expression.
func indexedResult(x *ast.IndexExpr) *ast.Ident {
	list, ok := x.X.(*ast.Ident)
	if !ok || list.Name != "Out" && list.Name != "In" {
		return nil
	}
	n, ok := x.Index.(*ast.BasicLit)
	if !ok || n.Kind != token.INT {
		return nil
	}
	name := list.Name + "[" + n.Value + "]"
	if !IsResultName(name) || int(x.End()-x.Pos()) != len(name) {
		return nil
	}
	return &ast.Ident{NamePos: x.Pos(), Name: name}
}
