package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl/modules/compiled"
)

// TestCompiledModules has a session compile a module with assembly, and a later one use it. It compiles gorocm.
func TestCompiledModules(t *testing.T) {
	if os.Getenv("GOROCM_TEST_MODULES") == "" {
		t.Skip("downloads modules, and compiles for minutes: GOROCM_TEST_MODULES=1")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	flags, err := compiled.LinkerFlags(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "gorocm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	run := func(cells ...string) string {
		t.Helper()
		var args []string
		for _, c := range cells {
			args = append(args, "-e", c)
		}
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "GOCACHE="+strings.TrimSpace(string(goCache)))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	const get, imports = "%get github.com/klauspost/cpuid/v2@v2.4.2", `import "github.com/klauspost/cpuid/v2"`
	const known = `cpuid.CPU.VendorString != ""`
	if out := run(get, imports, known, "%modules"); !strings.Contains(out, "v2.4.2, interpreted") ||
		!strings.Contains(out, "being compiled in the background") {
		t.Fatal(out)
	}
	for {
		results, err := filepath.Glob(filepath.Join(cache, "gorocm", "modules", "compiled", "*", "result"))
		if err != nil {
			t.Fatal(err)
		}
		made := 0
		for _, r := range results {
			if text, err := os.ReadFile(r); err == nil && strings.Contains(string(text), `"Took":`) &&
				!strings.Contains(string(text), `"Took":0`) {
				made++
			}
		}
		if made > 0 {
			break
		}
		time.Sleep(time.Second)
	}
	out := run(get, imports+"\n"+known, "%modules")
	if !strings.Contains(out, "v2.4.2, compiled") || !strings.Contains(out, "true\n") {
		t.Error(out)
	}
	if out := run("x := 1", get, imports, "%modules", "x"); !strings.Contains(out, "v2.4.2, interpreted") {
		t.Error(out)
	}
}
