package owned

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	if err := Check(dir); err != nil {
		t.Errorf("a folder that does not exist: %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Check(dir); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing of who may write")
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if Check(dir) == nil {
		t.Error("a folder that everybody may write to is taken")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder to another user")
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if Check(dir) == nil || IsOurs(f) {
		t.Error("a folder of another user is taken")
	}
}

func TestReplaceable(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "", filepath.Join(folder, "new"): "", folder: "",
		os.DevNull: os.DevNull + " is a device: a file would take its place"} {
		got := ""
		if err := Replaceable(path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
