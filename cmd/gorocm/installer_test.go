package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// fakeGo is a Go command for install.sh: it says its version, and builds a program that tells how it was called.
const fakeGo = `#!/bin/sh
case $1 in
env) echo "$FAKE_VERSION" ;;
build)
	while [ "$1" != -o ]; do shift; done
	printf '#!/bin/sh\necho "ran: $1"\n' >"$2"
	chmod +x "$2" ;;
esac
`

// installer runs install.sh with a fake Go, from another folder, and returns its output and exit status.
func installer(t *testing.T, home, goVersion string, env []string, args ...string) (string, int) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell here")
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(home, "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(fakeGo), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), shell, append([]string{script}, args...)...)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + tools + ":/usr/bin:/bin", "FAKE_VERSION=" + goVersion}, env...)
	out, _ := cmd.CombinedOutput() // the status says it
	return string(out), cmd.ProcessState.ExitCode()
}

func TestInstaller(t *testing.T) {
	thorough.Slow(t)
	for _, c := range []struct {
		name, version, place string
		env                  []string
		status               int
		says                 string
	}{
		{"home", "go1.26.0", ".local/bin", nil, 0, "is not on PATH"},
		{"later Go", "go1.30rc1", ".local/bin", nil, 0, "go1.30rc1 ("},
		{"development Go", "devel go1.27-abcdef", ".local/bin", nil, 0, "devel go1.27-abcdef ("},
		{"prefix with a space", "go1.26", "a b/bin", []string{"PREFIX=a b"}, 0, "ran: doctor"},
		{"GOBIN", "go1.26", "gobin", []string{"GOBIN=gobin"}, 0, "ran: install"},
		{"old Go", "go1.25.3", "", nil, 1, "this is go1.25.3, and gorocm needs Go 1.26"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "it's a home")
			for range 2 { // it may be repeated
				out, status := installer(t, home, c.version, c.env)
				if status != c.status || !strings.Contains(out, c.says) {
					t.Fatalf("exit %d:\n%s", status, out)
				}
			}
			if c.status != 0 {
				return
			}
			program := filepath.Join(home, filepath.FromSlash(c.place), "gorocm")
			files, err := os.ReadDir(filepath.Dir(program))
			if err != nil || len(files) != 1 || files[0].Name() != "gorocm" {
				t.Fatalf("installed: %v, %v", files, err)
			}
			if out, status := installer(t, home, c.version, c.env, "--uninstall"); status != 0 ||
				!strings.Contains(out, "ran: uninstall") {
				t.Errorf("uninstall: exit %d:\n%s", status, out)
			}
			if _, err := os.Stat(program); !os.IsNotExist(err) {
				t.Errorf("after uninstall: %v", err)
			}
		})
	}
	if out, status := installer(t, t.TempDir(), "go1.26", nil, "--help"); status != 0 || !strings.Contains(out, "PREFIX") {
		t.Errorf("--help: exit %d: %s", status, out)
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// Before anything is built.
	if out, status := installer(t, home, "go1.26", []string{"PREFIX=file"}); status != 1 ||
		!strings.Contains(out, "file/bin cannot be made") || strings.Contains(out, "Build") {
		t.Errorf("a folder that cannot be made: exit %d: %s", status, out)
	}
	if out, status := installer(t, t.TempDir(), "go1.26", nil, "--help-me"); status == 0 ||
		!strings.Contains(out, "unknown argument --help-me") {
		t.Errorf("exit %d: %s", status, out)
	}
}
