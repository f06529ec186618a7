package modules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// portableArch has pointers of 64 bits, the lower byte first, as the processors that gorocm runs on, and next to no one
// writes assembly for it: build constraints choose Go for it.
const portableArch = "mips64le"

// examine looks for what cannot be interpreted, and chooses other files where that helps: those for App Engine, which
// allowed neither assembly nor package unsafe, then those for a processor without assembly.
func (l *loader) examine(p *listed, r *Package) error {
	obstacles, err := obstaclesOf(r)
	if err != nil {
		return err
	}
	r.Obstacles = obstacles
	for _, arch := range []string{runtime.GOARCH, portableArch} {
		if blocking(r) == 0 || arch == portableArch && slices.Contains(r.Imports, "syscall") {
			return nil // the numbers of system calls differ between processors, and code with them stays as it is
		}
		if q, ok := l.variant(p, r, arch); ok && blocking(&q) < blocking(r) {
			*r = q
		}
	}
	return nil
}

// blocking is how many obstacles of a package have no stand-in.
func blocking(p *Package) (n int) {
	for _, o := range p.Obstacles {
		if !o.StandIn {
			n++
		}
	}
	return n
}

// variant is a package with its files for App Engine on a processor. It reports false where those are not complete.
func (l *loader) variant(p *listed, r *Package, arch string) (q Package, ok bool) {
	q = *r
	q.Files, q.Imports, q.Asm, q.Portable = nil, nil, p.SFiles, false
	if arch == portableArch {
		q.Asm, q.Portable = nil, true
	}
	ctx := l.build()
	ctx.GOARCH, ctx.BuildTags = arch, append(slices.Clone(ctx.BuildTags), "appengine")
	for _, f := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
		if ok, err := ctx.MatchFile(p.Dir, f); err != nil || !ok || strings.HasSuffix(f, "_test.go") {
			continue
		}
		file := filepath.Join(p.Dir, f)
		imports, name, err := importsOf(file)
		if err != nil || name != p.Name {
			continue // documentation or a generator beside the package
		}
		q.Files = append(q.Files, file)
		q.Imports = append(q.Imports, imports...)
	}
	slices.Sort(q.Files)
	slices.Sort(q.Imports)
	q.Imports = slices.Compact(q.Imports)
	for _, i := range q.Imports {
		if !l.available(i) || i == "C" || i == "syscall" && arch == portableArch {
			return q, false
		}
	}
	if !selfContained(q.Files) {
		return q, false
	}
	var err error
	q.Obstacles, err = obstaclesOf(&q)
	return q, err == nil
}

// available reports whether a package is there to be imported.
func (l *loader) available(path string) bool {
	if path == "unsafe" || l.known(path) {
		return true
	}
	if l.listed[path] == nil {
		if err := l.list(path); err != nil {
			return false
		}
	}
	return l.listed[path] != nil && l.listed[path].Error == nil
}

// selfContained reports whether the files of a package declare every name that they use without a qualifier.
func selfContained(files []string) bool {
	declared := map[string]bool{}
	var parsed []*ast.File
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return false
		}
		parsed = append(parsed, f)
		for name := range f.Scope.Objects {
			declared[name] = true
		}
	}
	for _, f := range parsed {
		imported := map[string]bool{}
		for _, i := range f.Imports {
			if i.Name != nil && i.Name.Name == "." {
				return false // what it declares is not known here
			} else if i.Name != nil {
				imported[i.Name.Name] = true
			}
		}
		qualifiers := map[*ast.Ident]bool{} // of imports whose names their own files tell
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					qualifiers[id] = true
				}
			}
			return true
		})
		for _, id := range f.Unresolved {
			if !declared[id.Name] && !imported[id.Name] && !qualifiers[id] && types.Universe.Lookup(id.Name) == nil {
				return false
			}
		}
	}
	return true
}

func importsOf(file string) (imports []string, name string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, "", err
	}
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, "", err
		}
		imports = append(imports, path)
	}
	return imports, f.Name.Name, nil
}

// obstaclesOf reads the files of a package that may hold declarations which only a compiler and a linker can complete.
func obstaclesOf(p *Package) ([]Obstacle, error) {
	var r []Obstacle
	for _, file := range p.Files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, failure(fmt.Sprintf("%s cannot be read: %v", p.Path, err))
		}
		if len(p.Asm) == 0 && !bytes.Contains(src, []byte("//go:linkname")) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, failure(fmt.Sprintf("%s cannot be parsed: %v", p.Path, err))
		}
		targets := linknames(f)
		add := func(name string, pos token.Pos, why string) {
			r = append(r, Obstacle{Name: name, File: filepath.Base(file), Line: fset.Position(pos).Line, Why: why,
				StandIn: replaced(p.Path, name, targets[name])})
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					continue
				}
				why := "without a body (assembly)"
				if target := targets[d.Name.Name]; target != "" {
					why = "without a body (linked to " + target + ")"
				} else if len(p.Asm) == 1 {
					why = "without a body (assembly in " + p.Asm[0] + ")"
				}
				add(funcName(d), d.Pos(), "declares func "+funcName(d)+" "+why)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					v, ok := s.(*ast.ValueSpec)
					if !ok || d.Tok != token.VAR {
						continue
					}
					for _, n := range v.Names {
						if target := targets[n.Name]; target != "" {
							add(n.Name, n.Pos(), "declares var "+n.Name+", which is linked to "+target)
						}
					}
				}
			}
		}
	}
	return r, nil
}

// linknames are the names of a file that //go:linkname lines link to names of other packages.
func linknames(f *ast.File) map[string]string {
	r := map[string]string{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" {
				r[words[1]] = words[2]
			}
		}
	}
	return r
}

// funcName is F, or T.M for a method.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	if recv := ReceiverName(d.Recv.List[0].Type); recv != "" {
		return recv + "." + d.Name.Name
	}
	return d.Name.Name
}

// ReceiverName is the name of a receiver's type, T of *T and of T[K, V], or "" where there is none.
func ReceiverName(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// cgoFiles are the files that import C: they are left out, since packages are listed without cgo.
func (l *loader) cgoFiles(p *listed) []string {
	r := slices.Clone(p.CgoFiles)
	ctx := l.build()
	ctx.CgoEnabled = true
	for _, f := range p.IgnoredGoFiles {
		if ok, err := ctx.MatchFile(p.Dir, f); !ok || err != nil || strings.HasSuffix(f, "_test.go") {
			continue
		}
		if imports, _, err := importsOf(filepath.Join(p.Dir, f)); err == nil && slices.Contains(imports, "C") {
			r = append(r, f)
		}
	}
	return r
}
