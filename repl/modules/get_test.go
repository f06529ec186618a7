package modules_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

const someModules = `
-- example.com/one@v1.0.0/one.go --
package one
-- example.com/one@v1.1.0/one.go --
package one
-- example.com/one@v1.1.0/sub/sub.go --
package sub
-- example.com/one@v1.1.0/internal/x/x.go --
package x
-- example.com/one@v1.1.0/cmd/one/main.go --
package main
-- example.com/one@v1.1.0/testdata/t.go --
package t
-- example.com/one@v1.1.0/onlytest/x_test.go --
package onlytest
-- example.com/two@v0.3.0/go.mod --
module example.com/two

require example.com/one v1.0.0
-- example.com/two@v0.3.0/deep/two.go --
package deep

import _ "example.com/one"
-- example.com/other@v1.0.0/go.mod --
module example.com/renamed
-- example.com/other@v1.0.0/x.go --
package x
-- example.com/future@v1.0.0/go.mod --
module example.com/future

go 1.999
-- example.com/future@v1.0.0/x.go --
package future
`

func TestGet(t *testing.T) {
	dir := world(t, someModules)
	steps := []struct {
		query, module, version string
		packages, changes      []string
	}{
		{"example.com/two/deep", "example.com/two", "v0.3.0", []string{"example.com/two/deep"},
			[]string{"added example.com/one v1.0.0", "added example.com/two v0.3.0"}},
		{" example.com/one\n", "example.com/one", "v1.1.0", []string{"example.com/one", "example.com/one/sub"},
			[]string{"upgraded example.com/one v1.0.0 => v1.1.0"}},
		{"example.com/one@v1.0.0", "example.com/one", "v1.0.0", []string{"example.com/one"},
			[]string{"downgraded example.com/one v1.1.0 => v1.0.0"}},
		{"example.com/two@v0", "example.com/two", "v0.3.0", []string{"example.com/two/deep"}, nil},
		{"example.com/two@none", "example.com/two", "", nil, []string{"removed example.com/two v0.3.0"}},
	}
	for _, s := range steps {
		var lines []string
		r, err := modules.Get(t.Context(), dir, s.query, func(l string) { lines = append(lines, l) })
		if err != nil {
			t.Fatalf("%s: %v", s.query, err)
		}
		slices.Sort(r.Changes)
		if r.Module != s.module || r.Version != s.version || !slices.Equal(r.Packages, s.packages) ||
			!slices.Equal(r.Changes, s.changes) {
			t.Errorf("%s: %+v, want %+v", s.query, r, s)
		}
		for _, c := range s.changes {
			if !slices.Contains(lines, c) {
				t.Errorf("%s: progress lacks %q: %q", s.query, c, lines)
			}
		}
	}
}

