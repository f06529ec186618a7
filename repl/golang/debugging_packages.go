package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File finds a file of a third-party package that cells have imported: by its path, by the name that it has in
// positions, or by the end of one of these, from a slash on. It returns the name and the path.
func (d Debugging) File(of string) (name, path string, err error) {
	e := d.e
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	files := e.state.Files()
	if p, ok := files[of]; ok {
		return of, p, nil
	}
	full, _ := filepath.Abs(of)
	end := "/" + strings.TrimPrefix(filepath.ToSlash(of), "./")
	var found []string
	for n, p := range files {
		if p == of || p == full {
			return n, p, nil
		}
		if strings.HasSuffix(n, end) || strings.HasSuffix(filepath.ToSlash(p), end) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	switch len(found) {
	case 0:
		return "", "", fmt.Errorf("no package that has been imported has a file %s", of)
	case 1:
		return found[0], files[found[0]], nil
	}
	return "", "", fmt.Errorf("%s may be %s", of, strings.Join(found, " or "))
}

// PackageFile reports whether a source is a file of such a package, by its path or the name that it has in positions,
// and returns its text.
func (d Debugging) PackageFile(source string) (text []byte, ok bool) {
	path := d.path(source)
	if path == "" {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}

// path is the path of such a file, "" for none.
func (d Debugging) path(source string) string {
	d.e.scope.Mu.Lock()
	defer d.e.scope.Mu.Unlock()
	files := d.e.state.Files()
	for name, path := range files {
		if name == source || path == source {
			return path
		}
	}
	return ""
}

// packagePlace is Place for a function of a package, as pkg.F, or a method, as pkg.T.M. The package has the name that
// cells import it by, or that of the last part of its path. Scope.Mu is held.
func (d Debugging) packagePlace(name string) (file string, line, lines int, ok bool) {
	e := d.e
	pkg, fn, _ := strings.Cut(name, ".")
	var paths []string
	if b := e.scope.Bindings[pkg]; b != nil && b.Object == nil {
		paths = append(paths, b.Path)
	}
	for _, p := range e.scope.Modules.Paths() {
		if c := e.scope.Modules.Package(p); c != nil && c.Name == pkg {
			paths = append(paths, p)
		}
	}
	for _, p := range paths {
		f := e.state.Types.Function(p, fn)
		if f == nil {
			continue
		}
		at := e.scope.Fset.Position(f.Syntax.Name.Pos())
		text, err := os.ReadFile(e.state.Files()[at.Filename])
		if err != nil {
			continue
		}
		if line, lines = declaredAt(text, at.Line); lines > 0 {
			return at.Filename, line, lines, true
		}
	}
	return "", 0, 0, false
}

// declaredAt is where the function begins whose name is on a line of a file, and how many lines it has; 0 for none.
func declaredAt(text []byte, name int) (line, lines int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0
	}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fset.Position(fd.Name.Pos()).Line == name {
			line = fset.Position(fd.Pos()).Line
			return line, fset.Position(fd.End()).Line - line + 1
		}
	}
	return 0, 0
}
