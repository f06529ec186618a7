//go:build unix

package modules

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilled stops a go command that waits for a child of its own, as go get waits for git: both must go.
func TestKilled(t *testing.T) {
	bin := t.TempDir()
	pids := filepath.Join(bin, "pids")
	script := "#!/bin/sh\nif [ \"$1\" = env ]; then echo '{}'; exit; fi\nsleep 1000 &\necho $$ $! > " + pids +
		".new\nmv " + pids + ".new " + pids + "\nwait\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(pids); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := Get(ctx, filepath.Join(bin, "session"), "example.com/x", nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		for alive(pid) { // a signal takes effect in its own time; the test's own limit ends a wait in vain
			time.Sleep(time.Millisecond)
		}
	}
}

// alive reports whether a process runs: one that has ended and that no one has waited for does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
