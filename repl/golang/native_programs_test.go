package golang

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/native"
)

// TestNativePrograms runs programs that become machine code, but for main and what main alone calls (try), and compares
// what they print with compiled Go: of some, the interpreted form does what Go leaves open in another way.
func TestNativePrograms(t *testing.T) {
	if why := native.Disabled(); why != "" {
		t.Skip(why)
	}
	t.Setenv("GOROCM_NATIVE", "always")
	files, err := filepath.Glob("testdata/native/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		if *update {
			regenerate(t, file)
		}
		for _, p := range readPrograms(t, file) {
			t.Run(p.name, func(t *testing.T) {
				var e *Engine
				if err := p.run([]string{strings.Replace(p.src, "package main", "", 1)}, func(n *Engine) { e = n }); err != nil {
					t.Error(err)
				}
				for _, n := range e.Natives() {
					if n.Why != "" && n.Name != "main" && n.Name != "try" {
						t.Errorf("%s is interpreted: %s", n.Name, n.Why)
					}
				}
			})
		}
	}
}
