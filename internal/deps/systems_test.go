package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// systems are those for which .ci/run builds: the whole program, or the library with tensors on the host alone.
var systems = map[string][]string{
	"darwin/arm64":  {"./cmd/gorocm", "./tensor/..."},
	"windows/amd64": {"./cmd/gorocm", "./tensor/..."},
	"windows/arm64": {"./cmd/gorocm", "./tensor/..."},
	"freebsd/amd64": {"./cmd/gorocm", "./tensor/..."},
	"linux/arm64":   {"./cmd/gorocm", "./tensor/..."},
	"linux/386":     {"./tensor", "./tensor/nn", "./tensor/formats"},
	"linux/arm":     {"./tensor", "./tensor/nn", "./tensor/formats"},
	"js/wasm":       {"./tensor", "./tensor/nn", "./tensor/formats"},
}

// TestSystems checks the types of the program for each system, which takes a tenth of building it. .ci/run builds for one
// of them in turn. Bodies of other modules' functions are not read.
func TestSystems(t *testing.T) {
	if os.Getenv("GOROCM_TEST_SYSTEMS") == "" {
		t.Skip("GOROCM_TEST_SYSTEMS is not set: it takes 3 to 15 seconds of a processor for each")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for system, patterns := range systems {
		t.Run(strings.ReplaceAll(system, "/", "_"), func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			checkTypes(t, root, patterns, "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		})
	}
}

// checkTypes reports what go/types reports of the packages and of all that they import.
func checkTypes(t *testing.T, root string, patterns []string, env ...string) {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Dir: root, Env: append(os.Environ(), env...),
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err == nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
				withoutBodies(f)
			}
			return f, err
		},
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if !strings.HasPrefix(p.PkgPath, strings.TrimSuffix(module, "/")) {
			return
		}
		checked++
		for _, e := range p.Errors {
			t.Error(e)
		}
	})
	if checked < 10 {
		t.Errorf("only %d packages were checked", checked)
	}
}

func withoutBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
