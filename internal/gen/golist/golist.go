// Package golist queries the go command for packages and reads their export data.
package golist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// Package is go list's description of a package.
type Package struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	Standard                      bool
}

// List returns the public packages among patterns, and the internal ones that they name in full, as they are on Linux
// on x86-64, sorted by import path. The environment is pinned so that cgo and flags of the machine do not change the
// answer.
func List(patterns []string) ([]Package, error) { return ListFor("linux/amd64", patterns) }

// ListFor is List for another system, such as windows/arm64.
func ListFor(system string, patterns []string) ([]Package, error) {
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", append([]string{"list", "-export", "-trimpath",
		"-json=ImportPath,Name,Dir,Export,GoFiles,Standard"}, patterns...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []Package
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var p Package
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.public() || slices.Contains(patterns, p.ImportPath) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Package) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return all, nil
}

// public reports whether a cell could import the package.
func (p Package) public() bool {
	switch p.ImportPath {
	case "unsafe", "builtin", "runtime/cgo":
		return false
	}
	parts := strings.Split(p.ImportPath, "/")
	return p.Name != "main" && !slices.Contains(parts, "internal") && !slices.Contains(parts, "vendor")
}

// Types reads the package's types. Packages that it refers to are added to imports.
func (p Package) Types(fset *token.FileSet, imports map[string]*types.Package) (*types.Package, error) {
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
