package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// TestStreamsInOrder: what a cell writes to standard output and standard error comes in the order in which it was
// written.
func TestStreamsInOrder(t *testing.T) {
	c := startTest(t)
	for _, tt := range []struct{ name, code, want string }{
		{"print", `for range 50 { println("a"); fmt.Println("b"); fmt.Fprintln(os.Stderr, "c"); os.Stdout.WriteString("d\n") }`, "stderr a stdout b stderr c stdout d "},
		{"log", `import "log/slog"
log.SetFlags(0)
h := slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { if a.Key == "msg" { return a }; return slog.Attr{} }})
for range 50 { log.Print("a"); fmt.Println("b"); slog.New(h).Info("c"); os.Stdout.Write([]byte("d\n")) }`, "stderr a stdout b stderr msg=c stdout d "},
		{"goroutine", `for range 50 { println("a"); done := make(chan bool); go func() { fmt.Println("b"); close(done) }(); <-done }`, "stderr a stdout b "},
		{"like a crash", `for range 50 { println("panic: a"); fmt.Println("b") }`, "stderr panic: a stdout b "},
		{"shell", "!for i in $(seq 50); do echo a >&2; echo b; done", "stdout a stdout b "},
		{"before the shell", "println(\"a\")\n!echo b", "stderr a stdout b "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r := c.Eval(ctx, repl.Request{Code: tt.code}, func(e repl.Event) {
				for line := range strings.Lines(e.Text) {
					got.WriteString(e.Name + " " + strings.TrimSuffix(line, "\n") + " ")
				}
			})
			rounds := strings.Count(tt.code, "50") * 49
			if want := strings.Repeat(tt.want, 1+rounds); r.Err != nil || got.String() != want {
				t.Errorf("%v\ngot  %.300s\nwant %.300s", r.Err, got.String(), want)
			}
		})
	}
}

// TestRedirected: a file that a cell has put in the place of standard error, as a C library's log does, has what was
// written to it and nothing else.
func TestRedirected(t *testing.T) {
	c := startTest(t)
	file := filepath.Join(t.TempDir(), "log")
	r, out := eval(t, c, fmt.Sprintf(`f, err := os.Create(%q)
syscall.Dup2(int(f.Fd()), 2)
fmt.Println("a")
Display(1)
fmt.Fprintln(os.Stderr, "log")
fmt.Println("b")`, file))
	text, err := os.ReadFile(file)
	if r.Err != nil || err != nil || out != "a\n[1]\nb\n" || string(text) != "log\n" {
		t.Errorf("%v, %v: output %q, file %q", r.Err, err, out, text)
	}
}
