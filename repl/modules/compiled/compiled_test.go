package compiled

import (
	"archive/zip"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/modules"
	"github.com/gorocm/gorocm/repl/modules/modulestest"
)

// archive has a module of an old language version, one with assembly and an internal package, and generic functions and
// types of all kinds. cobra is another version of a module that gorocm needs.
const archive = `
-- example.com/old@v1.0.0/go.mod --
module example.com/old

go 1.17
-- example.com/old@v1.0.0/old.go --
package old

import "context"

// Doer does.
type Doer interface {
	Do(ctx context.Context, with map[string]interface{}) (reflect *int, err error)
	hidden()
}

var reflect, Count = 1, 2

func Version() (r []string) {
	for i := 0; i < reflect; i++ {
		r = append(r, "one")
	}
	return r
}
-- example.com/a@v1.2.0/go.mod --
module example.com/a

go 1.21

require (
	example.com/old v1.0.0
	github.com/spf13/cobra v0.0.1
	github.com/stretchr/testify v1.0.0
)
-- github.com/stretchr/testify@v1.0.0/mock/mock.go --
package mock
-- example.com/a@v1.2.0/mocks/mocks.go --
package mocks

import _ "github.com/stretchr/testify/mock"
-- example.com/a@v1.2.0/a.go --
// Package a has assembly.
package a

import (
	"example.com/a/internal/secret"
	"example.com/old"
	"github.com/spf13/cobra"
)

// Add adds.
func Add(a, b int64) int64

type Store interface {
	Put(s secret.Key) error
	Get() secret.Key
}

func New() secret.Key { return secret.Key(cobra.Name + old.Version()[0]) }
-- example.com/a@v1.2.0/a_amd64.s --
#include "textflag.h"

TEXT ·Add(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	ADDQ b+8(FP), AX
	MOVQ AX, ret+16(FP)
	RET
-- example.com/a@v1.2.0/a_arm64.s --
#include "textflag.h"

TEXT ·Add(SB), NOSPLIT, $0-24
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	ADD R0, R1, R0
	MOVD R0, ret+16(FP)
	RET
-- example.com/a@v1.2.0/internal/secret/secret.go --
package secret

type Key string
-- example.com/a@v1.2.0/fine/fine.go --
package fine

import (
	"strings"
	"sync"
)

type Row struct{ A, b int }

const sep = ", "

var seen sync.Map

type list[T any] struct{ items []T }

func (l *list[T]) add(v T) { l.items = append(l.items, v) }

type scanner struct{ n int }

func (s *scanner) Scan(r *Row) int { s.n++; return s.n + r.A }

// Join joins.
func Join[T ~string](all ...T) string {
	var l list[string]
	for _, a := range all {
		l.add(string(a))
		seen.Store(a, true)
	}
	return strings.Join(l.items, sep) + tail(&Row{A: (&scanner{}).Scan(&Row{A: 1})})
}

var limit, least = 3, 1

// Option has fields that only this package can give a value.
type Option struct {
	Name string
	n    int
	f    func(r *Row, to any) (strings.Builder, error)
}

// Options makes some.
func Options[T any](v T) (*Option, []Option, int) {
	limit++
	return &Option{n: limit, Name: (&scanner{n: least}).name()}, []Option{Option{"b", limit + len(Join[string]()), nil}, Option{
		// the function
		f: func(r *Row, to any) (b strings.Builder, err error) {
			_ = Option{n: r.A}
			return b, nil
		},
	}}, limit
}

func (s *scanner) name() string { return "a" }

func tail(r *Row) string { return strings.Repeat("!", r.A) }

// Pair is a pair.
type Pair[A, B any] struct {
	First  A
	second B
}

func (p Pair[A, B]) Second() B { return p.second }

var _ interface{ Second() int } = Pair[string, int]{}

func Seen() int {
	n := 0
	seen.Range(func(any, any) bool { n++; return true })
	return n
}
-- example.com/a@v1.2.0/fields/fields.go --
package fields

type kind struct{}

type Row struct{ a kind }

func Of[T any](v T) *Row { return &Row{a: kind{}} }
-- example.com/a@v1.2.0/reads/reads.go --
package reads

type Row struct{ a int }

func Of[T any](r *Row) int { return r.a }
-- example.com/a@v1.2.0/instance/instance.go --
package instance

type Box[T any] struct{ V T }

func Ints() any { return Box[int]{1} }
-- example.com/a@v1.2.0/boxes/boxes.go --
package boxes

type Box[T any] struct{ V T }

func Of[T any](v T) any { return Box[T]{v} }
-- example.com/a@v1.2.0/usesboxes/usesboxes.go --
package usesboxes

import "example.com/a/boxes"

func Ints() any { return boxes.Box[int]{1} }
-- example.com/a@v1.2.0/deep/deep.go --
package deep

import (
	"fmt"
	"strings"

	"example.com/a/boxes"
)

// Pair has a box that nothing else names.
type Pair[A, B any] struct {
	a A
	b *boxes.Box[A]
	c hidden[A, strings.Builder]
}

type hidden[A any, B interface{ ~[]fmt.Stringer | strings.Builder }] struct{ a A }

func (hidden[A, B]) own(b B) {}

func (p *Pair[A, B]) All() any { return boxes.Box[[]*A]{} }

func Of[T any](v T) any { return &Pair[T, int]{a: v} }

func Strings(list ...string) any { return boxes.Of(map[string]bool{}) }

func Inner() any { return Of([]string{}) }
-- example.com/a@v1.2.0/usesdeep/usesdeep.go --
package usesdeep

import "example.com/a/deep"

type kind int

func Made() any { return deep.Of(kind(1)) }

func local() any {
	type inside int
	return deep.Of(inside(1))
}
-- example.com/a@v1.2.0/unnamed/unnamed.go --
package unnamed

var rows []struct{ a int }

func Of[T any](v T) int { return rows[0].a }
-- example.com/a@v1.2.0/embeds/embeds.go --
package embeds

type marked interface{ with(n int) int }

type base struct{}

func (base) with(n int) int { return n }

func With(v any) int { return v.(marked).with(1) }

type Node[T any] struct {
	base
	V T
}
-- example.com/a@v1.2.0/calls/calls.go --
package calls

import "example.com/a/embeds"

func Of[T any](v T) any { return embeds.Node[T]{V: v} }
-- example.com/a@v1.2.0/secrets/secrets.go --
package secrets

type Box[T any] struct{ V T }

func Rows() any { return Box[struct{ a int }]{} }
-- example.com/a@v1.2.0/shared/shared.go --
package shared

type kind struct{ N int }

func Of[T any](v T) any { return kind{1} }

func Is(v any) bool { _, ok := v.(kind); return ok }
-- github.com/spf13/cobra@v0.0.1/cobra.go --
package cobra

const Name = "another cobra"
`

