package repl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAutoreload: a package of a local module that has changed is loaded again before the next cell, if that is on.
func TestAutoreload(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // for the session's modules
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/app\n\ngo 1.26\n")
	write("lib/lib.go", "package lib\n\nfunc V() string { return \"first\" }\n")
	s := newSession(t)
	show := func(code string) (shown string) {
		t.Helper()
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) { shown += e.Text + e.Data.Text() })
		if r.Err != nil {
			shown += r.Err.Text(false)
		}
		return shown
	}
	if got := show("%get " + dir); strings.Contains(got, "CommandError") {
		t.Skip("a folder cannot be added here: ", got)
	}
	if got := show("import \"example.com/app/lib\"\nlib.V()"); got != `"first"` {
		t.Fatal(got)
	}
	write("lib/lib.go", "package lib\n\nfunc V() string { return \"second one\" }\n")
	if got := show("lib.V()"); got != `"first"` {
		t.Errorf("off: %s", got)
	}
	show("%autoreload on")
	if got := show("lib.V()"); !strings.HasSuffix(got, `"second one"`) || !strings.Contains(got, "has changed") {
		t.Errorf("on: %s", got)
	}
	if got := show("lib.V()"); got != `"second one"` {
		t.Errorf("unchanged: %s", got)
	}
	write("a/a.go", "package a\n\nconst W = \"deep\"\n")
	write("lib/lib.go", "package lib\n\nimport \"example.com/app/a\"\n\nfunc V() string { return a.W }\n")
	if got := show("lib.V()"); !strings.HasSuffix(got, `"deep"`) {
		t.Errorf("an import: %s", got)
	}
	write("a/a.go", "package a\n\nconst W = \"deeper\"\n")
	if got := show("lib.V()"); !strings.HasSuffix(got, `"deeper"`) {
		t.Errorf("an import has changed: %s", got)
	}
	show("%autoreload off")
	write("a/a.go", "package a\n\nconst W = \"deepest\"\n")
	if got := show("import \"example.com/app/a\"\na.W") + show("import \"example.com/app/lib\"\nlib.V()"); strings.Count(got, "deepest") != 2 {
		t.Errorf("an import was loaded again before: %s", got)
	}
	show("%autoreload on")
	write("lib/lib.go", "package lib\n\nfunc V() string { return 3 }\n")
	if got := show("1 + 1"); !strings.Contains(got, "lib.go") {
		t.Errorf("a mistake: %s", got)
	}
	if got := show("%autoreload off") + show("%autoreload"); !strings.HasSuffix(got, "off\n") {
		t.Errorf("off again: %s", got)
	}
}
