package compiled

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// plan is what a program is made of beside gorocm.
type plan struct {
	packages []*listed // to compile, dependencies first
	types    map[string]*types.Package
	left     map[string]string // packages that stay interpreted, and why
	listed   map[string]*listed
	checked  map[string]*sourced
	refused  map[string]bool // packages whose generic functions and types cells cannot use
	sources  []*listed       // packages whose generic functions and types cells can use
}

// newPlan chooses the packages to compile among those that go list -deps -export has listed for roots. Has reports
// whether a package is part of gorocm already. A package that cannot be compiled stays interpreted, and so does each
// that imports it: otherwise there would be two of it, with types and variables of their own.
func newPlan(all []*listed, roots []string, has func(string) bool) (*plan, error) {
	r := &plan{refused: map[string]bool{}, types: map[string]*types.Package{},
		left: map[string]string{}, listed: map[string]*listed{},
		checked: map[string]*sourced{}}
	fset := token.NewFileSet()
	for _, p := range all {
		r.listed[p.ImportPath] = p
	}
	for _, p := range all {
		if p.Standard {
			continue
		}
		why, err := r.refuse(p, all, roots, has, fset)
		if err != nil {
			return nil, err
		}
		if why != "" {
			r.left[p.ImportPath] = why
			continue
		}
		r.packages = append(r.packages, p)
	}
	r.leaveUnlinked()
	for _, root := range roots {
		if r.left[root] == "" {
			return r, nil
		}
	}
	var reasons []string
	for _, root := range roots {
		reasons = append(reasons, root+" "+r.left[root])
	}
	return nil, fmt.Errorf("%s", strings.Join(reasons, "; "))
}

// leaveUnlinked takes out internal packages that no package imports which the program can import: they would not be in
// it.
func (r *plan) leaveUnlinked() {
	linked := map[string]bool{}
	for _, p := range slices.Backward(r.packages) { // those that import a package come after it
		if !internal(p.ImportPath) {
			linked[p.ImportPath] = true
		}
		for _, i := range p.Imports {
			if q := p.ImportMap[i]; q != "" {
				i = q
			}
			linked[i] = linked[i] || linked[p.ImportPath]
		}
	}
	unlinked := func(p *listed) bool { return !linked[p.ImportPath] }
	for _, p := range r.packages {
		if unlinked(p) {
			r.left[p.ImportPath] = "is internal, and what imports it stays interpreted"
		}
	}
	r.packages = slices.DeleteFunc(r.packages, unlinked)
	r.sources = slices.DeleteFunc(r.sources, unlinked)
}

// internal reports whether only packages of its neighbourhood can import a package.
func internal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }

// refuse says why a package stays interpreted.
func (r *plan) refuse(p *listed, all []*listed, roots []string, has func(string) bool, fset *token.FileSet,
) (string, error) {
	switch {
	case has(p.ImportPath):
		return "is part of gorocm", nil
	case p.version() == "":
		return "is in a folder that is used in place", nil
	case len(p.CgoFiles)+len(p.CFiles) > 0:
		return "needs cgo", nil
	}
	for _, i := range p.Imports {
		if q := p.ImportMap[i]; q != "" {
			i = q
		}
		if r.left[i] != "" {
			return "imports " + i + ", which " + strings.TrimPrefix(r.left[i], "which "), nil
		}
	}
	pkg, err := p.readTypes(fset, r.types)
	if err != nil {
		return "", err
	}
	if !hasGenerics(pkg) {
		return "", nil
	}
	why := r.refuseGenerics(p, all)
	if why == "" {
		r.sources = append(r.sources, p)
	} else if slices.Contains(roots, p.ImportPath) {
		return why, nil
	} else {
		r.refused[p.ImportPath] = true
	}
	return "", nil
}

// readTypes reads the package's types from the compiler's export data. Packages that it refers to are added to imports.
func (p *listed) readTypes(fset *token.FileSet, imports map[string]*types.Package) (*types.Package, error) {
	f, err := os.Open(p.Export)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 go list -export of Go 1.26 writes the archives that only NewReader opens
	in, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(in, fset, imports, p.ImportPath)
}

// hasGenerics reports whether a package exports generic functions or types.
func hasGenerics(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Scope().Names(), func(name string) bool {
		o := pkg.Scope().Lookup(name)
		return o.Exported() && isGeneric(o)
	})
}
