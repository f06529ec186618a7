package worker

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestSplitReport(t *testing.T) {
	for _, tt := range []struct{ name, text, copy, output, crash string }{
		{"no report", "panic: not really\n", "", "panic: not really\n", ""},
		{"panic", "panic: boom\n\ngoroutine 1 [running]:\n", "panic: boom\n\ngoroutine 1 [running]:\n", "",
			"panic: boom\n\ngoroutine 1 [running]:\n"},
		{"output before it", "runtime: 12.3 s\nlate panic: boom\n\ngo", "panic: boom\n\ngo", "runtime: 12.3 s\nlate ",
			"panic: boom\n\ngo"},
		{"fatal error", "runtime: 12.3 s\nline\nfatal error: all asleep\n\ngoroutine 1", "\ngoroutine 1",
			"runtime: 12.3 s\nline\n", "fatal error: all asleep\n\ngoroutine 1"},
		{"fatal error after half a line", "half fatal error: all asleep\n\ngoroutine 1", "\ngoroutine 1", "half ",
			"fatal error: all asleep\n\ngoroutine 1"},
		{"stack overflow", "x\nruntime: goroutine stack exceeds\nruntime: sp=1\nfatal error: stack overflow\n\nruntime stack:\n", "\nruntime stack:\n", "x\n", "runtime: goroutine stack exceeds\nruntime: sp=1\nfatal error: stack overflow\n\nruntime stack:\n"},
		{"standard error is closed", "", "SIGQUIT: quit\nPC=1\n", "", "SIGQUIT: quit\nPC=1\n"},
		{"standard error was closed before", "panic: not really\n", "SIGQUIT: quit\nPC=1\n", "panic: not really\n",
			"SIGQUIT: quit\nPC=1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if output, crash := splitReport([]byte(tt.text), []byte(tt.copy)); string(output) != tt.output ||
				string(crash) != tt.crash {
				t.Errorf("output %q, want %q; crash %q, want %q", output, tt.output, crash, tt.crash)
			}
		})
	}
}

// errorOutput is standard error of a process that the test plays.
type errorOutput struct {
	*output
	w, crash *os.File
	read     chan struct{} // closed when all is read

	mu     sync.Mutex
	passed strings.Builder
}

func newErrorOutput(t *testing.T) *errorOutput {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	crashR, crashW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e := &errorOutput{w: w, crash: crashW, read: make(chan struct{})}
	e.output = newOutput(r, "\x01mark", newReport(crashR), func(s string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.passed.WriteString(s)
	})
	go func() { defer close(e.read); e.output.read() }()
	return e
}

func (e *errorOutput) write(t *testing.T, to io.StringWriter, text string) {
	t.Helper()
	if _, err := to.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// die ends the process. It returns what was passed on and what the runtime has said.
func (e *errorOutput) die() (passed, said string) {
	e.w.Close()
	e.crash.Close()
	<-e.read
	<-e.report.done
	e.drain()
	said = e.conclude(false)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.passed.String(), said
}

// TestHold: what looks like a crash report is output unless the runtime's copy says otherwise, however much of it there
// is and whatever follows.
func TestHold(t *testing.T) {
	long := strings.Repeat("a line\n", reportLimit/7+1)
	for _, tt := range []struct {
		name, text, copy string
		passed, said     string
	}{
		{"output", "panic: not really\nmore\n", "", "panic: not really\nmore\n", ""},
		{"much output", "runtime: 12.3 s\n" + long + long, "", "runtime: 12.3 s\n" + long + long, ""},
		{"with a mark", "fatal error: no\n\x01mark1\x00more\n", "", "fatal error: no\nmore\n", ""},
		{"crash", "before\npanic: boom\n\ngoroutine 1", "panic: boom\n\ngoroutine 1", "before\n",
			"panic: boom\n\ngoroutine 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newErrorOutput(t)
			e.goOn(1)
			e.write(t, e.w, tt.text)
			e.write(t, e.crash, tt.copy)
			if passed, said := e.die(); passed != tt.passed || said != tt.said {
				t.Errorf("passed on %d bytes, want %d; said %q, want %q", len(passed), len(tt.passed), said, tt.said)
			}
		})
	}
}

// TestHeldWhileDying: once the runtime has begun its report, nothing is output until the process is gone, even if that
// takes long.
func TestHeldWhileDying(t *testing.T) {
	e := newErrorOutput(t)
	e.write(t, e.crash, "panic: slow\n")
	<-e.report.begun
	e.write(t, e.w, "panic: slow\n")
	for held := false; !held; {
		e.turn.Lock()
		if held = len(e.held) > 0; held {
			e.release() // as the timer does
		}
		e.turn.Unlock()
	}
	e.write(t, e.w, "\ngoroutine 1 [running]:\n")
	e.write(t, e.crash, "\ngoroutine 1 [running]:\n")
	const want = "panic: slow\n\ngoroutine 1 [running]:\n"
	if passed, said := e.die(); passed != "" || said != want {
		t.Errorf("passed on %q, said %q", passed, said)
	}
}
