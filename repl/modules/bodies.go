package modules

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
)

// Most of the functions of a package are never called. So what go/types says of their bodies is not kept: it is asked
// again for a body that is needed. A package that has been checked as a whole once, by this program or by an earlier
// run of it, is checked without those bodies (record.go). Generic functions and init are always checked with the rest.

// outline is what is left out of the syntax of a package.
type outline struct {
	bodies map[*ast.FuncDecl]*ast.BlockStmt
	files  map[*ast.FuncDecl]*ast.File
}

// isDeferred reports whether a function's body is checked when it is needed.
func isDeferred(d ast.Decl) (*ast.FuncDecl, bool) {
	fd, ok := d.(*ast.FuncDecl)
	if !ok || fd.Body == nil || fd.Type.TypeParams.NumFields() > 0 || fd.Recv == nil && fd.Name.Name == "init" {
		return nil, false
	}
	if fd.Recv != nil {
		x := ast.Unparen(fd.Recv.List[0].Type)
		if p, ok := x.(*ast.StarExpr); ok {
			x = ast.Unparen(p.X)
		}
		if _, ok := x.(*ast.Ident); !ok {
			return nil, false // of a generic type
		}
	}
	return fd, true
}

// takeBodies leaves the bodies out of the syntax.
func takeBodies(files []*ast.File) *outline {
	r := &outline{bodies: map[*ast.FuncDecl]*ast.BlockStmt{}, files: map[*ast.FuncDecl]*ast.File{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if fd, ok := isDeferred(d); ok {
				r.bodies[fd], r.files[fd] = fd.Body, f
				fd.Body = nil
			}
		}
	}
	return r
}

// newInfo has all maps but Scopes.
func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
}

// restrict keeps what info says of the nodes of files.
func restrict(info *types.Info, files []*ast.File) *types.Info {
	r := newInfo()
	r.InitOrder, r.FileVersions = info.InitOrder, info.FileVersions
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				move(r.Types, info.Types, x)
			}
			switch x := n.(type) {
			case nil:
				return false
			case *ast.Ident:
				move(r.Defs, info.Defs, x)
				move(r.Uses, info.Uses, x)
				move(r.Instances, info.Instances, x)
			case *ast.SelectorExpr:
				move(r.Selections, info.Selections, x)
			}
			move(r.Implicits, info.Implicits, n)
			return true
		})
	}
	return r
}

func move[K comparable, V any](to, from map[K]V, k K) {
	if v, ok := from[k]; ok {
		to[k] = v
	}
}

// Deferred reports whether a function of Syntax has a body that Body checks.
func (c *Checked) Deferred(fd *ast.FuncDecl) bool { return c.left.bodies[fd] != nil }

// Body checks the body of a deferred function of Syntax. It returns the function with its body, a receiver as its first
// parameter, and what go/types says of it. It must not be called by two goroutines at once.
func (c *Checked) Body(fd *ast.FuncDecl) (*ast.FuncDecl, *types.Info, error) {
	orig := c.left.files[fd]
	if orig == nil {
		return nil, nil, errors.New(fd.Name.Name + " is not a function of " + c.Path + " without its body")
	}
	blank := &ast.Ident{NamePos: fd.Name.NamePos, Name: "_"}
	fn := &ast.FuncDecl{Name: blank, Type: fd.Type, Body: c.left.bodies[fd]}
	if fd.Recv != nil {
		fn.Type = withReceiver(fd)
	}
	f := &ast.File{Package: orig.Package, Name: orig.Name, FileStart: orig.FileStart, FileEnd: orig.FileEnd,
		Imports: orig.Imports, GoVersion: orig.GoVersion}
	for _, d := range orig.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			f.Decls = append(f.Decls, g)
		}
	}
	f.Decls = append(f.Decls, fn)
	info := newInfo()
	var mistakes []types.Error
	conf := c.config(&mistakes)
	_ = types.NewChecker(conf, c.fset, c.Types, info).Files([]*ast.File{f}) // errors go to mistakes
	if len(mistakes) > 0 {
		return nil, nil, report(c.fset, c.Package, mistakes)
	}
	named := *fn
	named.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: fd.Name.Name}
	info.Defs[named.Name] = info.Defs[blank]
	return &named, info, nil
}

// withReceiver is the type of a method's function. Parameters have names, for all have or none has.
func withReceiver(fd *ast.FuncDecl) *ast.FuncType {
	params := &ast.FieldList{Opening: fd.Type.Params.Opening, Closing: fd.Type.Params.Closing}
	for _, f := range slices.Concat(fd.Recv.List, fd.Type.Params.List) {
		if len(f.Names) == 0 {
			g := *f
			g.Names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: "_"}}
			f = &g
		}
		params.List = append(params.List, f)
	}
	return &ast.FuncType{Func: fd.Type.Func, Params: params, Results: fd.Type.Results}
}

// config is how the package is checked. Mistakes are added to a list.
func (c *Checked) config(mistakes *[]types.Error) *types.Config {
	return &types.Config{Importer: c.imports, GoVersion: c.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if te, ok := err.(types.Error); ok && !te.Soft {
				*mistakes = append(*mistakes, te)
			}
		}}
}

// checkTypes checks the package, without bodies where a record tells that it has been checked with them.
func (c *Checked) checkTypes(r *records) error {
	order, known := r.read(c.key)
	if known {
		c.left = takeBodies(c.Syntax)
	}
	c.Info = newInfo()
	var mistakes []types.Error
	pkg, err := c.config(&mistakes).Check(c.Path, c.fset, c.Syntax, c.Info)
	if len(mistakes) > 0 {
		return report(c.fset, c.Package, mistakes)
	}
	if pkg == nil {
		return failure(fmt.Sprintf("%s cannot be checked: %v", c.Path, err))
	}
	c.Types = pkg
	if known {
		inOrder, ok := reorder(c.Info.InitOrder, order)
		if !ok {
			return errForeign
		}
		c.Info.InitOrder = inOrder
		return nil
	}
	r.whole.Add(1)
	c.left = takeBodies(c.Syntax)
	c.Info = restrict(c.Info, c.Syntax)
	r.write(c.key, orderOf(c.Info.InitOrder))
	return nil
}

// errForeign is the error of a record that is not of the package.
var errForeign = errors.New("the record is of something else")

// putBack gives the syntax its bodies again, so that all can be checked.
func (c *Checked) putBack() {
	for fd, b := range maps.All(c.left.bodies) {
		fd.Body = b
	}
}

// bySource are the initialisers of a package in the order of the source.
func bySource(list []*types.Initializer) []*types.Initializer {
	return slices.SortedFunc(slices.Values(list), func(a, b *types.Initializer) int {
		return int(a.Rhs.Pos() - b.Rhs.Pos())
	})
}

// orderOf gives the order in which variables are initialised as the numbers of the initialisers in the source. It
// depends on the bodies of functions.
func orderOf(list []*types.Initializer) []int {
	at := map[*types.Initializer]int{}
	for i, x := range bySource(list) {
		at[x] = i
	}
	var r []int
	for _, x := range list {
		r = append(r, at[x])
	}
	return r
}

// reorder gives initialisers the order that orderOf has told. It reports false where that is not of this list.
func reorder(list []*types.Initializer, order []int) ([]*types.Initializer, bool) {
	if len(list) != len(order) {
		return nil, false
	}
	sorted, seen := bySource(list), make([]bool, len(list))
	r := make([]*types.Initializer, len(list))
	for i, n := range order {
		if n < 0 || n >= len(list) || seen[n] {
			return nil, false
		}
		seen[n], r[i] = true, sorted[n]
	}
	return r, true
}
