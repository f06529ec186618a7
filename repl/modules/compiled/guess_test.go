package compiled

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestGuess: a session with %get commands that none had before is told of the program that was used last of those with
// their modules.
func TestGuess(t *testing.T) {
	Use("", "sum")
	t.Cleanup(func() { Use("", "") })
	const mod = "module s\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n"
	const sum = "example.com/a v1.0.0 h1:a=\nexample.com/b v1.0.0 h1:b=\n"
	first, roots := folder(t, mod, sum), []string{"example.com/a/p"}
	key := Key(first, roots)
	if key == "" {
		t.Skip("there is no go command")
	}
	store, file := madeOf(t, key)
	dir := entry(store, key)
	r := readResult(dir, key)
	r.Roots, r.Modules = roots, versions{"example.com/a": "v1.0.0 h1:a=", "example.com/b": "v1.0.0 h1:b="}
	if err := errors.Join(writeResult(dir, key, r), copyFile(filepath.Join(dir, "go.mod"), filepath.Join(first, "go.mod")),
		copyFile(filepath.Join(dir, "go.sum"), filepath.Join(first, "go.sum"))); err != nil {
		t.Fatal(err)
	}
	have := map[string]string{"example.com/a": "v1.0.0 h1:a=", "example.com/b": "v1.0.0 h1:b=", "example.com/c": "v1.0.0 h1:c="}
	for _, test := range []struct {
		name string
		gets []string
		have map[string]string
		want string
	}{
		{"the module", []string{"example.com/a"}, nil, file},
		{"a package, at a version", []string{"example.com/a/q@v1.0.0", "https://example.com/b.git"}, nil, file},
		{"a branch", []string{"example.com/a@main"}, nil, file},
		{"with another module", []string{"example.com/a"}, have, file},
		{"another version", []string{"example.com/a@v1.1.0"}, nil, ""},
		{"another module", []string{"example.com/a", "example.com/c"}, nil, ""},
		{"a name that begins so", []string{"example.com/ab"}, nil, ""},
		{"other files", []string{"example.com/a"}, map[string]string{"example.com/a": "v1.0.0 h1:x=", "example.com/b": "v1.0.0 h1:b="}, ""},
		{"nothing", nil, nil, ""},
	} {
		if got := Guess(store, test.gets, test.have); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	gets := []string{"example.com/a"}
	Use("", "another gorocm")
	if got := Guess(store, gets, nil); got != "" {
		t.Error("made by another gorocm")
	}
	Use("", "sum")
	other := Key(first, []string{"example.com/b"})
	newer := filepath.Join(entry(store, other), program())
	if err := errors.Join(os.CopyFS(entry(store, other), os.DirFS(dir)),
		os.WriteFile(filepath.Join(entry(store, other), keyFile), []byte(other), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(newer, 0o755); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(newer)
	if err != nil {
		t.Fatal(err)
	}
	r.Roots, r.Modified = []string{"example.com/b"}, st.ModTime().UnixNano()
	if err := writeResult(entry(store, other), other, r); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(entry(store, other), resultFile), later, later); err != nil {
		t.Fatal(err)
	}
	if got := Guess(store, gets, nil); got != newer {
		t.Errorf("not the one that was used last: %q", got)
	}
}
