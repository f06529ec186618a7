package modules_test

import (
	"encoding/pem"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

// TestWorkspace: the modules of a work space see each other as they do with the go command, and its replace lines hold.
func TestWorkspace(t *testing.T) {
	dir := world(t, `
-- example.com/far@v1.0.0/far.go --
package far

const Where = "proxy"
`)
	root := tree(t, `
-- go.work --
go 1.26

use (
	./app
	./lib
)

replace example.com/far => ./near
-- app/go.mod --
module example.com/app

go 1.26
-- app/app.go --
package app

import (
	_ "example.com/far"
	_ "example.com/lib"
)
-- lib/go.mod --
module example.com/lib

go 1.26

require example.com/far v1.0.0
-- lib/lib.go --
package lib
-- near/go.mod --
module example.com/far
-- near/far.go --
package far
-- alone/go.mod --
module example.com/alone
-- alone/a.go --
package alone

import _ "example.com/lib"
`)
	get(t, dir, filepath.Join(root, "app"))
	pkgs := load(t, dir, "example.com/app")
	if got := paths(pkgs); got != "example.com/far example.com/lib example.com/app" ||
		pkgs[0].Dir != filepath.Join(root, "near") || pkgs[1].Dir != filepath.Join(root, "lib") {
		t.Errorf("%s: %+v", got, pkgs)
	}
	// a module that the work space does not use
	other := filepath.Join(t.TempDir(), "session")
	get(t, other, filepath.Join(root, "alone"))
	if _, err := modules.Load(t.Context(), other, "example.com/alone", known); err == nil {
		t.Error("a module sees a work space that it is not in")
	}
	t.Setenv("GOWORK", "off")
	off := filepath.Join(t.TempDir(), "session")
	get(t, off, filepath.Join(root, "app"))
	if _, err := modules.Load(t.Context(), off, "example.com/app", known); err == nil {
		t.Error("GOWORK=off does not hold")
	}
}

// TestVendored: a vendor folder, which may hold less than the session needs, does not stand in the way.
func TestVendored(t *testing.T) {
	dir := world(t, `
-- example.com/dep@v1.0.0/dep.go --
package dep
-- example.com/dep@v1.0.0/more/more.go --
package more
`)
	root := tree(t, `
-- go.mod --
module example.com/own

go 1.26

require example.com/dep v1.0.0
-- own.go --
package own

import _ "example.com/dep"
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit
example.com/dep
-- vendor/example.com/dep/dep.go --
package dep

this does not compile
`)
	get(t, dir, root)
	if got := paths(load(t, dir, "example.com/own")); got != "example.com/dep example.com/own" {
		t.Error(got)
	}
	if got := paths(load(t, dir, "example.com/dep/more")); got != "example.com/dep/more" {
		t.Error(got)
	}
}

// TestVendoredOnly: what cannot be downloaded is taken from the vendor folder of a module of one's own.
func TestVendoredOnly(t *testing.T) {
	dir := world(t, "")
	root := tree(t, `
-- go.mod --
module example.com/own

go 1.26

require (
	example.com/dep v1.0.0
	example.com/gone v1.0.0
)
-- own.go --
package own

import _ "example.com/dep"
-- sub/sub.go --
package sub

import _ "example.com/gone"
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit
example.com/dep
# example.com/gone v1.0.0
## explicit
-- vendor/example.com/dep/dep.go --
package dep
`)
	get(t, dir, root)
	list := load(t, dir, "example.com/own")
	if got := paths(list); got != "example.com/dep example.com/own" {
		t.Fatal(got)
	}
	if d := list[0]; d.Version != "v1.0.0" || d.Dir != filepath.Join(root, "vendor", "example.com", "dep") {
		t.Errorf("%+v", d)
	}
	if got := paths(load(t, dir, "example.com/dep")); got != "example.com/dep" {
		t.Error(got)
	}
	if _, err := modules.Load(t.Context(), dir, "example.com/own/sub", known); err == nil ||
		!strings.Contains(err.Error(), "example.com/gone") {
		t.Error(err)
	}
}

// TestPrivate: what GOPRIVATE and a netrc file say holds: a module that only those may have who have a password.
func TestPrivate(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the certificate of the server is named by SSL_CERT_FILE")
	}
	dir := world(t, `
-- corp.example/secret@v1.2.3/s.go --
package secret
`)
	files := http.FileServer(http.Dir(strings.TrimPrefix(os.Getenv("GOPROXY"), "file://")))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "ada" || password != "lovelace" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	home := t.TempDir()
	cert := filepath.Join(home, "cert.pem")
	write(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	netrc := filepath.Join(home, "netrc")
	t.Setenv("SSL_CERT_FILE", cert)
	t.Setenv("NETRC", netrc)
	t.Setenv("GOPROXY", server.URL)
	t.Setenv("GOSUMDB", "sum.golang.org") // which must not be asked
	t.Setenv("GOPRIVATE", "corp.example/*")
	t.Setenv("GONOPROXY", "none")
	if _, err := modules.Get(t.Context(), dir, "corp.example/secret", nil); err == nil {
		t.Error("a module that needs a password came without one")
	}
	write(t, netrc, []byte("machine "+server.Listener.Addr().String()+" login ada password lovelace\n"))
	if r, err := modules.Get(t.Context(), dir, "corp.example/secret", nil); err != nil || r.Version != "v1.2.3" {
		t.Error(r, err)
	}
	if got := paths(load(t, dir, "corp.example/secret")); got != "corp.example/secret" {
		t.Error(got)
	}
}

// TestNewerGo: a module that asks for a newer Go is refused with what to do, where the go command may not fetch it.
func TestNewerGo(t *testing.T) {
	dir := world(t, `
-- example.com/future@v1.0.0/go.mod --
module example.com/future

go 1.99
-- example.com/future@v1.0.0/f.go --
package future
`)
	_, err := modules.Get(t.Context(), dir, "example.com/future", nil)
	if err == nil || !strings.Contains(err.Error(), "needs Go 1.99") {
		t.Error(err)
	}
	root := tree(t, "-- go.mod --\nmodule example.com/own\n\ngo 1.99\n-- own.go --\npackage own\n")
	if _, err = modules.Get(t.Context(), dir, root, nil); err == nil {
		_, err = modules.Load(t.Context(), dir, "example.com/own", known)
	}
	if err == nil || !strings.Contains(err.Error(), "1.99") {
		t.Error(err)
	}
}

// TestSavedLocal: a module with the session's requirements is one that go build takes.
func TestSavedLocal(t *testing.T) {
	thorough.Slow(t)
	dir := world(t, `
-- example.com/far@v1.0.0/far.go --
package far

const Where = "proxy"
-- example.com/unused@v1.0.0/u.go --
package unused
`)
	root := tree(t, `
-- app/go.mod --
module example.com/app

go 1.24

require (
	example.com/far v1.0.0
	example.com/lib v0.0.0
	example.com/unused v1.0.0
)

replace example.com/lib => ../lib
-- app/app.go --
package app

import (
	"example.com/far"
	"example.com/lib"
)

const Where = far.Where + lib.Name
-- lib/go.mod --
module example.com/lib
-- lib/lib.go --
package lib

const Name = "lib"
-- saved/main.go --
package main

import "example.com/app"

func main() { print(app.Where) }
`)
	get(t, dir, filepath.Join(root, "app"))
	set := modules.NewSet(dir, token.NewFileSet(), newStd())
	if _, err := set.Load(t.Context(), "example.com/app"); err != nil {
		t.Fatal(err)
	}
	mod, sum := set.ModFile("saved")
	saved := filepath.Join(root, "saved")
	write(t, filepath.Join(saved, "go.mod"), []byte(mod))
	write(t, filepath.Join(saved, "go.sum"), []byte(sum))
	run := exec.Command("go", "run", ".")
	run.Dir, run.Env = saved, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := run.CombinedOutput(); err != nil || string(out) != "proxylib" {
		t.Errorf("%s %v\n%s", out, err, mod)
	}
}
