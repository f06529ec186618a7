package main

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/internal/gen/golist"
)

// The type data is that of Linux on x86-64. Other systems have data of their own of the packages that differ there: in
// constants such as os.O_CREATE, os.PathSeparator and runtime.GOOS, and in nearly all of syscall. The program is
// built for these systems.
var (
	systems = []string{"darwin/amd64", "darwin/arm64", "freebsd/amd64", "linux/arm64", "windows/amd64",
		"windows/arm64"}
	differing = []string{"os", "path/filepath", "runtime", "syscall"}
)

// addSystems adds the packages that differ, as systems/GOOS/GOARCH/PATH.
func addSystems(add func(name string, data []byte) error) error {
	for _, system := range systems {
		pkgs, err := golist.ListFor(system, differing)
		if err != nil {
			return err
		}
		fset, imports := token.NewFileSet(), map[string]*types.Package{}
		for _, p := range pkgs {
			data, err := exports(p, fset, imports)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", system, p.ImportPath, err)
			}
			if err := add("systems/"+system+"/"+p.ImportPath, data); err != nil {
				return err
			}
		}
	}
	return nil
}
