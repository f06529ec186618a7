package modules_test

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/modules"
)

func (s *std) Has(path string) bool { return known(path) }

func TestSet(t *testing.T) {
	dir := world(t, `
-- example.com/low@v1.0.0/low.go --
package low

type T struct{ X int }
-- example.com/low@v1.1.0/low.go --
package low

type T struct{ Y int }
-- example.com/a@v1.0.0/go.mod --
module example.com/a

require example.com/low v1.0.0
-- example.com/a@v1.0.0/a.go --
package a

import "example.com/low"

func F() (t low.T) { return }
-- example.com/b@v1.0.0/go.mod --
module example.com/b

require example.com/low v1.1.0
-- example.com/b@v1.0.0/b.go --
package b

import "example.com/low"

func F() (t low.T) { return }
-- example.com/b@v1.0.0/bad/b.go --
package bad

import _ "example.com/b"

var x int = "text"
`)
	s := modules.NewSet(dir, token.NewFileSet(), newStd())
	path := func(c []*modules.Checked) string {
		var r []string
		for _, p := range c {
			r = append(r, p.Path)
		}
		return strings.Join(r, " ")
	}
	if _, notes, err := s.Get(t.Context(), "example.com/a", nil); err != nil || notes != nil {
		t.Fatal(notes, err)
	}
	c, err := s.Load(t.Context(), "example.com/a")
	if got := path(c); err != nil || got != "example.com/low example.com/a" {
		t.Fatal(got, err)
	}
	if c, err := s.Load(t.Context(), "example.com/a"); err != nil || len(c) != 0 {
		t.Error(path(c), err)
	}
	if c, err := s.Load(t.Context(), "fmt"); err != nil || len(c) != 0 {
		t.Error(path(c), err)
	}
	_, notes, err := s.Get(t.Context(), "example.com/b", nil)
	if err != nil || len(notes) != 1 || notes[0] != "packages of example.com/low stay at v1.0.0, which they were imported at; v1.1.0 is for after a reset" {
		t.Error(notes, err)
	}
	if _, err := s.Load(t.Context(), "example.com/b/bad"); err == nil || s.Package("example.com/b") != nil {
		t.Error("of packages that cannot be loaded together one stays", err)
	}
	if c, err := s.Load(t.Context(), "example.com/b"); err != nil || path(c) != "example.com/b" {
		t.Error(path(c), err)
	}
	result := func(pkg string) types.Type {
		p, err := s.Import(pkg)
		if err != nil {
			t.Fatal(err)
		}
		return p.Scope().Lookup("F").(*types.Func).Signature().Results().At(0).Type()
	}
	if !types.Identical(result("example.com/a"), result("example.com/b")) {
		t.Error("low.T is two types")
	}
	for path, want := range map[string]bool{"example.com/a": true, "example.com/low/x": true,
		"example.com/lower": false, "module": false, "fmt": false} {
		if s.Requires(path) != want {
			t.Errorf("Requires(%s) = %v", path, !want)
		}
	}
	if _, err := s.Load(t.Context(), "./testdata"); err == nil || !strings.Contains(err.Error(), "%get ./testdata") {
		t.Error(err)
	}
	if p, err := s.Import("fmt"); err != nil || p.Name() != "fmt" {
		t.Error(p, err)
	}
}
