package selftest

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// tail keeps the last lines written to it, up to the end of the process. Any goroutine may write.
//
// A driver that ends the process by abort says why. Go then adds a hundred lines about goroutines and registers, of
// which only the first is kept.
type tail struct {
	mu    sync.Mutex
	text  []byte
	ended bool
}

const (
	tailBytes = 4 << 10
	tailLines = 20
)

// signalLine is the first line that Go's runtime writes when a signal in C code ends the process.
var signalLine = regexp.MustCompile(`(?m)^SIG[A-Z]+: .*\n`)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return len(p), nil
	}
	t.text = append(t.text, p...)
	if m := signalLine.FindIndex(t.text); m != nil {
		t.text, t.ended = t.text[:m[1]], true
	}
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = bytes.Clone(t.text[extra:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
