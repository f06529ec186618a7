package modules

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOwners: a session's folder is not used when others can change what is in it.
func TestOwners(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "gorocm")
	dir := filepath.Join(cache, "modules", "session-x")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := checkOwners(dir); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing of who may write")
	}
	for _, folder := range []string{dir, filepath.Dir(dir), cache} {
		if err := os.Chmod(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := checkOwners(dir); err == nil || !strings.Contains(err.Error(), "everybody may write") {
			t.Errorf("%s: %v", folder, err)
		}
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
