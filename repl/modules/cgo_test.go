package modules_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules"
)

// halves has packages some of whose files need cgo: one with all of it in Go, a stub, one of which an exported name is
// missing, packages that use them, and a driver that is known.
const halves = `
-- example.com/h@v1.0.0/whole/c.go --
package whole

// int f(void) { return 1; }
import "C"

func F() int { return int(C.f()) }

func helper() int { return F() }
-- example.com/h@v1.0.0/whole/go.go --
//go:build !cgo

package whole

func F() int { return 1 }
-- example.com/h@v1.0.0/stub/c.go --
package stub

import "C"

type Conn struct{}

func (c *Conn) Close() {}
-- example.com/h@v1.0.0/stub/stub.go --
//go:build !cgo

package stub

type Conn struct{}

const Version = "1"
-- example.com/h@v1.0.0/usesstub/u.go --
package usesstub

import "example.com/h/stub"

const Version = stub.Version
-- example.com/h@v1.0.0/broken/c.go --
package broken

import "C"

type handle int
-- example.com/h@v1.0.0/broken/go.go --
package broken

type Window struct{ h handle }
-- example.com/h@v1.0.0/window/c.go --
package window

import "C"

type Window struct{}
-- example.com/h@v1.0.0/window/go.go --
package window

type Size int
-- example.com/h@v1.0.0/app/app.go --
package app

import "example.com/h/window"

type App struct{ w window.Window }
-- github.com/mattn/go-sqlite3@v1.14.0/c.go --
package sqlite3

import "C"

type Driver struct{}
-- github.com/mattn/go-sqlite3@v1.14.0/mock.go --
//go:build !cgo

package sqlite3

type Driver struct{}
-- gorm.io/driver/sqlite@v1.6.0/go.mod --
module gorm.io/driver/sqlite

require github.com/mattn/go-sqlite3 v1.14.0
-- gorm.io/driver/sqlite@v1.6.0/d.go --
package sqlite

import _ "github.com/mattn/go-sqlite3"
`

func TestCgo(t *testing.T) {
	thorough.Slow(t)
	dir := world(t, halves)
	get(t, dir, "example.com/h", "gorm.io/driver/sqlite")
	const sorry = " cannot be interpreted because c.go imports C (cgo)"
	for path, want := range map[string][]string{
		"example.com/h/whole":         nil,
		"example.com/h/usesstub":      nil,
		"example.com/h/stub":          {"example.com/h/stub" + sorry},
		"example.com/h/broken":        {"example.com/h/broken" + sorry, "undefined: handle"},
		"example.com/h/app":           {"example.com/h/window, which example.com/h/app imports," + sorry, "undefined: window.Window"},
		"github.com/mattn/go-sqlite3": {"github.com/mattn/go-sqlite3" + sorry, "modernc.org/sqlite"},
		"gorm.io/driver/sqlite":       {"github.com/mattn/go-sqlite3, which gorm.io/driver/sqlite imports," + sorry, "github.com/glebarez/sqlite"},
	} {
		fset := token.NewFileSet()
		set := modules.NewSet(dir, fset, newStd())
		checked, err := set.Load(t.Context(), path)
		if len(want) == 0 {
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			notes := strings.Join(modules.Notes(checked), "\n")
			if half := strings.HasSuffix(path, "usesstub"); half != (notes != "") ||
				half && notes != "example.com/h/stub is here without its files that need cgo: c.go" {
				t.Errorf("%s: notes %q", path, notes)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s can be imported", path)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %s", path, err, w)
			}
		}
	}
}
