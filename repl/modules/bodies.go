package modules

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"
)

// Most of the functions of a package are never called. So neither their bodies nor what go/types says of them is kept:
// a body that is needed is parsed and checked again. A package that has been checked as a whole once, by this program
// or by an earlier run of it, is parsed and checked without those bodies (record.go). Generic functions and init are
// always checked with the rest.

// outline is what is left out of the syntax of a package.
type outline struct{ funcs map[*ast.FuncDecl]*deferred }

// deferred is a function whose body is left out.
type deferred struct {
	file   *ast.File
	source *source
	span   span           // of the body
	body   *ast.BlockStmt // of a function that has none in its source, or whose body sets lines
}

func newOutline() *outline { return &outline{funcs: map[*ast.FuncDecl]*deferred{}} }

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

// note finds the deferred functions of a file that has been parsed without what skip names, and those of a whole file.
func (o *outline) note(s *source, f *ast.File, skip *outlined) error {
	if skip != nil {
		return o.noteSkipped(s, f, skip.bodies)
	}
	for _, d := range f.Decls {
		if fd, ok := isDeferred(d); ok {
			if at := s.span(fd.Body.Lbrace, fd.Body.Rbrace+1); !s.setsLines(at) {
				o.funcs[fd] = &deferred{file: f, source: s, span: at}
			}
		}
	}
	return nil
}

// noteSkipped finds the functions of a file whose bodies are blank.
func (o *outline) noteSkipped(s *source, f *ast.File, bodies []body) error {
	n := 0
	for i, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n++
		if len(bodies) == 0 || bodies[0].function != n-1 {
			continue
		}
		end := len(s.text)
		if i+1 < len(f.Decls) {
			end = s.tok.Offset(f.Decls[i+1].Pos())
		}
		if fd.Body != nil || s.tok.Offset(fd.Type.End()) > bodies[0].start || bodies[0].end > end {
			return errForeign
		}
		o.funcs[fd] = &deferred{file: f, source: s, span: bodies[0].span}
		bodies = bodies[1:]
	}
	if len(bodies) > 0 {
		return errForeign
	}
	return nil
}

// takeBodies leaves the bodies out of the syntax.
func (o *outline) takeBodies(files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			if fd, ok := isDeferred(d); ok {
				if o.funcs[fd] == nil {
					o.funcs[fd] = &deferred{file: f, body: fd.Body}
				}
				fd.Body = nil
			}
		}
	}
}

// bodies are those of a file of a source, in its order.
func (o *outline) bodies(f *ast.File) (r []body) {
	n := 0
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if x := o.funcs[fd]; x != nil && x.source != nil {
			r = append(r, body{n, x.span})
		}
		n++
	}
	return r
}

// maxSize bounds what maps are made for.
const maxSize = 1 << 20

