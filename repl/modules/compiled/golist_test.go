package compiled

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOtherGo: a go command of another version gets the version that gorocm was built with, if its settings allow it.
func TestOtherGo(t *testing.T) {
	real, err := exec.LookPath("go")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs a go command, and scripts")
	}
	for _, c := range []struct{ toolchain, want string }{
		{"auto", ""},
		{"go1.2+auto", ""},
		{"local", "and the go command is go1.2"},
		{"path", "and the go command is go1.2"},
	} {
		bin := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\nif [ \"$GOTOOLCHAIN\" = %s ]; then exec %s \"$@\"; fi\n"+
			"echo '{\"GOVERSION\": \"go1.2\", \"GOFLAGS\": \"-tags=x\", \"GOTOOLCHAIN\": \"%s\"}'\n",
			runtime.Version(), real, c.toolchain)
		if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":/bin:/usr/bin")
		t.Setenv("GOTOOLCHAIN", c.toolchain)
		tool, err := newTool(t.Context(), t.TempDir(), io.Discard)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.toolchain, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.toolchain, err)
			continue
		}
		if out, err := tool.run(t.Context(), t.TempDir(), "env", "GOVERSION"); err != nil ||
			strings.TrimSpace(string(out)) != runtime.Version() {
			t.Errorf("%s: %s %v", c.toolchain, out, err)
		}
	}
}
