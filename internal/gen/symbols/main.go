// Command symbols writes the tables through which cells reach compiled packages: for each package a Go file that maps
// its exported names to their values, in the form that yaegi requires. Tables of the standard library go to a folder
// std of their own. It reads the compiler's export data, so that all packages take seconds; yaegi's extractor checks
// each from source.
package main

import (
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/internal/gen/golist"
	"github.com/gorocm/gorocm/internal/tables"
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
	"plugin":           "needs cgo",
	"runtime/race":     "needs the race detector",
	"syscall":          "differs between systems: yaegi has a table for each",
	"testing/synctest": "runs tests only",
	"time/tzdata":      "would add its time zones to the program",
}

// constraints are the build constraints of packages that not every system has.
var constraints = map[string]string{"log/syslog": "!windows && !plan9 && !js && !wasip1"}

func write(dir string, patterns []string) error {
	pkgs, err := golist.List(patterns)
	if err != nil {
		return err
	}
	fset, imports := token.NewFileSet(), map[string]*types.Package{}
	for _, p := range pkgs {
		if skipped[p.ImportPath] != "" {
			continue
		}
		pkg, err := p.Types(fset, imports)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		into, file := dir, "gen_"+path.Base(p.ImportPath)+".go"
		if p.Standard {
			into, file = filepath.Join(dir, "std"), "gen_"+strings.ReplaceAll(p.ImportPath, "/", "_")+".go"
		}
		src, err := tables.New(pkg, filepath.Base(into)).Source(constraints[p.ImportPath])
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
