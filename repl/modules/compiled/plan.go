package compiled

import (
	"errors"
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
	left     map[string]string // packages that cannot be compiled in, and why
	listed   map[string]*listed
	checked  map[string]*sourced
	refused  map[string]bool // packages whose generic functions and types cells cannot use
	sources  []*listed       // packages whose generic functions and types cells can use

	instances map[string]map[string]types.Object // in compiled code: by the package that spells them, by key
	closure   map[string]map[string]bool         // what packages import, through others, too
}

// newPlan chooses the packages to compile, which go list -deps -export has listed for roots. Has reports whether a
// package is part of gorocm already. All of them are compiled, or none: interpreted packages above compiled ones would
// meet limits of the interpreter that they do not meet among themselves.
func newPlan(all []*listed, roots []string, has func(string) bool) (*plan, error) {
	r := &plan{refused: map[string]bool{}, types: map[string]*types.Package{},
		left: map[string]string{}, listed: map[string]*listed{},
		checked: map[string]*sourced{}, instances: map[string]map[string]types.Object{}}
	fset := token.NewFileSet()
	for _, p := range all {
		r.listed[p.ImportPath] = p
	}
	for _, p := range all {
		if p.Standard {
			continue
		}
		why, err := r.refuse(p, has, fset)
		if err != nil {
			return nil, err
		}
		if why != "" {
			r.left[p.ImportPath] = why
			continue
		}
		r.packages = append(r.packages, p)
	}
	var reasons []string
	for _, root := range roots {
		why := r.left[root]
		named := slices.ContainsFunc(roots, func(other string) bool { // the reason is told there
			return r.left[other] != "" && strings.HasPrefix(why, "imports "+other+", ")
		})
		if why != "" && !named {
			reasons = append(reasons, root+" "+why)
		}
	}
	if len(reasons) == 0 {
		reasons = r.refuseAll(roots)
	}
	if len(reasons) > 0 {
		return nil, errors.New(strings.Join(reasons, "; "))
	}
	return r, nil
}

// asksWhoCalls are packages that look for the name of the function which has called them, and do what it says: a
// method of a mock. Those that only tell the name or the line are compiled.
var asksWhoCalls = map[string]bool{"github.com/stretchr/testify/mock": true}

// internal reports whether only packages of its neighbourhood can import a package.
func internal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }

// refuse says why a package cannot be compiled in.
func (r *plan) refuse(p *listed, has func(string) bool, fset *token.FileSet) (string, error) {
	switch {
	case has(p.ImportPath):
		return "is part of gorocm", nil
	case p.version() == "":
		return "is in a folder that is used in place", nil
	case len(p.CgoFiles)+len(p.CFiles) > 0:
		return "needs cgo", nil
	case asksWhoCalls[p.ImportPath]:
		return "does what the name of the function says that calls it, which is the interpreter's for compiled code", nil
	}
	for _, i := range p.Imports {
		if q := p.ImportMap[i]; q != "" {
			i = q
		}
		if r.left[i] != "" {
			return "imports " + i + ", which " + strings.TrimPrefix(r.left[i], "which "), nil
		}
	}
	_, err := p.readTypes(fset, r.types)
	return "", err
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
