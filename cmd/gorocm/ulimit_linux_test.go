package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// limited runs cells of a script under ulimit.
func limited(t *testing.T, limit, script string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/cells.go"
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c",
		"ulimit "+limit+" && exec \"$0\" run -k \"$1\" 2>&1", self, file)
	cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "HOME="+t.TempDir(), "NO_COLOR=1", "GOROCM_MEMORY=")
	out, _ := cmd.CombinedOutput() // it fails: cells do
	return string(out)
}

// TestTooLittleAddressSpace: a limit under which Go's own reservations hardly fit is told in a sentence.
func TestTooLittleAddressSpace(t *testing.T) {
	out := limited(t, "-v 2000000", "1 + 1")
	if want := "gorocm: ulimit -v allows 1.9 GiB of address space; "; !strings.HasPrefix(out, want) ||
		!strings.Contains(out, "at least 2.5 GiB (ulimit -v 2621440)") || strings.Count(out, "\n") != 1 {
		t.Error(out)
	}
}

// TestAddressSpace: under ulimit, cells that take too much end, and the session goes on.
func TestAddressSpace(t *testing.T) {
	thorough.Slow(t)
	const script = `x := [][]byte{}
for { x = append(x, bytes.Repeat([]byte{1}, 1<<20)) }
// %%
y := make([]byte, 3<<30)
// %%
func f(n int) int { return f(n+1) + 1 }
f(0)
// %%
m := map[int]string{}
for i := 0; ; i++ { m[i] = strings.Repeat("x", 1000) }
// %%
len(x) > 10`
	for _, limit := range thorough.Sample([]string{"-v 2621440", "-d 1000000"}, 2, 0) {
		out := limited(t, limit, script)
		if strings.Count(out, "RuntimeError: out of memory: ") != 3 || strings.Count(out, "Error: ") != 4 ||
			!strings.Contains(out, "RuntimeError: stack overflow: ") || !strings.HasSuffix(out, "\ntrue\n") {
			t.Errorf("%s: %s", limit, out)
		}
	}
}
