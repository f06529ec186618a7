package compiled

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
)

// Instances of generic functions and types are made from source, in the session, where the rest of their package is
// compiled. The source is a package of its own, which has these functions and types, with the unexported functions that
// they call, and imports the compiled package for the rest. That is right where they need nothing else that only the
// package's own files can name, and where no compiled code has an instance of the same type: it would be another type.

// sourced is what the source of generic functions and types needs of a package.
type sourced struct {
	pkg      *types.Package
	info     *types.Info
	files    []*ast.File
	texts    [][]byte
	decls    map[types.Object]ast.Node // *ast.FuncDecl or *ast.TypeSpec
	seen     map[types.Object]bool
	made     map[*ast.CompositeLit]*made
	pointers map[*ast.CompositeLit]*ast.UnaryExpr // &T{}
	why      string                               // it cannot be used
	shared   bool                                 // there are types among it whose instances are told apart
}

// check checks a package from source. It is nil where that fails.
func (r *plan) check(p *listed) *sourced {
	if s, ok := r.checked[p.ImportPath]; ok {
		return s
	}
	r.checked[p.ImportPath] = nil
	fset := token.NewFileSet()
	s := &sourced{decls: map[types.Object]ast.Node{}, seen: map[types.Object]bool{},
		made: map[*ast.CompositeLit]*made{}, pointers: map[*ast.CompositeLit]*ast.UnaryExpr{}, info: &types.Info{
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Instances: map[*ast.Ident]types.Instance{}}}
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil
		}
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), text, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		s.files, s.texts = append(s.files, f), append(s.texts, text)
	}
	conf := types.Config{Importer: importer{r, p.ImportMap}}
	var err error
	if s.pkg, err = conf.Check(p.ImportPath, fset, s.files, s.info); err != nil {
		return nil
	}
	for _, f := range s.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				s.decls[s.info.Defs[d.Name]] = d
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						s.decls[s.info.Defs[spec.Name]] = spec
					case *ast.ValueSpec:
						if d.Tok == token.VAR && spec.Type != nil && len(spec.Names) == 1 {
							s.decls[s.info.Defs[spec.Names[0]]] = &ast.Field{Names: spec.Names, Type: spec.Type}
						}
					}
				}
			}
		}
	}
	r.checked[p.ImportPath] = s
	return s
}

// refuseGenerics says why cells cannot use the generic functions and types of a package, "" if they can. Others are the
// packages that are compiled, too.
func (r *plan) refuseGenerics(p *listed, others []*listed) string {
	s := r.check(p)
	if s == nil {
		return "cannot be checked from source"
	}
	for _, name := range s.pkg.Scope().Names() {
		if o := s.pkg.Scope().Lookup(name); o.Exported() && isGeneric(o) {
			s.visit(o)
		}
		if s.why != "" {
			return "has generic " + name + ", which " + s.why
		}
	}
	if why := s.private(); why != "" {
		return why
	}
	if err := r.recheck(s, p); err != nil {
		return "has generic functions whose source cannot be checked alone: " + err.Error()
	}
	if !s.shared {
		return ""
	}
	for _, q := range others {
		if !slices.Contains(q.Imports, p.ImportPath) {
			continue
		}
		t := r.check(q)
		if t == nil {
			return "has generic types, and " + q.ImportPath + " cannot be checked from source"
		}
		for id, in := range t.info.Instances {
			o := t.info.Uses[id]
			if o == nil || o.Pkg() == nil || o.Pkg().Path() != p.ImportPath || t.claims(id) {
				continue
			}
			if concrete(in.TypeArgs) && structural(o) {
				return "has generic " + o.Name() + ", which has an instance in " + q.ImportPath
			}
		}
	}
	return ""
}

