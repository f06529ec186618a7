package modules_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

func load(t *testing.T, dir, path string) []modules.Package {
	t.Helper()
	pkgs, err := modules.Load(t.Context(), dir, path, known)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return pkgs
}

func paths(pkgs []modules.Package) string {
	var r []string
	for _, p := range pkgs {
		r = append(r, p.Path)
	}
	return strings.Join(r, " ")
}

func files(p modules.Package) string {
	var r []string
	for _, f := range p.Files {
		r = append(r, filepath.Base(f))
	}
	return strings.Join(r, " ")
}

func get(t *testing.T, dir string, queries ...string) {
	t.Helper()
	for _, q := range queries {
		if _, err := modules.Get(t.Context(), dir, q, nil); err != nil {
			t.Fatal(err)
		}
	}
}

const graph = `
-- example.com/top@v1.2.0/go.mod --
module example.com/top

go 1.20

require (
	example.com/low v0.1.0
	example.com/far v0.2.0
)
-- example.com/top@v1.2.0/z.go --
package top

import (
	"fmt"

	"example.com/low/a"
	"example.com/low/b"
)

func Text() string { return fmt.Sprint(a.A, b.B()) }
-- example.com/top@v1.2.0/a_test.go --
package top

import _ "example.com/missing"
-- example.com/top@v1.2.0/windows_only.go --
//go:build plan9

package top
-- example.com/top@v1.2.0/lonely/x.go --
package lonely

import _ "example.com/low/b"
-- example.com/top@v1.2.0/wide/x.go --
package wide

import _ "example.com/far"
-- example.com/far@v0.2.0/f.go --
package far
-- example.com/low@v0.1.0/a/a.go --
package a

const A = 1
-- example.com/low@v0.1.0/b/b.go --
package b

import "example.com/low/a"

func B() int { return a.A }
`

func TestLoad(t *testing.T) {
	thorough.Slow(t)
	dir := world(t, graph)
	get(t, dir, "example.com/top")
	pkgs := load(t, dir, "example.com/top")
	if got := paths(pkgs); got != "example.com/low/a example.com/low/b example.com/top" {
		t.Error(got)
	}
	top := pkgs[2]
	if top.Name != "top" || top.Module != "example.com/top" || top.Version != "v1.2.0" || top.GoVersion != "go1.20" ||
		files(top) != "z.go" ||
		!slices.Equal(top.Imports, []string{"example.com/low/a", "example.com/low/b", "fmt"}) ||
		!filepath.IsAbs(top.Files[0]) {
		t.Errorf("%+v", top)
	}
	if low := pkgs[0]; low.GoVersion != "go1.16" {
		t.Errorf("a module that names no version is %s, want the go command's go1.16", low.GoVersion)
	}
	// What is compiled in is left out with all that only it needs.
	pkgs, err := modules.Load(t.Context(), dir, "example.com/top",
		func(p string) bool { return known(p) || p == "example.com/low/b" })
	if got := paths(pkgs); err != nil || got != "example.com/low/a example.com/top" {
		t.Error(got, err)
	}
	for _, path := range []string{"fmt", "unsafe"} {
		if pkgs := load(t, dir, path); len(pkgs) != 0 {
			t.Errorf("%s needs %v", path, paths(pkgs))
		}
	}
	if got := paths(load(t, dir, "example.com/top/lonely")); got != "example.com/low/a example.com/low/b example.com/top/lonely" {
		t.Error(got)
	}
	// Get had no need of this module, so go.sum lacks it.
	if got := paths(load(t, dir, "example.com/top/wide")); got != "example.com/far example.com/top/wide" {
		t.Error(got)
	}
}

const awkward = `
-- example.com/tags@v1.0.0/fast.go --
//go:build !purego

package tags

func Sum(x []float64) float64
-- example.com/tags@v1.0.0/fast_amd64.s --
TEXT ·Sum(SB), 4, $0
-- example.com/tags@v1.0.0/slow.go --
//go:build purego

package tags

func Sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
-- example.com/arch@v1.0.0/arch.go --
package arch

func F() int { return f() }
-- example.com/arch@v1.0.0/f_ARCH.go --
package arch

func f() int
-- example.com/arch@v1.0.0/f_ARCH.s --
TEXT ·f(SB), 4, $0
-- example.com/arch@v1.0.0/f_other.go --
//go:build !ARCH

package arch

import "example.com/arch/help"

func f() int { return help.Two }
-- example.com/arch@v1.0.0/help/help.go --
package help

const Two = 2
-- example.com/partial@v1.0.0/p.go --
package partial

func F() int { return f() + onlyHere }
-- example.com/partial@v1.0.0/p_ARCH.go --
package partial

const onlyHere = 1

func f() int
func (T) m() int

type T struct{}
-- example.com/partial@v1.0.0/p_ARCH.s --
TEXT ·f(SB), 4, $0
-- example.com/partial@v1.0.0/p_other.go --
//go:build !ARCH

package partial

func f() int { return 0 }
-- example.com/engine@v1.0.0/go.mod --
module example.com/engine
-- example.com/engine@v1.0.0/e.go --
package engine
-- example.com/engine@v1.0.0/fast.go --
//go:build !appengine

package engine

func f() int
-- example.com/engine@v1.0.0/fast_ARCH.s --
-- example.com/engine@v1.0.0/slow.go --
//go:build appengine

package engine

func f() int { return 0 }
-- example.com/engine@v1.0.0/more/more.go --
//go:build !appengine

package more

const More = 1
-- example.com/engine@v1.0.0/more/doc.go --
package more
-- example.com/links@v1.0.0/l.go --
package links

import _ "unsafe"

//go:linkname nano runtime.nanotime
func nano() int64

//go:linkname secret example.com/elsewhere.secret
func secret() int

//go:linkname zero runtime.zeroVal
var zero [1024]byte

//go:linkname pushed
func pushed() {}

func Later() bool { return nano() >= 0 }

func Secret() int { return secret() }
-- example.com/cgo@v1.0.0/c.go --
package cgo

// int f(void) { return 1; }
import "C"

func F() int { return int(C.f()) }
-- example.com/cgo@v1.0.0/user/u.go --
package user

import "example.com/cgo/middle"

var F = middle.F
-- example.com/cgo@v1.0.0/middle/m.go --
package middle

import "example.com/cgo"

var F = cgo.F
-- example.com/odd@v1.0.0/prog/main.go --
package main

func main() {}
-- example.com/odd@v1.0.0/never/n.go --
//go:build never

package never
-- example.com/odd@v1.0.0/lacks/l.go --
package lacks

import _ "example.com/nobody/has/it"
-- example.com/odd@v1.0.0/engine/e.go --
//go:build appengine

package engine

import _ "example.com/appengine"
-- example.com/odd@v1.0.0/engine/else.go --
//go:build !appengine

package engine
-- example.com/odd@v1.0.0/inside/i.go --
package inside

import _ "plugin"
`

