package golang

import (
	"go/parser"
	"go/token"
	"go/types"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/asprogram"
)

// Program writes cells as the files of a module, which go build takes: see package asprogram. Its requirements are
// those of the session, at the session's versions, and of the packages that are compiled into gorocm and that it
// imports. Missing are the modules of those whose checksums go.sum lacks. Replaced is what is declared again.
func (e *Engine) Program(name string, cells []string) (files map[string][]byte, missing, replaced []string, err error) {
	files, replaced, err = asprogram.Write(cells,
		asprogram.Session{Importer: e.scope.Modules, Package: e.packageNamed, Dot: e.dotOf})
	if err != nil {
		return nil, nil, nil, err
	}
	mod, sum := e.scope.Modules.ModFile(name)
	var paths []string
	for _, text := range files {
		f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, i := range f.Imports {
			paths = append(paths, importPath(i))
		}
	}
	for _, m := range linkedModules(paths) {
		if !strings.Contains(mod, m.Path+" ") {
			mod += "\nrequire " + m.Path + " " + m.Version + "\n"
			if missing = append(missing, m.Path); m.Version == noVersion {
				missing[len(missing)-1] += " (built from a working tree: a replace line must name its folder)"
			}
		}
	}
	files["go.mod"] = []byte(mod)
	if sum != "" {
		files["go.sum"] = []byte(sum)
	}
	return files, missing, replaced, nil
}

// noVersion is required of a module that was built from a working tree.
const noVersion = "v0.0.0"

// linkedModules are the modules of packages that are compiled into this program, but for the standard library.
func linkedModules(paths []string) (list []*debug.Module) {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	all := append([]*debug.Module{&b.Main}, b.Deps...)
	for _, p := range paths {
		var best *debug.Module
		for _, m := range all {
			if (p == m.Path || strings.HasPrefix(p, m.Path+"/")) && (best == nil || len(m.Path) > len(best.Path)) {
				best = m
			}
		}
		if best != nil && !slices.Contains(list, best) {
			list = append(list, best)
		}
	}
	for i, m := range list {
		if _, err := strconv.Atoi(strings.TrimPrefix(strings.SplitN(m.Version+".", ".", 2)[0], "v")); err != nil {
			list[i] = &debug.Module{Path: m.Path, Version: noVersion}
		}
	}
	return list
}

// packageNamed is the import path that a package name stands for in cells, empty for none.
func (e *Engine) packageNamed(name string) string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	if b := e.scope.Bindings[name]; b != nil {
		if b.Object != nil {
			return ""
		}
		return b.Path
	}
	if types.Universe.Lookup(name) != nil {
		return ""
	}
	return e.scope.AutoImports[name]
}

// dotOf is the import path of the package that a name needs no qualifier of, empty for none.
func (e *Engine) dotOf(name string) string {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	if o := e.scope.Dots[name]; o != nil && o.Pkg() != nil {
		return o.Pkg().Path()
	}
	return ""
}
