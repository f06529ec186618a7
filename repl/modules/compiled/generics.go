package compiled

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Instances of generic functions and types are made from source, in the session, where the rest of their package is
// compiled. The session checks the package's source, whose other functions have no bodies, and finds what is compiled
// by its names, those that are not exported, too: a file more of the package adds them to a table (generics_text.go).
// Where compiled code has an instance of a type, the session has that one (generics_instances.go).

// sourced is a package that was checked from source, and what its exported generic functions and types use of it.
type sourced struct {
	pkg    *types.Package
	info   *types.Info
	files  []*ast.File
	texts  [][]byte
	decls  map[types.Object]ast.Node // *ast.FuncDecl or *ast.TypeSpec
	seen   map[types.Object]bool     // generic functions and types, and their methods, which sessions instantiate
	hidden map[types.Object]bool     // what these use of the compiled package that is not exported
	uses   map[string]bool           // other packages whose generic functions and types they use
	why    string                    // it cannot be used
}

// check checks a package from source. It is nil where that fails.
func (r *plan) check(p *listed) *sourced {
	if s, ok := r.checked[p.ImportPath]; ok {
		return s
	}
	r.checked[p.ImportPath] = nil
	fset := token.NewFileSet()
	s := &sourced{decls: map[types.Object]ast.Node{}, seen: map[types.Object]bool{}, hidden: map[types.Object]bool{},
		uses: map[string]bool{}, info: &types.Info{
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
					if spec, ok := spec.(*ast.TypeSpec); ok {
						s.decls[s.info.Defs[spec.Name]] = spec
					}
				}
			}
		}
	}
	r.checked[p.ImportPath] = s
	return s
}

// refuseGenerics says why cells cannot use the generic functions and types of a package, "" if they can.
func (r *plan) refuseGenerics(p *listed) string {
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
	for path := range s.uses {
		if r.refused[path] {
			return "has generic functions that use those of " + path + ", which cells cannot use"
		}
	}
	return ""
}

// refuseAll looks at the packages with generic functions and types, and returns what stands in the way of roots.
func (r *plan) refuseAll(roots []string) (reasons []string) {
	refuse := func(p *listed, why string) {
		r.refused[p.ImportPath] = true
		r.sources = slices.DeleteFunc(r.sources, func(q *listed) bool { return q == p })
		if slices.Contains(roots, p.ImportPath) {
			reasons = append(reasons, p.ImportPath+" "+why)
		}
	}
	for _, p := range r.packages {
		if !hasGenerics(r.types[p.ImportPath]) {
			continue
		}
		if why := r.refuseGenerics(p); why != "" {
			refuse(p, why)
		} else {
			r.sources = append(r.sources, p)
		}
	}
	for path, why := range r.findInstances() {
		refuse(r.listed[path], why)
	}
	for again := true; again; { // those that use what was refused last
		again = false
		for _, p := range slices.Clone(r.sources) {
			if why := r.refuseGenerics(p); why != "" {
				refuse(p, why)
				again = true
			}
		}
	}
	for _, keys := range r.instances {
		maps.DeleteFunc(keys, func(_ string, o types.Object) bool { return r.refused[o.Pkg().Path()] })
	}
	return reasons
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
