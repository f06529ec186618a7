package deps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/gorocm/gorocm/"

// layers are the packages of this module from the bottom up. A package imports packages of lower layers, or of its own
// folder.
var layers = [][]string{
	{"kernels", "display"},
	{"rocm"},
	{"tensor"},
	{"repl"}, // its folders follow their own rule below
	{"jupyter"},
	{"cmd"},
}

// only says which folders may import a package directly.
var only = map[string][]string{
	"github.com/ebitengine/purego": {"internal/dl", "rocm/internal", "tensor/internal/openblas"},
	"github.com/traefik/yaegi": {"repl/golang/lower", "repl/golang/machine", "repl/golang/run",
		"repl/golang/symbols", "internal/gen"},
	"github.com/go-zeromq/zmq4":       {"jupyter"},
	"github.com/spf13/cobra":          {"cmd"},
	"github.com/pelletier/go-toml/v2": {"cmd"},
	"modernc.org/sqlite":              {"repl/history", "repl/golang/symbols", "repl/golang/included/drivers"},
	"net":                             {"jupyter", "cmd", "repl/golang/symbols/std", "rocm/internal/group"},
	// which stands in for its exits
	"flag":                              {"bench", "cmd", "internal/gen", "jupyter/kernelspec/logo", "repl/golang"},
	module + "repl/golang":              {"repl"},
	module + "repl/golang/symbols":      {"repl"},
	module + "repl/internal/opened":     {"repl"},
	module + "tensor/internal/testutil": {}, // but tests
}

