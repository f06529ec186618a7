package repl

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/history"
)

// TestHistoryOfAllSessions: %history -g looks into the file that terminals and kernels write.
func TestHistoryOfAllSessions(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	store := history.Open(history.File(), slog.New(slog.DiscardHandler))
	for i, cell := range []string{"x.MatMul(y)", "func f() {\n\tx[0] = 1\n}", "x.MatMul(y)", "1 + 1"} {
		store.Add(i+1, cell, "")
	}
	store.Close()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct{ command, want string }{
		{"%history -g MatMul", "x.MatMul(y)\n"},
		{"%history -n -g MatMul", "1/3: x.MatMul(y)\n"},
		{"%history -g Mat?ul*y", "x.MatMul(y)\n"},
		{"%history -g x[0]", "func f() {\n\tx[0] = 1\n}\n"},
		{"%history -g -l 1", "1 + 1\n"},
		{"%history -g nothing", "no cell of any session has \"nothing\"\n"},
	} {
		var out strings.Builder
		r := s.Eval(context.Background(), Request{Code: c.command}, func(e Event) { out.WriteString(e.Text) })
		if r.Err != nil || out.String() != c.want {
			t.Errorf("%s: %q, %v; want %q", c.command, out.String(), r.Err, c.want)
		}
	}
}

// TestNoHistoryFolder: without a folder for the history, what is asked of it says so.
func TestNoHistoryFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", file)
	if got := testSession(t, "%history -g x"); !strings.Contains(got, "no folder for it can be made") {
		t.Error(got)
	}
}
