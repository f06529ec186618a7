// Command symbols writes the tables through which cells reach compiled packages: for each package a Go file that maps its
// exported names to their values, in the shape that yaegi takes. Tables of the standard library go to a folder std of their
// own. It reads the compiler's export data, so that all packages take seconds; yaegi's extractor checks each from source.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

func main() {
	out := flag.String("o", "", "folder to write")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: symbols -o folder package…")
		os.Exit(2)
	}
	if err := write(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "symbols:", err)
		os.Exit(1)
	}
}

// skipped are the packages of the standard library that get no table.
var skipped = map[string]string{
	"builtin":          "part of the language",
	"plugin":           "needs cgo",
	"runtime/cgo":      "needs cgo",
	"runtime/race":     "needs the race detector",
	"syscall":          "differs between systems: yaegi has a table for each",
	"testing/synctest": "runs tests only",
	"time/tzdata":      "would add its time zones to the program",
	"unsafe":           "part of the language: yaegi has its own",
}

// constraints are the build constraints of packages that not every system has.
var constraints = map[string]string{"log/syslog": "!windows && !plan9 && !js && !wasip1"}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Name, Export string
	Standard                 bool
}

func write(dir string, patterns []string) error {
	pkgs, err := list(patterns)
	if err != nil {
		return err
	}
	fset, imports := token.NewFileSet(), map[string]*types.Package{}
	for _, p := range pkgs {
		pkg, err := read(p, fset, imports)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		into, file := dir, "gen_"+path.Base(p.ImportPath)+".go"
		if p.Standard {
			into, file = filepath.Join(dir, "std"), "gen_"+strings.ReplaceAll(p.ImportPath, "/", "_")+".go"
		}
		src, err := newTable(pkg, filepath.Base(into)).source(constraints[p.ImportPath])
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if err := os.MkdirAll(into, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(into, file), src, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// list asks the go command for the public packages among patterns. The environment is pinned so that cgo and flags of
// the machine do not change the answer.
func list(patterns []string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-trimpath", "-json=ImportPath,Name,Export,Standard"}, patterns...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOFLAGS=", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if skipped[p.ImportPath] == "" && p.Name != "main" && public(p.ImportPath) {
			all = append(all, p)
		}
	}
}

func public(path string) bool {
	for _, part := range strings.Split(path, "/") {
		if part == "internal" || part == "vendor" {
			return false
		}
	}
	return true
}

func read(p listed, fset *token.FileSet, imports map[string]*types.Package) (*types.Package, error) {
	f, err := os.Open(p.Export)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 go list -export of Go 1.26 writes the archives that only NewReader opens
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, fset, imports, p.ImportPath)
}