// TestGetAddresses checks what addresses of repositories, and commands, stand for.
func TestGetAddresses(t *testing.T) {
	thorough.Slow(t)
	for query, want := range map[string]string{
		"https://github.com/google/uuid.git":                   "github.com/google/uuid",
		"https://github.com/google/uuid.git@latest":            "github.com/google/uuid@latest",
		"http://github.com/google/uuid/@v1.6.0":                "github.com/google/uuid@v1.6.0",
		"https://user@git.example.com/team/one.git":            "git.example.com/team/one",
		"git@github.com:google/uuid.git":                       "github.com/google/uuid",
		"ssh://git@github.com/google/uuid":                     "github.com/google/uuid",
		"github.com/google/uuid.git":                           "github.com/google/uuid",
		"github.com/google/uuid/":                              "github.com/google/uuid",
		"git.example.com/team/one.git":                         "git.example.com/team/one.git", // which may be its path
		"https://pkg.go.dev/github.com/google/uuid@v1.6.0#New": "github.com/google/uuid@v1.6.0",
		"https://github.com/google/uuid?tab=readme-ov-file":    "github.com/google/uuid",
		"https://github.com/google/uuid/tree/master":           "github.com/google/uuid@master",
		"https://github.com/google/uuid/releases/tag/v1.6.0":   "github.com/google/uuid@v1.6.0",
		"https://gitlab.com/team/one/-/tree/main":              "gitlab.com/team/one@main",
		`"github.com/google/uuid"`:                             "github.com/google/uuid",
		"go get github.com/google/uuid@latest":                 "github.com/google/uuid@latest",
		"./mine.git":                                           "./mine.git",
		"example.com/one@v1.0.0":                               "example.com/one@v1.0.0",
		"github.com/google/uuid@feature/tree":                  "github.com/google/uuid@feature/tree",
	} {
		if got := modules.PathOf(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if got := modules.PathOf("~/mine"); got != filepath.Join(home, "mine") {
		t.Error(got)
	}
	dir := world(t, someModules)
	if r, err := modules.Get(t.Context(), dir, "https://example.com/one.git@v1.0.0", nil); err != nil ||
		r.Module != "example.com/one" || r.Version != "v1.0.0" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestGetErrors(t *testing.T) {
	dir := world(t, someModules)
	tests := []struct{ query, message, note string }{
		{"", "there is no module to get", "github.com/google/uuid"},
		{"example.com/one example.com/two", `"example.com/one example.com/two" is not one module path`,
			"one module at a time"},
		{"-u", "-u is not a module path", "GOFLAGS"},
		{"fmt", "fmt is not a module path: the part before the first slash must be a host", "standard library"},
		{"https://example.com:8443/one", "example.com:8443/one is not a module path", "neither a scheme nor a port"},
		{"ftp://example.com/one", "ftp://example.com/one is not a module path", "neither a scheme nor a port"},
		{"github.com/duckdb/duckdb-go", "there is no module github.com/duckdb/duckdb-go", "it needs cgo"},
		{"example.com/...", "example.com/... stands for many packages", "by its path"},
		{"example.com/none", "there is no module example.com/none", "GOPRIVATE"},
		{"example.com/one@v1.7.0", "example.com/one has no version v1.7.0", "its versions are v1.0.0, v1.1.0"},
		{"example.com/one@v3", `example.com/one has no version v3`, "its versions are v1.0.0, v1.1.0"},
		{"example.com/one/nowhere", "module example.com/one v1.1.0 has no package example.com/one/nowhere", ""},
		{"example.com/other", "example.com/other calls itself example.com/renamed", "get example.com/renamed"},
		{"example.com/future", "example.com/future needs Go 1.999", "GOTOOLCHAIN"},
		{"./nowhere", "is not a folder", ""},
		{"testdata", "testdata is not a module path", "%get ./testdata"},
	}
	for _, test := range tests {
		_, err := modules.Get(t.Context(), dir, test.query, nil)
		var e *modules.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want an *Error", test.query, err)
			continue
		}
		if !strings.Contains(e.Message, test.message) || strings.Contains(e.Message, "\n") {
			t.Errorf("%s: message %q, want %q\n%s", test.query, e.Message, test.message, e.Output)
		}
		if !strings.Contains(strings.Join(e.Notes, "\n"), test.note) {
			t.Errorf("%s: notes %q, want %q", test.query, e.Notes, test.note)
		}
	}
	// What failed left nothing behind that another module would stumble over.
	if _, err := modules.Get(t.Context(), dir, "example.com/one", nil); err != nil {
		t.Error(err)
	}
}

func TestGetLocal(t *testing.T) {
	dir := world(t, someModules)
	const theirs = "module example.com/mine\n\ngo 1.21\n\nrequire (\n\texample.com/one v1.0.0\n\texample.com/beside v0.0.0\n)\n\nreplace example.com/beside => ../beside\n"
	root := tree(t, `
-- mine/go.mod --
`+theirs+`
-- mine/mine.go --
package mine

import (
	_ "example.com/beside"
	_ "example.com/mine/internal/secret"
	_ "example.com/one"
)
-- mine/internal/secret/s.go --
package secret
-- mine/inner/deep/d.go --
package deep
-- beside/go.mod --
module example.com/beside
-- beside/b.go --
package beside
-- nowhere/x.txt --
`)
	before, err := os.ReadFile(filepath.Join(root, "mine", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := modules.Get(t.Context(), dir, filepath.Join(root, "mine", "inner", "..."), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Module != "example.com/mine" || r.Dir != filepath.Join(root, "mine") ||
		!slices.Equal(r.Packages, []string{"example.com/mine", "example.com/mine/inner/deep"}) {
		t.Errorf("%+v", r)
	}
	for path, want := range map[string]string{
		"example.com/mine":                 "example.com/beside example.com/mine/internal/secret example.com/one example.com/mine",
		"example.com/mine/internal/secret": "example.com/mine/internal/secret", // the user's own
	} {
		if got := paths(load(t, dir, path)); got != want {
			t.Errorf("%s needs %s, want %s", path, got, want)
		}
	}
	t.Chdir(filepath.Join(root, "mine"))
	if r, err := modules.Get(t.Context(), dir, ".", nil); err != nil || r.Module != "example.com/mine" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := modules.Get(t.Context(), dir, filepath.Join(root, "nowhere"), nil); err == nil ||
		!strings.Contains(err.Error(), "is not inside a Go module") {
		t.Error(err)
	}
	if after, err := os.ReadFile(filepath.Join(root, "mine", "go.mod")); err != nil || string(after) != string(before) {
		t.Errorf("the user's go.mod became %s %v", after, err)
	}
	if _, err := os.Stat(filepath.Join(root, "mine", "go.sum")); err == nil {
		t.Error("the user's module got a go.sum")
	}
}

func TestCancelled(t *testing.T) {
	dir := world(t, someModules)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := modules.Get(ctx, dir, "example.com/one", nil)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
