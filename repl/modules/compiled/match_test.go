package compiled

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// folder makes a folder with a go.mod and a go.sum.
func folder(t *testing.T, goMod, goSum string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"go.mod": goMod, "go.sum": goSum} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLookup: a program serves sessions that have its modules at its versions, whatever else they have.
func TestLookup(t *testing.T) {
	Use("", "sum")
	t.Cleanup(func() { Use("", "") })
	const sum = "example.com/a v1.0.0 h1:a=\nexample.com/a v1.0.0/go.mod h1:am=\nexample.com/b v1.0.0 h1:b=\n"
	roots := []string{"example.com/a/p", "example.com/b"}
	first := folder(t, "module s\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0 // indirect\n)\n", sum)
	key := Key(first, roots)
	if key == "" {
		t.Skip("there is no go command")
	}
	store, file := madeOf(t, key)
	r := readResult(entry(store, key), key)
	r.Roots = roots
	r.Modules = versionsOf(first, []*listed{{Standard: true}, {Module: &module{Path: "example.com/a", Version: "v1.0.0"}},
		{Module: &module{Path: "example.com/b", Version: "v1.0.0"}}})
	if len(r.Modules) != 2 {
		t.Fatal(r.Modules)
	}
	share := func() {
		t.Helper()
		if err := writeResult(entry(store, key), key, r); err != nil {
			t.Fatal(err)
		}
		if err := r.share(store, key); err != nil {
			t.Fatal(err)
		}
	}
	share()
	find := func(dir string, roots []string) string {
		got, _ := Lookup(store, Key(dir, roots), dir, roots)
		return got
	}
	const more = "module s\n\nrequire example.com/a v1.0.0\n\nrequire (\n\texample.com/b v1.0.0\n\texample.com/c v1.0.0\n)\n"
	const moreSum = sum + "example.com/c v1.0.0 h1:c=\n"
	other := folder(t, more, moreSum)
	if got := find(other, roots); got != file {
		t.Errorf("with a module more: %q", got)
	}
	if got, _ := Find(store, Key(other, roots)); got != file {
		t.Errorf("the next session looks again: %q", got)
	}
	if got := find(folder(t, more, moreSum+"\n"), roots[:1]); got != "" {
		t.Error("other imports")
	}
	for name, files := range map[string][2]string{
		"another version":  {"module s\n\nrequire (\n\texample.com/a v1.1.0\n\texample.com/b v1.0.0\n)\n", sum + "example.com/a v1.1.0 h1:x=\n"},
		"other files":      {"module s\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n", "example.com/a v1.0.0 h1:x=\nexample.com/b v1.0.0 h1:b=\n"},
		"no files":         {"module s\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\n", "example.com/b v1.0.0 h1:b=\n"},
		"a module less":    {"module s\n\nrequire example.com/a v1.0.0\n", sum},
		"excluded":         {"module s\n\nrequire example.com/a v1.0.0\n\nexclude (\n\texample.com/b v1.0.0\n)\n", sum},
		"replaced":         {more + "\nreplace example.com/a => example.com/c v1.0.0\n", moreSum},
		"another's folder": {more + "\nreplace example.com/c => ../c\n", moreSum},
	} {
		if got := find(folder(t, files[0], files[1]), roots); got != "" {
			t.Errorf("%s: the program is used", name)
		}
	}
	index := filepath.Join(entry(store, rootsKey(roots)), resultFile)
	damages := map[string]func() error{
		"half a list": func() error { return os.Truncate(index, 70) },
		"no list":     func() error { return os.Remove(index) },
		"a damaged program": func() error {
			return os.WriteFile(filepath.Join(entry(store, key), resultFile), []byte("x"), 0o644)
		},
	}
	if runtime.GOOS != "windows" {
		damages["everybody writes the list"] = func() error { return os.Chmod(index, 0o666) }
	}
	n := 0
	for name, damage := range damages {
		n++
		again := folder(t, more, moreSum+string(slices.Repeat([]byte("\n"), n)))
		_ = os.RemoveAll(filepath.Dir(index))
		share()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got := find(again, roots); got != "" {
			t.Errorf("%s: the program is used", name)
		}
	}
	if versionsOf(first, []*listed{{Module: &module{Path: "example.com/d", Version: "v1.0.0"}}}) != nil {
		t.Error("a module that go.mod does not name")
	}
}
