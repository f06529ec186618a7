package compiled

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/modules/modulestest"
)

const ownArchive = `
-- github.com/gorocm/gorocm@v0.2.0/go.mod --
module github.com/gorocm/gorocm

go 1.26
-- github.com/gorocm/gorocm@v0.2.0/go.sum --
-- github.com/gorocm/gorocm@v0.2.0/cmd/gorocm/main.go --
package main

import _ "github.com/gorocm/gorocm/lib"

func main() {}
-- github.com/gorocm/gorocm@v0.2.0/lib/lib.go --
package lib
-- github.com/gorocm/gorocm@v0.2.0/README.md --
A module.
`

// TestReleasedSource: a release downloads its source, as does what go install has built. It is not used if it is not
// what the program was built from.
func TestReleasedSource(t *testing.T) {
	thorough.Slow(t)
	dir := modulestest.World(t, ownArchive)
	t.Cleanup(func() { Use("", "") })
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	tool, err := newTool(t.Context(), dir, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.run(t.Context(), dir, "mod", "download", "-json", modulePath+"@v0.2.0")
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	sum, err := SourceSum(t.Context(), m.Dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := SourceSum(t.Context(), m.Dir, "plan9/386"); err != nil || other != sum {
		t.Errorf("another system has other files: %v", err)
	}
	for _, c := range []struct{ name, version, sum, want string }{
		{"release", "v0.2.0", sum, ""},
		{"go install", "v0.2.0", m.Sum, ""},
		{"another release", "v0.2.0", strings.Repeat("ab", 32), "is not what this program was built from"},
		{"another module", "v0.2.0", "h1:no=", "is not what this program was built from"},
		{"not published", "v0.3.0", sum, "the source of gorocm v0.3.0 cannot be downloaded"},
	} {
		sourceFolder, sourceVersion, sourceSum = "", c.version, c.sum
		s, err := tool.source(t.Context(), dir)
		if c.want == "" {
			if err != nil || s.folder != m.Dir || len(s.host) < 2 {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, file := range []string{"lib/lib.go", "README.md"} { // someone has changed the module cache
		name := filepath.Join(m.Dir, filepath.FromSlash(file))
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("// more\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []string{sum, m.Sum} {
		sourceFolder, sourceVersion, sourceSum = "", "v0.2.0", s
		if _, err := tool.source(t.Context(), dir); err == nil {
			t.Errorf("%s: source that was changed is used", s)
		}
	}
	Use("", "")
	useModule(debug.Module{Path: modulePath, Version: "(devel)"})
	if sourceSum != "" {
		t.Error("what was not built from a version has no source")
	}
	useModule(debug.Module{Path: modulePath, Version: "v0.2.0", Sum: m.Sum})
	if sourceVersion != "v0.2.0" || sourceSum != m.Sum {
		t.Error(sourceVersion, sourceSum)
	}
}