// root is gorocm's own folder.
const root = "../../.."

// planOf is the plan for roots of the archive.
func planOf(t *testing.T, roots ...string) (*tool, *plan, error) {
	t.Helper()
	dir := modulestest.World(t, archive)
	if _, err := modules.Get(t.Context(), dir, "example.com/a", nil); err != nil {
		t.Fatal(err)
	}
	tl, err := newTool(t.Context(), dir, io.Discard)
	if err != nil {
		t.Skip(err)
	}
	all, err := tl.list(t.Context(), dir, append([]string{"-export", "-mod=mod", "--"}, roots...)...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(all, roots, func(string) bool { return false })
	return tl, p, err
}

// TestPlan checks which generic functions and types cells can use.
func TestPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	for path, want := range map[string]string{
		"fine": "", "fields": "", "reads": "", "instance": "", "shared": "", "usesboxes": "", "deep": "",
		"unnamed": "example.com/a/unnamed has generic Of, which uses rows, which has a struct type without a name",
		"embeds":  "example.com/a/embeds has generic Node, which embeds base, whose method with is not exported",
		"calls":   "example.com/a/calls has generic functions that use those of example.com/a/embeds, which cells cannot use",
		"secrets": "example.com/a/secrets has generic Box, of which compiled code has the instance Box[struct{\"example.com/a/secrets\".˙a int}], " +
			"which no package can name",
	} {
		_, _, err := planOf(t, "example.com/a/"+path)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	const asks = "does what the name of the function says that calls it, which is the interpreter's for compiled code"
	if _, _, err := planOf(t, "example.com/a/mocks"); err == nil ||
		err.Error() != "example.com/a/mocks imports github.com/stretchr/testify/mock, which "+asks {
		t.Error(err)
	}
	// all roots are compiled, or none
	_, p, err := planOf(t, "example.com/old", "example.com/a/unnamed", "example.com/a/fine")
	const why = "has generic Of, which uses rows, which has a struct type without a name"
	if p != nil || err == nil || err.Error() != "example.com/a/unnamed "+why {
		t.Errorf("%v, %v", p, err)
	}
}

// TestInstances checks which instances of generic types compiled code has, those that only generic code makes, too.
func TestInstances(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	_, p, err := planOf(t, "example.com/a/usesdeep", "example.com/a/instance")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for host, keys := range p.instances {
		for key := range keys {
			got[host] = append(got[host], strings.ReplaceAll(key, `"example.com/a/`, `"`))
		}
		slices.Sort(got[host])
	}
	want := map[string][]string{
		"example.com/a/instance": {`"instance".Box[int]`},
		"example.com/a/boxes":    {`"boxes".Box[[]*[]string]`, `"boxes".Box[[]string]`, `"boxes".Box[map[string]bool]`},
		"example.com/a/usesdeep": {`"boxes".Box["usesdeep".kind]`, `"boxes".Box[[]*"usesdeep".kind]`,
			`"deep".Pair["usesdeep".kind,int]`, `"deep".hidden["usesdeep".kind,"strings".Builder]`},
		"example.com/a/deep": {`"deep".Pair[[]string,int]`, `"deep".hidden[[]string,"strings".Builder]`},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTree writes the source of a program, finds everything that it imports, and compiles the packages of modules.
func TestTree(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("compiles, and has assembly for amd64 and arm64")
	}
	folder, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	own, err := newTool(t.Context(), folder, io.Discard)
	if err != nil {
		t.Skip(err)
	}
	host, err := own.list(t.Context(), folder, mainPackage)
	if err != nil {
		t.Fatal(err)
	}
	tl, p, err := planOf(t, "example.com/a", "example.com/a/fine", "example.com/a/usesdeep", "example.com/a/instance",
		"example.com/a/reads", "example.com/a/fields", "example.com/a/shared")
	if err != nil {
		t.Fatal(err)
	}
	lib, err := library.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	src := &tree{dir: t.TempDir(), own: &source{host: host}, plan: p, has: lib.Has}
	goMod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := src.write(goMod, "key"); err != nil {
		t.Fatal(err)
	}
	all, err := tl.list(t.Context(), src.dir, "-mod=vendor", mainPackage)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, q := range all {
		paths = append(paths, q.ImportPath)
	}
	for _, want := range []string{"example.com/a", "example.com/a/internal/secret", "github.com/spf13/cobra",
		hostPrefix + "github.com/spf13/cobra", "modernc.org/sqlite", hostPrefix + "modernc.org/libc"} {
		if !slices.Contains(paths, want) {
			t.Errorf("the program lacks %s", want)
		}
	}
	if slices.Contains(paths, "modernc.org/libc") {
		t.Error("gorocm's own modules are there under their names")
	}
	if _, err := tl.run(t.Context(), src.dir, "vet", "-mod=vendor", "-asmdecl", "example.com/a", "example.com/old",
		"example.com/a/fine", "example.com/a/internal/secret", "example.com/a/usesdeep", "example.com/a/deep",
		"example.com/a/boxes", "example.com/a/instance", "example.com/a/reads", "example.com/a/fields",
		"example.com/a/shared"); err != nil {
		t.Error(err)
	}
	checkConstants(t, filepath.Join(src.dir, "vendor", filepath.FromSlash(hostPrefix)))
	checkSource(t, src)
}

// checkConstants looks for constants of assembly that a module of gorocm's and the same module of a session would both
// define.
func checkConstants(t *testing.T, dir string) {
	t.Helper()
	renamed := 0
	err := filepath.WalkDir(dir, func(file string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".s") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range constants.FindAllSubmatch(text, -1) {
			if !strings.HasPrefix(string(m[1]), "gorocm_host_") {
				t.Errorf("%s defines %s", file, m[1])
			}
			if n := strings.Count(string(text), string(m[1])); n < 3 {
				t.Errorf("%s is %d times in %s", m[1], n, file)
			}
			renamed++
		}
		return err
	})
	if err != nil || renamed == 0 && runtime.GOARCH == "amd64" {
		t.Error(renamed, err) // parquet-go has some
	}
}

// checkSource type-checks the source of generic functions against the compiled package, as a session does.
func checkSource(t *testing.T, src *tree) {
	t.Helper()
	data, err := src.archive()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "src/example.com/a/fine/") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "l.add(string(a))") || strings.Contains(string(text), "seen.Range") {
			t.Errorf("not the bodies of generic functions only:\n%s", text)
		}
		file := filepath.Join(dir, filepath.Base(f.Name))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	lib, err := library.New(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lib.Import("example.com/a")
	if err != nil || !p.Complete() {
		t.Fatal(err)
	}
	q, err := lib.Import("example.com/a/internal/secret")
	if err != nil || p.Scope().Lookup("New").Type().String() != "func() example.com/a/internal/secret.Key" ||
		q.Scope().Lookup("Key") == nil {
		t.Error(p.Scope().Lookup("New"), q, err)
	}
	if doc := lib.Doc("example.com/a", "Add"); doc != "Add adds." {
		t.Errorf("%q", doc)
	}
	for _, path := range lib.Paths() {
		if strings.Contains(path, "secret") {
			t.Errorf("cells are offered %s", path)
		}
	}
	if got := lib.ByName()["old"]; got != "" {
		t.Errorf("cells need no import of %s", got)
	}
	if why := checkFiles(lib, "example.com/a/fine", files); why != nil {
		t.Error(why)
	}
}

// TestSum checks that the hash of gorocm's source is that of what the program is built from.
func TestSum(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs a go command")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum := func() string {
		t.Helper()
		s, err := SourceSum(t.Context(), dir, "")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("go.sum", "")
	write("cmd/gorocm/main.go", "package main\n\nimport _ \"m/lib\"\n\nfunc main() {}\n")
	write("lib/lib.go", "package lib\n")
	first := sum()
	write("lib/lib_test.go", "package lib\n")
	write("docs.md", "text")
	if sum() != first {
		t.Error("a test or a page has changed it")
	}
	write("lib/lib.go", "package lib\n\nvar X int\n")
	if sum() == first {
		t.Error("a change of a package has not changed it")
	}
}

// checkFiles checks files as a package that imports from a library.
func checkFiles(lib *library.Library, path string, names []string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	var first error
	conf := types.Config{Importer: lib, Error: func(err error) {
		if first == nil && !strings.Contains(err.Error(), "imported and not used") && !strings.Contains(err.Error(), " as ") {
			first = err
		}
	}}
	_, _ = conf.Check(path, fset, files, nil) // first is the error
	return first
}
