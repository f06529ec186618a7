package gofuzz

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
)

// Program returns the program with the number. It panics if it cannot make a valid one, which is a mistake of this
// package.
func Program(seed uint64) string { return program(seed, false) }

func program(seed uint64, hot bool) string {
	var err error
	for try := range uint64(20) {
		var src string
		if src, err = attempt(seed, try, hot); err == nil {
			return src
		}
	}
	panic(fmt.Sprintf("gofuzz: program %d: %v", seed, err))
}

// attempt makes a program and checks it.
func attempt(seed, try uint64, hot bool) (string, error) {
	g := newGenerator(rand.New(rand.NewPCG(seed, try)))
	g.hot = hot
	g.function = &body{}
	src, err := format.Source([]byte(g.program()))
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, src)
	}
	if err := Check(string(src)); err != nil {
		return "", fmt.Errorf("%w\n%s", err, src)
	}
	if hot && seed%2 == 0 {
		return separately(string(src))
	}
	return string(src), nil
}

func (g *generator) program() string {
	g.basics()
	decls := g.typeDecls()
	decls = append(decls, g.signatures()...)
	decls = append(decls, g.globals()...)
	for _, d := range g.bodies {
		decls = append(decls, d())
	}
	decls = append(decls, g.mainFunc())
	g.r.Shuffle(len(decls), func(i, j int) { decls[i], decls[j] = decls[j], decls[i] })
	rest := strings.Join(decls, "\n")
	if g.hot {
		rest = patternsPrelude + callsPrelude + rest
	}
	imports := "\"fmt\"\n"
	for _, p := range []string{"bytes", "cmp", "errors", "maps", "math", "runtime", "slices", "sort", "strconv",
		"strings", "sync"} {
		if regexp.MustCompile(`\b` + p + `\.`).MatchString(rest) {
			imports += fmt.Sprintf("%q\n", p)
		}
	}
	return "package main\n\nimport (\n" + imports + ")\n" + prelude + "\n" + rest
}

// checkMu guards what packages have been imported.
var (
	checkMu sync.Mutex
	library = cachedImporter{from: importer.ForCompiler(token.NewFileSet(), "source", nil),
		packages: map[string]*types.Package{}}
)

// Check returns why the program is not valid, or nil.
func Check(src string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "main.go", src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	return checkWith(types.Config{GoVersion: "go1.26"}, fset, f, nil)
}

// cachedImporter remembers packages by their paths: the importer of sources looks for the files again each time.
type cachedImporter struct {
	from     types.Importer
	packages map[string]*types.Package
}

// Import implements types.Importer. checkMu is held.
func (c cachedImporter) Import(path string) (*types.Package, error) {
	if p := c.packages[path]; p != nil {
		return p, nil
	}
	p, err := c.from.Import(path)
	if err == nil {
		c.packages[path] = p
	}
	return p, err
}

func checkWith(conf types.Config, fset *token.FileSet, f *ast.File, info *types.Info) error {
	checkMu.Lock()
	defer checkMu.Unlock()
	conf.Importer = library
	_, err := conf.Check("main", fset, []*ast.File{f}, info)
	return err
}