// recheck checks the source as a session will.
func (r *plan) recheck(s *sourced, p *listed) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range s.sources(p.GoFiles) {
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: importer{r, p.ImportMap}}
	var first error
	conf.Error = func(err error) {
		if e, ok := err.(types.Error); first == nil && (!ok || !e.Soft) { // an import may be unused
			first = err
		}
	}
	_, _ = conf.Check(p.ImportPath, fset, files, nil) // see first
	return first
}

// private names an unexported type that the source has and that other code of the package uses, too: there would be two
// of it.
func (s *sourced) private() string {
	var ranges []ast.Node
	for o := range s.seen {
		if n := s.decls[o]; n != nil {
			ranges = append(ranges, n)
		}
	}
	for id, o := range s.info.Uses {
		t, ok := o.(*types.TypeName)
		if ok && s.seen[t] && !t.Exported() && !s.claims(id) &&
			!slices.ContainsFunc(ranges, func(n ast.Node) bool { return n.Pos() <= id.Pos() && id.Pos() < n.End() }) {
			return "has generic functions that use " + t.Name() + ", as others do"
		}
	}
	return ""
}

// structural reports whether an object is a type whose instances are told apart.
func structural(o types.Object) bool {
	t, ok := o.(*types.TypeName)
	if !ok {
		return false
	}
	switch t.Type().Underlying().(type) {
	case *types.Interface, *types.Signature:
		return false
	}
	return true
}

// importer finds what a package imports.
type importer struct {
	*plan
	paths map[string]string
}

// Import implements types.Importer.
func (r importer) Import(path string) (*types.Package, error) {
	if q := r.paths[path]; q != "" {
		path = q
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := r.types[path]; p != nil && p.Complete() {
		return p, nil
	}
	if p := r.listed[path]; p != nil {
		return p.readTypes(token.NewFileSet(), r.types)
	}
	return nil, fmt.Errorf("package %s was not listed", path)
}

// isGeneric reports whether an object is a generic function or type.
func isGeneric(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return o.Signature().TypeParams().Len() > 0
	case *types.TypeName:
		p, ok := o.Type().(interface{ TypeParams() *types.TypeParamList })
		return ok && p.TypeParams().Len() > 0
	}
	return false
}

// instances refuses a generic type of which compiled code has an instance. Those of interfaces and functions may be
// there twice: nothing can tell.
func (s *sourced) instances(o *types.TypeName) {
	if !structural(o) || !o.Exported() { // private looks at those that are not
		return
	}
	s.shared = true
	for id, in := range s.info.Instances {
		if s.info.Uses[id] == o && concrete(in.TypeArgs) && !s.claims(id) {
			name := types.TypeString(in.Type, func(*types.Package) string { return "" })
			s.refuse("has the instance %s in compiled code", name)
		}
	}
}

// claims reports whether a name is part of a declaration var _ T = …, which only says that a type implements an
// interface.
func (s *sourced) claims(id *ast.Ident) bool {
	for _, f := range s.files {
		if id.Pos() < f.FileStart || id.Pos() > f.FileEnd {
			continue
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || id.Pos() < d.Pos() || id.Pos() > d.End() {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if ok && v.Pos() <= id.Pos() && id.Pos() < v.End() {
					return len(v.Names) == 1 && v.Names[0].Name == "_" && v.Type != nil
				}
			}
		}
	}
	return false
}

// concrete reports whether no type parameter is among types.
func concrete(list *types.TypeList) bool {
	for t := range list.Types() {
		if hasParameter(t) {
			return false
		}
	}
	return true
}

// hasParameter reports whether a type is made with a type parameter.
func hasParameter(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return t.TypeArgs() != nil && !concrete(t.TypeArgs())
	case *types.Map:
		return hasParameter(t.Key()) || hasParameter(t.Elem())
	case interface{ Elem() types.Type }:
		return hasParameter(t.Elem())
	case *types.Signature:
		return hasParameter(t.Params()) || hasParameter(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if hasParameter(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if hasParameter(f.Type()) {
				return true
			}
		}
	}
	return false
}
