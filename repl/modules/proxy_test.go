package modules_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gorocm/gorocm/repl/modules/modulestest"
)

// world is a module proxy in a folder, and settings under which the go command asks it alone.
func world(t *testing.T, archive string) (dir string) {
	t.Helper()
	needGo(t)
	return modulestest.World(t, archive)
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree writes the files of an archive into a new folder.
func tree(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	return dir
}
