package check

import (
	"go/types"
	"maps"
	"slices"
	"strings"
)

// belowHint finds a function of a package below another one that an unknown name stands for: linalg.Inv(x) for the
// method Inv of a tensor x, and for tensor.Inverse, where x is empty. first is the type of its first parameter, or nil
// for any.
func (k *Checker) belowHint(path, name, x string, first types.Type) string {
	for _, pkg := range slices.Sorted(maps.Keys(k.Scope.AutoImports)) {
		if !strings.HasPrefix(k.Scope.AutoImports[pkg], path+"/") {
			continue
		}
		p, err := k.Scope.Library.Import(k.Scope.AutoImports[pkg])
		if err != nil {
			continue
		}
		var known []string
		for _, n := range exported(p) {
			if f, ok := p.Scope().Lookup(n).(*types.Func); ok && takesFirst(f, first) {
				known = append(known, n)
			}
		}
		s := synonym(name, known)
		switch {
		case s == "":
		case x == "":
			return pkg + "." + s
		default:
			f := p.Scope().Lookup(s).(*types.Func).Signature()
			if n := f.Params().Len(); n > 2 || n == 2 && !f.Variadic() {
				x += ", …"
			}
			return pkg + "." + s + "(" + x + ")"
		}
	}
	return ""
}

// takesFirst reports whether the first parameter of f has a type.
func takesFirst(f *types.Func, first types.Type) bool {
	params := f.Signature().Params()
	return first == nil || params.Len() > 0 && types.Identical(params.At(0).Type(), first)
}

// namesake returns the path of a package of the standard library that has the name of pkg, and what pkg lacks.
func (k *Checker) namesake(pkg *types.Package, name string) string {
	for _, path := range k.Scope.Library.Paths() {
		first, _, _ := strings.Cut(path, "/")
		if !strings.HasSuffix(path, "/"+pkg.Name()) || strings.Contains(first, ".") || path == pkg.Path() {
			continue
		}
		if p, err := k.Scope.Library.Import(path); err == nil {
			if o := p.Scope().Lookup(name); o != nil && o.Exported() {
				return path
			}
		}
	}
	return ""
}
