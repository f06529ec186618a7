package worker

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSlowCrash checks that a crash whose text is written so slowly that its beginning was passed on is still known as one, and that
// text before a mark is not.
func TestSlowCrash(t *testing.T) {
	for _, tt := range []struct{ name, after, want string }{
		{"crash", "", "fatal error: slow\n"},
		{"went on", "\x01mark1\x00", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			var passed strings.Builder
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			o := newOutput(r, "\x01mark", func(s string) {
				mu.Lock()
				defer mu.Unlock()
				passed.WriteString(s)
			})
			o.goOn(1)
			done := make(chan struct{})
			go func() { defer close(done); o.read() }()
			_, _ = w.WriteString("fatal error: slow\n") // errors of a pipe whose reader is alive do not happen
			for deadline := time.Now().Add(time.Minute); o.toldText() == ""; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the text is held back for ever")
				}
			}
			_, _ = w.WriteString(tt.after + "more\n")
			w.Close()
			<-done
			if got := o.toldText(); got != tt.want || passed.String() != "fatal error: slow\nmore\n" {
				t.Errorf("told %q, passed on %q", got, passed.String())
			}
		})
	}
}
