package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorocm/gorocm/internal/pty"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/tour"
)

// TestTour: the tour on terminals of three widths, without colours. No chart or tensor is wider than the terminal.
func TestTour(t *testing.T) {
	thorough.Slow(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, _, steps := tour.Steps()
	for _, columns := range []int{40, 80, 160} {
		master, slave, err := pty.Open(columns, 24)
		if err != nil {
			t.Skip(err)
		}
		defer master.Close()
		cmd := exec.Command(self, "tour")
		cmd.Env = append(os.Environ(), "GOROCM_TEST_MAIN=1", "HOME="+t.TempDir(), "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		deadline := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
		defer deadline.Stop()
		if _, err := master.WriteString(strings.Repeat("\n", len(steps))); err != nil {
			t.Fatal(err)
		}
		all, _ := io.ReadAll(master) // ends with the program, by an error
		if err := cmd.Wait(); err != nil {
			t.Errorf("%d columns: %v\n%s", columns, err, all)
		}
		text := strings.ReplaceAll(string(all), "\r", "")
		for _, want := range []string{"Out[1]", "78498", "Jupiter", "Tensor[[3, 4], f32]", "┤", "variable]", "inner sizes differ", "planets"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: no %q", columns, want)
			}
		}
		if strings.Contains(text, "\x1b[3") {
			t.Errorf("%d columns: there are colours", columns)
		}
		for line := range strings.Lines(text) { // cells and what they print may be wrapped
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > columns && (strings.ContainsAny(line, "┤│└") || strings.HasSuffix(line, "]")) && !strings.Contains(line, ":") {
				t.Errorf("%d columns at %d: %s", n, columns, line)
			}
		}
	}
}
