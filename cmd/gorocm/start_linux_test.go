package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/pty"
	"github.com/gorocm/gorocm/internal/thorough"
)

// session starts the program on a terminal and returns what it shows up to a text, with how long that took.
func session(tb testing.TB, home, until string, env ...string) (shown string, took time.Duration) {
	tb.Helper()
	master, slave, err := pty.Open(80, 24)
	if err != nil {
		tb.Skip(err)
	}
	defer master.Close()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), append([]string{"GOROCM_TEST_MAIN=1", "HOME=" + home, "XDG_STATE_HOME=",
		"XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=1"}, env...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	slave.Close()
	defer func() {
		_, _ = master.WriteString("\x04")
		_ = cmd.Wait()
	}()
	deadline := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer deadline.Stop()
	var all []byte
	buf := make([]byte, 4096)
	for {
		n, err := master.Read(buf)
		all = append(all, buf[:n]...)
		if bytes.Contains(all, []byte(until)) {
			return string(all), time.Since(begin)
		}
		if err != nil {
			tb.Fatalf("the program has ended without %q: %q", until, all)
		}
	}
}

// BenchmarkPrompt reports how long it takes from the start of the program to its first prompt.
func BenchmarkPrompt(b *testing.B) {
	home := b.TempDir()
	var took []time.Duration
	for b.Loop() {
		_, d := session(b, home, "[1]: ")
		took = append(took, d)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
}

// TestStartup: the cells of the start-up file run before the first prompt, and are not counted; --no-config and the
// configuration leave them out.
func TestStartup(t *testing.T) {
	thorough.Slow(t)
	home := t.TempDir()
	folder := filepath.Join(home, ".config", "gorocm")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("startup.go", "func hello() { fmt.Println(\"hello from the start\") }\n// %%\nhello()\n")
	if shown, _ := session(t, home, "[1]: "); !bytes.Contains([]byte(shown), []byte("hello from the start\r\n")) {
		t.Errorf("the start-up file has not run: %q", shown)
	}
	write("config.toml", "startup = \"\"\n")
	if shown, _ := session(t, home, "[1]: "); bytes.Contains([]byte(shown), []byte("hello")) {
		t.Errorf("the start-up file has run: %q", shown)
	}
	write("config.toml", "startup = \"missing.go\"\n")
	r := gorocm(t, home, "", "repl")
	if r.status != 0 || r.stderr != "" {
		t.Errorf("cells on a pipe do not need the start-up file: %+v", r)
	}
}
