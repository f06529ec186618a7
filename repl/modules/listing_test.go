package modules_test

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

const listable = `
-- example.com/low@v1.0.0/low.go --
package low

// T is a type.
type T struct{ X int }

func (t T) M() int { return t.X }
-- example.com/a@v1.0.0/go.mod --
module example.com/a

require example.com/low v1.0.0
-- example.com/a@v1.0.0/a.go --
package a

import "example.com/low"

func F() (t low.T) { return }
-- example.com/a@v1.0.0/more/m.go --
package more

import (
	"example.com/a"
	"example.com/low"
)

var X = a.F().M() + low.T{}.M()
-- example.com/c@v1.0.0/c.go --
package c
`

// session is a new session beside others, which has got a module.
func session(t *testing.T, dir, name, module string) *modules.Set {
	t.Helper()
	s := modules.NewSet(filepath.Join(filepath.Dir(dir), "session-"+name), token.NewFileSet(), newStd())
	if _, _, err := s.Get(t.Context(), module, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// imports has a session import packages, and returns what it has loaded.
func imports(t *testing.T, s *modules.Set, paths ...string) string {
	t.Helper()
	var r []string
	for _, path := range paths {
		list, err := s.Load(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			r = append(r, c.Path)
		}
	}
	return strings.Join(r, " ")
}

// TestListing: a second session runs no go command, and checks no package whole; where something is not what it was, as
// much is done again as that needs.
func TestListing(t *testing.T) {
	thorough.Slow(t)
	dir := world(t, listable)
	cache := filepath.Join(filepath.Dir(dir), "checked")
	const all = "example.com/low example.com/a"
	steps := []struct {
		name   string
		before func(t *testing.T)
		module string
		paths  []string
		loaded string
		work   [3]int64 // listed, whole, outlined
	}{
		{"the first", nil, "example.com/a", []string{"example.com/a"}, all, [3]int64{1, 2, 0}},
		{"the second", nil, "example.com/a", []string{"example.com/a"}, all, [3]int64{0, 0, 2}},
		{"more of it", nil, "example.com/a", []string{"example.com/a", "example.com/a/more"}, all + " example.com/a/more",
			[3]int64{1, 1, 2}},
		{"and again", nil, "example.com/a", []string{"example.com/a", "example.com/a/more"}, all + " example.com/a/more",
			[3]int64{0, 0, 3}},
		{"at once", nil, "example.com/a", []string{"example.com/a/more"}, all + " example.com/a/more", [3]int64{0, 0, 3}},
		{"another module", nil, "example.com/c", []string{"example.com/c"}, "example.com/c", [3]int64{1, 1, 0}},
		{"other flags", func(t *testing.T) { t.Setenv("GOFLAGS", "-modcacherw -tags=x") }, "example.com/a",
			[]string{"example.com/a"}, all, [3]int64{1, 0, 2}},
		{"the old flags", nil, "example.com/a", []string{"example.com/a"}, all, [3]int64{0, 0, 2}},
		{"damaged files", func(t *testing.T) { each(t, cache, damage) }, "example.com/a", []string{"example.com/a"}, all,
			[3]int64{1, 2, 0}},
		{"files that everybody may write to", func(t *testing.T) { each(t, cache, openUp) }, "example.com/a",
			[]string{"example.com/a"}, all, [3]int64{1, 2, 0}},
		{"files of others", func(t *testing.T) { each(t, cache, giveAway) }, "example.com/a", []string{"example.com/a"}, all,
			[3]int64{1, 2, 0}},
		{"a changed source", func(t *testing.T) { change(t, "example.com/low@v1.0.0/low.go") }, "example.com/a",
			[]string{"example.com/a"}, all, [3]int64{1, 2, 0}},
		{"a missing source", func(t *testing.T) { remove(t, "example.com/low@v1.0.0") }, "example.com/a",
			[]string{"example.com/a"}, all, [3]int64{1, 0, 2}},
		{"a folder that everybody may write to", func(t *testing.T) { openUp(t, cache) }, "example.com/a",
			[]string{"example.com/a"}, all, [3]int64{1, 2, 0}},
	}
	for i, x := range steps {
		t.Run(x.name, func(t *testing.T) {
			if x.before != nil {
				x.before(t)
			}
			s := session(t, dir, string(rune('a'+i)), x.module)
			if got := imports(t, s, x.paths...); got != x.loaded || s.Work() != x.work {
				t.Errorf("loaded %q, want %q; work %v, want %v", got, x.loaded, s.Work(), x.work)
			}
			if p := s.Package("example.com/low"); p != nil && p.Doc("T") != "T is a type.\n" {
				t.Errorf("the documentation of T is %q", p.Doc("T"))
			}
		})
	}
}

// each does something to every file of a folder.
func each(t *testing.T, dir string, do func(t *testing.T, file string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, f := range files {
		do(t, f)
	}
}

// damage changes a byte in the middle of a file.
func damage(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	write(t, file, data)
}

func openUp(t *testing.T, file string) {
	if err := os.Chmod(file, 0o777); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o777 {
		t.Skip("this system has no such permissions")
	}
}

func giveAway(t *testing.T, file string) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	if err := os.Chown(file, 12345, 12345); err != nil {
		t.Fatal(err)
	}
}

// change changes a file of the module cache, which the go command does not notice.
func change(t *testing.T, name string) {
	file := filepath.Join(os.Getenv("GOMODCACHE"), filepath.FromSlash(name))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, file, slices.Concat(text, []byte("\nvar Changed int\n")))
}

// remove removes a module from the module cache.
func remove(t *testing.T, name string) {
	if err := os.RemoveAll(filepath.Join(os.Getenv("GOMODCACHE"), filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// TestListingOfLocal: where a module is a folder, the go command is asked each time.
func TestListingOfLocal(t *testing.T) {
	dir := world(t, listable)
	local := tree(t, "-- go.mod --\nmodule example.com/l\n-- l.go --\npackage l\n\nfunc F() int { return 1 }\n")
	for i, want := range [][3]int64{{1, 1, 0}, {1, 0, 1}} {
		s := session(t, dir, string(rune('a'+i)), local)
		if got := imports(t, s, "example.com/l"); got != "example.com/l" || s.Work() != want {
			t.Errorf("loaded %q; work %v, want %v", got, s.Work(), want)
		}
	}
}