// never says what a folder must not import, directly or not.
var never = map[string][]string{
	"display": {module + "tensor", module + "repl", module + "rocm"},
	"kernels": {module + "rocm", module + "tensor", module + "repl"},
	"rocm":    {module + "tensor", module + "repl", module + "display"},
	// Below rocm: the driver at the bottom, beside one another what stands on it. None knows a Device.
	"rocm/internal/driver": {module + "rocm/internal/compile", module + "rocm/internal/mathlib",
		module + "rocm/internal/group", module + "kernels"},
	"rocm/internal/compile": {module + "rocm/internal/mathlib", module + "rocm/internal/group"},
	"rocm/internal/mathlib": {module + "rocm/internal/compile", module + "rocm/internal/group", module + "kernels"},
	"rocm/internal/group":   {module + "rocm/internal/compile", module + "rocm/internal/mathlib", module + "kernels"},
	"rocm/emulator":         {module + "rocm/internal", module + "kernels"},
	"tensor":                {module + "repl", module + "display", module + "jupyter"},
	"tensor/internal/backend": {module + "tensor/internal/host", module + "tensor/internal/gpu",
		module + "tensor/internal/show"},
	"tensor/internal/host": {module + "tensor/internal/gpu", module + "tensor/internal/show"},
	"tensor/internal/gpu": {module + "tensor/internal/host", module + "tensor/internal/simd",
		module + "tensor/internal/show"},
	"tensor/internal/show":      {module + "tensor/internal/gpu"},
	"tensor/internal/gradients": {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/internal/dtypes":    {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/fft/internal/plan":  {module + "tensor", module + "rocm", module + "kernels"},
	"tensor/fft/internal/host":  {module + "tensor/internal/gpu", module + "tensor/fft/internal/gpu"},
	"tensor/fft/internal/gpu": {module + "tensor/internal/host", module + "tensor/internal/simd",
		module + "tensor/fft/internal/host"},
	"tensor/nn/internal/attention": {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"repl/golang": {module + "repl/worker", module + "repl/term", module + "repl/script",
		module + "jupyter"},
	"repl/golang/library": {module + "repl/golang/check"},
	"repl/golang/check": {module + "repl/golang/assist", module + "repl/golang/run", module + "repl/golang/lower",
		module + "repl/golang/machine"},
	"repl/golang/assist": {module + "repl/golang/run", module + "repl/golang/lower",
		module + "repl/golang/machine"},
	"repl/golang/native": {module + "repl/golang/check", module + "repl/golang/run", module + "repl/golang/lower",
		module + "repl/golang/machine"},
	"repl/golang/debug":      {module + "repl/golang/run", module + "repl/golang/lower", module + "repl/golang/check"},
	"repl/golang/run":        {module + "repl/golang/assist", module + "repl/golang/lower"},
	"repl/golang/lower":      {module + "repl/golang/assist"},
	"repl/golang/lower/data": {module + "repl/golang/run", module + "repl/golang/machine", module + "repl/golang/native"},
	"repl/golang/lower/typing": {module + "repl/golang/run", module + "repl/golang/machine",
		module + "repl/golang/native"},
	"repl/worker": {module + "repl/term", module + "jupyter"},
	"jupyter":     {module + "repl/term", module + "cmd"},
}

// notDirectly says what the packages of a folder must not import themselves; what they import may.
var notDirectly = map[string][]string{
	"tensor/cluster":                {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/devicetest":             {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/formats":                {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/integrate":              {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/internal/decode":        {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/internal/host":          {module + "rocm"},
	"tensor/internal/show":          {module + "rocm"},
	"tensor/interpolate":            {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/linalg":                 {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/models":                 {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/ndimage":                {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/nn":                     {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/onnx":                   {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/optimize":               {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/quant":                  {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/random/internal/sample": {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/selftest":               {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/signal":                 {module + "tensor/internal/gpu"},
	"tensor/spatial":                {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/stats":                  {module + "tensor/internal/host", module + "tensor/internal/gpu"},
	"tensor/tokenizers":             {module + "tensor/internal/host", module + "tensor/internal/gpu"},
}

// exits are the folders whose programs may end themselves; user code must not end a session, nor a library a program.
var exits = []string{"bench", "cmd", "internal/gen", "jupyter/kernelspec/logo"}

type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// listed are all packages, by one go list for all tests.
var listed = sync.OnceValues(func() ([]pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Deps", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			err = fmt.Errorf("go list: %w\n%s", err, ee.Stderr)
		}
		return nil, err
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

func list(t *testing.T) []pkg {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// under reports whether path is folder or inside it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

func layer(path string) int {
	return slices.IndexFunc(layers, func(l []string) bool {
		return slices.ContainsFunc(l, func(f string) bool { return under(path, f) })
	})
}

// TestImports checks every package of the module. Run it with -count=1: the test cache does not see what go list reads.
func TestImports(t *testing.T) {
	all := list(t)
	if len(all) < 10 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	for _, p := range all {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, imp := range p.Imports {
			for what, folders := range only {
				match := imp == what
				if strings.Contains(what, ".") && !strings.HasPrefix(what, module) {
					match = under(imp, what)
				}
				if match && !slices.ContainsFunc(folders, func(f string) bool { return under(name, f) }) {
					t.Errorf("%s imports %s: only %v may", name, imp, folders)
				}
			}
			if from, to := layer(name), layer(strings.TrimPrefix(imp, module)); strings.HasPrefix(imp, module) &&
				from >= 0 && to > from {
				t.Errorf("%s imports %s, which is above it", name, imp)
			}
		}
		for folder, banned := range notDirectly {
			for _, imp := range p.Imports {
				if under(name, folder) && slices.Contains(banned, imp) {
					t.Errorf("%s imports %s", name, imp)
				}
			}
		}
		for folder, banned := range never {
			if !under(name, folder) || strings.HasPrefix(name, "repl/golang/symbols") {
				continue
			}
			for _, dep := range p.Deps {
				for _, b := range banned {
					if under(dep, b) {
						t.Errorf("%s depends on %s", name, dep)
					}
				}
			}
		}
	}
}

// TestNoCgo: the module builds without a C compiler.
func TestNoCgo(t *testing.T) {
	for _, p := range list(t) {
		if slices.Contains(p.Imports, "C") {
			t.Errorf("%s imports C", p.ImportPath)
		}
	}
}

// TestNoExit: only commands end the process.
func TestNoExit(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if slices.ContainsFunc(exits, func(f string) bool { return under(name, f) }) {
			continue
		}
		for _, file := range p.GoFiles {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Exit" {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
						t.Errorf("%v: os.Exit outside a command", fset.Position(n.Pos()))
					}
				}
				return true
			})
		}
	}
}