// newInfo has all maps but Scopes, with space for as many Types, Defs and Uses.
func newInfo(sizes [3]int) *types.Info {
	return &types.Info{
		Types:     make(map[ast.Expr]types.TypeAndValue, min(sizes[0], maxSize)),
		Defs:      make(map[*ast.Ident]types.Object, min(sizes[1], maxSize)),
		Uses:      make(map[*ast.Ident]types.Object, min(sizes[2], maxSize)),
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
}

// restrict keeps what info says of the nodes of files.
func restrict(info *types.Info, files []*ast.File) *types.Info {
	r := newInfo([3]int{})
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
func (c *Checked) Deferred(fd *ast.FuncDecl) bool { return c.left.funcs[fd] != nil }

// Body checks the body of a deferred function of Syntax. It returns the function with its body, a receiver as its first
// parameter, and what go/types says of it. It must not be called by two goroutines at once.
func (c *Checked) Body(fd *ast.FuncDecl) (*ast.FuncDecl, *types.Info, error) {
	d := c.left.funcs[fd]
	if d == nil {
		return nil, nil, errors.New(fd.Name.Name + " is not a function of " + c.Path + " without its body")
	}
	body := d.body
	if body == nil {
		var err error
		if body, err = d.source.parseBody(d.span); err != nil {
			return nil, nil, fmt.Errorf("the body of %s.%s: %w", c.Path, fd.Name.Name, err)
		}
	}
	blank := &ast.Ident{NamePos: fd.Name.NamePos, Name: "_"}
	fn := &ast.FuncDecl{Name: blank, Type: fd.Type, Body: body}
	if fd.Recv != nil {
		fn.Type = withReceiver(fd)
	}
	info, err := c.checkMore(d.file, fn)
	if err != nil {
		return nil, nil, err
	}
	named := *fn
	named.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: fd.Name.Name}
	info.Defs[named.Name] = info.Defs[blank]
	return &named, info, nil
}

// checkMore checks a declaration beside those of a file of the package.
func (c *Checked) checkMore(orig *ast.File, d ast.Decl) (*types.Info, error) {
	f := &ast.File{Package: orig.Package, Name: orig.Name, FileStart: orig.FileStart, FileEnd: orig.FileEnd,
		Imports: orig.Imports, GoVersion: orig.GoVersion}
	for _, d := range orig.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			f.Decls = append(f.Decls, g)
		}
	}
	f.Decls = append(f.Decls, d)
	info := newInfo([3]int{})
	var mistakes []types.Error
	conf := c.config(&mistakes)
	_ = types.NewChecker(conf, c.fset, c.Types, info).Files([]*ast.File{f}) // errors go to mistakes
	if len(mistakes) > 0 {
		return nil, c.report(mistakes)
	}
	return info, nil
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

// checkWhole checks the package with all its bodies, and leaves out those that are deferred. What is left out is what
// the record tells.
func (c *Checked) checkWhole() (*record, error) {
	f, err := c.parse(nil)
	if err != nil {
		return nil, err
	}
	if err := c.checkFiles(f, [3]int{}); err != nil {
		return nil, err
	}
	rec := &record{order: orderOf(c.Info.InitOrder), files: make([]outlined, len(c.sources))}
	for i, s := range c.sources {
		rec.files[i] = outlined{f.left.bodies(f.files[i]), tablesOf(s, f.files[i], c.Info)}
	}
	f.left.takeBodies(f.files)
	c.Info = restrict(c.Info, f.files)
	rec.sizes = [3]int{len(c.Info.Types), len(c.Info.Defs), len(c.Info.Uses)}
	c.keep(f, rec)
	return rec, nil
}

// checkOutline checks the declarations of the package, without what a record tells. The error is errForeign where that
// is not of this package.
func (c *Checked) checkOutline(known *record) error {
	f, err := c.parse(known)
	if err != nil {
		return err
	}
	f.left.takeBodies(f.files)
	if err := c.checkFiles(f, known.sizes); err != nil {
		return errForeign
	}
	inOrder, ok := reorder(c.Info.InitOrder, known.order)
	if !ok {
		return errForeign
	}
	c.Info.InitOrder = inOrder
	c.keep(f, known)
	return nil
}

// checkFiles checks the files as they are. Info gets those sizes.
func (c *Checked) checkFiles(f *parsed, sizes [3]int) error {
	c.Info = newInfo(sizes)
	var mistakes []types.Error
	pkg, err := c.config(&mistakes).Check(c.Path, c.fset, f.files, c.Info)
	if len(mistakes) > 0 {
		return c.report(mistakes)
	}
	if pkg == nil {
		return failure(fmt.Sprintf("%s cannot be checked: %v", c.Path, err))
	}
	c.Types = pkg
	return nil
}

// keep makes what was parsed and checked that of the package.
func (c *Checked) keep(f *parsed, rec *record) {
	c.Syntax, c.left, c.tables = f.files, f.left, map[*types.Var]*kept{}
	for i := range rec.files {
		for j := range rec.files[i].tables {
			t := &rec.files[i].tables[j]
			if v, ok := c.Types.Scope().Lookup(t.name).(*types.Var); ok {
				c.tables[v] = &kept{t, c.sources[i], f.files[i]}
			}
		}
	}
	c.keepEmbeds(f)
}

// errForeign is the error of a record that is not of the package.
var errForeign = errors.New("the record is of something else")

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
