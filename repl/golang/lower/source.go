package lower

import (
	"go/ast"
	"go/parser"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/modules"
)

// sourcePackage is a package of generic functions, whose instances are lowered as those of cells are.
type sourcePackage struct {
	pkg   *types.Package
	funcs map[string]*check.Function // F, T.M
	inits []*check.Function
	late  bool           // functions are lowered when they are first called
	older *sourcePackage // that the session had loaded before
}

// source checks a package whose source is embedded; nil for any other.
func (st *State) source(pkgPath string) *sourcePackage {
	if p, ok := st.Sources[pkgPath]; ok {
		return p
	}
	st.Sources[pkgPath] = nil
	if !st.scope.Library.HasSource(pkgPath) {
		return nil
	}
	var files []*ast.File
	for _, n := range st.scope.Library.SourceFiles(pkgPath) {
		data, err := st.scope.Library.Read(n)
		if err != nil {
			return nil
		}
		f, err := parser.ParseFile(st.scope.Fset, strings.TrimPrefix(n, "src/"), data, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		files = append(files, f)
		st.rt.Traces.AddPackageFile(st.scope.Fset.Position(f.Pos()).Filename, pkgPath)
	}
	info := check.NewInfo()
	// functions that the runtime provides have no body
	conf := types.Config{Importer: st.scope.Library, Error: func(error) {}}
	pkg, _ := conf.Check(pkgPath, st.scope.Fset, files, info)
	if pkg == nil {
		return nil
	}
	p := &sourcePackage{pkg: pkg, funcs: map[string]*check.Function{}}
	for _, f := range files {
		p.add(f, info, pkgPath, nil)
	}
	st.Sources[pkgPath] = p
	return p
}

// add notes the functions and methods of a file. In traces they are called after the package's path or name. m is the
// third-party package.
func (p *sourcePackage) add(f *ast.File, info *types.Info, called string, m *modules.Checked) {
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		fn, ok := info.Defs[fd.Name].(*types.Func)
		if !ok {
			continue
		}
		g := &check.Function{Decl: &check.Decl{Node: fd, Names: []string{called + "." + fd.Name.Name}}, Object: fn,
			Syntax: fd, Info: info}
		if m != nil && m.Deferred(fd) {
			g.Late = func() (*ast.FuncDecl, *types.Info, error) { return m.Body(fd) }
		}
		name := fd.Name.Name
		if fd.Recv != nil {
			g.Receiver = modules.ReceiverName(fd.Recv.List[0].Type)
			name = g.Receiver + "." + name
			whole := *fd
			whole.Recv, whole.Type = nil, check.WithReceiver(fd, nil)
			g.Syntax = &whole
		}
		for i := range fn.Signature().TypeParams().Len() {
			g.TypeParams = append(g.TypeParams, fn.Signature().TypeParams().At(i))
		}
		for i := range fn.Signature().RecvTypeParams().Len() {
			g.TypeParams = append(g.TypeParams, fn.Signature().RecvTypeParams().At(i))
		}
		if name == "init" {
			p.inits = append(p.inits, g)
			continue
		}
		p.funcs[name] = g
	}
}

// fromSource returns the source package that an object of p belongs to: p was checked from source, not imported.
func (st *State) fromSource(p *types.Package) *sourcePackage {
	if p == nil {
		return nil
	}
	for s := st.Sources[p.Path()]; s != nil; s = s.older {
		if s.pkg == p {
			return s
		}
	}
	return nil
}

// standIn is the instance of a type's own source that takes the place of an instance of a compiled generic type, nil
// when the session has no source for it.
func (st *State) standIn(t *types.Named) *types.Named {
	p := st.source(t.Obj().Pkg().Path())
	if p == nil || t.TypeArgs().Len() == 0 {
		return nil
	}
	o, ok := p.pkg.Scope().Lookup(t.Obj().Name()).(*types.TypeName)
	if !ok {
		return nil
	}
	var args []types.Type
	for i := range t.TypeArgs().Len() {
		args = append(args, t.TypeArgs().At(i))
	}
	r, err := types.Instantiate(nil, o.Type(), args, false)
	if err != nil {
		return nil
	}
	return r.(*types.Named)
}

// SourceTypes are the types of a package that is lowered from its source, nil for any other.
func (st *State) SourceTypes(path string) *types.Package {
	if p := st.source(path); p != nil {
		return p.pkg
	}
	return nil
}