func onThisProcessor(archive string) string {
	return strings.ReplaceAll(archive, "ARCH", runtime.GOARCH)
}

func TestFilesWithoutAssembly(t *testing.T) {
	thorough.Slow(t)
	dir := world(t, onThisProcessor(awkward))
	get(t, dir, "example.com/tags", "example.com/arch", "example.com/partial", "example.com/links", "example.com/engine")
	tests := []struct {
		path, files string
		portable    bool
		obstacles   []string
	}{
		{"example.com/tags", "slow.go", false, nil},
		{"example.com/arch", "arch.go f_other.go", true, nil},
		// The files for other processors lack a name: those for this one stay.
		{"example.com/partial", "p.go p_ARCH.go", false, []string{
			"p_ARCH.go:5 declares func f without a body (assembly in p_ARCH.s)",
			"p_ARCH.go:6 declares func T.m without a body (assembly in p_ARCH.s)"}},
		// The tag appengine replaces assembly, and takes nothing away from packages without any.
		{"example.com/engine", "e.go slow.go", false, nil},
		{"example.com/engine/more", "doc.go more.go", false, nil},
		{"example.com/links", "l.go", false, []string{
			"l.go:6 declares func nano without a body (linked to runtime.nanotime)",
			"l.go:9 declares func secret without a body (linked to example.com/elsewhere.secret)",
			"l.go:12 declares var zero, which is linked to runtime.zeroVal"}},
	}
	for _, test := range tests {
		pkgs := load(t, dir, test.path)
		p := pkgs[len(pkgs)-1]
		var got []string
		for _, o := range p.Obstacles {
			got = append(got, o.String())
		}
		for i := range test.obstacles {
			test.obstacles[i] = onThisProcessor(test.obstacles[i])
		}
		if files(p) != onThisProcessor(test.files) || p.Portable != test.portable ||
			!slices.Equal(got, test.obstacles) {
			t.Errorf("%s: files %s, portable %v, obstacles %q", test.path, files(p), p.Portable, got)
		}
	}
	if got := paths(load(t, dir, "example.com/arch")); got != "example.com/arch/help example.com/arch" {
		t.Errorf("imports of the files for other processors: %s", got)
	}
}

func TestLoadErrors(t *testing.T) {
	thorough.Slow(t)
	dir := world(t, onThisProcessor(awkward))
	get(t, dir, "example.com/cgo", "example.com/odd@v1.0.0")
	tests := []struct{ path, message, note string }{
		{"example.com/cgo", "example.com/cgo cannot be interpreted because c.go imports C (cgo)", ""},
		{"example.com/cgo/user", "example.com/cgo, which example.com/cgo/middle imports, cannot be interpreted because c.go imports C (cgo)",
			"imported by example.com/cgo/user, which imports example.com/cgo/middle"},
		{"example.com/absent", "no module has been added that has package example.com/absent",
			"%get example.com/absent"},
		{"github.com/gorocm/gorocm/nowhere", "no module has been added that has package", "%get ."},
		{"example.com/odd/prog", "example.com/odd/prog is a program", ""},
		{"example.com/odd/never", "example.com/odd/never has no Go files for this platform", ""},
		{"example.com/odd/lacks", "example.com/nobody/has/it", ""},
	}
	for _, test := range tests {
		_, err := modules.Load(t.Context(), dir, test.path, known)
		e, ok := err.(*modules.Error)
		if !ok {
			t.Errorf("%s: %v, want an *Error", test.path, err)
			continue
		}
		if !strings.Contains(e.Message, test.message) || strings.Contains(e.Message, "\n") ||
			!strings.Contains(strings.Join(e.Notes, "\n"), test.note) {
			t.Errorf("%s: %q %q\n%s", test.path, e.Message, e.Notes, e.Output)
		}
	}
	if got := load(t, dir, "example.com/odd/engine"); paths(got) != "example.com/odd/engine" ||
		files(got[0]) != "else.go" {
		t.Error(got)
	}
	_, err := modules.Load(t.Context(), dir, "example.com/odd/inside",
		func(p string) bool { return known(p) && p != "plugin" })
	if err == nil || !strings.Contains(err.Error(),
		"package plugin, which example.com/odd/inside imports, is of the standard library, but not compiled into this session") {
		t.Error(err)
	}
}
