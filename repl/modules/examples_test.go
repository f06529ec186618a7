package modules_test

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl/modules"
)

// examples are packages that a session is expected to run.
var examples = []string{
	"github.com/google/uuid", "gonum.org/v1/gonum/stat", "github.com/samber/lo", "github.com/montanaflynn/stats", "golang.org/x/text/cases",
	"golang.org/x/exp/constraints", "github.com/stretchr/objx", "github.com/shopspring/decimal", "github.com/pkg/errors", "github.com/Masterminds/semver/v3",
}

// TestExamples gets packages from where the user's GOPROXY says, checks them against the session's compiled packages, and tells what
// they consist of.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the network")
	}
	needGo(t)
	lib := newStd()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, path := range examples {
		t.Run(path, func(t *testing.T) {
			if _, err := modules.Get(ctx, dir, path, nil); err != nil {
				var e *modules.Error
				if errors.As(err, &e) && strings.Contains(e.Message, "cannot be downloaded") {
					t.Skip("offline: ", e.Message)
				}
				t.Fatal(err)
			}
			start := time.Now()
			pkgs, err := modules.Load(ctx, dir, path, known)
			if err != nil {
				t.Fatal(err)
			}
			load := time.Since(start)
			for _, p := range pkgs {
				for _, i := range p.Imports {
					if i != "unsafe" && known(i) {
						if _, err := lib.Import(i); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			start = time.Now()
			fset := token.NewFileSet()
			checked, err := modules.Check(fset, pkgs, lib)
			if err != nil {
				t.Fatal(err)
			}
			check := time.Since(start)
			lines, obstacles, unsafe := 0, []string{}, []string{}
			for _, c := range checked {
				for _, f := range c.Syntax {
					lines += fset.File(f.Pos()).LineCount()
				}
				for _, o := range c.Obstacles {
					obstacles = append(obstacles, fmt.Sprintf("%s: %v (stand-in: %v)", c.Path, o, o.StandIn))
				}
				for _, i := range c.Imports {
					if i == "unsafe" {
						unsafe = append(unsafe, c.Path)
					}
				}
			}
			last := checked[len(checked)-1]
			if last.Path != path || !last.Types.Complete() {
				t.Errorf("the last package is %s, complete %v", last.Path, last.Types.Complete())
			}
			if len(obstacles) > 0 {
				t.Errorf("obstacles:\n%s", strings.Join(obstacles, "\n"))
			}
			t.Logf("%s: %d packages, %d lines, listed in %v, checked in %v, unsafe in %v", last.Version, len(checked), lines, load.Round(time.Millisecond), check.Round(time.Millisecond), unsafe)
		})
	}
}
