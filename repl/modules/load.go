package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Package is a package to be interpreted: which files it has on this platform.
type Package struct {
	Path    string
	Name    string
	Dir     string
	Module  string // the module's path
	Version string // v1.6.0; empty for a local module
	// GoVersion is the language version of the module, go1.21: it decides what a loop variable is.
	GoVersion string
	Files     []string // absolute, sorted by name: variables are initialised and init functions run in this order
	Imports   []string // import paths, of compiled packages too
	// Embedded are the files that //go:embed lines of this package may mean, with slashes, relative to Dir.
	Embedded []string
	Asm      []string // assembly that belongs to Files
	Cgo      []string // files that are left out because they need cgo
	// Portable says that Files are those for a processor without assembly, because those for this one need it.
	Portable bool
	// Obstacles are the declarations that cannot be interpreted. Check gives functions among them a body.
	Obstacles []Obstacle
	// Sum is the hash of Files, where the package is known from an earlier session.
	Sum string
}

// Obstacle is a declaration that cannot be interpreted as it stands.
type Obstacle struct {
	Name string // cpuid, Vec.sum
	File string // cpu_x86.go
	Line int
	Why  string // declares func cpuid without a body (assembly in cpu_x86.s)
	// StandIn says that Check puts an equivalent in Go in its place.
	StandIn bool
}

// String says where and why: "cpu_x86.go:12 declares func cpuid without a body (assembly in cpu_x86.s)".
func (o Obstacle) String() string { return fmt.Sprintf("%s:%d %s", o.File, o.Line, o.Why) }

// Load returns the packages that importing path needs beside those that known reports, dependencies first and path
// itself last. Nothing is returned when path is known. Load downloads what the private module in dir requires and the
// module cache lacks.
func Load(ctx context.Context, dir, path string, known func(path string) bool) ([]Package, error) {
	if path == "unsafe" || known(path) {
		return nil, nil
	}
	t, err := prepare(ctx, dir)
	if err != nil {
		return nil, err
	}
	// go.mod or go.sum may lack something, for example since another package of a known module was asked for
	for _, mod := range []string{"readonly", "mod"} {
		l := &loader{tool: t, ctx: ctx, known: known, mod: mod, listed: map[string]*listed{}, done: map[string]bool{}}
		if err = l.visit(path, nil); err == nil {
			return l.order, nil
		}
		if !l.unsure {
			return nil, err
		}
	}
	for _, root := range t.vendored(ctx) { // what cannot be downloaded may be there
		own := *t
		own.dir = root
		l := &loader{tool: &own, ctx: ctx, known: known, mod: "vendor", listed: map[string]*listed{},
			done: map[string]bool{}}
		if l.visit(path, nil) == nil {
			return l.order, nil
		}
	}
	return nil, err
}

// vendored are the folders of the local modules that have a vendor folder.
func (t *tool) vendored(ctx context.Context) (roots []string) {
	f, err := t.modFile(ctx, t.dir)
	if err != nil {
		return nil
	}
	for _, x := range f.Replace {
		if _, err := os.Stat(filepath.Join(x.New.Path, "vendor", "modules.txt")); err == nil && x.New.Version == "" {
			roots = append(roots, x.New.Path)
		}
	}
	return roots
}

type loader struct {
	*tool
	ctx    context.Context
	known  func(string) bool
	mod    string
	listed map[string]*listed
	done   map[string]bool
	order  []Package
	unsure bool // another attempt may fare better
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Name, Dir                          string
	Standard                                       bool
	GoFiles, CgoFiles, IgnoredGoFiles, SFiles      []string
	SysoFiles, EmbedFiles, Imports, InvalidGoFiles []string
	ImportMap                                      map[string]string
	Module                                         *listedModule
	Error                                          *struct{ Pos, Err string }
}

type listedModule struct {
	Path, Version, GoVersion string
	Main                     bool
	Replace                  *listedModule
}

const listFields = "ImportPath,Name,Dir,Standard,GoFiles,CgoFiles,IgnoredGoFiles,SFiles,SysoFiles,EmbedFiles,Imports,InvalidGoFiles,ImportMap,Module,Error"

