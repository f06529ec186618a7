package typing

import (
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/modules"
)

// Package is a package that is lowered from its source, as cells are: one of generic functions, whose source is
// embedded, or one of a third party.
type Package struct {
	Types *types.Package
	Funcs map[string]*check.Function // F, T.M
	Inits []*check.Function
	Late  bool // functions are lowered when they are first called
	// Included says that all but its generic functions and types is compiled into this program.
	Included bool
	older    *Package // that the session had loaded before
}

// Source checks a package whose source is embedded; nil for any other.
func (ts *Types) Source(pkgPath string) *Package {
	if p, ok := ts.known(pkgPath); ok {
		return p
	}
	ts.know(pkgPath, nil)
	if !ts.scope.Library.HasSource(pkgPath) {
		return nil
	}
	var files []*ast.File
	for _, n := range ts.scope.Library.SourceFiles(pkgPath) {
		data, err := ts.scope.Library.Read(n)
		if err != nil {
			return nil
		}
		f, err := parser.ParseFile(ts.scope.Fset, strings.TrimPrefix(n, "src/"), data, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		files = append(files, f)
		ts.added(ts.scope.Fset.Position(f.Pos()).Filename, pkgPath)
	}
	info := check.NewInfo()
	// functions that the runtime provides have no body
	conf := types.Config{Importer: ts.scope.Library, Error: func(error) {}}
	pkg, _ := conf.Check(pkgPath, ts.scope.Fset, files, info)
	if pkg == nil {
		return nil
	}
	p := &Package{Types: pkg, Funcs: map[string]*check.Function{}, Included: ts.scope.Library.Included(pkgPath)}
	for _, f := range files {
		p.add(f, info, pkgPath, nil)
	}
	ts.know(pkgPath, p)
	return p
}

// known is the source package of a path, and whether it has been asked for. Running code asks for it, too.
func (ts *Types) known(path string) (*Package, bool) {
	ts.packagesMu.RLock()
	defer ts.packagesMu.RUnlock()
	p, ok := ts.packages[path]
	return p, ok
}

func (ts *Types) know(path string, p *Package) {
	ts.packagesMu.Lock()
	defer ts.packagesMu.Unlock()
	ts.packages[path] = p
}

// add notes the functions and methods of a file. In traces they are called after the package's path or name. m is the
// third-party package.
func (p *Package) add(f *ast.File, info *types.Info, called string, m *modules.Checked) {
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
			g.Names[0] = called + "." + name
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
			p.Inits = append(p.Inits, g)
			continue
		}
		p.Funcs[name] = g
	}
}

// Of returns the source package that an object of p belongs to: p was checked from source, not imported.
func (ts *Types) Of(p *types.Package) *Package {
	if p == nil {
		return nil
	}
	s, _ := ts.known(p.Path())
	for ; s != nil; s = s.older {
		if s.Types == p {
			return s
		}
	}
	return nil
}

// IsIncluded reports whether an object is of the source of a package that is compiled into this program.
func (ts *Types) IsIncluded(o types.Object) bool {
	p := ts.Of(o.Pkg())
	return p != nil && p.Included
}

// IsLowered reports whether a function that is not generic is lowered from the source of its package.
func (ts *Types) IsLowered(f *types.Func) bool {
	p := ts.Of(f.Pkg())
	return p != nil && !p.Included
}

// compiledTwin is the type of a compiled package that a type of its source stands for, t itself where there is none.
func (ts *Types) compiledTwin(t *types.Named) *types.Named {
	pkg, err := ts.scope.Library.Import(t.Obj().Pkg().Path())
	if err != nil {
		return t
	}
	o, ok := pkg.Scope().Lookup(t.Obj().Name()).(*types.TypeName)
	if !ok || o.IsAlias() {
		return t // not exported, and nothing that is mentions it
	}
	if t.TypeArgs().Len() == 0 {
		return o.Type().(*types.Named)
	}
	var args []types.Type
	for a := range t.TypeArgs().Types() {
		args = append(args, a)
	}
	r, err := types.Instantiate(ts.instances, o.Type(), args, false)
	if err != nil {
		return t
	}
	return r.(*types.Named)
}

// standIn is the instance of a type's own source that takes the place of an instance of a compiled generic type, nil
// when the session has no source for it.
func (ts *Types) standIn(t *types.Named) *types.Named {
	p := ts.Source(t.Obj().Pkg().Path())
	if p == nil || t.TypeArgs().Len() == 0 {
		return nil
	}
	o, ok := p.Types.Scope().Lookup(t.Obj().Name()).(*types.TypeName)
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

// Adopt makes a checked package of a third party one whose functions are lowered on demand.
func (ts *Types) Adopt(p *modules.Checked) {
	older, _ := ts.known(p.Path)
	r := &Package{Types: p.Types, Funcs: map[string]*check.Function{}, Late: true, older: older}
	for _, f := range p.Syntax {
		r.add(f, p.Info, p.Name, p)
	}
	ts.know(p.Path, r)
}

// Function is a function of a third-party package, or a method as T.M; nil for none.
func (ts *Types) Function(path, name string) *check.Function {
	if p, _ := ts.known(path); p != nil && p.Late {
		return p.Funcs[name]
	}
	return nil
}

// Lowered lists the functions and methods of a third-party package that have been lowered.
func (ts *Types) Lowered(path string) (names []string) {
	ts.scope.Mu.Lock()
	defer ts.scope.Mu.Unlock()
	if p, _ := ts.known(path); p != nil {
		for name, f := range p.Funcs {
			if f.Late == nil && len(f.TypeParams) == 0 {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
