package term

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the screens in testdata/screens")

// TestScreens plays keys to the front end in tmux, which is a terminal of its own, and compares what it shows. A file
// is a scenario: its comment has the size, the environment, and colour where styles matter; then come keys, and the
// screen that they lead to. A line of keys is text, or tmux's names of keys after @. Three more lines are paste TEXT,
// resize COLUMNSxLINES, and await TEXT, which waits until the screen has that text.
func TestScreens(t *testing.T) {
	files, err := filepath.Glob("testdata/screens/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := startScenario(t, string(a.Comment))
			for i, f := range a.Files {
				if f.Name == "keys" {
					s.play(string(f.Data))
					continue
				}
				if *update {
					a.Files[i].Data = []byte(s.settled())
				} else if got, ok := s.shows(string(f.Data)); !ok {
					t.Fatalf("step %d shows\n%s\nwant\n%s", i/2+1, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// scenario is a front end in tmux.
type scenario struct {
	t      *testing.T
	socket string
	colour bool
}

func startScenario(t *testing.T, head string) *scenario {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "term") // t.TempDir's paths are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\n[ -z \"$EDITOR_ASKS\" ] || { printf 'note: ' && read -r line && echo \"// $line\" >> $1; }\necho '// edited' >> $1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := &scenario{t: t, socket: filepath.Join(dir, "tmux")}
	size, env := "80x24", []string{"LC_ALL=C.UTF-8", "GOROCM_TERM_CHILD=1",
		"GOROCM_TERM_HISTORY=" + filepath.Join(dir, "history"), "NO_COLOR=", "COLORTERM=", "VISUAL=" + editor}
	for _, line := range strings.Split(strings.TrimSpace(head), "\n") {
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "size":
			size = rest
		case "env":
			env = append(env, strings.Fields(rest)...)
		case "colour":
			s.colour = true
		}
	}
	columns, lines, _ := strings.Cut(size, "x")
	command := "env " + strings.Join(env, " ") + " " + self +
		"; echo exit $?; stty -a | tr ';' '\\n' | grep -E 'eol2|icanon' | grep -oE -- '-?icanon|eol2.*'; exec sleep 1000"
	// A server in another locale still draws UTF-8; what the front end writes is its own affair.
	s.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", lines, command)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() })
	if strings.Contains(head, "GOROCM_TERM_SHELL") {
		s.wait("$")
		return s
	}
	s.wait("[1]:")
	s.wait("test session") // the banner comes when the session has begun, above what is typed meanwhile
	if n := strings.TrimSpace(s.tmux("display-message", "-p", "#{history_size}")); n != "0" {
		t.Errorf("the prompt that was there before the banner is left above the screen, in %s lines", n)
	}
	return s
}

// wait waits until the screen has a text.
func (s *scenario) wait(what string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(s.screen(), what); time.Sleep(15 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("the screen does not show %q:\n%s", what, s.screen())
		}
	}
}

func (s *scenario) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s *scenario) play(keys string) {
	s.t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(keys, "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "@"):
			for _, key := range strings.Fields(line) {
				s.tmux("send-keys", strings.TrimPrefix(key, "@"))
			}
		case word == "paste":
			s.tmux("set-buffer", strings.ReplaceAll(rest, `\n`, "\n"))
			s.tmux("paste-buffer", "-p", "-r")
		case word == "await":
			s.wait(rest)
		case word == "resize":
			columns, lines, _ := strings.Cut(rest, "x")
			s.tmux("resize-window", "-x", columns, "-y", lines)
		case line != "":
			s.tmux("send-keys", "-l", line)
		}
	}
}

// screen is what is shown, with the cursor as ▁ where it is.
func (s *scenario) screen() string {
	s.t.Helper()
	args := []string{"capture-pane", "-p"}
	if s.colour {
		args = append(args, "-e")
	}
	lines := strings.Split(withStyles(s.tmux(args...)), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(l, " "), "␛[m"), " ")
	}
	cursor := strings.TrimSpace(s.tmux("display-message", "-p", "#{cursor_y},#{cursor_x}"))
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\ncursor " + cursor + "\n"
}

// shows waits until the screen is as it should be.
func (s *scenario) shows(want string) (got string, ok bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		if got = s.screen(); got == want {
			return got, true
		}
		if time.Now().After(deadline) {
			return got, false
		}
	}
}

// settled waits until the screen no longer changes, which is good enough for somebody who reads the difference.
func (s *scenario) settled() string {
	s.t.Helper()
	last, same := "", 0
	for same < 25 {
		time.Sleep(20 * time.Millisecond)
		now := s.screen()
		if now == last {
			same++
		} else {
			last, same = now, 0
		}
	}
	return last
}

// TestSuspend stops the front end in a shell with job control, and goes on.
func TestSuspend(t *testing.T) {
	thorough.Slow(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	s := startScenario(t, "env GOROCM_TERM_SHELL=1")
	for _, step := range []struct{ keys, want string }{
		{"front\n@Enter", "[1]:"},
		{"half a", "[1]: half a"},
		{"@C-z", "Stopped"},
		{"stty -a | tr ';' '\\n' | grep -c eol2.*undef\n@Enter", "\n1\n"},
		{"fg\n@Enter", "[1]: half a\ncursor"},
		{" cell\n@Enter", `Out[1]: "half a cell"`},
		{"wait\n@Enter", "waiting"},
		{"@C-z", "Stopped"},
		{"clear; fg\n@Enter", " s  matmul_f32 on rocm:0"},
		{"@C-c", "Interrupted"},
		{"print still here\n@Enter", "still here\n[4]:"},
	} {
		s.play(step.keys)
		s.wait(step.want)
	}
}
