//go:build unix

package worker

import (
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl"
	"github.com/gorocm/gorocm/repl/modules/compiled"
	"github.com/gorocm/gorocm/repl/modules/modulestest"
)

const slowArchive = `
-- example.com/m@v1.0.0/m.go --
package m

import "time"

func init() { time.Sleep(time.Second) }
-- example.com/m@v1.0.0/n/n.go --
package n

import "time"

func init() { time.Sleep(time.Second) }
`

// TestTellsBuild: a build in the background is told of once in a session, and not in scripts.
func TestTellsBuild(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("TEST_SOURCE_SUM", "sum")
	compiled.Use("", "sum")
	t.Cleanup(func() { compiled.Use("", "") })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	for _, c := range []struct {
		name  string
		stdin *os.File // of a script
		want  []string
	}{
		{"session", nil, []string{"", "gorocm is built with example.com/m compiled in", ""}},
		{"script", nothing, []string{"", "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Start(Options{Command: []string{self, "serve-worker"}, Version: "test", Stdin: c.stdin,
				Modules: modulestest.World(t, slowArchive)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			for i, code := range []string{"%get example.com/m", `import _ "example.com/m"`, `import _ "example.com/m/n"`} {
				var told string
				r := s.Eval(t.Context(), repl.Request{Code: code}, func(e repl.Event) {
					if e.Kind == repl.Notice && strings.Contains(e.Text, "is built") {
						told += e.Text
					}
				})
				if r.Err != nil || !strings.HasPrefix(told, c.want[i]) || c.want[i] == "" && told != "" {
					t.Errorf("%s: %v, %q", code, r.Err, told)
				}
			}
		})
	}
}