// list asks for packages and all that they import.
func (l *loader) list(paths ...string) error {
	args := append([]string{"list", "-e", "-deps", "-mod=" + l.mod, "-tags", strings.Join(l.set.tags, ","),
		"-json=" + listFields, "--"}, paths...)
	out, err := l.run(l.ctx, nil, args...)
	if err != nil {
		_, l.unsure = errors.AsType[*failed](err)
		return l.explain(l.ctx, paths[0], err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return &Error{Message: "go list gave something else than packages: " + err.Error(), Output: string(out)}
		}
		l.listed[p.ImportPath] = &p
	}
}

// visit appends path after all that it imports. via are the packages that led there, the root first.
func (l *loader) visit(path string, via []string) error {
	if l.done[path] || path == "unsafe" || l.known(path) {
		return nil
	}
	l.done[path] = true
	p := l.listed[path]
	if p == nil {
		if err := l.list(path); err != nil {
			return err
		}
		if p = l.listed[path]; p == nil {
			return failure("the go command knows nothing of package " + path)
		}
	}
	if err := l.refuse(p, via); err != nil {
		return err
	}
	r := l.convert(p)
	if err := l.examine(p, &r); err != nil {
		return err
	}
	via = append(via, path)
	for _, i := range r.Imports {
		if err := l.visit(i, via[:len(via):len(via)]); err != nil {
			return err
		}
	}
	l.order = append(l.order, r)
	return nil
}

func isMissing(text string) bool {
	return strings.Contains(text, "no required module provides package") ||
		strings.Contains(text, "cannot find module providing package")
}

// refuse says why a package cannot be loaded at all.
func (l *loader) refuse(p *listed, via []string) error {
	chain := ""
	if len(via) > 0 {
		chain = ", which " + via[len(via)-1] + " imports"
	}
	subject := p.ImportPath + chain + ","
	if chain == "" {
		subject = p.ImportPath
	}
	cgo := l.cgoFiles(p)
	switch {
	case p.Standard && p.Error == nil:
		return failure(fmt.Sprintf("package %s is of the standard library, but not compiled into this session",
			subject), because(via)...)
	case len(cgo) > 0 && (len(p.GoFiles) == 0 || insteadOf(p.ImportPath) != "" ||
		len(via) == 0 && halved(p.Dir, p.GoFiles, cgo)): // what others import of it may be all here
		return needsCgo(subject, p.ImportPath, cgo[0], via)
	case p.Error != nil && strings.Contains(p.Error.Err, "build constraints exclude all Go files"):
		return failure(fmt.Sprintf("%s has no Go files for this platform (build tags %s)", subject,
			strings.Join(l.set.tags, ", ")), because(via)...)
	case p.Error != nil && isMissing(p.Error.Err) && len(via) == 0:
		return failure("no module has been added that has package "+p.ImportPath, getting(p.ImportPath))
	case p.Error != nil:
		l.unsure = true
		e := l.sentence(p.ImportPath, p.Error.Err)
		e.Notes = append(e.Notes, because(via)...)
		return e
	case p.Name == "main":
		return failure(p.ImportPath+" is a program, not a package to import", because(via)...)
	}
	return nil
}

// because tells how a package came to be needed, where that is not plain.
func because(via []string) []string {
	if len(via) < 2 {
		return nil
	}
	return []string{"imported by " + strings.Join(via, ", which imports ")}
}

func (l *loader) convert(p *listed) Package {
	r := Package{Path: p.ImportPath, Name: p.Name, Dir: p.Dir, Embedded: p.EmbedFiles, Cgo: l.cgoFiles(p),
		Asm: p.SFiles}
	for _, i := range p.Imports {
		if q := p.ImportMap[i]; q != "" {
			i = q
		}
		r.Imports = append(r.Imports, i)
	}
	for _, f := range p.GoFiles {
		r.Files = append(r.Files, filepath.Join(p.Dir, f))
	}
	slices.Sort(r.Files)
	if m := p.Module; m != nil {
		r.Module, r.Version = m.Path, m.Version
		version := m.GoVersion
		if m.Replace != nil {
			r.Version = m.Replace.Version
			if m.Replace.GoVersion != "" {
				version = m.Replace.GoVersion
			}
		}
		if version == "" {
			version = "1.16" // what the go command takes for a module that does not say
		}
		r.GoVersion = "go" + version
	}
	return r
}
